package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"trawl/internal/text"
	"trawl/trajectory"
)

// decode fills v, the shape of a benchmark's record, from one record.
func decode(raw []byte, v any) error {
	err := json.Unmarshal(raw, v)
	e, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok:
		return text.JSONError(err)
	case e.Field == "":
		return fmt.Errorf("is a JSON %s, not an object", e.Value)
	}
	return fmt.Errorf("key %q: is a JSON %s", e.Field, e.Value)
}

// question returns the question of a record. What is asked must not be empty; key is
// what the data set calls it.
func question(id, asked, key string) (trajectory.Question, error) {
	asked = strings.TrimSpace(asked)
	if asked == "" {
		return trajectory.Question{}, fmt.Errorf("key %q: missing or empty", key)
	}
	return trajectory.Question{ID: id, Text: asked}, nil
}

// identified is [question] for data sets that have ids of their own.
func identified(id, idKey, text, key string) (trajectory.Question, error) {
	if id == "" {
		return trajectory.Question{}, fmt.Errorf("key %q: missing or empty", idKey)
	}
	return question(id, text, key)
}

// label returns a string or number of JSON as text; "" for null or nothing.
func label(key string, raw json.RawMessage) (string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	all, err := texts(key, raw)
	if err != nil || raw[0] == '[' {
		return "", fmt.Errorf("key %q: neither a string nor a number", key)
	}
	return all[0], nil
}

// texts returns a scalar of JSON, or a list of scalars, as texts: some copies
// of a data set write a single answer as a list and others do not. Numbers and
// booleans are taken as they are written.
func texts(key string, raw json.RawMessage) ([]string, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	list := []json.RawMessage{raw}
	if raw[0] == '[' {
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, fmt.Errorf("key %q: %w", key, text.JSONError(err))
		}
	}
	out := make([]string, len(list))
	for i, item := range list {
		switch item[0] {
		case '{', '[', 'n':
			return nil, fmt.Errorf("key %q: %s is not a string", key, item)
		case '"':
			if err := json.Unmarshal(item, &out[i]); err != nil {
				return nil, fmt.Errorf("key %q: %w", key, text.JSONError(err))
			}
		default:
			out[i] = string(item)
		}
	}
	return out, nil
}

// golds returns the answers in order, without blanks and repetitions; nil if
// none is left.
func golds(answers ...string) []string {
	var out []string
	for _, a := range answers {
		a = strings.TrimSpace(a)
		if a != "" && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

// titles returns distinct titles in order, their HTML entities decoded: the
// releases of HotpotQA and 2WikiMultihopQA hold "Tunnels &amp; Trolls".
func titles(raw []string) []string {
	var out []string
	for _, t := range raw {
		if t = html.UnescapeString(t); t != "" && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// pythonList parses the literal of a Python list of strings, such as
// ['a', "b's"], which is what pandas writes for a column of lists.
func pythonList(s string) ([]string, error) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(s), "[")
	if !ok {
		return nil, fmt.Errorf("%.40q is not a Python list", s)
	}
	var out []string
	for {
		rest = strings.TrimLeft(rest, " \t\r\n")
		if rest == "]" {
			return out, nil
		}
		item, tail, err := pythonString(rest)
		if err != nil {
			return nil, err
		}
		out = append(out, item)
		tail = strings.TrimLeft(tail, " \t\r\n")
		if rest, ok = strings.CutPrefix(tail, ","); !ok && tail != "]" {
			return nil, fmt.Errorf("%.40q where a comma should be", tail)
		}
	}
}

// pythonString parses the string literal that s begins with and returns what
// follows it.
func pythonString(s string) (value, rest string, err error) {
	if s == "" || s[0] != '\'' && s[0] != '"' {
		return "", "", fmt.Errorf("%.40q where a string should begin", s)
	}
	quote := s[0]
	var b strings.Builder
	for s = s[1:]; s != ""; {
		if s[0] == quote {
			return b.String(), s[1:], nil
		}
		if s[0] == '\\' && len(s) > 1 && (s[1] == '\'' || s[1] == '"') {
			b.WriteByte(s[1])
			s = s[2:]
			continue
		}
		r, _, tail, err := strconv.UnquoteChar(s, 0)
		if err != nil {
			return "", "", fmt.Errorf("%.40q: %w", s, err)
		}
		b.WriteRune(r) // \xe9 is a code point in Python, not a byte
		s = tail
	}
	return "", "", errors.New("a string that does not end")
}
