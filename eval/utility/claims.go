package utility

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"trawl/agent/llm/reply"
	"trawl/internal/text"
	"trawl/trajectory"
)

// A ClaimSource says where the claims of a rollout stand.
type ClaimSource string

// The sources of claims.
const (
	FromExplanation ClaimSource = "explanation" // beside the answer, in the last reply
	FromThought     ClaimSource = "thought"     // the thinking before the answer
	FromAnswer      ClaimSource = "answer"      // there is no explanation: the question and the answer, as given
	FromNothing     ClaimSource = "none"        // there is no answer
)

var (
	answerTag   = regexp.MustCompile(`(?is)<(answer|confidence)>.*?(</(answer|confidence)>|$)`)
	answerLine  = regexp.MustCompile(`(?im)^[\s*#>_-]*(?:(?:final|exact|short)[ \t]+)?(?:answer|confidence)[\s*_]*:.*$`)
	strayTag    = regexp.MustCompile(`</?[a-zA-Z_]+>`)
	explainHead = regexp.MustCompile(`(?im)^[\s*#>_-]*explanation[\s*_]*:[ \t*_]*`)
)

// Explanation returns what a rollout says for its answer: its last reply, without
// thinking, the answer itself and its confidence, or else the thinking before it.
func Explanation(t *trajectory.Trajectory) (string, ClaimSource) {
	if t.Source == trajectory.AnswerState { // what the rollout said is for another answer
		return "", FromAnswer
	}
	for _, m := range slices.Backward(t.Messages) {
		if m.Role == "assistant" && len(m.ToolCalls) == 0 && !text.Blank(m.Content) {
			if s := besideAnswer(reply.AfterThinking(m.Content), t.Answer); s != "" {
				return s, FromExplanation
			}
			break
		}
	}
	for _, step := range slices.Backward(t.Steps) {
		if step.Kind == trajectory.KindAnswer && !text.Blank(step.Thought) {
			if s := besideAnswer(step.Thought, t.Answer); s != "" {
				return s, FromThought
			}
			break
		}
	}
	return "", FromAnswer
}

// besideAnswer returns s without the answer in its format and the confidence; ""
// if it says nothing beyond the answer.
func besideAnswer(s, answer string) string {
	s = strayTag.ReplaceAllString(answerTag.ReplaceAllString(s, "\n"), " ")
	s = text.Trim(explainHead.ReplaceAllString(answerLine.ReplaceAllString(s, ""), ""))
	if restates(s, contentSet(answer)) {
		return ""
	}
	return s
}

// claims returns what a rollout claims, and how many sentences are no claims.
func claims(t *trajectory.Trajectory, question string) (claims []string, from ClaimSource, left int) {
	if text.Blank(t.Answer) {
		return nil, FromNothing, 0
	}
	explanation, from := Explanation(t)
	claims, left = Claims(explanation, t.Answer)
	if len(claims) > 0 {
		return claims, from, left
	}
	return []string{text.Collapse(question + " " + t.Answer)}, FromAnswer, left
}

// restates reports whether s says nothing beyond an answer of these words.
func restates(s string, answered map[string]bool) bool {
	for w := range contentSet(s) {
		if !answered[w] && !answerWords[w] {
			return false
		}
	}
	return true
}

var answerWords = wordSet(`answer answers final correct short exact question`)

// Claims returns the sentences of an explanation that can be checked: those with a
// number, a name, or a word of the answer; a sentence of a script without capitals
// is always one. left counts the others, such as "That answers the question." and
// "The answer is 1782.", which say nothing beyond the answer.
func Claims(explanation, answer string) (claims []string, left int) {
	answered := contentSet(answer)
	for _, s := range Sentences(explanation) {
		checkable := func(w word) bool { return w.number || w.entity || w.uncase || answered[w.key] }
		if !restates(s, answered) && slices.ContainsFunc(words(s), checkable) {
			claims = append(claims, s)
		} else {
			left++
		}
	}
	return claims, left
}

var listMark = regexp.MustCompile(`^(?:[-*•>#]+|\(?[0-9]{1,3}[.)])(?:\s+|$)`)

// Sentences splits s at line ends and behind full stops, question marks and
// exclamation marks, but not behind initials and common abbreviations. Marks of
// lists are left out, and so is what has no letter or digit.
func Sentences(s string) []string {
	var out []string
	for _, line := range strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = text.Collapse(line)
		for line != "" {
			if m := listMark.FindString(line); m != "" {
				line = line[len(m):]
				continue
			}
			end := sentenceEnd(line)
			if one := strings.Trim(line[:end], " *_"); strings.ContainsFunc(one, text.IsWord) {
				out = append(out, one)
			}
			line = strings.TrimLeft(line[end:], " ")
		}
	}
	return out
}

// sentenceEnd returns where the first sentence of a line ends.
func sentenceEnd(line string) int {
	for i, r := range line {
		after := i + utf8.RuneLen(r)
		switch {
		case strings.ContainsRune("。！？", r):
			return after
		case !strings.ContainsRune(".!?", r):
			continue
		}
		for after < len(line) && strings.IndexByte(`"')]*_`, line[after]) >= 0 {
			after++
		}
		if after == len(line) || line[after] == ' ' && (r != '.' || !abbreviated(line[:i])) {
			return after
		}
	}
	return len(line)
}

var abbreviations = wordSet(`dr mr mrs ms prof st jr sr vs no approx ca cf eg ie etc fig inc ltd co corp gen col capt rev vol`)

// abbreviated reports whether a full stop behind s ends no sentence: s ends with an
// initial or an abbreviation.
func abbreviated(s string) bool {
	s = s[strings.LastIndexAny(s, " (.")+1:]
	first, size := utf8.DecodeRuneInString(s)
	return size > 0 && size == len(s) && unicode.IsUpper(first) || abbreviations[text.Lower(s)]
}
