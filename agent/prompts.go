package agent

import (
	"embed"

	"trawl/internal/prompt"
)

// Every word that a model is shown, tools' descriptions and results apart,
// stands in a file of prompts/; testdata/prompts holds them as they are rendered.
//
//go:embed prompts/*.tmpl
var promptFiles embed.FS

var prompts = prompt.New("agent", promptFiles, nil)

// PromptHash returns the hash of the prompts, for a run's manifest.
func PromptHash() string { return prompts.Hash() }

// render fills in a prompt.
func render(name string, data any) string { return prompts.Render(name, data) }
