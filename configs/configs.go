// Package configs holds the presets and the experiments that are built into the
// binary.
package configs

import "embed"

// FS has one file NAME.yaml for each preset, and experiments/NAME.yaml for each
// experiment.
//
//go:embed *.yaml experiments/*.yaml
var FS embed.FS
