package bm25

import "container/heap"

// A ranked document has a place among others: by score, descending, then by the
// rank of its id.
type ranked struct {
	doc   uint32
	rank  uint32
	score float64
}

// A ranking keeps the best n documents offered to it, as a heap with the worst
// in front.
type ranking struct {
	n     int
	ranks column
	docs  []ranked
}

func (r *ranking) reset(n int, ranks column) {
	r.n, r.ranks, r.docs = n, ranks, r.docs[:0]
}

// least returns the score below which no document gets in: 0 while any does.
func (r *ranking) least() float64 {
	if len(r.docs) < r.n {
		return 0
	}
	return r.docs[0].score
}

func (r *ranking) offer(doc uint32, score float64) {
	switch {
	case len(r.docs) < r.n:
		r.docs = append(r.docs, ranked{doc, r.ranks.at(doc), score})
		if len(r.docs) == r.n {
			heap.Init(r)
		}
	case score >= r.docs[0].score:
		d := ranked{doc, r.ranks.at(doc), score}
		if r.compare(d, r.docs[0]) < 0 {
			r.docs[0] = d
			heap.Fix(r, 0)
		}
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
	return int(a.rank) - int(b.rank)
}

// Len, Less and Swap implement [heap.Interface].
func (r *ranking) Len() int           { return len(r.docs) }
func (r *ranking) Less(i, j int) bool { return r.compare(r.docs[i], r.docs[j]) > 0 }
func (r *ranking) Swap(i, j int)      { r.docs[i], r.docs[j] = r.docs[j], r.docs[i] }

// Push and Pop are never called: the heap is made at once and keeps its size.
func (r *ranking) Push(any) {}
func (r *ranking) Pop() any { return nil }
