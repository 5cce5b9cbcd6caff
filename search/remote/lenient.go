package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"

	"trawl/internal/httpcall"
	"trawl/internal/text"
)

// wholeNumber reads a whole number as Search-R1's server does, whose pydantic
// takes 3, 3.0, "3" and "3.0" for the same; null and nothing are 0.
func wholeNumber(raw json.RawMessage) (float64, error) {
	if absent(raw) {
		return 0, nil
	}
	digits := []byte(raw)
	if s, ok := unquoted(raw); ok {
		digits = []byte(text.Trim(s))
	}
	var n *float64
	if err := json.Unmarshal(digits, &n); err != nil || n == nil || *n != math.Trunc(*n) {
		return 0, errors.New("want a whole number")
	}
	return *n, nil
}

// truth reads true or false, or what pydantic takes for it; null and nothing are
// false.
func truth(raw json.RawMessage) (bool, error) {
	said, ok := unquoted(raw)
	if !ok {
		said = string(raw)
		if n, err := wholeNumber(raw); err == nil { // 1.0 is true, too
			said = strconv.FormatFloat(n, 'f', -1, 64)
		}
	}
	switch strings.ToLower(said) {
	case "true", "t", "yes", "y", "on", "1":
		return true, nil
	case "false", "f", "no", "n", "off", "0":
		return false, nil
	}
	return false, errors.New(httpcall.FirstWords(raw) + ": want true or false")
}

// score reads a score. It is nil if there is none: no number, or NaN or an
// infinity, by which nothing can be ranked. A string may hold the number.
func score(raw json.RawMessage) (*float64, error) {
	if absent(raw) {
		return nil, nil
	}
	digits, quoted := unquoted(raw)
	if !quoted {
		digits = string(raw)
	}
	n, err := strconv.ParseFloat(text.Trim(digits), 64)
	switch {
	case math.IsNaN(n) || math.IsInf(n, 0) || err != nil && quoted:
		return nil, nil
	case err != nil:
		return nil, errors.New("want a number, found " + httpcall.FirstWords(raw))
	}
	return &n, nil
}

func absent(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// unquoted returns the string that a JSON value is, if it is one.
func unquoted(raw json.RawMessage) (s string, ok bool) {
	ok = len(raw) > 0 && first(raw) == '"' && json.Unmarshal(raw, &s) == nil
	return s, ok
}

// byteOrderMark stands before the JSON of some servers on Windows.
const byteOrderMark = "\uFEFF"

var noNumbers = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"|-?Infinity|NaN`)

// withoutNaN returns what Python's json module wrote, with null for NaN, Infinity
// and -Infinity, which JSON does not have.
func withoutNaN(data []byte) []byte {
	return noNumbers.ReplaceAllFunc(data, func(found []byte) []byte {
		if bytes.HasPrefix(found, []byte(`"`)) {
			return found
		}
		return []byte("null")
	})
}
