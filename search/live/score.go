package live

import (
	"container/heap"
	"context"
	"math"
	"slices"
	"strings"
	"sync"

	"trawl/search"
	"trawl/search/english"
)

// search finds the best n documents for the query.
func (v *view) search(ctx context.Context, query string, n int) ([]search.Hit, error) {
	if n = min(n, v.live); n < 1 {
		return nil, ctx.Err()
	}
	terms, c := analyzeQuery(query)
	sources, err := v.sources(ctx, c, terms)
	if err != nil {
		return nil, err
	}
	best, err := v.best(ctx, sources, n)
	if err != nil {
		return nil, err
	}
	hits := make([]search.Hit, len(best))
	for i, r := range best {
		doc, err := v.document(r.doc)
		if err != nil {
			return nil, err
		}
		hits[i] = search.Hit{Document: doc, Score: r.score}
	}
	return hits, nil
}

// analyzeQuery returns the terms of a query and what to score them by.
func analyzeQuery(query string) ([]string, class) {
	if terms := english.Analyze(query); len(terms) > 0 {
		return terms, byContent
	}
	return english.AnalyzeAll(query), byAll
}

// A source is what is left to add of a term's list, times its weight.
type source struct {
	weight float64 // how often the query has the term
	docs   []uint32
	scores []float64
}

// sources returns the distinct terms that any document has, in the order in
// which they first stand in the query.
func (v *view) sources(ctx context.Context, c class, terms []string) ([]source, error) {
	place := make(map[string]int, len(terms))
	var sources []source
	for _, term := range terms {
		if i, ok := place[term]; ok {
			if i >= 0 {
				sources[i].weight++
			}
			continue
		}
		l, err := v.list(ctx, c, term)
		if err != nil {
			return nil, err
		}
		place[term] = -1
		if len(l.docs) > 0 {
			place[term] = len(sources)
			sources = append(sources, source{1, l.docs, l.scores})
		}
	}
	return sources, nil
}

// windowSize is how many neighbouring documents are scored at a time: few enough
// that their sums stay in a core's cache.
const windowSize = 1 << 13

// A window holds the sums of windowSize documents.
type window [windowSize]float64

// A pool lends windows.
type pool struct{ sync.Pool }

func (p *pool) get() *window {
	if w, ok := p.Get().(*window); ok {
		return w
	}
	return new(window)
}

// best adds up the sources and returns the best n documents, best first.
func (v *view) best(ctx context.Context, sources []source, n int) ([]ranked, error) {
	w := v.sums.get()
	defer v.sums.Put(w)
	top := ranking{n: n, ids: v.ids}
	for {
		first, ok := nextDocument(sources)
		if !ok {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		clear(w[:])
		last := w.add(sources, first)
		least := top.least()
		for i, score := range w[:last-first+1] {
			if score >= least {
				top.offer(ranked{first + uint32(i), score})
				least = top.least()
			}
		}
	}
	slices.SortFunc(top.docs, top.compare)
	return top.docs, nil
}

// nextDocument returns the smallest document left in the sources.
func nextDocument(sources []source) (first uint32, ok bool) {
	for _, s := range sources {
		if len(s.docs) > 0 && (!ok || s.docs[0] < first) {
			first, ok = s.docs[0], true
		}
	}
	return first, ok
}

// add takes from the sources what falls into the window that begins at first,
// and returns the last document that does.
func (w *window) add(sources []source, first uint32) (last uint32) {
	last = first
	for i := range sources {
		s := &sources[i]
		n := 0
		for _, doc := range s.docs {
			at := doc - first
			if at >= windowSize {
				break
			}
			w[at] += float64(s.weight * s.scores[n])
			n++
		}
		if n > 0 {
			last = max(last, s.docs[n-1])
		}
		s.docs, s.scores = s.docs[n:], s.scores[n:]
	}
	return last
}

// A ranked document has a place among others: by score, descending, then by id.
type ranked struct {
	doc   uint32
	score float64
}

// A ranking keeps the best n documents offered to it, as a heap with the worst
// in front.
type ranking struct {
	n    int
	ids  []string
	docs []ranked
}

// least returns the least score with which a document is worth an offer. It is
// positive: a document without any term has none.
func (r *ranking) least() float64 {
	if len(r.docs) < r.n {
		return math.SmallestNonzeroFloat64
	}
	return r.docs[0].score
}

func (r *ranking) offer(d ranked) {
	switch {
	case len(r.docs) < r.n:
		heap.Push(r, d)
	case r.compare(d, r.docs[0]) < 0:
		r.docs[0] = d
		heap.Fix(r, 0)
	}
}

// compare is negative if a ranks before b.
func (r *ranking) compare(a, b ranked) int {
	switch {
	case a.score > b.score:
		return -1
	case a.score < b.score:
		return 1
	}
	return strings.Compare(r.ids[a.doc], r.ids[b.doc])
}

// Len, Less, Swap, Push and Pop implement [heap.Interface].
func (r *ranking) Len() int           { return len(r.docs) }
func (r *ranking) Less(i, j int) bool { return r.compare(r.docs[i], r.docs[j]) > 0 }
func (r *ranking) Swap(i, j int)      { r.docs[i], r.docs[j] = r.docs[j], r.docs[i] }
func (r *ranking) Push(d any)         { r.docs = append(r.docs, d.(ranked)) }
func (r *ranking) Pop() any {
	last := len(r.docs) - 1
	d := r.docs[last]
	r.docs = r.docs[:last]
	return d
}
