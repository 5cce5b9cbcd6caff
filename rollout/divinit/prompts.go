package divinit

import (
	"crypto/sha256"
	_ "embed" // for the prompt
	"encoding/hex"
	"strings"
	"text/template"

	"trawl/internal/text"
	"trawl/trajectory"
)

//go:embed prompts/pool.tmpl
var poolPrompt string

var poolTemplate = template.Must(template.New("pool").Parse(poolPrompt))

// PromptHash returns "sha256:" and the hash of the prompt, for the manifest of
// a run.
func PromptHash() string {
	sum := sha256.Sum256([]byte(poolPrompt))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// A request is what the prompt is filled with.
type request struct {
	ID       string // of the question
	Question string // on one line
	N        int    // queries to ask for
	Have     []string
	History  []searched
	Known    Known // each text on one line
}

// onLines returns known with each text on one line, and without those that say
// nothing.
func (k Known) onLines() Known {
	return Known{Facts: lines(k.Facts), Open: lines(k.Open), Tried: lines(k.Tried)}
}

func lines(texts []string) []string {
	var out []string
	for _, t := range texts {
		if t = text.Collapse(t); t != "" {
			out = append(out, t)
		}
	}
	return out
}

// searched is a search of the past and what the model was shown of it.
type searched struct {
	Query string
	Shown string
}

// history returns the searches among steps.
func history(steps []trajectory.Step) []searched {
	var out []searched
	for _, s := range steps {
		if s.Kind == trajectory.KindSearch {
			out = append(out, searched{Query: text.Collapse(s.Query), Shown: strings.TrimSpace(s.Shown)})
		}
	}
	return out
}

func (r request) prompt() string {
	var b strings.Builder
	if err := poolTemplate.Execute(&b, r); err != nil {
		panic("divinit: the pool's prompt: " + err.Error()) // data and template are both of this package
	}
	return b.String()
}
