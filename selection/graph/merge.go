package graph

import "slices"

// MergeEvidence returns g with one node for each content of evidence: the first
// of them, in the context of every candidate that read it, joined to whatever any
// of them was joined to. In the long-horizon variant it may belong to several
// documents, the first of which is its Document. An edge that merging makes equal
// to another is there once. It is the "merge identical evidence" of the paper's
// ablations. The result shares with g what it does not change.
func MergeEvidence(g *Graph) *Graph {
	m := *g
	m.Evidence, m.Origins = nil, nil
	first := make([]int, g.Contents) // node of a content, plus 1
	node := make([]int, len(g.Evidence))
	for e, old := range g.Evidence {
		if first[old.Content] == 0 {
			old.Answers = slices.Clone(old.Answers)
			m.Evidence = append(m.Evidence, old)
			first[old.Content] = len(m.Evidence)
		}
		node[e] = first[old.Content] - 1
		into := &m.Evidence[node[e]]
		into.Answers = append(into.Answers, old.Answers...)
	}
	for i := range m.Evidence {
		m.Evidence[i].Answers = set(m.Evidence[i].Answers)
	}
	m.Edges = make(map[Relation][]Edge, len(g.Edges))
	for r, edges := range g.Edges {
		m.Edges[r] = renumber(edges, node, r, g.Variant)
	}
	return &m
}

// renumber returns edges with the evidence at their ends numbered anew, each once.
func renumber(edges []Edge, node []int, r Relation, v Variant) []Edge {
	source, target, _ := r.ends(v)
	seen := make(map[Edge]bool, len(edges))
	out := make([]Edge, 0, len(edges))
	for _, e := range edges {
		if source == kindEvidence {
			e.Source = node[e.Source]
		}
		if target == kindEvidence {
			e.Target = node[e.Target]
		}
		if !seen[e] {
			seen[e] = true
			out = append(out, e)
		}
	}
	return out
}

// MergeAnswers returns g with one candidate for each answer: the text of the
// first rollout that gave it, the union of their contexts. What the rollouts did
// stays as it is, and [Graph.Origin] still tells them apart; retained rollouts are
// as many as all candidates have Rollouts. It is the "merge equal answers" of the
// paper's ablations, where a candidate's label is the mean of its rollouts'. The
// result shares with g what it does not change.
func MergeAnswers(g *Graph) *Graph {
	m := *g
	m.Answers = nil
	merged := make(map[string]int, len(g.Answers))
	into := make([]int, len(g.Answers))
	for i, a := range g.Answers {
		key := ""
		if a.Text != NoText {
			key = VoteKey(g.Texts[a.Text])
		}
		n, known := merged[key]
		if !known {
			n = len(m.Answers)
			merged[key] = n
			m.Answers = append(m.Answers, Answer{Text: a.Text, Votes: a.Votes})
		}
		into[i] = n
		m.Answers[n].Rollouts = append(m.Answers[n].Rollouts, a.Rollouts...)
	}
	moved := func(answers []int) []int {
		out := make([]int, len(answers))
		for i, a := range answers {
			out[i] = into[a]
		}
		return set(out)
	}
	m.Subqueries = slices.Clone(g.Subqueries)
	for i := range m.Subqueries {
		m.Subqueries[i].Answers = moved(m.Subqueries[i].Answers)
	}
	m.Evidence = slices.Clone(g.Evidence)
	m.Origins = make([]int, len(g.Evidence))
	for e := range m.Evidence {
		m.Origins[e] = g.Origin(e)
		m.Evidence[e].Answers = moved(m.Evidence[e].Answers)
	}
	return &m
}

// set sorts numbers and drops those that repeat.
func set(numbers []int) []int {
	slices.Sort(numbers)
	return slices.Compact(numbers)
}
