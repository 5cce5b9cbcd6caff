package graph

import (
	"fmt"
	"strings"

	"trawl/internal/text"
	"trawl/selection"
	"trawl/trajectory"
)

// PoolOf returns the pool of stored rollouts, for both variants. A rollout that
// failed has no answer. A search that failed or repeated an earlier one has no
// results and so no chunks, and of a search whose results were cut off for the
// model those it was not shown are no chunks either: nobody read them. A search,
// open or find is an event whose view is what the model was shown.
func PoolOf(g selection.Group) (Pool, error) {
	p := Pool{ID: g.Question.ID, Question: g.Question.Text, Rollouts: make([]Rollout, len(g.Trajectories))}
	for i, t := range g.Trajectories {
		if t.QuestionID != "" && t.QuestionID != p.ID || t.Question != "" && text.Normal(t.Question) != text.Normal(p.Question) {
			return Pool{}, fmt.Errorf("graph: question %q: round %d, rollout %d is of question %q, %q; a group has one question",
				p.ID, t.Round, t.Rollout, t.QuestionID, t.Question)
		}
		r := Rollout{Round: t.Round, Number: t.Rollout, Searches: searches(t.Steps), Events: events(t.Steps)}
		if t.Error == "" {
			r.Answer = t.Answer
		}
		p.Rollouts[i] = r
	}
	return p, nil
}

func searches(steps []trajectory.Step) []Search {
	var list []Search
	for i := range steps {
		s := &steps[i]
		if s.Kind != trajectory.KindSearch {
			continue
		}
		search := Search{Query: s.Query}
		if s.Error == "" && len(s.Results) > 0 {
			for _, r := range s.Results[:shown(s)] {
				search.Chunks = append(search.Chunks, Chunk{Title: r.Title, Text: r.Text})
			}
		}
		list = append(list, search)
	}
	return list
}

// cutLine ends what was shown of a search if it is not all: see the prompts of
// trawl's agent.
const cutLine = "\n[cut]"

// shown returns how many results of a search the model was shown, the last of them
// perhaps in part.
func shown(s *trajectory.Step) int {
	if !strings.HasSuffix(s.Shown, cutLine) {
		return len(s.Results)
	}
	n := 0
	for line := range strings.Lines(s.Shown) {
		if n < len(s.Results) && strings.HasPrefix(line, fmt.Sprintf("Doc %d(Title:", n+1)) {
			n++
		}
	}
	return n
}

// events returns the calls of the browser tool. All calls of a turn stand in one
// message, and their returns follow it one by one.
func events(steps []trajectory.Step) []Event {
	var list []Event
	position, call := 0, 0
	for i := range steps {
		s := &steps[i]
		if i == 0 || s.Turn == 0 || s.Turn != steps[i-1].Turn {
			call = position
			position++
		}
		returned := position
		position++
		switch s.Kind {
		case trajectory.KindSearch, trajectory.KindOpen, trajectory.KindFind:
		default:
			continue
		}
		e := Event{Tool: s.Kind, Query: s.Query, View: s.Shown, Call: call, Return: returned}
		if s.Call != nil {
			e.Args = s.Call.Arguments
		}
		if s.Shown == "" {
			e.Return = -1
		}
		list = append(list, e)
	}
	return list
}
