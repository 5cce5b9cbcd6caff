package sim

import (
	"encoding/json"
	"regexp"
	"slices"

	"trawl/agent/llm/sim/internal/reader"
)

// A probe is what the tools have shown so far of the attempts at a question.
type probe struct {
	count     int           // of attempts, 0 if nothing says so
	solutions []record      // by appearance
	ids       []int         // of the trajectories of solutions
	asked     int           // calls for solutions
	searched  []string      // queries in trajectories
	hits      []hit         // what those found in observations
	segments  int           // that were read
	shelf     *reader.Shelf // passages of hits and segments
}

// A hit is a step of a trajectory.
type hit struct{ trajectory, step int }

// maxAsked bounds how often the model asks for the answers, if it does not get all
// of them.
const maxAsked = 3

// maxLooks bounds the turns before the model finishes, whatever it has seen.
const maxLooks = 12

// aggregate is one turn of a conversation in which tools look into attempts at a
// question: it reads their answers, checks those that disagree, and finishes.
func (m *model) aggregate(c *conversation, q *reader.Question) string {
	p := m.look(c, q)
	all := contenders(p.solutions)
	next := ""
	switch {
	case !c.offers(solutionTool) || c.turn > maxLooks:
	case p.asked == 0, len(p.solutions) < max(p.count, 1) && p.asked < maxAsked:
		next = m.calls(c, "I read the answers first.", solutionTool, map[string]any{})
	case len(all) > 1:
		next = m.examine(c, q, p, all)
	}
	if next != "" {
		return next
	}
	if len(all) == 0 {
		return m.finish(c, "No clear answer was found.", m.guess(c, q, reader.Solution{}))
	}
	for i := range all {
		switch {
		case p.shelf.Tells(q, all[i].answer):
			all[i].weight += toldWeight
		case i < len(p.searched):
			all[i].weight -= absentWeight
		}
	}
	weightiest(all)
	chosen := m.choose(c, all)
	return m.finish(c, explained(chosen.facts), chosen.answer)
}

// What it weighs that a tool returned evidence, and that a search for it found
// none; a confident record weighs 2.25 at most (see contenders).
const (
	toldWeight   = 2
	absentWeight = 0.5
)

// look reads the results of the tools.
func (m *model) look(c *conversation, q *reader.Question) *probe {
	p := &probe{}
	var passages []reader.Passage
	names := map[string]wireCall{} // calls by id
	for i := range c.messages {
		msg := &c.messages[i]
		for _, call := range msg.ToolCalls {
			names[call.ID] = call
			p.called(&call)
		}
		if msg.Role == "user" && p.count == 0 {
			p.count = numberAfter(msg.text(), "There are ")
		}
		if msg.Role != "tool" {
			continue
		}
		call := names[msg.CallID]
		for _, o := range objectsIn(msg.text()) {
			content, _ := o["content"].(string)
			id, step := number(o["trajectory_id"]), number(o["step"])
			switch {
			case call.Function.Name == solutionTool && id > 0:
				if !slices.Contains(p.ids, id) {
					p.solutions, p.ids = append(p.solutions, m.readRecord(q, content)), append(p.ids, id)
				}
			case call.Function.Name == trajectoryTool && step > 0:
				p.hits = append(p.hits, hit{id, step})
				fallthrough
			default:
				passages, _ = readDocs(passages, oneDocALine.ReplaceAllString(content, "\n$1"))
			}
		}
	}
	p.shelf = reader.NewShelf(passages)
	return p
}

// oneDocALine finds where documents begin in a text whose line ends were lost when
// it was cut.
var oneDocALine = regexp.MustCompile(`\s+(Doc \d+\s?\(Title: )`)

// called notes a call of the model's.
func (p *probe) called(call *wireCall) {
	switch call.Function.Name {
	case solutionTool:
		p.asked++
	case segmentTool:
		p.segments++
	case trajectoryTool:
		var args struct{ Query string }
		json.Unmarshal([]byte(call.arguments()), &args) //nolint:errcheck // a call that cannot be read searched for nothing
		p.searched = append(p.searched, args.Query)
	}
}

// objectsIn returns the objects in a JSON text that have a trajectory's id or a
// content, in order; none if it is no JSON.
func objectsIn(s string) []map[string]any {
	var v any
	if json.Unmarshal([]byte(s), &v) != nil {
		return nil
	}
	var out []map[string]any
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			if _, ok := v["content"].(string); ok {
				out = append(out, v)
				return
			}
			for _, key := range sortedKeys(v) {
				walk(v[key])
			}
		}
	}
	walk(v)
	return out
}

func number(v any) int {
	f, _ := v.(float64)
	return int(f)
}

// examine checks the answers that disagree: it searches an attempt for each, as
// many as its skill gives, and perhaps reads on around what that found. It
// returns nothing once that is done.
func (m *model) examine(c *conversation, q *reader.Question, p *probe, all []contender) string {
	checks := 1
	if m.traits.votes {
		checks = 2
	}
	n := len(p.searched)
	if n < min(checks, len(all)) && c.offers(trajectoryTool) {
		query := all[n].answer
		if rel := q.Sought(); rel != nil {
			query += " " + rel.Label()
		}
		return m.calls(c, "I check what speaks for "+all[n].answer+".", trajectoryTool,
			map[string]any{"trajectory_id": p.ids[all[n].from[0]], "query": query, "role": "tool", "k": 5})
	}
	if len(p.hits) > 0 && p.segments == 0 && c.offers(segmentTool) && m.chance("segment") < m.traits.checks/2 {
		h := p.hits[len(p.hits)-1]
		return m.calls(c, "I read that step in full.", segmentTool, map[string]any{"trajectory_id": h.trajectory, "start_step": h.step, "end_step": h.step + 1})
	}
	return ""
}

// calls writes a call of a tool, or breaks the form.
func (m *model) calls(c *conversation, thought, tool string, args map[string]any) string {
	if m.hazard(m.traits.malformed, "malformed") && !c.mustCall {
		return m.prelude(c, thought) + "Let me call " + tool + "."
	}
	return m.prelude(c, thought) + call(tool, args)
}

// finish ends the conversation with a solution, or breaks the form of one.
func (m *model) finish(c *conversation, why, answer string) string {
	solution := settled(why, answer)
	if m.hazard(m.traits.malformed, "malformed finish") {
		if !c.mustCall && m.chance("text") < 0.5 {
			return m.prelude(c, "That settles it.") + solution
		}
		solution = answer
	}
	return m.prelude(c, "That settles it.") + call(finishTool, map[string]any{"solution": solution, "reason": "It is what the evidence supports."})
}
