package exchange

import (
	"regexp"
	"strconv"
	"strings"

	"trawl/trajectory"
)

// The two ways in which retrieval servers' documents are numbered in prompts, a
// marker at the beginning of a line: Search-R1's and trawl's
//
//	Doc 1(Title: "The Collegian") Houston Baptist University …
//
// and R1-Searcher's, with the document in one of the forms that [document] reads,
//
//	(1)Title: The Collegian Text:  Houston Baptist University …
var (
	docMarker    = regexp.MustCompile(`(?m)^[ \t]*Doc[ \t]+([0-9]+)[ \t]*\(Title:`)
	numberMarker = regexp.MustCompile(`(?m)^[ \t]*\(([0-9]+)\)`)
)

// ranked returns the documents of a numbered list; nil if s is none.
func ranked(s string) []trajectory.Result {
	if parts := numbered(s, docMarker); parts != nil {
		return results(parts, titled)
	}
	return results(numbered(s, numberMarker), document)
}

// numbered splits s at the markers 1, 2, 3, … Nothing stands before the first; a
// marker out of turn is part of a text: "(1482)" may well begin a line.
func numbered(s string, marker *regexp.Regexp) []string {
	var parts []string
	from, want := 0, 1
	for _, m := range marker.FindAllStringSubmatchIndex(s, -1) {
		n, err := strconv.Atoi(s[m[2]:m[3]])
		if err != nil || n != want || want == 1 && m[0] != 0 {
			continue
		}
		if want > 1 {
			parts = append(parts, s[from:m[0]])
		}
		from = m[1]
		want++
	}
	if want == 1 {
		return nil
	}
	return append(parts, s[from:])
}

func results(parts []string, read func(string) (title, body string)) []trajectory.Result {
	var out []trajectory.Result
	for i, p := range parts {
		title, body := read(strings.TrimSpace(p))
		out = append(out, trajectory.Result{Rank: i + 1, Title: title, Text: body})
	}
	return out
}

// titled reads what follows "(Title:": the title up to the parenthesis that
// closes it, and the text.
func titled(s string) (title, body string) {
	end, depth := strings.IndexByte(s, ')'), 1
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		case '\n':
			depth = -1 // a title is one line: the parentheses do not pair
		}
		if depth == 0 {
			end = i
		}
		if depth <= 0 {
			break
		}
	}
	if end < 0 {
		return "", s
	}
	return unquote(strings.TrimSpace(s[:end])), strings.TrimSpace(s[end+1:])
}

// unquote takes off the quotes that Search-R1's corpus has around titles.
func unquote(title string) string {
	if len(title) > 1 && title[0] == '"' && title[len(title)-1] == '"' {
		return strings.TrimSpace(title[1 : len(title)-1])
	}
	return title
}

// document reads a document of R1-Searcher's lists:
//
//	Title: The Collegian Text:  Houston …       from its HotpotQA index
//	"Title: … Text:  … ""quoted"" …"            the same, where it was written as CSV
//	The Collegian   Houston …                   title, three blanks, text
//
// and any other text as one without a title.
func document(s string) (title, body string) {
	if strings.HasPrefix(s, `"Title:`) && strings.HasSuffix(s, `"`) {
		s = strings.ReplaceAll(s[1:len(s)-1], `""`, `"`)
	}
	if rest, ok := strings.CutPrefix(s, "Title:"); ok {
		if title, body, ok = strings.Cut(rest, " Text:"); ok {
			return strings.TrimSpace(title), strings.TrimSpace(body)
		}
	}
	if title, body, ok := strings.Cut(s, "   "); ok && title != "" && !strings.Contains(title, "\n") {
		return title, strings.TrimSpace(body)
	}
	return "", s
}

// nothings begin what tools say when they found nothing.
var nothings = []string{"could not find", "no result", "no more result", "no documents match", "no matches",
	"error:", "the provided webpage content could not be accessed"}

func isNothing(shown string) bool {
	low := strings.ToLower(shown[:min(len(shown), 40)])
	for _, n := range nothings {
		if strings.HasPrefix(low, n) {
			return true
		}
	}
	return shown == ""
}

var resultOf = regexp.MustCompile(`^\(Result [0-9]+ ?/ ?[0-9]+\)\s*`)

// lookedUp takes off what ReAct's Lookup writes before a sentence: "(Result 1/3) ".
func lookedUp(s string) string { return s[len(resultOf.FindString(s)):] }
