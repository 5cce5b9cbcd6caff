package live

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/blevesearch/bleve/v2/index/scorch"
	bleve "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"

	"trawl/search"
	"trawl/search/index"
)

// errNoLengths: the store holds a document that this package did not write.
var errNoLengths = errors.New("its lengths are missing")

// A view is the index at one moment: a snapshot of the store and, in memory,
// what scoring and ties need of every document. Documents have numbers, which
// hold for this view only.
type view struct {
	snapshot *scorch.IndexSnapshot
	segments []part
	params   index.Params

	ids     []string // by document number; "" for one that was replaced
	lengths [classes][]uint32
	live    int             // documents that are there
	content index.Contents  // of those
	total   [classes]uint64 // of lengths

	lists *cache
	sums  pool
}

// A part is a segment and the number of its first document.
type part struct {
	*scorch.SegmentSnapshot
	first uint64
}

func newView(s *store, params index.Params) (*view, error) {
	reader, err := s.Reader()
	if err != nil {
		return nil, err
	}
	v := &view{snapshot: reader.(*scorch.IndexSnapshot), params: params, lists: newCache(cacheBytes)}
	if err := guarded(v.load); err != nil {
		v.close()
		return nil, err
	}
	return v, nil
}

func (v *view) stats(source string) index.Stats {
	return index.Stats{Documents: v.live, Terms: v.total[byContent], Params: v.params, SHA256: v.content.String(), Source: source}
}

// saturation returns tf / (tf + norm), the part of a term's score that grows with
// tf, towards 1. tf is at least 1, and norm is [index.Params.Norm].
func saturation(tf uint64, norm float64) float64 { return float64(tf) / (float64(tf) + norm) }

func (v *view) close() error { return v.snapshot.Close() }

// load reads the ids and lengths of all documents, and what they are together.
func (v *view) load() (err error) {
	if v.content, err = storedContents(v.snapshot); err != nil {
		return err
	}
	var first uint64
	for _, s := range v.snapshot.Segments() {
		p := part{s, first}
		if err := v.loadPart(p); err != nil {
			return err
		}
		v.segments = append(v.segments, p)
		first += s.Segment().Count()
	}
	return nil
}

func (v *view) loadPart(p part) error {
	count := p.Segment().Count()
	var text strings.Builder // of all ids, one after the other
	ends := make([]int, count)
	lengths, err := lengthsOf(p)
	if err != nil {
		return err
	}
	for i := range count {
		var of [classes]uint32
		if deleted := p.Deleted(); deleted == nil || !deleted.Contains(uint32(i)) {
			id, err := p.DocID(i)
			if err != nil {
				return err
			}
			text.Write(id)
			if of, err = lengths(i); err != nil {
				return fmt.Errorf("document %q: %w", id, err)
			}
			v.live++
		}
		ends[i] = text.Len()
		for c := range classes {
			v.lengths[c] = append(v.lengths[c], of[c])
			v.total[c] += uint64(of[c])
		}
	}
	start := 0
	for _, end := range ends {
		v.ids = append(v.ids, text.String()[start:end])
		start = end
	}
	return nil
}

// lengthsOf returns a function that reads the lengths of a segment's documents,
// which wants to be asked in ascending order.
func lengthsOf(p part) (func(number uint64) ([classes]uint32, error), error) {
	source, ok := p.Segment().(segment.DocValueVisitable)
	if !ok {
		return nil, fmt.Errorf("segments of type %T keep no values by document", p.Segment())
	}
	var (
		fields  = []string{lengthField}
		state   segment.DocVisitState
		lengths [classes]uint32
		failure error
	)
	visit := func(_ string, term []byte) { lengths, failure = parseLengths(string(term)) }
	return func(number uint64) ([classes]uint32, error) {
		lengths, failure = [classes]uint32{}, errNoLengths
		var err error
		if state, err = source.VisitDocValues(number, fields, visit, state); err != nil {
			return lengths, err
		}
		return lengths, failure
	}, nil
}

// document reads a document by its number.
func (v *view) document(number uint32) (search.Document, error) {
	i := sort.Search(len(v.segments), func(i int) bool { return v.segments[i].first > uint64(number) }) - 1
	p := v.segments[i]
	return readDocument(p.SegmentSnapshot, uint64(number)-p.first, v.ids[number])
}

// readDocument reads the document with the number in a segment and the id.
func readDocument(s *scorch.SegmentSnapshot, number uint64, id string) (search.Document, error) {
	doc := search.Document{ID: id}
	err := guarded(func() error {
		return s.VisitDocument(number, func(name string, _ byte, value []byte, _ []uint64) bool {
			switch name {
			case titleField:
				doc.Title = string(value)
			case textField:
				doc.Text = string(value)
			case urlField:
				doc.URL = string(value)
			}
			return true
		})
	})
	return doc, err
}

// get reads a document by its id.
func (v *view) get(id string) (search.Document, bool, error) {
	if id == "" {
		return search.Document{}, false, nil
	}
	var number bleve.IndexInternalID
	err := guarded(func() (err error) {
		number, err = v.snapshot.InternalID(id)
		return err
	})
	if err != nil || number == nil {
		return search.Document{}, false, err
	}
	doc, err := v.document(uint32(number.Value()))
	return doc, err == nil, err
}

// list returns the postings of a term, scored.
func (v *view) list(ctx context.Context, c class, term string) (*list, error) {
	key := listKey{c, term}
	if l := v.lists.get(key); l != nil {
		return l, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var docs []uint32
	var freqs []uint64
	err := guarded(func() (err error) {
		docs, freqs, err = v.postings(c, term)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("term %q: %w", term, err)
	}
	l := &list{docs: docs, scores: make([]float64, len(docs))}
	weight, avgdl := index.IDF(v.live, len(docs)), float64(v.total[c])/float64(max(v.live, 1))
	for i, doc := range docs {
		l.scores[i] = weight * saturation(freqs[i], v.params.Norm(uint64(v.lengths[c][doc]), avgdl))
	}
	v.lists.put(key, l)
	return l, nil
}

// postings reads the documents that have the term, in ascending order, and how
// often.
func (v *view) postings(c class, term string) (docs []uint32, freqs []uint64, err error) {
	for _, p := range v.segments {
		dict, err := p.Segment().Dictionary(c.field())
		if err != nil {
			return nil, nil, err
		}
		found, err := dict.PostingsList([]byte(term), p.Deleted(), nil)
		if err != nil {
			return nil, nil, err
		}
		it := found.Iterator(true, false, false, nil)
		for {
			posting, err := it.Next()
			if err != nil {
				return nil, nil, err
			}
			if posting == nil {
				break
			}
			docs = append(docs, uint32(p.first+posting.Number()))
			freqs = append(freqs, posting.Frequency())
		}
	}
	return docs, freqs, nil
}
