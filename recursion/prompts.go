package recursion

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strings"
	"text/template"
)

// Every word that a model is shown, the states' own text apart, stands in a file
// of prompts/; testdata/prompts holds them as they are rendered.
//
//go:embed prompts/*.tmpl
var promptFiles embed.FS

var prompts = template.Must(template.New("").Funcs(template.FuncMap{"join": strings.Join}).ParseFS(promptFiles, "prompts/*.tmpl"))

// PromptHash returns the SHA-256 of the prompts, for a run's manifest: runs with
// different prompts are different experiments.
func PromptHash() string {
	h := sha256.New()
	names, err := fs.Glob(promptFiles, "prompts/*.tmpl") // sorted
	if err != nil {
		panic("recursion: the pattern of the prompts is malformed")
	}
	for _, name := range names {
		data, err := promptFiles.ReadFile(name)
		if err != nil {
			panic("recursion: an embedded file cannot be read")
		}
		fmt.Fprintf(h, "%s %d\n%s", name, len(data), data)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// render fills in a prompt. The last line ends without a line feed.
func render(name string, data any) string {
	var b strings.Builder
	if err := prompts.ExecuteTemplate(&b, name+".tmpl", data); err != nil {
		panic("recursion: prompt " + name + ": " + err.Error()) // data and template are both of this package
	}
	return strings.TrimRight(b.String(), "\n")
}
