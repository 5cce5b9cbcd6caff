package reply

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"trawl/internal/text"
)

// Clean returns an answer as it is recorded: on one line, entities decoded once,
// without Markdown's bold. Text without a letter or digit is no answer, and
// neither is the prompts' own example, which small models copy.
func Clean(s string) string {
	s = text.Collapse(entities.Replace(s))
	for len(s) > 4 && strings.HasPrefix(s, "**") && strings.HasSuffix(s, "**") {
		s = strings.TrimSpace(s[2 : len(s)-2])
	}
	if !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return ""
	}
	if strings.EqualFold(s, promptAnswer) {
		return ""
	}
	return s
}

// promptAnswer is what stands for the answer in the prompts.
const promptAnswer = "short answer"

var answerLine = regexp.MustCompile(`(?im)^[\s*#>_-]*(?:final|exact|short)?[ \t]*answer[\s*_]*:[\s*_]*(\S.*)$`)

// lineAnswer returns the answer of the last line "Answer: …", "Final answer: …"
// or "Exact Answer: …". It is a declaration, unlike a mention inside a sentence.
func lineAnswer(s string) string {
	if !strings.Contains(s, ":") {
		return ""
	}
	all := answerLine.FindAllStringSubmatch(s, -1)
	if len(all) == 0 {
		return ""
	}
	return guess(all[len(all)-1][1])
}

const (
	maxShort    = 80  // characters of a reply that is an answer by itself
	maxPhrase   = 300 // of an answer in a phrase, or of a last line, as in DivInit's code
	maxSentence = 200 // of a last sentence of the thought, likewise
)

var declared = regexp.MustCompile(`(?i)^(?:(?:so|thus|hence|therefore),?\s+)?the\s+(?:final\s+|correct\s+)?answer\s+(?:is|would be)[\s:]+(\S.*)$`)

// declaredAnswer returns the answer of a text whose last line is a sentence
// "The answer is …", unless that says that there is none.
func declaredAnswer(s string) string {
	s = strings.TrimSpace(s)
	m := declared.FindStringSubmatch(strings.TrimSpace(s[strings.LastIndexByte(s, '\n')+1:]))
	if m == nil || announces(m[1]) || strings.Contains(m[1], "?") {
		return ""
	}
	return guess(m[1])
}

// openers are the words that begin replies that announce or decline something.
var openers = []string{"i", "let", "let's", "we", "first i", "first we", "next i", "next we", "now i", "now we", "now let", "to find", "to answer", "to determine",
	"so", "ok", "okay", "alright", "sure", "searching", "looking", "need", "please", "could", "would", "sorry", "unfortunately", "unknown", "no results", "no documents",
	"none", "hmm", "calling", "using", "the search", "the user", "the question", "based on", "given", "there is no", "not"}

func announces(s string) bool { return beginsWith(s, openers, "-.") }

// beginsWith reports whether s begins with one of the phrases, in lower case, and
// its last word ends there: letters, digits and the runes of joined go on with it.
func beginsWith(s string, phrases []string, joined string) bool {
	s = strings.ToLower(s)
	return slices.ContainsFunc(phrases, func(phrase string) bool {
		rest, ok := strings.CutPrefix(s, phrase)
		r, _ := utf8.DecodeRuneInString(rest)
		return ok && !unicode.IsLetter(r) && !unicode.IsDigit(r) && (rest == "" || !strings.ContainsRune(joined, r))
	})
}

// shortAnswer returns s if it is an answer by itself, as a reply "Paris" is: one
// short line that asks nothing, announces nothing and is no sentence cut off.
func shortAnswer(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || announces(s) || utf8.RuneCountInString(s) > maxShort || strings.ContainsAny(s, "\n?<>{}") || strings.HasSuffix(s, ":") || IsFault(s) {
		return ""
	}
	return guess(s)
}

var (
	answerIs  = regexp.MustCompile(`(?i)\banswer(?:\s+(?:to\s+[^\n.]{1,120}?\s+)?(?:is|would be|must be|was)|\s*:)[:\s*"]*(\S[^\n]*)`)
	therefore = regexp.MustCompile(`(?i)\b(?:therefore|thus|hence|in conclusion)\b[,:\s]*(\S[^\n]*)`)
)

