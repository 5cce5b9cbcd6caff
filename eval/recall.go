package eval

import (
	"html"

	"trawl/corpus/dataset"
	"trawl/internal/text"
	"trawl/trajectory"
)

// Retrieval says how many of the documents that an answer stands on were
// retrieved, by the rank up to which results count. The means are over
// questions; a cut-off is missing if no question has what it needs.
type Retrieval struct {
	RecallAt       map[int]float64 `json:"recall_at"`        // of one rollout, all its searches together
	RecallPooledAt map[int]float64 `json:"recall_pooled_at"` // of all completed rollouts of a question together
	N              int             `json:"n"`                // questions with known documents and a completed rollout
}

// Recall returns the part of the supporting documents of e that the searches of
// the rollouts together returned at rank cut or better. Documents are known by
// their ids or, if the data set names none, by their titles. False if e knows
// no supporting documents.
func Recall(e dataset.Example, rollouts []*trajectory.Trajectory, cut int) (float64, bool) {
	needed, name := supporting(e)
	if len(needed) == 0 {
		return 0, false
	}
	total := len(needed)
	for _, t := range rollouts {
		for r := range results(t, cut) {
			delete(needed, name(r))
		}
	}
	return float64(total-len(needed)) / float64(total), true
}

// supporting returns the set of names of the supporting documents of e, and how
// a result is named alike.
func supporting(e dataset.Example) (map[string]bool, func(trajectory.Result) string) {
	names := make(map[string]bool)
	for _, id := range e.Supporting {
		names[id] = true
	}
	if len(names) > 0 {
		return names, func(r trajectory.Result) string { return r.ID }
	}
	for _, t := range e.Titles {
		names[titleKey(t)] = true
	}
	return names, func(r trajectory.Result) string { return titleKey(r.Title) }
}

// titleKey makes titles of different copies of Wikipedia comparable.
func titleKey(title string) string { return text.Normal(html.UnescapeString(title)) }

// results yields what the searches of t returned at rank cut or better.
func results(t *trajectory.Trajectory, cut int) func(yield func(trajectory.Result) bool) {
	return func(yield func(trajectory.Result) bool) {
		for _, s := range t.Steps {
			if s.Kind != trajectory.KindSearch {
				continue
			}
			for _, r := range s.Results {
				if r.Rank <= cut && !yield(r) {
					return
				}
			}
		}
	}
}

// A found is the retrieval of one question by cut-off; nil maps if the question
// has no supporting documents.
type found struct{ single, pooled map[int]float64 }

// foundBy returns what the completed rollouts of g found.
func foundBy(g *group, cuts []int) found {
	f := found{single: make(map[int]float64), pooled: make(map[int]float64)}
	if len(g.whole) == 0 {
		return f
	}
	for _, cut := range cuts {
		if v, ok := Recall(g.example, g.whole, cut); ok {
			f.pooled[cut] = v
			single := make([]float64, len(g.whole))
			for i, t := range g.whole {
				single[i], _ = Recall(g.example, []*trajectory.Trajectory{t}, cut)
			}
			f.single[cut] = mean(single)
		}
	}
	return f
}

// retrievalOf returns the means over questions.
func retrievalOf(groups []*group, cuts []int) Retrieval {
	r := Retrieval{RecallAt: make(map[int]float64), RecallPooledAt: make(map[int]float64)}
	for _, cut := range cuts {
		var single, pooled running
		for _, g := range groups {
			addAt(&single, g.found.single, cut)
			addAt(&pooled, g.found.pooled, cut)
		}
		r.N = single.n
		setAt(r.RecallAt, cut, single)
		setAt(r.RecallPooledAt, cut, pooled)
	}
	return r
}

func addAt(m *running, at map[int]float64, cut int) {
	if v, ok := at[cut]; ok {
		m.add(v)
	}
}

func setAt(at map[int]float64, cut int, m running) {
	if v, ok := m.mean(); ok {
		at[cut] = v
	}
}
