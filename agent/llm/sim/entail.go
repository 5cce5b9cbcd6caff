package sim

import (
	"slices"
	"strconv"
	"strings"

	"trawl/internal/text"
)

// Marks of requests that evaluate a rollout: what they begin with, and what stands
// behind their texts.
const (
	entailTask   = "You check one claim against evidence."
	claimsTask   = "You split one explanation into its atomic claims."
	keypointTask = "You check what one response says of one fact."
	evidenceMark = "Evidence:"
	claimMark    = "Claim:"
	factMark     = "Fact:"
	quoteMark    = "> "
)

// By how much it is easier to compare a claim with its evidence than to read
// something out of a passage.
const entailEase = 2

// entails says how much of a claim its evidence carries, by words alone, and at
// times errs. As for a judge, the chance to forget the form is the same at any
// temperature.
func (m *model) entails(c *conversation) string {
	if m.forgets("malformed entailment") {
		return m.considered(c) + "The evidence bears on the claim, but much depends on how it is read."
	}
	claim, _ := lineAfter(c.whole, claimMark)
	var evidence []string
	for rest := c.whole; ; {
		_, behind, ok := strings.Cut(rest, "\n"+evidenceMark+"\n")
		if !ok {
			break
		}
		line, _, _ := strings.Cut(behind, "\n")
		evidence, rest = append(evidence, line), behind
	}
	percent := carried(claim, strings.Join(evidence, "\n"))
	if !m.careless(c, "entails|"+claim) {
		return m.considered(c) + strconv.Itoa(percent)
	}
	return m.considered(c) + strconv.Itoa(100-percent)
}

// listClaims lists the sentences of an explanation that have a number or a name and
// are more than the answer. A model that errs leaves one out, or writes one of its
// own.
func (m *model) listClaims(c *conversation) string {
	if m.forgets("malformed claims") {
		return m.considered(c) + "Nothing more can be said here, sorry."
	}
	said := quotedLines(c.whole)
	var out []string
	for line := range strings.Lines(said) {
		for sentence := range strings.SplitSeq(strings.TrimSpace(line), ". ") {
			sentence = strings.TrimSuffix(strings.TrimLeft(sentence, " -*"), ".")
			switch {
			case strings.HasPrefix(sentence, "The answer is") || !checkable(sentence):
			case !m.careless(c, "claims|"+sentence):
				out = append(out, "- "+sentence+".")
			case m.chance("invented", sentence) < 0.5:
				out = append(out, "- All of this is common knowledge among experts since 1901.")
			}
		}
	}
	if len(out) == 0 {
		return m.considered(c) + "none"
	}
	return m.considered(c) + strings.Join(out, "\n")
}

// checkPoint says what a response says of a fact: it supports it if it has all of
// its numbers and names and half of its words, contradicts it if it has a sentence
// with half of them and a number or name of its own, and else omits it.
func (m *model) checkPoint(c *conversation) string {
	stances := []string{"support", "contradict", "omit"}
	if m.forgets("malformed stance") {
		return m.considered(c) + "The response does not support all of it, I would say."
	}
	fact, _ := lineAfter(c.whole, factMark)
	question, _ := lineAfter(c.whole, questionMark)
	stance := stanceOf(fact, question, quotedLines(c.whole))
	if m.careless(c, "keypoint|"+fact) {
		stance = (stance + 1 + int(2*m.chance("stance", fact))) % len(stances)
	}
	return m.considered(c) + stances[stance]
}

// stanceOf returns the place of a stance among support, contradict and omit.
func stanceOf(fact, question, response string) int {
	if carried(fact, response) >= 50 {
		return 0
	}
	known := wordsOf(question + " " + fact)
	for sentence := range strings.SplitSeq(strings.ReplaceAll(response, "\n", ". "), ". ") {
		others := slices.ContainsFunc(namedIn(sentence), func(name string) bool { return !known[text.Lower(name)] })
		if others && share(fact, sentence) >= 50 {
			return 1
		}
	}
	return 2
}

// carried returns how many per cent of the words of a claim a text has; 0 if it
// lacks one of its numbers or names.
func carried(claim, evidence string) int {
	there := wordsOf(evidence)
	if slices.ContainsFunc(namedIn(claim), func(name string) bool { return !there[text.Lower(name)] }) {
		return 0
	}
	return share(claim, evidence)
}

// share returns how many per cent of the words of a claim of four letters and more,
// and of its numbers, a text has.
func share(claim, in string) int {
	there, wanted, found := wordsOf(in), 0, 0
	for w := range wordsOf(claim) {
		if len(w) < 4 && !strings.ContainsAny(w, "0123456789") {
			continue
		}
		if wanted++; there[w] {
			found++
		}
	}
	if wanted == 0 {
		return 0
	}
	return 100 * found / wanted
}

// checkable reports whether a sentence has a number or a name.
func checkable(sentence string) bool { return len(namedIn(sentence)) > 0 }

// namedIn returns the numbers and names of a sentence: words that begin with a digit or
// a capital, but for its first word, which must have a digit.
func namedIn(sentence string) []string {
	var out []string
	for i, w := range strings.Fields(sentence) {
		w = strings.Trim(w, ".,;:!?\"'()[]*")
		telling := w != "" && (w[0] >= '0' && w[0] <= '9' || w[0] >= 'A' && w[0] <= 'Z')
		if telling && (i > 0 || strings.ContainsAny(w, "0123456789")) {
			out = append(out, w)
		}
	}
	return out
}

// wordsOf returns the words of s in lower case.
func wordsOf(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.FieldsFunc(text.Lower(s), func(r rune) bool { return !text.IsWord(r) }) {
		set[w] = true
	}
	return set
}

// quotedLines returns the lines of a prompt that are quoted in it.
func quotedLines(prompt string) string {
	var lines []string
	for line := range strings.Lines(prompt) {
		if said, ok := strings.CutPrefix(line, quoteMark); ok {
			lines = append(lines, strings.TrimSpace(said))
		}
	}
	return strings.Join(lines, "\n")
}

// forgets reports whether the model forgets the form of a short reply.
func (m *model) forgets(what string) bool {
	return m.traits.malformed > 0 && m.chance(what) < m.traits.malformed
}

// careless reports whether the model errs in comparing two texts.
func (m *model) careless(c *conversation, thing string) bool {
	return !m.traits.blind && !m.manages(c, thing, entailEase)
}
