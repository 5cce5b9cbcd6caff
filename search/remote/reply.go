package remote

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"trawl/internal/text"
	"trawl/search"
)

// A Form is the shape of a server's answers.
type Form string

// The forms that are known.
const (
	SearchR1       Form = "search-r1"       // a list of hits for each query
	BrowseCompPlus Form = "browsecomp-plus" // a list of hits for the one query
)

// A reply is what a server answered to one query, in its order.
type reply struct {
	form Form
	hits []search.Hit
	ids  bool // every hit has an id of its own
	// every hit has a score; if one has none, the scores of all are left alone
	scores bool
}

// readReply reads an answer in any of the known shapes.
func readReply(data []byte) (reply, error) {
	var outer struct{ Result json.RawMessage }
	if err := json.Unmarshal(data, &outer); err != nil && json.Unmarshal(withoutNaN(data), &outer) != nil {
		return reply{}, text.JSONError(err)
	}
	if len(outer.Result) == 0 || first(outer.Result) == 'n' {
		return reply{}, errors.New("it has no key result")
	}
	var items []json.RawMessage
	if err := json.Unmarshal(outer.Result, &items); err != nil {
		return reply{}, fmt.Errorf("key result: %w", text.JSONError(err))
	}
	r := reply{form: BrowseCompPlus, ids: true, scores: true}
	if len(items) > 0 && (first(items[0]) == '[' || first(items[0]) == 'n') { // null is a list of nothing
		if len(items) > 1 {
			return reply{}, fmt.Errorf("key result: %d lists for one query", len(items))
		}
		r.form = SearchR1
		list := items[0]
		items = nil
		if err := json.Unmarshal(list, &items); err != nil {
			return reply{}, fmt.Errorf("key result: %w", text.JSONError(err))
		}
	}
	for i, item := range items {
		if err := r.add(item); err != nil {
			return reply{}, fmt.Errorf("hit %d: %w", i+1, err)
		}
	}
	return r, nil
}

// first returns the first byte of a JSON value.
func first(raw json.RawMessage) byte { return bytes.TrimSpace(raw)[0] }

// add adds a hit: {"document": …, "score": …, "docid": …}, or a document alone.
func (r *reply) add(raw json.RawMessage) error {
	var item struct {
		Document json.RawMessage
		Score    json.RawMessage
		DocID    json.RawMessage
	}
	if first(raw) != '"' {
		if err := json.Unmarshal(raw, &item); err != nil {
			return text.JSONError(err)
		}
	}
	if len(item.Document) == 0 {
		item.Document = raw
	}
	doc, err := readDocument(item.Document)
	if err != nil {
		return err
	}
	doc.Title = printable(doc.Title)
	if doc.ID == "" {
		if doc.ID, err = readID(item.DocID); err != nil {
			return fmt.Errorf("key docid: %w", err)
		}
	}
	if doc.ID == "" {
		doc.ID = hashed(doc)
		r.ids = false
	}
	given, err := score(item.Score)
	if err != nil {
		return fmt.Errorf("key score: %w", err)
	}
	hit := search.Hit{Document: doc}
	if given != nil {
		hit.Score = *given
	}
	r.scores = r.scores && given != nil
	r.hits = append(r.hits, hit)
	return nil
}

// readDocument reads a document: its contents as a string, or an object with
// contents, or with text and maybe a title, which win.
func readDocument(raw json.RawMessage) (search.Document, error) {
	if first(raw) == '"' {
		var contents string
		err := json.Unmarshal(raw, &contents)
		title, body := text.SplitContents(contents)
		return search.Document{Title: title, Text: body}, err
	}
	var in struct {
		ID, DocID             json.RawMessage
		Contents, Title, Text *string
		URL                   string
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return search.Document{}, text.JSONError(err)
	}
	doc := search.Document{URL: in.URL}
	switch {
	case in.Text != nil:
		doc.Text = *in.Text
		if in.Title != nil {
			doc.Title = *in.Title
		}
	case in.Contents != nil:
		doc.Title, doc.Text = text.SplitContents(*in.Contents)
	default:
		return search.Document{}, errors.New("the document has neither contents nor text")
	}
	var err error
	for _, id := range []json.RawMessage{in.ID, in.DocID} {
		if doc.ID == "" && err == nil {
			doc.ID, err = readID(id)
		}
	}
	if err != nil {
		return search.Document{}, fmt.Errorf("key id: %w", err)
	}
	return doc, nil
}

// printable returns a title with a space for control characters, which end a line
// or make a terminal do things.
func printable(title string) string {
	return strings.Join(strings.FieldsFunc(title, unicode.IsControl), " ")
}

// readID reads a string or a number, which stands for its digits; "" if there is
// nothing.
func readID(raw json.RawMessage) (string, error) {
	if absent(raw) {
		return "", nil
	}
	if c := first(raw); c == '-' || '0' <= c && c <= '9' {
		return string(raw), nil
	}
	var id string
	if json.Unmarshal(raw, &id) != nil {
		return "", errors.New("want a string or a number")
	}
	return id, nil
}

// hashed returns an id for a document that has none.
func hashed(doc search.Document) string {
	sum := sha256.Sum256([]byte(text.Contents(doc.Title, doc.Text)))
	return "sha256:" + hex.EncodeToString(sum[:8])
}

// best returns the n best hits, each id once.
func (r reply) best(n int) []search.Hit {
	hits := slices.Clone(r.hits)
	if r.scores {
		slices.SortStableFunc(hits, func(a, b search.Hit) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
		})
	}
	seen := make(map[string]bool, len(hits))
	hits = slices.DeleteFunc(hits, func(h search.Hit) bool {
		defer func() { seen[h.ID] = true }()
		return seen[h.ID]
	})
	if !r.scores {
		for i := range hits {
			hits[i].Score = 1 / float64(i+1)
		}
	}
	return hits[:min(n, len(hits)):min(n, len(hits))]
}

// rising reports whether scores never fall from hit to hit, and rise somewhere.
func (r reply) rising() bool {
	n := len(r.hits)
	up := slices.IsSortedFunc(r.hits, func(a, b search.Hit) int { return cmp.Compare(a.Score, b.Score) })
	return r.scores && n > 1 && up && r.hits[0].Score < r.hits[n-1].Score
}
