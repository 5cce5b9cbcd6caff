package sim

import (
	"fmt"
	"strings"

	"trawl/agent/llm/sim/internal/reader"
)

// summary writes down what the conversation found out, under the headings that
// the prompt asks for.
func (m *model) summary(c *conversation, q *reader.Question) string {
	d := m.digest(c, q)
	r := m.rand("summary form")
	if m.hazard(m.traits.malformed/4, "prose") {
		return m.considered(c) + d.prose()
	}
	form := headingForms[0]
	if r.Float64() < m.traits.sloppy/4 {
		form = headingForms[1+r.IntN(len(headingForms)-1)]
	}
	headings := headingsIn(c.last)
	forgotten := -1
	if len(headings) > 1 && m.hazard(m.traits.malformed, "forgets section") {
		forgotten = 1 + r.IntN(len(headings)-1)
	}
	var b strings.Builder
	for i, h := range headings {
		section := sectionOf(h)
		if i == forgotten || section == noSection {
			continue
		}
		number, name, _ := strings.Cut(h, ". ")
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, form+"\n%s\n", number, name, listed(section, d.lines[section]))
	}
	return m.considered(c) + strings.TrimSpace(b.String())
}

// headingForms are how headings are written, of number and name: as asked for,
// and as models like to.
var headingForms = [...]string{"## %s. %s", "**%s. %s**", "**%[2]s**", "## %[2]s"}

// headingsIn returns the headings that a prompt asks for, as "0. Current Answer".
func headingsIn(prompt string) []string {
	_, prompt, _ = strings.Cut(prompt, researchOver)
	var out []string
	for line := range strings.SplitSeq(prompt, "\n") {
		if h, ok := strings.CutPrefix(line, "## "); ok {
			out = append(out, strings.TrimSpace(h))
		}
	}
	return out
}

func listed(section int, lines []string) string {
	switch {
	case len(lines) == 0:
		return "None"
	case section == currentAnswer:
		return lines[0]
	}
	return "- " + strings.Join(lines, "\n- ")
}

// considered is the thinking before a text that is asked for, where the server
// has a place for thinking.
func (m *model) considered(c *conversation) string {
	if m.reasoning == ReasoningNone || !c.thinking {
		return ""
	}
	return thinkOpen + "\nI should go through what there is.\n" + thinkClose + "\n\n"
}

// prose is the summary of a model that forgets the form.
func (d *digest) prose() string {
	lines := []string{"So far this is known."}
	for _, f := range d.facts {
		lines = append(lines, f.sentence)
	}
	if answer := d.lines[currentAnswer]; len(answer) > 0 {
		lines = append(lines, bestAnswer+answer[0]+".")
	}
	lines = append(lines, d.lines[uncertainties]...)
	return strings.Join(lines, " ")
}
