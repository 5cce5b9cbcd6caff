package reply

import "strings"

// A tag is a piece of markup that replies carry: <name>, </name>, <name=arg>.
type tag struct {
	name       string // lower case
	arg        string
	close      bool
	escaped    bool // the slash of a closing tag was written \/
	start, end int  // in bytes of the text
}

// tagNames are the names of markup that means something in a reply.
var tagNames = map[string]string{
	"think": "think", "thinking": "think", "search": "search", "answer": "answer", "information": "information",
	"tool_call": "tool_call", "tool_response": "tool_response", "function": "function", "parameter": "parameter",
	"arg_key": "arg_key", "arg_value": "arg_value",
}

const maxTagArg = 64

// tags returns the known tags of s in order. Case and blanks inside a tag do
// not matter. It reads s once.
func tags(s string) []tag {
	var ts []tag
	for i := 0; ; {
		n := strings.IndexByte(s[i:], '<')
		if n < 0 {
			return ts
		}
		i += n
		t, ok := readTag(s, i)
		if !ok {
			i++
			continue
		}
		ts = append(ts, t)
		i = t.end
	}
}

// readTag reads the tag that begins at the "<" at s[start].
func readTag(s string, start int) (tag, bool) {
	t := tag{start: start}
	i := blanks(s, start+1)
	if i < len(s) && s[i] == '\\' {
		t.escaped = true
		i++
	}
	if i < len(s) && s[i] == '/' {
		t.close = true
		i = blanks(s, i+1)
	}
	from := i
	for i < len(s) && (s[i] == '_' || 'a' <= s[i]|0x20 && s[i]|0x20 <= 'z') && i-from <= maxTagArg {
		i++
	}
	name, known := tagNames[strings.ToLower(s[from:i])]
	if !known || t.escaped && !t.close {
		return t, false
	}
	t.name = name
	if i = blanks(s, i); i < len(s) && s[i] == '=' {
		n := strings.IndexAny(s[i:min(len(s), i+maxTagArg)], ">\n")
		if n < 0 {
			return t, false
		}
		t.arg = strings.Trim(s[i+1:i+n], " \t\r\"'")
		i += n
	}
	if i >= len(s) || s[i] != '>' {
		return t, false
	}
	t.end = i + 1
	return t, true
}

func blanks(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r') {
		i++
	}
	return i
}
