package dataset

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// A flashRecord is a record in the form of FlashRAG, and of trawl's own woven
// worlds.
type flashRecord struct {
	ID       json.RawMessage `json:"id"`
	Question string          `json:"question"`
	Golds    json.RawMessage `json:"golden_answers"`
	Choices  []string        `json:"choices"`
	Metadata flashMetadata   `json:"metadata"`
}

// flashMetadata is what is used of the metadata: FlashRAG keeps there what the
// original data sets know; source, hops and supporting_docids are trawl's.
type flashMetadata struct {
	Source loose           `json:"source"`
	Type   loose           `json:"type"`
	Level  loose           `json:"level"`
	Hops   json.RawMessage `json:"hops"` // 2, "2" or "2hop"
	Docs   json.RawMessage `json:"supporting_docids"`
	Facts  json.RawMessage `json:"supporting_facts"`
}

// loose is a string of the metadata. FlashRAG fixes no types there, so another
// JSON value under the same key means something else and is passed over.
type loose string

func (l *loose) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*l = loose(s)
	}
	return nil
}

// parseFlashRAG reads JSON lines in the form of FlashRAG's data sets. For
// multiple choice the answers are indices into the choices, and the question is
// given its choices, without which it cannot be answered.
//
// The answers of CuratedTREC are regular expressions, which no metric here
// matches; nothing in a record says so, hence the data set is known by its
// folder's name, or by metadata.source, and refused.
func parseFlashRAG(path string) (parser, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return parser{}, err
	}
	if isTREC(filepath.Base(filepath.Dir(abs))) || isTREC(filepath.Base(abs)) {
		return parser{}, fmt.Errorf("%s: %w", path, errTREC)
	}
	return parser{json: flashRAG}, nil
}

var errTREC = errors.New("the answers of CuratedTREC are regular expressions, which trawl does not score")

func isTREC(name string) bool { return strings.HasPrefix(strings.ToLower(name), "curatedtrec") }

func flashRAG(raw []byte) (Example, error) {
	var r flashRecord
	if err := decode(raw, &r); err != nil {
		return Example{}, err
	}
	id, err := label("id", r.ID)
	if err != nil {
		return Example{}, err
	}
	e := Example{Source: cmp.Or(string(r.Metadata.Source), "flashrag"), Type: string(r.Metadata.Type), Level: string(r.Metadata.Level)}
	if isTREC(e.Source) {
		return Example{}, errTREC
	}
	if e.Question, err = identified(id, "id", r.Question, "question"); err != nil {
		return Example{}, err
	}
	answers, err := texts("golden_answers", r.Golds)
	if err != nil {
		return Example{}, err
	}
	if len(r.Choices) > 0 {
		if answers, err = chosen(r.Choices, answers); err != nil {
			return Example{}, err
		}
		e.Text += options(r.Choices)
	}
	e.Golds = golds(answers...)
	return e, r.Metadata.apply(&e)
}

// apply fills in what the metadata says about the documents and hops of e.
func (m flashMetadata) apply(e *Example) error {
	hops, err := label("metadata.hops", m.Hops)
	if err != nil {
		return err
	}
	e.Hops = leadingNumber(hops)
	if e.Supporting, err = texts("metadata.supporting_docids", m.Docs); err != nil {
		return err
	}
	e.Titles, err = factTitles("metadata.supporting_facts", m.Facts)
	return err
}

// chosen returns the choices that the indices name.
func chosen(choices, indices []string) ([]string, error) {
	out := make([]string, len(indices))
	for i, index := range indices {
		n, err := strconv.Atoi(index)
		if err != nil || n < 0 || n >= len(choices) {
			return nil, fmt.Errorf("key %q: %q is not the index of one of %d choices", "golden_answers", index, len(choices))
		}
		out[i] = choices[n]
	}
	return out, nil
}

// options returns the choices as they stand behind a question: on the same
// line, because a question is one line wherever it is shown.
func options(choices []string) string {
	var b strings.Builder
	b.WriteString(" Options:")
	for i, c := range choices {
		fmt.Fprintf(&b, " (%c) %s", 'A'+rune(i), c)
	}
	return b.String()
}
