package exchange

import (
	"regexp"
	"strings"

	"trawl/trajectory"
)

// What the web tools of Tongyi DeepResearch, and of the programs that follow it,
// return: a list for each query of a search, and what a page says for a goal.
//
//	A Google search for 'ada' found 2 results:
//
//	## Web Results
//	1. [Ada](https://a.org/ada)
//	Date published: 2024
//	Source: A
//
//	She wrote …
//	=======
//	A Google search for …
//
//	The useful information in https://a.org/ada for user goal born as follows:
//
//	Evidence in page: … Summary: …
var (
	found   = regexp.MustCompile(`(?s)^A Google (?:scholar )?(?i:search) for .*? found [0-9]+ results?:`)
	webHit  = regexp.MustCompile(`(?m)^([0-9]+)\. \[(.*)\]\((\S*)\)[ \t]*$`)
	webMeta = regexp.MustCompile(`\A(?:(?:Date published|Source|publicationInfo|citedBy|pdfUrl):[^\n]*\n)+`)
	useful  = regexp.MustCompile(`(?s)^The useful information in (\S+) for user goal .*? as follows:\s*(.*)$`)
	visited = regexp.MustCompile(`(?s)^Successfully visited the url (\S+?)\.?\s*\n<Content>\s*(.*?)\s*(?:</Content>|$)`)
)

// notVisited is in what a visit returns that came to nothing.
const notVisited = "The provided webpage content could not be accessed"

// webBreak stands between what several queries or pages of one call returned.
const webBreak = "\n=======\n"

// fromWeb returns the documents of such a result; nil if s is none. A result that
// has a part that is none is none either.
func fromWeb(s string) []trajectory.Result {
	var out []trajectory.Result
	for _, part := range strings.Split(s, webBreak) {
		part = strings.TrimSpace(part)
		switch {
		case isNothing(part):
		case found.MatchString(part):
			out = append(out, webHits(part)...)
		default:
			page := useful.FindStringSubmatch(part)
			if page == nil {
				page = visited.FindStringSubmatch(part)
			}
			if page == nil {
				return nil
			}
			if !strings.Contains(page[2], notVisited) {
				out = append(out, trajectory.Result{Title: page[1], URL: page[1], Text: strings.TrimSpace(page[2])})
			}
		}
	}
	for i := range out {
		out[i].Rank = i + 1
	}
	return out
}

// webHits reads the numbered list of a search.
func webHits(s string) []trajectory.Result {
	var out []trajectory.Result
	at := webHit.FindAllStringSubmatchIndex(s, -1)
	for i, m := range at {
		end := len(s)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		body := strings.TrimLeft(s[m[1]:end], "\n")
		body = body[len(webMeta.FindString(body)):]
		out = append(out, trajectory.Result{Title: s[m[4]:m[5]], URL: s[m[6]:m[7]], Text: strings.TrimSpace(body)})
	}
	return out
}
