package summary

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"trawl/trajectory"
)

// cutNote tells a fact from what is noted of its source and verification: in a
// bracket that begins with "Source" or speaks of "verified", behind "Source:" or
// "Verified:" without one, or in cells. Only the first such note counts.
func cutNote(s string) (body, note string) {
	lower := lowerASCII(s)
	if body, note, ok := bracketed(s, lower, "source"); ok {
		return body, note
	}
	if i := wordColon(lower, "source"); i >= 0 {
		return trimJoint(s[:i]), s[i:]
	}
	if i := wordColon(lower, "sources"); i >= 0 {
		return trimJoint(s[:i]), s[i:]
	}
	for _, word := range []string{"verified", "unverified", "partially verified", "not verified"} {
		if body, note, ok := bracketed(s, lower, word); ok {
			return body, note
		}
	}
	if i := strings.Index(s, " | "); i >= 0 {
		return s[:i], s[i+3:]
	}
	if i := wordColon(lower, "verified"); i >= 0 {
		return trimJoint(s[:i]), s[i:]
	}
	return s, ""
}

// lowerASCII lowers only letters of ASCII, so that offsets stay.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// trimJoint takes off what joins a text to what stood behind it.
func trimJoint(s string) string { return strings.TrimRight(s, " \t|,;–—-([*") }

// bracketed returns s without the first bracket that begins with word, and what
// stands in that bracket. One that is never closed runs to the end.
func bracketed(s, lower, word string) (body, inside string, ok bool) {
	for from := 0; ; {
		i := strings.Index(lower[from:], word)
		if i < 0 {
			return "", "", false
		}
		i += from
		from = i + len(word)
		before := strings.TrimRight(s[:i], " *_")
		r, size := utf8.DecodeLastRuneInString(before)
		if r != '[' && r != '(' && r != '{' && r != '【' {
			continue
		}
		open := len(before) - size
		end, next := closing(s, i, r)
		return strings.TrimRight(s[:open], " ") + s[next:], s[i:end], true
	}
}

// closing returns where the bracket ends that open began before from, and where
// the text goes on.
func closing(s string, from int, open rune) (end, next int) {
	match := map[rune]rune{'[': ']', '(': ')', '{': '}', '【': '】'}[open]
	depth := 1
	for i, r := range s[from:] {
		switch r {
		case open:
			depth++
		case match:
			depth--
		}
		if depth == 0 {
			return from + i, from + i + utf8.RuneLen(r)
		}
	}
	return len(s), len(s)
}

// wordColon returns where word stands in front of a colon or an equals sign, and
// behind no letter or hyphen; -1 if nowhere.
func wordColon(lower, word string) int {
	for from := 0; ; {
		i := strings.Index(lower[from:], word)
		if i < 0 {
			return -1
		}
		i += from
		from = i + len(word)
		r, _ := utf8.DecodeLastRuneInString(lower[:i])
		rest := strings.TrimLeft(lower[from:], " *_")
		if !unicode.IsLetter(r) && r != '-' && rest != "" && (rest[0] == ':' || rest[0] == '=' || strings.HasPrefix(rest, "：")) {
			return i
		}
	}
}

// readNote reads "Source: tool | URI | Verified: status", any part of which may
// be missing.
func readNote(note string) (tool, uri string, status trajectory.Status) {
	rest, status := cutStatus(note)
	stated := len(rest) < len(note)
	note = rest
	lower := lowerASCII(note)
	for _, word := range []string{"sources", "source"} {
		if strings.HasPrefix(lower, word) {
			note = strings.TrimLeft(note[len(word):], " *_:：=")
			break
		}
	}
	cells := splitTrim(note, " | ")
	if n := len(cells); !stated && n > 1 {
		if status = statusWord(cells[n-1]); status != "" {
			cells = cells[:n-1]
		}
	}
	if len(cells) == 1 {
		cells = splitOnce(cells[0])
	}
	tool = cells[0]
	switch {
	case len(cells) == 1 && isURL(tool):
		tool, uri = "", tool
	case len(cells) > 1:
		uri = strings.Join(cells[1:], " | ")
		for _, c := range cells[1:] {
			if isURL(c) {
				uri = c
				break
			}
		}
	}
	return notedPart(tool), notedPart(uri), status
}

// splitOnce splits a note without spaced bars: at its first bar in front of a
// URL, or before the URL that follows a comma.
func splitOnce(s string) []string {
	url := strings.Index(s, "://")
	if i := strings.IndexByte(s, '|'); i >= 0 && (url < 0 || i < url) {
		return []string{strings.TrimSpace(s[:i]), strings.TrimSpace(s[i+1:])}
	}
	if i := strings.LastIndexAny(s[:max(url, 0)], ", ("); i > 0 {
		uri := s[i+1:]
		if s[i] == '(' {
			uri = strings.TrimSuffix(uri, ")")
		}
		return []string{strings.TrimRight(s[:i], " ,(–—-"), uri}
	}
	return []string{s}
}

// notedPart returns a part of a note, "" for one that stands for nothing.
func notedPart(s string) string {
	s = strings.Trim(plainText(s), " |,;`<>")
	for _, label := range []string{"url:", "uri:", "id:", "tool:"} {
		if rest, ok := cutPrefixFold(s, label); ok {
			s = rest
		}
	}
	if isNone(s) {
		return ""
	}
	return s
}

// cutStatus takes the last mention of "verified" off a note, and reads it.
func cutStatus(note string) (string, trajectory.Status) {
	const word = "verified"
	lower := lowerASCII(note)
	i := strings.LastIndex(lower, word)
	if i < 0 {
		return note, ""
	}
	said := strings.TrimLeft(lower[i+len(word):], " *_")
	explicit := strings.HasPrefix(said, ":") || strings.HasPrefix(said, "=") || strings.HasPrefix(said, "：")
	before := note[:i]
	if explicit {
		return strings.TrimRight(before, " |,;*_"), statusWord(strings.TrimLeft(said, " :：=*_"))
	}
	head := strings.TrimRight(lower[:i], " -")
	status := trajectory.Verified
	for _, prefix := range []struct {
		words  string
		status trajectory.Status
	}{{"partially partly partial", trajectory.Partial}, {"un not", trajectory.Unverified}} {
		for _, w := range strings.Fields(prefix.words) {
			if strings.HasSuffix(head, w) && status == trajectory.Verified {
				status, before = prefix.status, note[:len(head)-len(w)]
			}
		}
	}
	return strings.TrimRight(before, " |,;*_"), status
}

// statusWord reads how far something is verified from the first word of s; ""
// if that says nothing of it.
func statusWord(s string) trajectory.Status {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) })
	if len(words) == 0 {
		return ""
	}
	for status, list := range map[trajectory.Status]string{
		trajectory.Verified:   "yes true verified confirmed full fully ✓ ✔ ✅ 是",
		trajectory.Partial:    "partial partially partly somewhat 部分",
		trajectory.Unverified: "no not false unverified none inferred inference unconfirmed ✗ ❌ 否",
	} {
		if hasWord(list, words[0]) {
			return status
		}
	}
	return ""
}
