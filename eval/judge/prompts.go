package judge

import (
	"embed"

	"trawl/internal/prompt"
)

// Every word that a model is shown stands in a file of prompts/; testdata/prompts
// holds them as they are rendered.
//
//go:embed prompts/*.tmpl
var promptFiles embed.FS

var prompts = prompt.New("judge", promptFiles, nil)

// PromptHash returns the hash of the prompts.
func PromptHash() string { return prompts.Hash() }

// render fills in a prompt.
func render(name string, data any) string { return prompts.Render(name, data) }

// words returns a short text of case.tmpl.
func words(name string) string { return prompts.Words(name, nil) }
