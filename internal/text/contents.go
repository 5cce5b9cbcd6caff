package text

import "strings"

// Contents joins a title and a text as Search-R1's corpora have them: the title
// between quotes, with inner quotes doubled, a line break, the text. A line break
// in the title becomes a space. [SplitContents] undoes it.
func Contents(title, text string) string {
	title = strings.ReplaceAll(title, "\n", " ")
	return `"` + strings.ReplaceAll(title, `"`, `""`) + "\"\n" + text
}

// SplitContents splits the contents of a passage into title and text. The title
// may stand without quotes; contents of one line are all title.
func SplitContents(contents string) (title, text string) {
	title, text, _ = strings.Cut(contents, "\n")
	title = strings.TrimSuffix(title, "\r")
	if n := len(title); n >= 2 && title[0] == '"' && title[n-1] == '"' {
		title = strings.ReplaceAll(title[1:n-1], `""`, `"`)
	}
	return title, text
}
