package recursion

import (
	"embed"
	"strings"

	"trawl/internal/prompt"
)

// Every word that a model is shown, the states' own text apart, stands in a file
// of prompts/; testdata/prompts holds them as they are rendered.
//
//go:embed prompts/*.tmpl
var promptFiles embed.FS

var prompts = prompt.New("recursion", promptFiles, map[string]any{"join": strings.Join})

// PromptHash returns the hash of the prompts, for a run's manifest.
func PromptHash() string { return prompts.Hash() }

// render fills in a prompt.
func render(name string, data any) string { return prompts.Render(name, data) }
