package wiki

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// flatPassage parses the line that nearly all lines of a corpus are: an object of
// strings under our keys, each once. ok is false for another, which may be as good:
// encoding/json, several times slower, decides.
func flatPassage(line []byte) (p passage, ok bool) {
	s := flat{rest: line}
	if !s.take('{') {
		return passage{}, false
	}
	for {
		key, ok := s.quoted()
		if !ok || !s.take(':') {
			return passage{}, false
		}
		value, ok := s.quoted()
		if !ok || !p.set(string(key[1:len(key)-1]), value) {
			return passage{}, false
		}
		if s.take('}') {
			s.blanks()
			return p, len(s.rest) == 0
		}
		if !s.take(',') {
			return passage{}, false
		}
	}
}

// set sets a key that is not set yet to a string, which stands between quotes.
func (p *passage) set(key string, quoted []byte) bool {
	if key == "id" || key == "_id" || key == "docid" {
		fresh := p.ID == nil
		p.ID = json.RawMessage(quoted)
		return fresh && isPlainASCII(quoted[1:len(quoted)-1])
	}
	value, ok := unquote(quoted[1 : len(quoted)-1])
	if !ok {
		return false
	}
	switch {
	case key == "contents" && p.Contents == nil:
		p.Contents = &value
	case key == "title" && p.Title == nil:
		p.Title = &value
	case key == "text" && p.Text == nil:
		p.Text = &value
	case key == "url" && p.URL == "" && value != "":
		p.URL = value
	default:
		return false
	}
	return true
}

// flat is what is left of a line.
type flat struct{ rest []byte }

func (s *flat) blanks() {
	for len(s.rest) > 0 && (s.rest[0] == ' ' || s.rest[0] == '\t' || s.rest[0] == '\r') {
		s.rest = s.rest[1:]
	}
}

// take takes a mark, with blanks before it.
func (s *flat) take(mark byte) bool {
	s.blanks()
	if len(s.rest) == 0 || s.rest[0] != mark {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// quoted takes a string, with its quotes.
func (s *flat) quoted() ([]byte, bool) {
	s.blanks()
	if len(s.rest) == 0 || s.rest[0] != '"' {
		return nil, false
	}
	for end := 1; ; {
		quote := bytes.IndexByte(s.rest[end:], '"')
		if quote < 0 {
			return nil, false
		}
		end += quote + 1
		slashes := 0
		for s.rest[end-2-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			taken := s.rest[:end]
			s.rest = s.rest[end:]
			return taken, true
		}
	}
}

// unquote resolves the escapes of a string that is good UTF-8.
func unquote(s []byte) (string, bool) {
	if !utf8.Valid(s) {
		return "", false
	}
	for _, c := range s {
		if c < ' ' {
			return "", false
		}
	}
	slash := bytes.IndexByte(s, '\\')
	if slash < 0 {
		return string(s), true
	}
	out := make([]byte, 0, len(s))
	for slash >= 0 {
		out = append(out, s[:slash]...)
		r, size, ok := escape(s[slash:])
		if !ok {
			return "", false
		}
		out = utf8.AppendRune(out, r)
		s = s[slash+size:]
		slash = bytes.IndexByte(s, '\\')
	}
	return string(append(out, s...)), true
}

// escape returns the character that an escape stands for, and its length. It
// leaves surrogates to others.
func escape(s []byte) (r rune, size int, ok bool) {
	if len(s) < 2 {
		return 0, 0, false
	}
	switch s[1] {
	case '"', '\\', '/':
		return rune(s[1]), 2, true
	case 'n':
		return '\n', 2, true
	case 't':
		return '\t', 2, true
	case 'r':
		return '\r', 2, true
	case 'b':
		return '\b', 2, true
	case 'f':
		return '\f', 2, true
	case 'u':
		if len(s) < 6 {
			return 0, 0, false
		}
		n, err := strconv.ParseUint(string(s[2:6]), 16, 32)
		r := rune(n)
		return r, 6, err == nil && utf8.ValidRune(r)
	}
	return 0, 0, false
}

// isPlainASCII reports whether a string of JSON stands for itself.
func isPlainASCII(s []byte) bool {
	for _, c := range s {
		if c < ' ' || c >= utf8.RuneSelf || c == '\\' || c == '"' {
			return false
		}
	}
	return true
}
