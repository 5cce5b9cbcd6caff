package bm25

import (
	"context"
	"fmt"
	"slices"

	"trawl/search"
	"trawl/search/english"
	"trawl/search/index"
)

// Search implements [search.Engine].
func (x *Index) Search(ctx context.Context, query string, n int) ([]search.Hit, error) {
	var hits []search.Hit
	err := x.use(func() (err error) {
		hits, err = x.search(ctx, query, n)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("bm25: search %s: %w", x.dir, err)
	}
	return hits, nil
}

func (x *Index) search(ctx context.Context, query string, n int) ([]search.Hit, error) {
	if n = min(n, x.meta.Documents); n < 1 {
		return nil, ctx.Err()
	}
	s := scratches.Get().(*scratch)
	hits, err := s.search(ctx, x, query, n)
	s.release()
	scratches.Put(s) // unless it panicked, and its sums are not zero
	return hits, err
}

func (s *scratch) search(ctx context.Context, x *Index, query string, n int) ([]search.Hit, error) {
	if err := s.start(ctx, x, query, n); err != nil {
		return nil, err
	}
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	return s.hits(ctx)
}

// A queryTerm is a distinct term of a query that any document has.
type queryTerm struct {
	term  string
	count float64 // how often the query has it
	idf   float64
	df    int
	list  list
	room  []byte // behind list, if that is a sparse one

	windowCursor // in the window that is searched
}

// An analyzer finds the terms of queries.
type analyzer struct {
	english english.Analyzer
	content []string
	stops   []string
}

// pieceBytes is after how many bytes a query is cut where a word begins, to look
// at the context.
const pieceBytes = 1 << 14

// analyze returns the terms of a query and what to score them by. They are the
// analyzer's.
func (a *analyzer) analyze(ctx context.Context, query string) ([]string, class, error) {
	a.content, a.stops = a.content[:0], a.stops[:0]
	for query != "" {
		if err := ctx.Err(); err != nil {
			return nil, byContent, err
		}
		end := pieceEnd(query)
		a.english.Each(query[:end], func(term string, stop bool) {
			if stop {
				a.stops = append(a.stops, term)
			} else {
				a.content = append(a.content, term)
			}
		})
		query = query[end:]
	}
	if len(a.content) > 0 {
		return a.content, byContent, nil
	}
	return a.stops, byAll, nil
}

// pieceEnd returns where to cut a text, if it is long: behind a blank and before
// a word in ASCII, since what follows a blank may else belong to it.
func pieceEnd(text string) int {
	for i := pieceBytes; i < len(text); i++ {
		if c := text[i]; text[i-1] == ' ' && ('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9') {
			return i
		}
	}
	return len(text)
}

// lookEvery is after how many terms, or documents that are read, a search looks
// at its context.
const lookEvery = 256

// start looks up the query's terms.
func (s *scratch) start(ctx context.Context, x *Index, query string, n int) error {
	terms, c, err := s.analyze(ctx, query)
	if err != nil {
		return err
	}
	s.index, s.class, s.norms, s.lengths = x, c, x.norms[c], x.lengths[c]
	s.top.reset(n, x.ranks)
	s.terms, s.did = s.terms[:0], work{}
	clear(s.place)
	for i, term := range terms {
		if i%lookEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if i, ok := s.place[term]; ok {
			if i >= 0 {
				s.terms[i].count++
			}
			continue
		}
		s.place[term] = -1
		e, ok, err := x.terms.find(&s.reader, term, c)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		s.place[term] = len(s.terms)
		if err := s.addTerm(term, e); err != nil {
			return err
		}
	}
	return nil
}

// addTerm adds a term that is new to the query.
func (s *scratch) addTerm(term string, e entry) error {
	if e.df > s.index.meta.Documents {
		return index.Damaged("%s: %d of %d documents have term %q", termsFile, e.df, s.index.meta.Documents, term)
	}
	data, err := e.list(s.index.files[postingsFile])
	if err != nil {
		return err
	}
	s.terms = slices.Grow(s.terms, 1)[:len(s.terms)+1]
	t := &s.terms[len(s.terms)-1]
	t.term, t.count, t.df, t.idf = term, 1, e.df, index.IDF(s.index.meta.Documents, e.df)
	t.list, t.room, err = decodeList(data, s.index.layout, e.df, t.room)
	return err
}

// hits reads the documents that were found, each block of texts once.
func (s *scratch) hits(ctx context.Context) ([]search.Hit, error) {
	slices.SortFunc(s.top.docs, s.top.compare)
	hits := make([]search.Hit, len(s.top.docs))
	s.reading = s.reading[:0]
	for i := range s.top.docs {
		s.reading = append(s.reading, i)
	}
	slices.SortFunc(s.reading, func(i, j int) int { return int(s.top.docs[i].doc) - int(s.top.docs[j].doc) })
	s.block.next, s.block.end = 0, 0 // it may be of another index
	for read, i := range s.reading {
		if read%lookEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r := s.top.docs[i]
		raw, err := s.index.texts.read(&s.block, r.doc)
		if err != nil {
			return nil, err
		}
		hits[i] = search.Hit{Document: raw.document(), Score: r.score}
	}
	return hits, nil
}
