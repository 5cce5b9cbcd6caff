package graph

import (
	"regexp"
	"strconv"
	"strings"

	"trawl/internal/text"
)

// The browser tool shows a page as a view:
//
//	[4] Title (https://example.org/page)
//	**viewing lines [0 - 1] of 40**
//	L0: URL: https://example.org/page
//	L1: Body
//
// or what was found in one:
//
//	[5] Find results for text: `x` in page
//	L0: # 【0†match at L10】
//	L1: an excerpt
var (
	viewing  = regexp.MustCompile(`\*\*viewing lines \[[0-9]+ - [0-9]+\] of [0-9]+\*\*`)
	findMark = regexp.MustCompile(`^L[0-9]+: # 【[0-9]+†match at L[0-9]+】`)
)

// cutCursor returns the cursor that leads a view, and what follows it.
func cutCursor(view string) (cursor int, rest string, ok bool) {
	view = strings.TrimLeftFunc(view, text.IsSpace)
	inner, ok := strings.CutPrefix(view, "[")
	if !ok {
		return 0, view, false
	}
	n := digits(inner)
	cursor, err := strconv.Atoi(inner[:n])
	if err != nil || !strings.HasPrefix(inner[n:], "]") {
		return 0, view, false
	}
	return cursor, strings.TrimLeftFunc(inner[n+1:], text.IsSpace), true
}

// openText returns the text of an open view, without its cursor, markers and
// line numbers. A view without a marker has none: it is an error message.
func openText(rest string) string {
	if !viewing.MatchString(rest) {
		return ""
	}
	var b strings.Builder
	b.Grow(len(rest))
	for line := range strings.SplitSeq(rest, "\n") {
		if isMarker(line) {
			continue
		}
		b.WriteString(cutLineNumber(line))
		b.WriteByte('\n')
	}
	return text.Normal(b.String())
}

// findText returns the excerpts of a find view, with a blank line between.
func findText(rest string) string {
	var excerpts []string
	var b strings.Builder
	inside := false
	end := func() {
		if t := text.Normal(b.String()); t != "" {
			excerpts = append(excerpts, t)
		}
		b.Reset()
	}
	for line := range strings.SplitSeq(rest, "\n") {
		switch {
		case findMark.MatchString(line):
			end()
			inside = true
		case inside:
			b.WriteString(cutLineNumber(line))
			b.WriteByte('\n')
		}
	}
	end()
	return strings.Join(excerpts, "\n\n")
}

// isMarker reports whether a line is a viewing-lines marker alone.
func isMarker(line string) bool {
	line = text.Trim(line)
	if !strings.HasPrefix(line, "**viewing") {
		return false
	}
	at := viewing.FindStringIndex(line)
	return at != nil && at[0] == 0 && at[1] == len(line)
}

// lineNumber returns the length of the number that leads a line, as "L12:".
func lineNumber(line string) int {
	inner, ok := strings.CutPrefix(line, "L")
	if n := digits(inner); ok && n > 0 && strings.HasPrefix(inner[n:], ":") {
		return n + 2
	}
	return 0
}

// cutLineNumber drops the number that leads a line, and one blank after it.
func cutLineNumber(line string) string {
	if n := lineNumber(line); n > 0 {
		return strings.TrimPrefix(line[n:], " ")
	}
	return line
}

// digits returns how many digits lead s.
func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}
