package graph

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Validate reports the first thing in g that no graph has: an index out of range,
// a node without a candidate, a relation that its variant lacks. What [Build] and
// the merges return is valid; it is for graphs that were read or written by hand.
func (g *Graph) Validate() error {
	switch {
	case g.Variant != WebQA && g.Variant != LongHorizon:
		return fmt.Errorf("graph: variant %q: it is %q or %q", g.Variant, WebQA, LongHorizon)
	case !g.text(g.Query):
		return fmt.Errorf("graph: query has text %d of %d", g.Query, len(g.Texts))
	case len(g.Answers) == 0:
		return fmt.Errorf("graph: no candidate: %w", ErrEmpty)
	case g.Variant == WebQA && len(g.Documents) > 0:
		return fmt.Errorf("graph: %d documents in the %s variant, which has none", len(g.Documents), g.Variant)
	case g.Origins != nil && len(g.Origins) != len(g.Evidence):
		return fmt.Errorf("graph: %d origins of %d pieces of evidence", len(g.Origins), len(g.Evidence))
	}
	for i := range g.Answers {
		if a := &g.Answers[i]; !g.text(a.Text) || a.Votes < 1 {
			return fmt.Errorf("graph: candidate %d has text %d of %d and %d votes", i, a.Text, len(g.Texts), a.Votes)
		}
	}
	for i := range g.Subqueries {
		s := &g.Subqueries[i]
		if !g.text(s.Text) || s.Orphan && (g.Variant == WebQA || s.Text != NoText) {
			return fmt.Errorf("graph: subquery %d has text %d of %d, orphan %t", i, s.Text, len(g.Texts), s.Orphan)
		}
		if err := g.candidates(s.Answers); err != nil {
			return fmt.Errorf("graph: subquery %d: %w", i, err)
		}
	}
	for i := range g.Evidence {
		if err := g.validEvidence(&g.Evidence[i]); err != nil {
			return fmt.Errorf("graph: evidence %d: %w", i, err)
		}
	}
	return g.validEdges()
}

func (g *Graph) validEvidence(e *Evidence) error {
	switch {
	case e.Text == NoText || !g.text(e.Text):
		return fmt.Errorf("text %d of %d", e.Text, len(g.Texts))
	case e.Content < 0 || e.Content >= g.Contents:
		return fmt.Errorf("content %d of %d", e.Content, g.Contents)
	case g.Variant == WebQA && (e.Document != -1 || e.Find):
		return fmt.Errorf("document %d, find %t in the %s variant", e.Document, e.Find, g.Variant)
	case g.Variant == LongHorizon && (e.Document < 0 || e.Document >= len(g.Documents)):
		return fmt.Errorf("document %d of %d", e.Document, len(g.Documents))
	}
	return g.candidates(e.Answers)
}

// candidates reports whether answers are some, in range and in order.
func (g *Graph) candidates(answers []int) error {
	last := -1
	for _, a := range answers {
		if a <= last || a >= len(g.Answers) {
			return fmt.Errorf("candidates %v of %d; they ascend", answers, len(g.Answers))
		}
		last = a
	}
	if last < 0 {
		return errors.New("no candidate")
	}
	return nil
}

func (g *Graph) text(i int) bool { return i == NoText || i >= 0 && i < len(g.Texts) }

func (g *Graph) validEdges() error {
	count := map[kind]int{kindQuery: 1, kindSubquery: len(g.Subqueries), kindEvidence: len(g.Evidence), kindDocument: len(g.Documents)}
	for _, r := range slices.Sorted(maps.Keys(g.Edges)) {
		source, target, ok := r.ends(g.Variant)
		if !ok {
			return fmt.Errorf("graph: relation %q is none of the %s variant", r, g.Variant)
		}
		for _, e := range g.Edges[r] {
			if e.Source < 0 || e.Source >= count[source] || e.Target < 0 || e.Target >= count[target] {
				return fmt.Errorf("graph: edge %d → %d of relation %q is out of range", e.Source, e.Target, r)
			}
		}
	}
	return nil
}
