// Package prompt holds the texts that a package shows to models: templates in
// files of its own, so that every word can be read, held as a golden file, and
// hashed into a run's identity.
package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strings"
	"text/template"
)

// pattern is where a package has its prompts.
const pattern = "prompts/*.tmpl"

// A Set is the prompts of one package. It is safe for concurrent use.
type Set struct {
	owner     string
	files     fs.FS
	templates *template.Template
}

// New returns the prompts/*.tmpl of files, usually embedded, which may call funcs. It panics if
// they do not parse, as they are part of the program; owner is the package, for
// that case.
func New(owner string, files fs.FS, funcs template.FuncMap) *Set {
	t, err := template.New("").Funcs(funcs).ParseFS(files, pattern)
	if err != nil {
		panic(owner + ": the prompts: " + err.Error())
	}
	return &Set{owner, files, t}
}

// Render fills in prompts/name.tmpl. The last line ends without a line feed.
func (s *Set) Render(name string, data any) string {
	return strings.TrimRight(s.Words(name+".tmpl", data), "\n")
}

// Words fills in a template that a prompt defines, or a file by its whole name,
// and leaves it as it is.
func (s *Set) Words(name string, data any) string {
	var b strings.Builder
	if err := s.templates.ExecuteTemplate(&b, name, data); err != nil {
		panic(s.owner + ": prompt " + name + ": " + err.Error()) // data and template are both of the owner
	}
	return b.String()
}

// Hash returns "sha256:" and the hash of all files, for a run's manifest: runs
// with different prompts are different experiments.
func (s *Set) Hash() string {
	h := sha256.New()
	names, err := fs.Glob(s.files, pattern) // sorted
	if err != nil {
		panic(s.owner + ": the pattern of the prompts is malformed")
	}
	for _, name := range names {
		data, err := fs.ReadFile(s.files, name)
		if err != nil {
			panic(s.owner + ": an embedded file cannot be read")
		}
		fmt.Fprintf(h, "%s %d\n%s", name, len(data), data)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
