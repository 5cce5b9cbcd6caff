package weave

import (
	"fmt"
	"slices"
	"strings"
)

func isoDate(v uint32) string {
	return fmt.Sprintf("%04d-%02d-%02d", yearOf(v), v>>5&15, v&31)
}

// search is the step that finds the fact t with the query.
func (w *World) search(query string, t fact) Step {
	return Step{
		Action: "search", Args: Args{Query: query},
		DocIDs: []string{docID(t.subject)}, Subconclusion: w.statement(t),
	}
}

// trace returns the steps that follow p, one for each hop.
func (w *World) trace(p path) []Step {
	reached, proof, _ := w.follow(p)
	at := p.start
	steps := make([]Step, len(proof))
	for i, t := range proof {
		form := lexicon[p.hops[i].relation].query
		if p.hops[i].back {
			form = lexicon[p.hops[i].relation].back
		}
		steps[i] = w.search(strings.Replace(form, "{}", w.name(at), 1), t)
		at = reached[i]
	}
	return steps
}

// traceMeet returns the steps that find e, the thing of which arms hold: those
// that find what the arms only describe, one that looks for all statements at
// once, and one for each further statement.
func (w *World) traceMeet(e uint32, arms []arm) []Step {
	var steps []Step
	query := "which " + w.kind(e).String()
	for i, a := range arms {
		steps = append(steps, w.trace(a.known)...)
		v, _ := w.value(a.known)
		if i > 0 {
			query += " and"
		}
		name := w.literal(a.known.end(), v)
		query += " " + strings.Replace(lexicon[a.relation].verbs[0], "{}", name, 1)
	}
	for i, a := range arms {
		t, _ := w.facts.stored(e, a.relation)
		if i > 0 {
			query = strings.Replace(lexicon[a.relation].query, "{}", w.name(e), 1)
		}
		steps = append(steps, w.search(query, t))
	}
	return steps
}

// conclude adds the answer to the last subconclusion, for an answer that no
// single fact holds.
func conclude(steps []Step, answer string) {
	last := &steps[len(steps)-1]
	last.Subconclusion = strings.TrimSuffix(last.Subconclusion, ".") + "; the answer is " + answer + "."
}

// supporting returns the documents of steps, each once.
func supporting(steps []Step) []string {
	var ids []string
	for _, s := range steps {
		for _, id := range s.DocIDs {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
