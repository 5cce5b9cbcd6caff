package summary

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"trawl/internal/text"
	"trawl/trajectory"
)

// wordSet returns a set that is only looked into.
func wordSet(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

// emptyLines are what stands under a heading that has nothing.
var emptyLines = wordSet("", "none", "n/a", "nothing", "nothing yet", "not applicable", "none yet", "none so far", "none found", "none identified",
	"no entries", "empty", "无", "なし")

// isNone reports whether a line says that there is nothing. A line without a
// letter or digit does.
func isNone(s string) bool {
	if len(s) > 40 {
		return false
	}
	return emptyLines[strings.ToLower(strings.Trim(s, " \t.-–—*_()[]\"'`|,;:。"))]
}

// cutBullet takes a list mark off a line.
func cutBullet(s string) (string, bool) {
	for _, mark := range []string{"-", "*", "+", "•", "–", "—", "·", "▪", "◦", "●"} {
		if rest, ok := strings.CutPrefix(s, mark); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			return strings.TrimSpace(rest), true
		}
	}
	return s, false
}

// cutDigits takes a list number off a line.
func cutDigits(s string) (string, bool) {
	n := 0
	for n < len(s) && n < 3 && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n == 0 || n+1 >= len(s) || s[n] != '.' && s[n] != ')' || s[n+1] != ' ' && s[n+1] != '\t' {
		return s, false
	}
	return strings.TrimSpace(s[n+1:]), true
}

// plainText returns a line as it is recorded: on one line, without bold.
func plainText(s string) string {
	return text.Collapse(strings.ReplaceAll(s, "**", ""))
}

// factID is the id in front of a fact: "E1:", "**E1** -", "[E1]", "Fact 1." and
// the like.
var factID = regexp.MustCompile(`(?i)^[*_\s]*(?:[\[(]\s*(?:e|fact|evidence)[\s#_-]*(\d{1,4})\s*[\])][*_]*\s*[:：.)|–—-]?|(?:e|fact|evidence)[\s#_-]*(\d{1,4})[*_]*\s*(?:[:：.)|–—]|-\s))[*_\s]*`)

// parseFact reads a line of section 1. The id is "" if there is none.
func parseFact(s string) trajectory.Fact {
	var f trajectory.Fact
	if m := factID.FindStringSubmatch(s); m != nil {
		f.ID = evidenceID(m[1] + m[2])
		s = s[len(m[0]):]
	}
	body, note := cutNote(s)
	f.SourceTool, f.SourceURI, f.Verified = readNote(note)
	f.Text = plainText(body)
	return f
}

// evidenceID returns the id of a number, without leading zeros.
func evidenceID(digits string) string {
	n, _ := strconv.Atoi(digits) // at most four digits
	return FactID(n)
}

// FactID returns the id of the n-th fact.
func FactID(n int) string { return fmt.Sprintf("E%d", n) }

// numberFacts sees to it that the ids of facts are there and differ: as they
// are, or all anew. It returns what each id that the text uses stands for.
func numberFacts(facts []trajectory.Fact) (ids map[string]string, renumbered bool) {
	ids = make(map[string]string, len(facts))
	named := 0
	for _, f := range facts {
		if f.ID != "" {
			named++
			ids[f.ID] = f.ID
		}
	}
	if named == len(facts) && len(ids) == len(facts) {
		return ids, false
	}
	clear(ids)
	for i := range facts {
		given, made := facts[i].ID, FactID(i+1)
		if named == 0 {
			given = made
		}
		if _, known := ids[given]; !known && given != "" {
			ids[given] = made
		}
		facts[i].ID = made
	}
	return ids, true
}

var (
	mention  = regexp.MustCompile(`\bE(\d{1,4})\b(?:\s*[-–]\s*E?(\d{1,4})\b)?`)
	trailing = regexp.MustCompile(`(?:(\.)\s*[—–:;|-]?|\s*[—–:;|-])\s+(?:E\d{1,4}(?:\s*[,;&]\s*|\s+and\s+)?)+\.?$`)
	lineMark = regexp.MustCompile(`^[*_]*[CS]\d{1,3}[*_]*\s*[:.)]\s*`)
)

// maxRange is how many facts a citation such as E1–E9 stands for at most.
const maxRange = 50

