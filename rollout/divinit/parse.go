package divinit

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"

	"trawl/internal/text"
)

// Lengths of a query in characters: what is shorter says nothing, what is longer
// is prose.
const (
	shortest = 4
	longest  = 300
)

// markup is a line of nothing but a tag, as models write that are held to a
// format of tool calls.
var markup = regexp.MustCompile(`^</?[a-z_]+/?>$`)

// usable reports whether s can serve as a query.
func usable(s string) bool {
	n := utf8.RuneCountInString(s)
	return n >= shortest && n <= longest && len(text.Tokens(s)) > 0 && !markup.MatchString(s)
}

// Parse reads at most n queries from a model's reply to the pool request. It
// takes a list with one query a line, numbered, bulleted or plain, and a JSON
// list. Thinking, what a model says before and after its list, Markdown, labels
// and surrounding quotes are dropped. Queries are on one line, at least four
// characters long, and in the order of the reply.
func Parse(reply string, n int) []string {
	reply = withoutThinking(reply)
	found := jsonQueries(reply)
	if len(found) == 0 {
		found = lineQueries(reply)
	}
	var out []string
	for _, q := range found {
		if q = clean(q); usable(q) && len(out) < n {
			out = append(out, q)
		}
	}
	return out
}

// withoutThinking drops thinking: up to a closing tag, whether or not it was
// opened, and from an opening tag that is never closed.
func withoutThinking(s string) string {
	if end := strings.LastIndex(s, "</think>"); end >= 0 {
		s = s[end+len("</think>"):]
	}
	s, _, _ = strings.Cut(s, "<think>")
	return s
}

// jsonQueries reads the first JSON list of strings, or of objects with a query,
// that begins a line or follows a key. A list that breaks off counts as far as
// it goes.
func jsonQueries(s string) []string {
	for _, start := range listPattern.FindAllStringIndex(s, -1) {
		if found := jsonList(s[start[1]-1:]); len(found) > 0 {
			return found
		}
	}
	return nil
}

var listPattern = regexp.MustCompile(`(?:^|[\n:])\s*\[`)

func jsonList(s string) []string {
	dec := json.NewDecoder(strings.NewReader(s))
	if _, err := dec.Token(); err != nil { // the bracket
		return nil
	}
	var out []string
	for dec.More() {
		var item any
		if dec.Decode(&item) != nil {
			break
		}
		switch item := item.(type) {
		case string:
			out = append(out, item)
		case map[string]any:
			for _, key := range []string{"query", "search_query", "text", "q"} {
				if q, ok := item[key].(string); ok {
					out = append(out, q)
					break
				}
			}
		}
	}
	return out
}

var (
	// "1." "(1)" "[1]" "1:" "1 -" "**1.**" "Query 1:", with a blank behind what
	// could also be part of a name or number: "7-Eleven", "3:10 to Yuma", "2.5 mm".
	numberPattern = regexp.MustCompile(`^(?:\*\*|__)?(?:(?i:(?:search )?query|q) ?#?)?(?:[(\[]\d{1,3}[)\]][.:]?|\d{1,3}(?:[)]|[.:]|\s*[-–—]\s|\s+[.):]))(?:\*\*|__)?(\s*)(.*)$`)
	bulletPattern = regexp.MustCompile(`^(?:[-*+•‣◦▪·–—]\s+|[•‣◦▪])(.+)$`)
)

// item returns what a numbered line says.
func item(line string) (string, bool) {
	m := numberPattern.FindStringSubmatch(line)
	if m == nil || m[1] == "" && m[2] != "" && '0' <= m[2][0] && m[2][0] <= '9' {
		return "", false
	}
	return m[2], true
}

// lineQueries reads a list with one query a line. If it is numbered, or else
// bulleted, only such lines count, and the rest is talk around them. One line or
// two among many that are not are no numbering: "2. Bundesliga" is a name.
func lineQueries(s string) []string {
	var all, numbered, bulleted []string
	for _, line := range strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = strings.TrimLeft(text.Collapse(line), "> ")
		query, isNumbered := item(line)
		bullet := bulletPattern.FindStringSubmatch(line)
		switch {
		case line == "" || strings.HasPrefix(line, "```"):
		case isNumbered:
			numbered = append(numbered, query)
			all = append(all, line)
		case bullet != nil:
			bulleted = append(bulleted, bullet[1])
			all = append(all, line)
		case !isTalk(line):
			all = append(all, line)
		}
	}
	for _, marked := range [][]string{numbered, bulleted} {
		if len(marked) >= 3 || 2*len(marked) >= len(all) && len(marked) > 0 {
			return marked
		}
	}
	return all
}

var talkPattern = regexp.MustCompile(`^(?i:(?:sure|certainly|of course|okay|ok|absolutely)[,!.]|here (?:are|is)\b|here's\b|these (?:queries|search)|the (?:following|above) (?:queries|search|are)|below (?:are|is)\b|i hope\b|i have\b|i will\b|i'll\b|let me\b|let's\b|note:|feel free\b|each (?:query|of these)\b)`)

// isTalk reports whether a line without a number is said about the list.
func isTalk(line string) bool {
	return strings.HasPrefix(line, "#") || strings.HasSuffix(strings.TrimRight(line, "*_ "), ":") || talkPattern.MatchString(line)
}

var (
	tagPattern    = regexp.MustCompile(`</?(?:search|query|q)>`)
	labelPattern  = regexp.MustCompile(`^(?:\*\*|__)([^*_]+?)(?::(?:\*\*|__)|(?:\*\*|__):)\s*(\S.*)$`) // **angle:** query
	boldPattern   = regexp.MustCompile(`^(?:\*\*|__)(.+?)(?:\*\*|__)(?:\s+[-–—(].*)?$`)                // **query** - reason
	reasonPattern = regexp.MustCompile(`^("[^"]+"|“[^”]+”|` + "`[^`]+`" + `)\s+[-–—]\s.*$`)            // "query" - reason
)

// clean takes a query out of what models put around it.
func clean(s string) string {
	s = text.Collapse(tagPattern.ReplaceAllString(s, ""))
	s = strings.TrimRight(s, ",; ")
	if strings.Count(s, "**") == 1 { // its partner went with the number
		s = strings.TrimSpace(strings.Replace(s, "**", "", 1))
	}
	if m := labelPattern.FindStringSubmatch(s); m != nil {
		s = m[2]
	}
	if m := boldPattern.FindStringSubmatch(s); m != nil {
		s = m[1]
	}
	if m := reasonPattern.FindStringSubmatch(s); m != nil {
		s = m[1]
	}
	return unquote(s)
}

// unquote drops quotes around all of s, not around parts of it, and a quote at
// one end that has no partner.
func unquote(s string) string {
	for _, pair := range []string{`""`, `“”`, `„“`, `''`, `‘’`, "``", `«»`, `「」`, `**`} {
		r := []rune(pair)
		open, shut := string(r[0]), string(r[1])
		inner, opened := strings.CutPrefix(s, open)
		inner, closed := strings.CutSuffix(inner, shut)
		if (opened || closed) && !strings.ContainsAny(inner, open+shut) && (opened && closed || open != "'" && shut != "’" && open != "*") {
			return strings.TrimSpace(inner)
		}
	}
	return s
}
