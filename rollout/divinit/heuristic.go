package divinit

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"trawl/internal/text"
)

// fallbacks returns queries for rollouts for which the model proposed none: the
// open leads, so that each is somebody's, then spans of them and of the question.
func fallbacks(question string, open []string) []string {
	var leads, parts []string
	for _, lead := range open {
		lead = text.Collapse(lead)
		if usable(lead) {
			leads = append(leads, lead)
		}
		parts = append(parts, spans(lead)...)
	}
	return slices.Concat(leads, parts, spans(question))
}

// spans returns queries that need no model: the question, what it quotes, the
// names in it, and the years.
func spans(question string) []string {
	question = text.Collapse(question)
	all := slices.Concat([]string{question}, quotes(question), names(quotePattern.ReplaceAllString(question, " . ")), years(question))
	return slices.DeleteFunc(all, func(q string) bool { return !usable(q) })
}

var quotePattern = regexp.MustCompile(`"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|「([^」]+)」|『([^』]+)』`)

// quotes returns what stands between double quotes of any kind.
func quotes(s string) []string {
	var out []string
	for _, match := range quotePattern.FindAllStringSubmatch(s, -1) {
		out = append(out, strings.TrimSpace(strings.Join(match[1:], ""))) // one group is not empty
	}
	return out
}

// names returns the runs of capitalised words of s, with the small words that
// stand inside names. A word that begins questions does not begin a name.
func names(s string) []string {
	var out, run []string
	flush := func() {
		for len(run) > 0 && isLink(run[len(run)-1]) {
			run = run[:len(run)-1]
		}
		if len(run) > 0 {
			out = append(out, strings.Join(run, " "))
		}
		run = nil
	}
	for _, word := range text.Fields(s) {
		bare := strings.TrimFunc(word, unicode.IsPunct)
		bare = strings.TrimSuffix(strings.TrimSuffix(bare, "'s"), "’s")
		switch {
		case isCapitalised(bare) && (len(run) > 0 || !beginsQuestions(bare)), isLink(bare) && len(run) > 0:
			run = append(run, bare)
		default:
			flush()
			continue
		}
		if !strings.HasSuffix(word, bare) { // punctuation or a genitive ends a name
			flush()
		}
	}
	flush()
	return out
}

var yearPattern = regexp.MustCompile(`\b[12][0-9]{3}\b`)

func years(s string) []string { return yearPattern.FindAllString(s, -1) }

func isCapitalised(word string) bool {
	for _, first := range word {
		return unicode.IsUpper(first)
	}
	return false
}

func isLink(word string) bool {
	return slices.Contains([]string{"of", "the", "de", "la", "le", "du", "der", "von", "van"}, word)
}

func beginsQuestions(word string) bool {
	return slices.Contains([]string{
		"who", "whom", "whose", "what", "which", "when", "where", "why", "how", "in", "on", "at", "of", "for", "from", "to", "by",
		"is", "are", "was", "were", "did", "does", "do", "has", "have", "had", "the", "a", "an", "name", "between", "among",
	}, strings.ToLower(word))
}
