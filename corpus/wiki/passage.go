package wiki

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

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
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil {
		return record{}, false, text.JSONError(err)
	}
	p := passage{ID: valueOf(keys, "id", "_id", "docid")}
	for _, field := range []struct {
		key   string
		value any
	}{{"contents", &p.Contents}, {"title", &p.Title}, {"text", &p.Text}, {"url", &p.URL}} {
		value := valueOf(keys, field.key)
		if value == nil {
			continue
		}
		if err := json.Unmarshal(value, field.value); err != nil {
			return record{}, false, fmt.Errorf("key %s: %w", field.key, text.JSONError(err))
		}
	}
	return p.record()
}

// valueOf returns the value of the first key that is there: a key as it is
// written, before one that differs in case; nil if none is.
func valueOf(keys map[string]json.RawMessage, names ...string) json.RawMessage {
	for _, name := range names {
		if value, ok := keys[name]; ok {
			return value
		}
	}
	found := ""
	for key := range keys {
		isIt := func(name string) bool { return strings.EqualFold(key, name) }
		if slices.ContainsFunc(names, isIt) && (found == "" || key < found) {
			found = key
		}
	}
	if found == "" {
		return nil
	}
	return keys[found]
}

// A passage is a line, as it stands.
type passage struct {
	ID       json.RawMessage
	Contents *string
	Title    *string
	Text     *string
	URL      string
}

// readPassages visits the passages of a file, which are lines of JSON or a list.
func readPassages(f file, visit visitor) error {
	src, err := openSource(f)
	if err != nil {
		return err
	}
	defer src.close()
	head, _ := src.Peek(headBytes)
	list, isList := bytes.CutPrefix(bytes.TrimSpace(head), []byte("["))
	if !isList || !bytes.HasPrefix(bytes.TrimSpace(list), []byte("{")) {
		return src.eachRecord(f.path, parsePassage, visit)
	}
	number := 0
	return readList(src, f.path, func(raw []byte) error {
		number++
		rec, _, err := parseAnyPassage(raw)
		if err != nil {
			return err
		}
		rec.place, rec.replaced = place{path: fmt.Sprintf("%s: record %d", f.path, number)}, !utf8.Valid(raw)
		if err := visit(rec); err != nil {
			return visitError{err}
		}
		return nil
	})
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
