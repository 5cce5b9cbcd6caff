package gnn

import (
	"fmt"
	"math"
	"slices"

	"trawl/selection/graph"
)

// member makes s of one input: it checks the graph, and applies what the model
// does to a graph before the network sees it.
func (m *Model[T]) member(s *member, in Input) error {
	g := in.Graph
	if g.Variant != m.config.Variant {
		return fmt.Errorf("it is a %s graph, the model reads %s", g.Variant, m.config.Variant)
	}
	if len(in.Rows) != len(g.Texts) {
		return fmt.Errorf("%d rows for %d texts", len(in.Rows), len(g.Texts))
	}
	if len(g.Answers) == 0 {
		return fmt.Errorf("it has no answers")
	}
	s.whole, s.rows, s.graph = g, in.Rows, g
	if m.config.Ablation.MergeEvidence {
		s.graph = graph.MergeEvidence(s.graph)
	}
	if m.config.Ablation.MergeAnswers {
		s.graph = graph.MergeAnswers(s.graph)
	}
	s.count = [kinds]int{
		query: 1, answer: len(s.graph.Answers), subquery: len(s.graph.Subqueries),
		evidence: len(s.graph.Evidence), document: len(s.graph.Documents),
	}
	if err := s.checkNodes(); err != nil {
		return err
	}
	if err := m.checkEdges(s); err != nil {
		return err
	}
	switch {
	case !m.config.hasDocuments():
		s.count[document] = 0
	case m.config.Ablation.NoCross:
		s.cutDocuments()
	}
	return nil
}

// checkNodes makes sure that texts, candidates and documents of nodes exist.
func (s *member) checkNodes() error {
	for k, n := range s.count {
		for i := range n {
			var of []int
			text := graph.NoText
			switch kind(k) {
			case query:
				text = s.graph.Query
			case answer:
				text = s.graph.Answers[i].Text
			case subquery:
				text, of = s.graph.Subqueries[i].Text, s.graph.Subqueries[i].Answers
			case evidence:
				text, of = s.graph.Evidence[i].Text, s.graph.Evidence[i].Answers
			}
			if text < graph.NoText || text >= len(s.rows) {
				return fmt.Errorf("a node has text %d of %d", text, len(s.rows))
			}
			for _, a := range of {
				if a < 0 || a >= s.count[answer] {
					return fmt.Errorf("a node belongs to candidate %d of %d", a, s.count[answer])
				}
			}
		}
	}
	return nil
}

// checkEdges makes sure that every edge is one that a model of the variant knows,
// between nodes that exist.
func (m *Model[T]) checkEdges(s *member) error {
	names := make([]graph.Relation, 0, len(s.graph.Edges))
	for name := range s.graph.Edges {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		at := slices.IndexFunc(m.known, func(r relation) bool { return r.name == name })
		if at < 0 {
			return fmt.Errorf("relation %s is none of a %s model with %d ranks", name, m.config.Variant, m.config.Ranks)
		}
		r := m.known[at]
		for _, e := range s.graph.Edges[name] {
			if e.Source < 0 || e.Source >= s.count[r.source] || e.Target < 0 || e.Target >= s.count[r.target] {
				return fmt.Errorf("an edge of relation %s goes from %d to %d, where there is no node", name, e.Source, e.Target)
			}
		}
	}
	return nil
}

// candidates returns the candidates of the whole graph behind each answer.
func (s *member) candidates() [][]int {
	list := make([][]int, len(s.graph.Answers))
	for i, a := range s.graph.Answers {
		if s.graph == s.whole || len(s.graph.Answers) == len(s.whole.Answers) {
			list[i] = []int{i}
			continue
		}
		for j, w := range s.whole.Answers {
			if slices.Contains(a.Rollouts, w.Rollouts[0]) {
				list[i] = append(list[i], j)
			}
		}
	}
	return list
}

// retained returns how many rollouts stand behind the answers, R_q.
func (s *member) retained() int { return len(s.whole.Answers) }

// voteFeatures returns log(1+c) and c/R of an answer (methods.md A.5).
func (s *member) voteFeatures(i int) (log, share float64) {
	c := float64(s.graph.Answers[i].Votes)
	return math.Log1p(c), c / float64(s.retained())
}

// contents returns for every evidence its content, and the rollout that read it.
func (s *member) contents() (content, rollout []int32) {
	both := make([]int32, 2*len(s.graph.Evidence))
	content, rollout = both[:len(s.graph.Evidence)], both[len(s.graph.Evidence):]
	for i, e := range s.graph.Evidence {
		content[i], rollout[i] = int32(e.Content), int32(s.graph.Origin(i))
	}
	return content, rollout
}

// cutDocuments gives every rollout its own copy of a document, numbered by first
// use, so that no two rollouts meet in one.
func (s *member) cutDocuments() {
	type copyOf struct {
		document int
		rollout  int
	}
	copies := map[copyOf]int32{}
	s.document = make([]int32, len(s.graph.Evidence))
	for i, e := range s.graph.Evidence {
		c := copyOf{e.Document, s.graph.Origin(i)}
		n, ok := copies[c]
		if !ok {
			n = int32(len(copies))
			copies[c] = n
		}
		s.document[i] = n
	}
	s.count[document] = len(copies)
}

// edges returns the edges of a relation as the network sees them.
func (s *member) edges(name graph.Relation) []graph.Edge {
	list := s.graph.Edges[name]
	if s.document == nil || (name != graph.BelongsTo && name != graph.Contains) {
		return list
	}
	cut := slices.Clone(list)
	for i, e := range cut {
		if name == graph.BelongsTo {
			cut[i].Target = int(s.document[e.Source])
		} else {
			cut[i].Source = int(s.document[e.Target])
		}
	}
	return cut
}

// textRow returns the row of the features for a text of the graph.
func (s *member) textRow(text int) int32 {
	if text == graph.NoText {
		return noRow
	}
	return s.rows[text]
}

// noRow is the row of the zero vector.
const noRow = -1

// textOf returns the row of the features for node i of a kind.
func (s *member) textOf(k kind, i int) int32 {
	switch k {
	case query:
		return s.textRow(s.graph.Query)
	case answer:
		return s.textRow(s.graph.Answers[i].Text)
	case subquery:
		return s.textRow(s.graph.Subqueries[i].Text)
	}
	return s.textRow(s.graph.Evidence[i].Text)
}
