package divinit

import (
	"embed"
	"strings"

	"trawl/internal/prompt"
	"trawl/internal/text"
	"trawl/trajectory"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

var prompts = prompt.New("divinit", promptFiles, nil)

// PromptHash returns the hash of the prompt, for a run's manifest.
func PromptHash() string { return prompts.Hash() }

// A request is what the prompt is filled with.
type request struct {
	ID       string // of the question
	Question string // on one line
	N        int    // queries to ask for
	Have     []string
	History  []searched
	Known    Known // as it is shown
}

// maxShown is how many of the searches that were made stand in a prompt.
const maxShown = 64

// shown returns what of known stands in a prompt: each text on one line, without
// those that say nothing.
func (k Known) shown() Known {
	tried := lines(k.Tried)
	return Known{Facts: lines(k.Facts), Conflicts: lines(k.Conflicts), Open: lines(k.Open), Tried: tried[max(0, len(tried)-maxShown):]}
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

func (r request) prompt() string { return prompts.Words("pool.tmpl", r) }
