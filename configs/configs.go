// Package configs holds the presets that are built into the binary.
package configs

import "embed"

// FS has one file NAME.yaml for each preset.
//
//go:embed *.yaml
var FS embed.FS
