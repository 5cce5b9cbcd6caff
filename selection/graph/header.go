package graph

import (
	"regexp"
	"strings"

	"trawl/internal/text"
)

// A headerKind says what the header of a page shows.
type headerKind int

const (
	headerUnknown headerKind = iota
	headerSearch             // (web-search://…): a page of search results
	headerNumber             // Doc N, and no address
	headerAddress            // (https://…)
)

// A header is what an open view says about the page that it shows.
type header struct {
	kind         headerKind
	shown        string // the address as displayed; empty if it does not end
	url          string // the canonical address; empty if the display gives none
	number       string // N of "Doc N"
	corroborated bool   // the page's URL field says what the display says
}

// How far, in characters, a header is read for the beginning of an address and
// for its end.
const (
	headerReach  = 2_000
	addressReach = 12_000
)

var (
	docNumber  = regexp.MustCompile(`^Doc` + space + `+([0-9]+)\b`)
	fieldAfter = regexp.MustCompile(`\)` + space + `+URL:`)
)

// readHeader reads the header of an open view after its cursor: its first line
// if lines are numbered or a marker stands in it, else the whole of it.
// (methods A.3)
func readHeader(view string) header {
	head, lined := view, viewing.MatchString(view) || hasLineNumber(view)
	if lined {
		head, _, _ = strings.Cut(view, "\n")
	}
	var h header
	if m := docNumber.FindStringSubmatch(head); m != nil {
		h.number = m[1]
	}
	lead := leading(head, headerReach)
	start := addressStart(lead)
	switch {
	case isSearchPage(lead):
		h.kind = headerSearch
	case start >= 0:
		h.kind = headerAddress
		if end := addressEnd(head, start, lined); end >= 0 {
			h.read(head[start:end], view[end+1:])
		}
	case h.number != "":
		h.kind = headerNumber
	}
	return h
}

// read notes the displayed address and what it stands for: the address in the
// URL field after it if that decodes to the displayed one, else the displayed
// one itself, unless it was cut.
func (h *header) read(shown, after string) {
	h.shown = shown
	if url, ok := encodedField(after, shown); ok {
		h.url, h.corroborated = url, true
	} else if !truncated(shown) {
		h.url, _ = CanonicalURL(shown)
	}
}

// fits reports whether a page with this header can be another view of the page
// with the canonical address page, or of a page of search results if that is
// empty.
func (h *header) fits(page string) bool {
	switch {
	case h.kind == headerSearch:
		return page == ""
	case h.url == "" || h.url == page:
		return true
	case h.corroborated:
		return false
	}
	withoutFragment, _, _ := strings.Cut(h.shown, "#")
	want := decoded(page)
	return text.Normal(h.shown) == want || text.Normal(withoutFragment) == want
}

func truncated(shown string) bool {
	return strings.HasSuffix(shown, "...") || strings.HasSuffix(shown, "…")
}

func isSearchPage(lead string) bool {
	_, after, ok := strings.Cut(lead, "(web-search://")
	return ok && strings.Contains(after, ")")
}

// addressStart returns where the first address in parentheses begins, or -1.
func addressStart(lead string) int {
	for i := 0; ; i++ {
		next := strings.Index(lead[i:], "(http")
		if next < 0 {
			return -1
		}
		i += next
		if after := lead[i+1:]; strings.HasPrefix(after, "http://") || strings.HasPrefix(after, "https://") {
			return i + 1
		}
	}
}

// addressEnd returns where the address that begins at start is closed, or -1: at
// the last parenthesis of a line that ends with it, before a URL field, or where
// parentheses balance.
func addressEnd(head string, start int, lined bool) int {
	if whole := strings.TrimRightFunc(head, text.IsSpace); lined && strings.HasSuffix(whole, ")") {
		return len(whole) - 1
	}
	if at := fieldAfter.FindStringIndex(head[start:]); at != nil {
		return start + at[0]
	}
	open := 1
	for i, r := range leading(head[start:], addressReach) {
		switch r {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return start + i
			}
		}
	}
	return -1
}

// maxWraps is over how many pieces an address is followed that white space
// interrupts: 64 lines of a browser are twice the longest address that servers
// accept.
const maxWraps = 64

// encodedField reads the URL field with which the text after a displayed address
// may begin. It returns the canonical form of the shortest address there that
// decodes to the displayed one; the address may be wrapped.
func encodedField(after, shown string) (canonical string, ok bool) {
	after = strings.TrimLeftFunc(after, text.IsSpace)
	if at := viewing.FindStringIndex(after); at != nil && at[0] == 0 {
		after = after[at[1]:]
	}
	want := text.Normal(shown)
	address, inside, pieces := "", false, 0
	for line := range strings.SplitSeq(after, "\n") {
		line = cutLineNumber(line)
		if !inside {
			if line = text.Trim(line); line == "" {
				continue
			}
			if line, inside = strings.CutPrefix(line, "URL:"); !inside {
				return "", false
			}
		}
		for _, piece := range text.Fields(line) {
			if pieces++; pieces > maxWraps {
				return "", false
			}
			address += piece
			if decoded(address) != want {
				continue
			}
			if canonical, ok = CanonicalURL(address); ok {
				return canonical, true
			}
		}
	}
	return "", false
}

// hasLineNumber reports whether a line of a view is numbered.
func hasLineNumber(view string) bool {
	for line := range strings.SplitSeq(view, "\n") {
		if lineNumber(line) > 0 {
			return true
		}
	}
	return false
}

// leading returns the first n characters of s.
func leading(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
