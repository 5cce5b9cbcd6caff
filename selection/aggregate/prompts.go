package aggregate

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"text/template"

	"trawl/agent/llm"
	"trawl/internal/text"
)

// Every word that a model is shown stands in a file of prompts/, with the tools'
// descriptions in tools.tmpl and short texts in words.tmpl; testdata/prompts
// holds them as they are rendered.
//
//go:embed prompts/*.tmpl
var promptFiles embed.FS

var prompts = template.Must(template.New("").Funcs(template.FuncMap{"json": callJSON}).ParseFS(promptFiles, "prompts/*.tmpl"))

// PromptHash returns the SHA-256 of the prompts: decisions by different prompts
// are different experiments.
func PromptHash() string {
	h := sha256.New()
	names, err := fs.Glob(promptFiles, "prompts/*.tmpl") // sorted
	if err != nil {
		panic("aggregate: the pattern of the prompts is malformed")
	}
	for _, name := range names {
		data, err := promptFiles.ReadFile(name)
		if err != nil {
			panic("aggregate: an embedded file cannot be read")
		}
		fmt.Fprintf(h, "%s %d\n%s", name, len(data), data)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// render fills in a prompt. The last line ends without a line feed.
func render(name string, data any) string {
	return strings.TrimRight(words(name+".tmpl", data), "\n")
}

// words fills in a short text of words.tmpl.
func words(name string, data any) string {
	var b strings.Builder
	if err := prompts.ExecuteTemplate(&b, name, data); err != nil {
		panic("aggregate: prompt " + name + ": " + err.Error()) // data and template are both of this package
	}
	return b.String()
}

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