// parseConclusion reads a line of section 2. Ids maps what is cited to facts;
// unknown says that something was cited that is none.
func parseConclusion(s string, ids map[string]string) (c trajectory.Conclusion, unknown bool) {
	s = lineMark.ReplaceAllString(s, "")
	var cited []string
	for _, m := range mention.FindAllStringSubmatch(s, -1) {
		from, _ := strconv.Atoi(m[1])
		to := from
		if m[2] != "" {
			to, _ = strconv.Atoi(m[2])
		}
		for n := from; n <= min(max(from, to), from+maxRange); n++ {
			cited = append(cited, evidenceID(strconv.Itoa(n)))
		}
	}
	s, numbers, inference := cutCitations(s)
	c.Inference = inference
	if rest, ok := cutPrefixFold(s, "inference:"); ok {
		s, c.Inference = rest, true
	}
	c.Text = strings.TrimSpace(plainText(trailing.ReplaceAllString(s, "$1")))
	c.Evidence = []string{}
	seen := map[string]bool{}
	for _, id := range append(cited, numbers...) {
		switch fact, known := ids[id]; {
		case !known:
			unknown = true
		case !seen[fact]:
			seen[fact] = true
			c.Evidence = append(c.Evidence, fact)
		}
	}
	return c, unknown
}

// cutCitations takes out the brackets of s that hold citations and nothing else.
// It returns what they cite by number alone, and whether one marks an inference.
func cutCitations(s string) (rest string, numbers []string, inference bool) {
	var b strings.Builder
	from, open := 0, -1
	for i := range len(s) {
		switch c := s[i]; {
		case c == '[' || c == '(':
			open = i
		case open >= 0 && (c == ']' && s[open] == '[' || c == ')' && s[open] == '('):
			if g := readCitation(s[open+1:i], c == ']'); g.whole {
				b.WriteString(strings.TrimRight(s[from:open], " "))
				from = i + 1
				numbers = append(numbers, g.numbers...)
				inference = inference || g.inference
			}
			open = -1
		}
	}
	b.WriteString(s[from:])
	return strings.TrimSpace(b.String()), numbers, inference
}

// A citation is what a bracket holds.
type citation struct {
	whole     bool // it holds nothing but citations and what belongs to them
	numbers   []string
	inference bool
}

var (
	citeWords = wordSet("and", "evidence", "see", "from", "based", "on", "facts", "fact", "supported", "by", "per", "cf", "source", "sources", "via", "ref", "refs")
	citedID   = regexp.MustCompile(`^E\d{1,4}(?:[-–]E?\d{1,4})?$`)
	citedNum  = regexp.MustCompile(`^\d{1,3}$`)
)

// maxCitation is how many bytes a bracket of citations has at most.
const maxCitation = 300

// readCitation reads a bracket; numbers says that numbers alone are citations too.
func readCitation(s string, numbers bool) citation {
	if len(s) > maxCitation {
		return citation{}
	}
	var g citation
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" ,;/&+:.*", r) }) {
		switch lower := strings.ToLower(w); {
		case citedID.MatchString(w):
			g.whole = true
		case lower == "inference" || lower == "inferred":
			g.whole, g.inference = true, true
		case numbers && citedNum.MatchString(w):
			g.numbers = append(g.numbers, evidenceID(w))
		case !citeWords[lower]:
			return citation{}
		}
	}
	g.whole = g.whole || len(g.numbers) > 0
	return g
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return strings.TrimSpace(s[len(prefix):]), true
}

var markdownLink = regexp.MustCompile(`^\[([^\[\]]*)\]\((\S+?)\)`)

// parseSource reads a line of section 3: "URL | status", with a dash or a colon
// in the place of the bar, or a title in front.
func parseSource(s string) trajectory.Source {
	s = lineMark.ReplaceAllString(s, "")
	if m := markdownLink.FindStringSubmatch(s); m != nil {
		return trajectory.Source{URI: m[2], Status: plainText(strings.TrimLeft(s[len(m[0]):], " :|–—-"))}
	}
	for _, sep := range []string{" | ", "|"} {
		if parts := splitTrim(s, sep); len(parts) > 1 {
			at := max(0, slices.IndexFunc(parts, isURL))
			uri := parts[at]
			return trajectory.Source{URI: plainText(uri), Status: plainText(strings.Join(slices.Delete(parts, at, at+1), " | "))}
		}
	}
	uri, status := cutFirst(s, " — ", " – ", " - ", ": ")
	return trajectory.Source{URI: plainText(uri), Status: plainText(status)}
}

func splitTrim(s, sep string) []string {
	parts := strings.Split(s, sep)
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

func isURL(s string) bool { return strings.Contains(s, "://") }
