package scaffold

import (
	"embed"

	"trawl/internal/prompt"
)

// The words of a hint stand in prompts/; testdata has hints as they are rendered.
//
//go:embed prompts/*.tmpl
var promptFiles embed.FS

var prompts = prompt.New("scaffold", promptFiles, nil)

// PromptHash returns the hash of the prompt, for a run's identity.
func PromptHash() string { return prompts.Hash() }
