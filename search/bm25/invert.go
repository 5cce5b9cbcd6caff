package bm25

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/maphash"
	"os"
	"slices"

	"trawl/search"
	"trawl/search/english"
)

// An inverter turns windows of documents into runs. It belongs to one goroutine,
// and its buffers serve one window after another.
type inverter struct {
	dir      string
	analyzer english.Analyzer
	texts    textEncoder

	seed       maphash.Seed
	round      uint64                     // windows so far
	vocabulary [classes]map[string]uint32 // places in terms
	terms      []localTerm
	marks      []mark   // of each term
	tuples     []tuple  // in the order of documents
	ends       []uint32 // of each document's tuples
	order      []uint32 // terms in their order
	postings   []posting
	records    []byte
	message    []byte // to be hashed
}

// A mark says where the tuple of a term for the last document that has it is.
type mark struct {
	doc uint32 // + 1
	at  uint32
}

// A tuple says how often a document has a term.
type tuple struct{ term, tf uint32 }

// inverted is what becomes of a window besides its run.
type inverted struct {
	texts  []byte // blocks
	starts []int  // of the blocks in texts
	firsts []uint32
	total  [classes]uint64 // of lengths
	sum    [sha256.Size]byte

	postings int // in the run
}

// newInverter returns an inverter. Those of one building have one seed.
func newInverter(dir string, seed maphash.Seed) *inverter {
	v := &inverter{dir: dir, seed: seed}
	for c := range v.vocabulary {
		v.vocabulary[c] = make(map[string]uint32)
	}
	return v
}

// invert writes the run of a window and returns the rest of it.
func (v *inverter) invert(w *docWindow) (*inverted, error) {
	v.reset()
	out := &inverted{}
	blockFirst := w.first
	block := func(next uint32) {
		start := len(out.texts)
		if out.texts = v.texts.flush(out.texts); len(out.texts) > start {
			out.starts, out.firsts = append(out.starts, start), append(out.firsts, blockFirst)
		}
		blockFirst = next
	}
	for i, doc := range w.docs {
		v.add(uint32(i), doc, out)
		full, err := v.texts.add(doc)
		if err != nil {
			return nil, err
		}
		if full {
			block(w.first + uint32(i) + 1)
		}
	}
	block(0)
	v.sort()
	out.postings = len(v.postings)
	return out, v.write(w.number)
}

func (v *inverter) reset() {
	v.round++
	for c := range v.vocabulary {
		clear(v.vocabulary[c])
	}
	v.terms, v.marks, v.tuples, v.ends, v.records = v.terms[:0], v.marks[:0], v.tuples[:0], v.ends[:0], v.records[:0]
}

// add counts the terms of a document, which is the i-th of its window.
func (v *inverter) add(i uint32, doc search.Document, out *inverted) {
	var r record
	count := func(w *english.Word) {
		r.lengths[byAll]++
		if !w.Stop {
			r.lengths[byContent]++
		}
		v.count(i+1, v.place(w))
	}
	v.analyzer.EachWord(doc.Title, count) // a line break between title and text would change nothing
	v.analyzer.EachWord(doc.Text, count)
	v.ends = append(v.ends, uint32(len(v.tuples)))
	for c, n := range r.lengths {
		out.total[c] += uint64(n)
	}
	r.content = v.hash(doc, &out.sum)
	v.records = appendRecord(v.records, r)
}

// hash adds the SHA-256 of a document's parts, each behind its length in eight
// bytes, to the sum, and returns a hash of those behind the id that tells
// duplicates of this building.
func (v *inverter) hash(doc search.Document, sum *[sha256.Size]byte) uint64 {
	b := v.message[:0]
	for _, s := range fieldsOf(&doc) {
		b = binary.BigEndian.AppendUint64(b, uint64(len(*s)))
		b = append(b, *s...)
	}
	v.message = b
	for i, x := range sha256.Sum256(b) {
		sum[i] ^= x
	}
	return maphash.Bytes(v.seed, b[8+len(doc.ID):])
}

// place returns the place of a word's term. The word's mark remembers it, and
// the round for which it holds.
func (v *inverter) place(w *english.Word) uint32 {
	if w.Mark>>32 == v.round {
		return uint32(w.Mark)
	}
	c := byContent
	if w.Stop {
		c = byAll
	}
	place, ok := v.vocabulary[c][w.Term]
	if !ok {
		place = uint32(len(v.terms))
		v.vocabulary[c][w.Term] = place
		v.terms = append(v.terms, localTerm{term: w.Term, class: c})
		v.marks = append(v.marks, mark{})
	}
	w.Mark = v.round<<32 | uint64(place)
	return place
}

// count counts one occurrence of the term at a place.
func (v *inverter) count(doc, place uint32) {
	m := &v.marks[place]
	if m.doc == doc {
		v.tuples[m.at].tf++
		return
	}
	*m = mark{doc, uint32(len(v.tuples))}
	v.terms[place].df++
	v.tuples = append(v.tuples, tuple{place, 1})
}

// sort brings the tuples in the order of terms, as postings, by counting.
func (v *inverter) sort() {
	v.order = v.order[:0]
	for i := range v.terms {
		v.order = append(v.order, uint32(i))
	}
	slices.SortFunc(v.order, func(a, b uint32) int { return compareLocal(v.terms[a], v.terms[b]) })
	start := uint32(0)
	for _, place := range v.order {
		v.terms[place].start = start
		start += v.terms[place].df
	}
	v.postings = slices.Grow(v.postings[:0], len(v.tuples))[:len(v.tuples)]
	from := uint32(0)
	for doc, end := range v.ends {
		for _, t := range v.tuples[from:end] {
			next := &v.terms[t.term].start
			v.postings[*next] = posting{uint32(doc), t.tf}
			*next++
		}
		from = end
	}
}

// write writes the run.
func (v *inverter) write(window int) (err error) {
	if err := os.WriteFile(runPath(v.dir, window, "records"), v.records, 0o644); err != nil {
		return err
	}
	f, err := os.Create(runPath(v.dir, window, "terms"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<18)
	var b, room []byte
	for _, place := range v.order {
		t := v.terms[place]
		b, room = appendRunTerm(b[:0], room, t, v.postings[t.start-t.df:t.start]) // start has moved to the end
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return w.Flush()
}