// Fallback guesses an answer from a last reply that kept no format: what follows
// "the answer is", then "therefore", then the last sentence of the thought, then
// the last line of the text. Faults and markup are no answers. The order is that
// of DivInit's code, without its last resort, the first 500 characters.
func Fallback(said, thought string) string {
	for _, re := range []*regexp.Regexp{answerIs, therefore} {
		for _, s := range []string{said, thought} {
			if all := re.FindAllStringSubmatch(s, -1); len(all) > 0 {
				phrase := all[len(all)-1][1]
				if IsFault(phrase) {
					return ""
				}
				if a := guess(phrase); a != "" {
					return a
				}
			}
		}
	}
	if a := lastSentence(thought); a != "" && said == "" {
		return a
	}
	if a := lastLine(said); a != "" {
		return a
	}
	return lastSentence(thought)
}

// guess cuts s to its first sentence and to what an answer may be.
func guess(s string) string {
	s = firstSentence(text.Collapse(s))
	if tag, _, found := strings.Cut(s, "<"); found {
		s = tag
	}
	if IsFault(s) || strings.ContainsAny(s, "{}") {
		return ""
	}
	if utf8.RuneCountInString(s) > maxPhrase {
		return ""
	}
	const around = " *_\"“”"
	return Clean(strings.Trim(strings.TrimSuffix(strings.Trim(s, around), "."), around))
}

// firstSentence cuts s after the first full stop that ends a sentence: one
// after a word of four letters or more, so that initials and titles do not.
func firstSentence(s string) string {
	word := 0
	for i, r := range s {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			word++
			continue
		case r == '.' && word >= 4 && (i+1 == len(s) || s[i+1] == ' '):
			return s[:i]
		case r == '。':
			return s[:i]
		}
		word = 0
	}
	return s
}

func lastSentence(s string) string {
	s = text.Collapse(s)
	s = strings.TrimRight(s, ". ")
	if i := strings.LastIndex(s, ". "); i >= 0 {
		s = s[i+2:]
	}
	if utf8.RuneCountInString(s) >= maxSentence || IsFault(s) || strings.ContainsAny(s, "<>{}") {
		return ""
	}
	return Clean(s)
}

// lastLine returns the last line that is text.
func lastLine(s string) string {
	lines := strings.Split(s, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		l := strings.TrimSpace(lines[i])
		if l == "" || strings.ContainsAny(l, "<>{}`") || IsFault(l) || utf8.RuneCountInString(l) > maxPhrase || confidenceLine.MatchString(l) {
			continue
		}
		if a := Clean(strings.TrimSuffix(l, ".")); a != "" {
			return a
		}
	}
	return ""
}

// faults begin texts that servers and programs put in an answer's place.
var faults = []string{"error", "[error", "internal server error", "exception", "traceback", "[failed", "failed to", "timeout", "timeouterror", "request timed out", "bad request", "service unavailable", "rate limit", "too many requests"}

// IsFault reports whether s is an error text: it is never an answer. "Exceptional
// Children" and "Error-correcting codes" are none.
func IsFault(s string) bool { return beginsWith(strings.TrimLeft(s, " *\t\""), faults, "-") }

var confidenceLine = regexp.MustCompile(`(?i)\bconfidence[\s*_"]*(?:level|score)?[\s*_"]*[:=>][\s*_"]*([0-9]+(?:\.[0-9]+)?)\s*(%?)`)

// Confidence returns the last confidence that s states, 0 to 1, or nil:
// "Confidence: 85%", "confidence: 0.85" and "Confidence: 85" are all 0.85.
func Confidence(s string) *float64 {
	all := confidenceLine.FindAllStringSubmatch(s, -1)
	if len(all) == 0 {
		return nil
	}
	last := all[len(all)-1]
	v, err := strconv.ParseFloat(last[1], 64)
	if err != nil {
		return nil
	}
	if last[2] == "%" || v > 1 {
		v /= 100
	}
	if v > 1 {
		return nil
	}
	return &v
}
