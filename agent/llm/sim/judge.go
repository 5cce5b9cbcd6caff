package sim

import (
	"slices"
	"strings"

	"trawl/internal/text"
)

// Marks of a request to judge: what it begins with, its texts, and what tells the
// forms of the reply apart.
const (
	judgeTask     = "Judge whether the response below is correct"
	responseMark  = "Response:"
	goldMark      = "Correct answer:"
	goldsMark     = "Correct answers, any one of which is enough:"
	fieldsForm    = "extracted_final_answer: "
	objectForm    = `"extracted_final_answer": `
	lastLineForm  = "CORRECT or INCORRECT"
	oneLetterForm = "A, B or C"
)

// By how much it is easier to compare two texts than to read one out of a passage:
// texts that are equal, those of which one holds the other, and others.
const (
	equalEase   = 5
	withinEase  = 2
	anotherEase = 3.5
)

// A suit is what is to be judged.
type suit struct {
	response string
	golds    []string
}

// suitIn reads what a request to judge shows.
func suitIn(prompt string) suit {
	var s suit
	s.response, _ = lineAfter(prompt, responseMark)
	if gold, ok := lineAfter(prompt, goldMark); ok {
		s.golds = []string{gold}
		return s
	}
	_, rest, _ := strings.Cut(prompt, goldsMark+"\n")
	for line := range strings.Lines(rest) {
		gold, ok := strings.CutPrefix(line, "- ")
		if !ok {
			break
		}
		s.golds = append(s.golds, strings.TrimSpace(gold))
	}
	return s
}

// judge compares the normal forms of the response and the correct answers and, at
// times, errs. A model that forgets the form says something, and no verdict. It is
// asked at temperature 0, where nothing else goes wrong, so that the chance of this
// is the same at any.
func (m *model) judge(c *conversation) string {
	s := suitIn(c.last)
	if m.traits.malformed > 0 && m.chance("malformed verdict") < m.traits.malformed {
		return m.considered(c) + "The response and the correct answer have much in common, but it is hard to say."
	}
	right, ease := s.compare()
	if !m.traits.blind && !m.manages(c, "judge|"+s.response, ease) {
		right = !right
	}
	return m.considered(c) + verdictIn(c.last, s.response, right)
}

// compare says whether the response gives one of the correct answers, and by how
// much that is easier to see than something in a passage.
func (s suit) compare() (right bool, ease float64) {
	given := text.Answer(s.response)
	holds := func(whole, part string) bool {
		return part != "" && strings.Contains(" "+whole+" ", " "+part+" ")
	}
	switch {
	case slices.ContainsFunc(s.golds, func(g string) bool { return text.Answer(g) == given }):
		return true, equalEase
	case slices.ContainsFunc(s.golds, func(g string) bool { return holds(given, text.Answer(g)) || holds(text.Answer(g), given) }):
		return true, withinEase
	}
	return false, anotherEase
}

// verdictIn words a verdict in the form that the prompt asks for.
func verdictIn(prompt, response string, right bool) string {
	pick := func(yes, no string) string {
		if right {
			return yes
		}
		return no
	}
	reasoning := pick("The response gives the correct answer.", "The response gives another answer.")
	correct := pick("yes", "no")
	switch {
	case strings.Contains(prompt, objectForm):
		return marshal(struct {
			Extracted  string `json:"extracted_final_answer"`
			Reasoning  string `json:"reasoning"`
			Correct    string `json:"correct"`
			Confidence *int   `json:"confidence"`
		}{response, reasoning, correct, nil})
	case strings.Contains(prompt, "\n"+fieldsForm):
		return fieldsForm + response + "\nreasoning: " + reasoning + "\ncorrect: " + correct + "\nconfidence: none"
	case strings.Contains(prompt, lastLineForm):
		return reasoning + "\n\n" + pick("CORRECT", "INCORRECT")
	case strings.Contains(prompt, oneLetterForm):
		return pick("A", "B")
	}
	return pick("Correct", "Incorrect")
}
