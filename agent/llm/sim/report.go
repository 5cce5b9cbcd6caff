package sim

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"trawl/agent/llm/sim/internal/reader"
	"trawl/internal/text"
)

// A record is what the text of one attempt shows: a trajectory, or what somebody
// wrote about one.
type record struct {
	text       string
	queries    []string
	answer     string // empty: none
	confidence float64
	facts      []reader.Fact // that its lines note down, along the plan of the question
	answered   bool          // and they lead to the answer
}

var (
	searchedFor   = regexp.MustCompile(`<search>([^<\n]*)</search>|"query"\s*:\s*\[?\s*("(?:[^"\\]|\\.)*")`)
	statedAnswer  = regexp.MustCompile(`(?i)(?:final answer is|the answer is|answer:)\**:?\s*([^\n<]+)`)
	statedPercent = regexp.MustCompile(`(?i)confidence:?\D{0,12}(\d{1,3})`)
)

// neutral is the confidence of a text that states none, in per cent.
const neutral = 50

// readRecord reads a text with the question in mind.
func (m *model) readRecord(q *reader.Question, s string) record {
	r := record{text: s, confidence: neutral}
	for _, found := range searchedFor.FindAllStringSubmatch(s, -1) {
		query := found[1]
		if found[2] != "" && json.Unmarshal([]byte(found[2]), &query) != nil {
			continue
		}
		r.query(query)
	}
	if answer, ok := lastAnswer(s); ok {
		r.answer = answer
	} else if all := statedAnswer.FindAllStringSubmatch(s, -1); all != nil {
		r.answer = strings.TrimSuffix(strings.Trim(text.Collapse(all[len(all)-1][1]), "*"), ".")
	}
	if all := statedPercent.FindAllStringSubmatch(s, -1); all != nil {
		n, _ := strconv.Atoi(all[len(all)-1][1]) // three digits always parse
		r.confidence = float64(min(n, 100))
	}
	noted := func(g reader.Goal) []string {
		if v, ok := reader.Noted(s, g); ok {
			return []string{firstSentence(v)}
		}
		return nil
	}
	solved := q.Resume(reader.NewShelf(nil), noted, nil) // no shelf: nothing to believe
	r.facts = solved.Facts
	r.answered = solved.Done && sameName(solved.Answer, r.answer)
	return r
}

// firstSentence cuts a value where another sentence of the model's begins, or the
// note of a fact in a summary.
func firstSentence(value string) string {
	value, _, _ = strings.Cut(sentences(value)[0], sourceNote)
	return strings.TrimSuffix(value, ".")
}

func (r *record) query(q string) {
	if q = text.Collapse(q); q != "" && !slices.Contains(r.queries, q) {
		r.queries = append(r.queries, q)
	}
}

// recordMark stands before the record in prompts, and replyMark in it before what
// the attempt said.
const (
	recordMark = "# Record"
	replyMark  = "\n[assistant]"
)

// writeReport writes a report on one attempt from the lines of its record.
func (m *model) writeReport(c *conversation, q *reader.Question) string {
	_, body, ok := strings.Cut(c.whole, recordMark)
	if !ok {
		body = c.whole
	}
	if i := strings.Index(body, replyMark); i >= 0 {
		body = body[i:] // the rules before it have tags as examples
	}
	r := m.readRecord(q, body)
	var plan, methods, reasoning []string
	for i, f := range r.facts {
		plan = append(plan, fmt.Sprintf("(%d) %s", i+1, f.Phrase()))
		if m.manages(c, "recall|"+thingOf(f.Goal), recallEase) {
			reasoning = append(reasoning, f.Sentence())
		}
	}
	for _, query := range r.queries {
		methods = append(methods, fmt.Sprintf("search(%q): %s", query, r.found(query)))
	}
	ending := "It gave no final answer."
	if r.answer != "" {
		ending = fmt.Sprintf("The final answer is %s.", r.answer)
		if statedPercent.MatchString(body) {
			ending += fmt.Sprintf("\nConfidence: %.0f%%", r.confidence)
		}
	}
	text := "Solution Planning: " + joinedOr(plan, ", then ", "no smaller questions were named") + "\n" +
		"Solution Methods: " + joinedOr(methods, " ", "no tool was called") + "\n" +
		"Final Reasoning: " + strings.Join(append(reasoning, ending), "\n")
	if m.hazard(m.traits.malformed, "malformed") {
		return m.considered(c) + text
	}
	return m.considered(c) + "<report>\n" + text + "\n</report>"
}

// found returns what a query brought, by the facts whose subject it names.
func (r *record) found(query string) string {
	for _, f := range r.facts {
		if names(query, f.Subject) {
			return f.Sentence()
		}
	}
	return "nothing that mattered."
}

func joinedOr(parts []string, sep, none string) string {
	if len(parts) == 0 {
		return none
	}
	return strings.Join(parts, sep)
}
