package bm25

import (
	"context"
	"fmt"
	"sort"

	"trawl/search"
	"trawl/search/index"
)

// An Explanation says what makes up the score of a document for a query, which
// is that of a search: the sum of the parts in their order.
type Explanation struct {
	Document search.Document
	Score    float64
	// StopWords is said of a query of stop words alone, which is scored by those of
	// the documents.
	StopWords bool
	Params    index.Params
	Documents int     // in the index
	Length    int     // of the document, in terms: dl
	Average   float64 // of all documents: avgdl
	Terms     []ExplainedTerm
}

// An ExplainedTerm is a distinct term of a query, in the order in which they
// first stand in it.
type ExplainedTerm struct {
	Term      string
	InQuery   int     // how often the query has it: qtf
	Frequency int     // how often the document has it: tf
	Documents int     // how many have it: df
	IDF       float64 // 0 if no document has it
	Part      float64 // of the score
}

// Explain says what makes up the score of the document with the id for a query,
// if the index has it. Terms that the document does not have are there too, with
// a part of 0.
func (x *Index) Explain(ctx context.Context, query, id string) (e Explanation, ok bool, err error) {
	err = x.use(func() error {
		e, ok, err = x.explain(ctx, query, id)
		return err
	})
	if err != nil {
		return Explanation{}, false, fmt.Errorf("bm25: explain %q in %s: %w", id, x.dir, err)
	}
	return e, ok, nil
}

func (x *Index) explain(ctx context.Context, query, id string) (Explanation, bool, error) {
	doc, raw, ok, err := x.find(id)
	if err != nil || !ok {
		return Explanation{}, false, err
	}
	var a analyzer
	terms, c, err := a.analyze(ctx, query)
	if err != nil {
		return Explanation{}, false, err
	}
	dl := x.lengths[c].at(doc)
	e := Explanation{
		Document: raw.document(), StopWords: c == byAll, Params: x.meta.Params, Documents: x.meta.Documents,
		Length: int(dl), Average: x.norms[c].avgdl,
	}
	place := make(map[string]int)
	for i, term := range terms {
		if i%lookEvery == 0 && ctx.Err() != nil {
			return Explanation{}, false, ctx.Err()
		}
		if i, ok := place[term]; ok {
			e.Terms[i].InQuery++
			continue
		}
		place[term] = len(e.Terms)
		t := ExplainedTerm{Term: term, InQuery: 1}
		if t.Documents, t.Frequency, err = x.frequencies(term, c, doc); err != nil {
			return Explanation{}, false, err
		}
		e.Terms = append(e.Terms, t)
	}
	for i := range e.Terms {
		t := &e.Terms[i]
		if t.Documents > 0 {
			t.IDF = index.IDF(x.meta.Documents, t.Documents)
		}
		if t.Frequency > 0 {
			weighed := queryTerm{count: float64(t.InQuery), idf: t.IDF}
			t.Part = weighed.score(x.norms[c].saturation(uint32(t.Frequency), dl))
		}
		e.Score += t.Part
	}
	return e, true, nil
}

// frequencies returns how many documents have the term, and how often the one does.
func (x *Index) frequencies(term string, c class, doc uint32) (df, tf int, err error) {
	e, ok, err := x.terms.find(new(blockReader), term, c)
	if err != nil || !ok {
		return 0, 0, err
	}
	data, err := e.list(x.files[postingsFile])
	if err != nil {
		return 0, 0, err
	}
	l, _, err := decodeList(data, x.layout, e.df, nil)
	if err != nil {
		return 0, 0, err
	}
	h, w, ok := l.find(x.layout.of(doc))
	if !ok {
		return e.df, 0, nil
	}
	cursor := windowCursor{window: w, n: h.count}
	if cursor.larges, err = w.larges(nil); err != nil {
		return 0, 0, err
	}
	at := uint32(int(doc) & (x.layout.window - 1))
	if i := sort.Search(h.count, func(i int) bool { return cursor.doc(i) >= at }); i < h.count && cursor.doc(i) == at {
		tf = int(cursor.tf(i))
	}
	return e.df, tf, nil
}
