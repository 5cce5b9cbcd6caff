package reply

import "strings"

// python reads calls in Python, one after the other or in a list:
//
//	search(query="x")
//	[search(query='x'), print(tools.search("y"))]
//
// Each argument is mended as JSON, which knows Python's quotes and words. It
// returns false, and keeps nothing, if there is no call or anything else
// between the calls.
func (r *callReader) python(s string) bool {
	if len(s) > maxMend {
		return false
	}
	var calls []Call
	for s = strings.TrimLeft(s, pythonFiller); s != "" && len(calls) < MaxRead; s = strings.TrimLeft(s, pythonFiller) {
		name, rest, ok := strings.Cut(s, "(")
		if name = strings.TrimSpace(name); !ok || !isName(name) {
			return false
		}
		if name == "print" {
			s = rest
			continue
		}
		pieces, after, ok := splitArgs(rest)
		if !ok {
			return false
		}
		args, ok := pythonArgs(pieces)
		if !ok {
			return false
		}
		calls = append(calls, Call{Name: name[strings.LastIndexByte(name, '.')+1:], Args: args})
		s = after
	}
	for _, c := range calls {
		r.add(c, jsonReader{}) // nothing was mended: Python is not broken JSON
	}
	return len(calls) > 0
}

// pythonFiller is what may stand between calls.
const pythonFiller = " \t\r\n[](),;"

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && c != '.' && !('a' <= c|0x20 && c|0x20 <= 'z') && !('0' <= c && c <= '9' && i > 0) {
			return false
		}
	}
	return s != ""
}

// splitArgs splits what stands between "(" and its ")" at the commas, and
// returns what follows.
func splitArgs(s string) (pieces []string, after string, ok bool) {
	depth, from := 1, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"', '\'':
			i += quoted(s[i:]) - 1
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return append(pieces, s[from:i]), s[i+1:], true
			}
		case ',':
			if depth == 1 {
				pieces = append(pieces, s[from:i])
				from = i + 1
			}
		}
	}
	return nil, "", false
}

// quoted returns the length of the quoted text at the beginning of s, quotes
// included; all of s if it is not closed.
func quoted(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		}
	}
	return len(s)
}

// pythonArgs reads "name=value" and "value"; the first value without a name has
// the name "", the others are left out.
func pythonArgs(pieces []string) (map[string]any, bool) {
	args := make(map[string]any, len(pieces))
	for _, p := range pieces {
		if strings.TrimSpace(p) == "" {
			continue
		}
		name, value, named := strings.Cut(p, "=")
		if name = strings.TrimSpace(name); !named || !isName(name) {
			name, value = "", p
		}
		if _, taken := args[name]; taken {
			continue
		}
		var j jsonReader
		v, err := j.value(value)
		if err != nil {
			return nil, false
		}
		args[name] = v
	}
	return args, true
}
