package graph

import "trawl/internal/text"

// A builder is a graph in the making. Nodes are added candidate by candidate.
type builder struct {
	pool    *Pool
	options Options
	g       *Graph
	answers []string // text of each candidate

	texts    map[string]int // index into g.Texts
	contents []int          // by index into g.Texts; -1 for a text that is no evidence
	chunks   map[Chunk]int  // index into g.Texts: a passage that recurs is normalised once
	queries  map[string]int // likewise
}

func newBuilder(p Pool, o Options) *builder {
	b := &builder{
		pool: &p, options: o,
		g:       &Graph{Variant: o.Variant, Edges: make(map[Relation][]Edge)},
		texts:   make(map[string]int),
		chunks:  make(map[Chunk]int),
		queries: make(map[string]int),
	}
	for _, r := range listed(o.Variant, o.Ranks) {
		b.g.Edges[r] = []Edge{}
	}
	b.g.Query = b.text(p.Question)
	return b
}

// text returns the index of a text, which is new at its first use. An empty text
// has none.
func (b *builder) text(s string) int {
	if s == "" {
		return NoText
	}
	i, ok := b.texts[s]
	if !ok {
		i = len(b.g.Texts)
		b.texts[s] = i
		b.g.Texts = append(b.g.Texts, s)
		b.contents = append(b.contents, -1)
	}
	return i
}

// content returns the number of the content that has the text at an index.
func (b *builder) content(i int) int {
	if b.contents[i] < 0 {
		b.contents[i] = b.g.Contents
		b.g.Contents++
	}
	return b.contents[i]
}

// chunk returns the index of a chunk's text.
func (b *builder) chunk(c Chunk) int {
	i, ok := b.chunks[c]
	if !ok {
		i = b.text(c.content())
		b.chunks[c] = i
	}
	return i
}

// query returns the index of a query's text.
func (b *builder) query(q string) int {
	i, ok := b.queries[q]
	if !ok {
		i = b.text(text.Normal(q))
		b.queries[q] = i
	}
	return i
}

func (b *builder) addSubquery(s Subquery) int {
	b.g.Subqueries = append(b.g.Subqueries, s)
	return len(b.g.Subqueries) - 1
}

func (b *builder) addEvidence(e Evidence) int {
	e.Content = b.content(e.Text)
	b.g.Evidence = append(b.g.Evidence, e)
	return len(b.g.Evidence) - 1
}

func (b *builder) edge(r Relation, source, target int) {
	b.g.Edges[r] = append(b.g.Edges[r], Edge{source, target})
}

// both adds an edge and the one that leads back.
func (b *builder) both(there, back Relation, source, target int) {
	b.edge(there, source, target)
	b.edge(back, target, source)
}
