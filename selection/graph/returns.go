package graph

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"trawl/internal/text"
)

// space matches one white space as [text.Fields] does.
const space = `[\s\v\x{1c}-\x{1f}\x{85}\p{Z}]`

const titleMark = "(Title:"

// rankMark is a rank marker, at the beginning of a line, with the title mark
// that must follow it.
var rankMark = regexp.MustCompile(`(?m)^[ \t]*Doc` + space + `+([0-9]+)` + space + `*\(Title:`)

// ranked is how many chunks a return in the paper's form has.
const ranked = 3

// ParseReturn reads what a search of another program returned, in the form
//
//	Doc 1(Title: {title}) {text}
//	Doc 2(Title: {title}) {text}
//	Doc 3(Title: {title}) {text}
//
// and returns the normal form of its three chunks, by rank and without the rank
// marker. A marker stands at the beginning of a line and before a title; "Doc 2"
// elsewhere is text. A return of white space has no chunks; any other that is not
// of this form is an error, since a pool with a search that cannot be read is not
// the pool that it seems to be. (methods A.2)
func ParseReturn(s string) ([]string, error) {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(norm.NFC.String(s))
	s = text.Trim(s)
	if s == "" {
		return nil, nil
	}
	marks := rankMark.FindAllStringSubmatchIndex(s, -1)
	if len(marks) == 0 || marks[0][0] != 0 {
		return nil, fmt.Errorf("graph: search return %q…: it does not begin with a rank marker, Doc 1 (Title: …", text.Truncate(s, 40))
	}
	chunks := make([]string, 0, ranked)
	for i, m := range marks {
		if rank, err := strconv.Atoi(s[m[2]:m[3]]); err != nil || rank != i+1 {
			return nil, fmt.Errorf("graph: search return: marker %d has rank %s; ranks read 1, 2, 3", i+1, s[m[2]:m[3]])
		}
		end := len(s)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		chunks = append(chunks, text.Normal(s[m[1]-len(titleMark):end]))
	}
	if len(chunks) != ranked {
		return nil, fmt.Errorf("graph: search return: %d ranked chunks, want %d", len(chunks), ranked)
	}
	return chunks, nil
}
