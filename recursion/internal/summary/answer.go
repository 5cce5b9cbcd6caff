package summary

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"trawl/agent/llm/reply"
	"trawl/internal/text"
)

// maxAnswer is how many bytes of a line are read as the current answer.
const maxAnswer = 1000

var (
	answerLead = regexp.MustCompile(`(?i)^(?:(?:so|thus|therefore),?\s+)?(?:the\s+)?(?:(?:current|best|final|most likely|single|definite)\s+){0,3}answer(?:\s+(?:so far|at this point))?\s*(?:is\s*:?|:|：)\s*`)
	answerTag  = regexp.MustCompile(`(?i)<answer>(.*?)(?:</answer>|$)`)
	answerCite = regexp.MustCompile(`(?i)[\s,;–—-]*(?:\[(?:e\d|source|inference|evidence)[^\[\]]*\]|\((?:e\d|source|inference|evidence)[^()]*\))\s*$`)
)

// cleanAnswer returns the answer that a line states, without what models put
// around it, or "" if it states that there is none.
func cleanAnswer(line string) string {
	s := strings.TrimSpace(text.Truncate(line, maxAnswer))
	if m := answerTag.FindStringSubmatch(s); m != nil {
		s = m[1]
	}
	for {
		before := s
		s = strings.TrimSpace(s)
		s = answerLead.ReplaceAllString(s, "")
		s = answerCite.ReplaceAllString(s, "")
		s = cutStop(s)
		s = unquote(s)
		if s == before {
			break
		}
	}
	if rest, _ := cutDigits(s); noAnswer(rest) {
		return ""
	}
	return reply.Clean(s)
}

// unquote takes away a pair of marks that encloses s and stands nowhere inside.
func unquote(s string) string {
	for _, pair := range [][2]string{{"**", "**"}, {"__", "__"}, {"*", "*"}, {"_", "_"}, {"`", "`"}, {`"`, `"`}, {"'", "'"}, {"“", "”"}, {"‘", "’"}, {"«", "»"}, {"「", "」"}} {
		inside, ok := strings.CutPrefix(s, pair[0])
		if !ok || len(inside) <= len(pair[1]) {
			continue
		}
		inside, ok = strings.CutSuffix(inside, pair[1])
		if ok && !strings.Contains(inside, pair[0]) && !strings.Contains(inside, pair[1]) {
			return inside
		}
	}
	return s
}

// cutStop takes away a full stop, unless it is an abbreviation's: that of a
// single letter, or of a word with another stop in it.
func cutStop(s string) string {
	if cut, ok := strings.CutSuffix(s, "。"); ok {
		return cut
	}
	cut, ok := strings.CutSuffix(s, ".")
	if !ok {
		return s
	}
	last := cut[strings.LastIndexAny(cut, " \t(")+1:]
	if strings.Contains(last, ".") || utf8.RuneCountInString(last) == 1 && text.Answer(last) != "" && (last[0] < '0' || last[0] > '9') || hasWord("Jr Sr Inc Ltd Co Corp St", last) {
		return s
	}
	return cut
}

// noAnswers are what stands for an answer where there is none, besides
// [emptyLines].
var noAnswers = wordSet("unknown", "unclear", "undetermined", "undecided", "no answer", "no answer yet", "no definite answer", "no definite answer yet",
	"not yet determined", "not determined", "not yet known", "not known", "not known yet", "not found", "not yet found", "not available", "to be determined",
	"tbd", "cannot be determined", "could not be determined", "unknown yet", "still unknown", "currently unknown", "not yet established", "not yet identified",
	"无", "未知", "なし", "不明")

// noAnswer reports whether s says that there is no answer, whatever it adds
// behind a bracket, a dash, a colon or a full stop.
func noAnswer(s string) bool {
	if isNone(s) {
		return true
	}
	head := s
	for _, sep := range []string{"(", " — ", " – ", " - ", ";", ":", ". ", "（"} {
		head, _, _ = strings.Cut(head, sep)
	}
	head = strings.ToLower(strings.Trim(head, " .*_\"'`[]"))
	return noAnswers[head] || emptyLines[head]
}
