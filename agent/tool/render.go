package tool

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"trawl/internal/text"
	"trawl/trajectory"
)

// What is shown where there is no document, and after a cut.
const (
	nothing = "No documents match this query."
	cutLine = "[cut]"
)

// Show returns what the model is shown of r: its text, or else its documents,
// one a line as
//
//	Doc {rank}(Title: {title}) {text}
//
// with the ranks from 1. At most budget characters of it are kept, followed by
// the line "[cut]" if that is not all.
func (r Result) Show(budget int) string {
	var b strings.Builder
	switch {
	case r.Text != "":
		b.WriteString(r.Text)
	case len(r.Hits) == 0:
		return nothing
	default:
		showHits(&b, r.Hits, budget)
	}
	shown := b.String()
	if kept, cut := cutAt(shown, budget); cut {
		return kept + "\n" + cutLine
	}
	return shown
}

// showHits stops once more than budget characters are certain, so that long
// documents are not rendered for nothing.
func showHits(b *strings.Builder, hits []trajectory.Result, budget int) {
	b.Grow(min(max(budget, 0), 4096) * 3 / 2)
	written, chars := 0, 0
	for i, h := range hits {
		if chars += utf8.RuneCountInString(b.String()[written:]); chars > budget {
			return
		}
		written = b.Len()
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "Doc %d(Title: %s) %s", i+1, line(h.Title), line(h.Text))
	}
}

// line returns foreign text as it is shown: on one line and without markup.
func line(s string) string {
	if s = strings.TrimSpace(s); !collapsed(s) {
		s = text.Collapse(s)
	}
	return Defuse(s)
}

// collapsed reports whether [text.Collapse] would leave s as it is, as it does
// most passages: rendering is most of what a turn costs beside the model.
func collapsed(s string) bool {
	space := true // no space may come first, or after another
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == ' ':
			if space {
				return false
			}
			space = true
			continue
		case c < ' ':
			return false
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			if unicode.IsSpace(r) {
				return false
			}
			i += size - 1
		}
		space = false
	}
	return !space || s == ""
}

// cutAt returns the first n characters of s, and whether that is not all.
func cutAt(s string, n int) (string, bool) {
	if len(s) <= n {
		return s, false
	}
	for i := range s {
		if n <= 0 {
			return strings.TrimRightFunc(s[:i], unicode.IsSpace), true
		}
		n--
	}
	return s, false
}

// Defuse returns s with the "<" of everything that reads like markup replaced
// by "‹": tags that open or close, in any case, and the special tokens of chat
// templates such as <|im_start|>; code fences and the bracketed tokens of
// Mistral's templates likewise. A "<" before a number or a space is a sign and
// stays, unless a name of this program's own tags follows the space.
func Defuse(s string) string {
	if !strings.ContainsAny(s, "<[`") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := 0; i < len(s); i++ {
		switch rest := s[i+1:]; {
		case s[i] == '<' && opensMarkup(rest):
			b.WriteString("‹")
		case s[i] == '[' && opensToken(rest):
			b.WriteString("⁅")
		case s[i] == '`' && strings.HasPrefix(rest, "``"):
			b.WriteString("'''")
			i += 2
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// ownTags are the names that count even after white space.
var ownTags = []string{"think", "search", "information", "answer", "tool_", "function", "parameter", "arg_"}

// opensMarkup reports whether a "<" before rest begins markup.
func opensMarkup(rest string) bool {
	trimmed := strings.TrimLeftFunc(rest, unicode.IsSpace)
	r, _ := utf8.DecodeRuneInString(trimmed)
	switch {
	case r == '/' || r == '\\' || r == '|' || r == '｜':
		return true
	case len(trimmed) == len(rest):
		return unicode.IsLetter(r) || r == '!' || r == '?' || r == '_'
	}
	for _, name := range ownTags {
		if len(trimmed) >= len(name) && strings.EqualFold(trimmed[:len(name)], name) {
			return true
		}
	}
	return false
}

// opensToken reports whether a "[" before rest begins a special token: [INST],
// [/INST], [TOOL_CALLS] and their kin.
func opensToken(rest string) bool {
	for _, name := range []string{"INST]", "/INST]", "TOOL_", "/TOOL_", "AVAILABLE_TOOLS]", "/AVAILABLE_TOOLS]"} {
		if strings.HasPrefix(rest, name) {
			return true
		}
	}
	return false
}
