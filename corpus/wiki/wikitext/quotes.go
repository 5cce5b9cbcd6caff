package wikitext

import "strings"

// runLength returns how many times s begins with its first character.
func runLength(s string) int {
	n := 1
	for n < len(s) && s[n] == s[0] {
		n++
	}
	return n
}

// boldApostrophe returns where the run of quotes is that looks like bold and is an
// apostrophe before italics, as in "l”'Iliade”"; -1 if there is none. MediaWiki
// takes one for that in a line whose marks of bold and of italics are both odd in
// number: the first behind a word of one letter, else behind another, else behind
// a space.
func boldApostrophe(line string) int {
	bold, italic := 0, 0
	afterWord, afterLetter, afterSpace := -1, -1, -1
	for at := 0; ; {
		next := strings.Index(line[at:], "''")
		if next < 0 {
			break
		}
		at += next
		n := runLength(line[at:])
		if n == 2 || n >= 5 {
			italic++
		}
		if n >= 3 {
			bold++
		}
		if n == 3 {
			switch {
			case strings.HasSuffix(line[:at], " "):
				keepFirst(&afterSpace, at)
			case at > 1 && line[at-2] == ' ':
				keepFirst(&afterLetter, at)
			default:
				keepFirst(&afterWord, at)
			}
		}
		at += n
	}
	if bold%2 == 0 || italic%2 == 0 {
		return -1
	}
	for _, at := range []int{afterLetter, afterWord, afterSpace} {
		if at >= 0 {
			return at
		}
	}
	return -1
}

// keepFirst sets a place that is not set yet.
func keepFirst(place *int, at int) {
	if *place < 0 {
		*place = at
	}
}
