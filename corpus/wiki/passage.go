package wiki

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"trawl/internal/text"
	"trawl/search"
)

// parsePassage parses a line of Search-R1's and FlashRAG's corpora.
func parsePassage(raw []byte, _ int) (record, bool, error) {
	if p, ok := flatPassage(raw); ok {
		return p.record()
	}
	return parseAnyPassage(raw)
}

// parseAnyPassage is parsePassage for whatever encoding/json reads.
func parseAnyPassage(raw []byte) (record, bool, error) {
	var p passage
	if err := json.Unmarshal(raw, &p); err != nil {
		return record{}, false, text.JSONError(err)
	}
	return p.record()
}

// A passage is a line, as it stands.
type passage struct {
	ID       json.RawMessage
	Contents *string
	Title    *string
	Text     *string
	URL      string
}

func (p passage) record() (record, bool, error) {
	id, err := parseID(p.ID)
	if err != nil {
		return record{}, false, fmt.Errorf("key id: %w", err)
	}
	doc := search.Document{ID: id, URL: p.URL}
	switch {
	case p.Text != nil:
		doc.Text = *p.Text
		if p.Title != nil {
			doc.Title = *p.Title
		}
	case p.Contents != nil:
		doc.Title, doc.Text = text.SplitContents(*p.Contents)
	default:
		return record{}, false, errors.New("key contents: missing, and so is text")
	}
	return record{Document: doc}, true, nil
}

// parseID accepts a string or a number, which stands for its digits.
func parseID(raw json.RawMessage) (string, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return "", errors.New("missing")
	}
	if raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9' {
		return string(raw), nil
	}
	if n := len(raw); n > 2 && raw[0] == '"' && isPlainASCII(raw[1:n-1]) {
		return string(raw[1 : n-1]), nil
	}
	var id string
	if err := json.Unmarshal(raw, &id); err != nil {
		return "", errors.New("want a string or a number")
	}
	if id == "" {
		return "", errors.New("empty")
	}
	return id, nil
}
