package aggregate

import (
	"embed"
	"encoding/json"

	"trawl/agent/llm"
	"trawl/internal/prompt"
	"trawl/internal/text"
)

// Every word that a model is shown stands in a file of prompts/, with the tools'
// descriptions in tools.tmpl and short texts in words.tmpl; testdata/prompts
// holds them as they are rendered.
//
//go:embed prompts/*.tmpl
var promptFiles embed.FS

var prompts = prompt.New("aggregate", promptFiles, map[string]any{"json": callJSON})

// PromptHash returns the hash of the prompts.
func PromptHash() string { return prompts.Hash() }

// render fills in a prompt.
func render(name string, data any) string { return prompts.Render(name, data) }

// words fills in a short text of words.tmpl.
func words(name string, data any) string { return prompts.Words(name, data) }

// A call is a tool call as a model is shown it.
type call struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// callOf keeps arguments that are no JSON as a text.
func callOf(name, arguments string) call {
	raw := json.RawMessage(arguments)
	if !json.Valid(raw) {
		raw = mustJSON(arguments)
	}
	return call{Name: name, Arguments: raw}
}

func callJSON(c llm.ToolCall) string { return string(mustJSON(callOf(c.Name, c.Arguments))) }

// mustJSON writes values that cannot fail to be JSON: texts, numbers, and what
// came from JSON.
func mustJSON(v any) []byte {
	data, err := text.JSON(v)
	if err != nil {
		panic("aggregate: a value that is not JSON: " + err.Error())
	}
	return data
}
