package bm25

import (
	"bufio"
	"context"
	"encoding/binary"
	"hash/maphash"
	"os"
	"slices"

	"trawl/search"
	"trawl/search/english"
	"trawl/search/index"
)

// An inverter turns parts into runs. It serves one part after another, and its
// buffers stay within a bound: a part or a document that needs more becomes
// several runs.
type inverter struct {
	file     *os.File // of its runs, which follow each other
	w        *bufio.Writer
	size     int64 // of the file
	limit    limits
	analyzer english.Analyzer
	texts    textEncoder
	content  maphash.Hash

	round      uint64                     // runs so far
	vocabulary [classes]map[string]uint32 // places in terms
	terms      []localTerm
	termBytes  int
	marks      []mark   // of each term
	tuples     []tuple  // in the order of documents
	first      uint32   // document within the window that has tuples
	doc        uint32   // at hand
	ends       []uint32 // of each document's tuples
	order      []uint32 // terms in their order
	postings   []posting

	window int // of the part
	out    *inverted
	err    error
}

// limits say when a run ends.
type limits struct{ tuples, termBytes int }

// What the parts of an inverter take, as their slices and maps grow.
const (
	tupleBytes = 20  // and the posting that it becomes
	termCost   = 144 // a term apart from its bytes, with its place in vocabulary, marks and order
	wordCost   = 160 // a word that the analyzer remembers
)

// A mark says where the tuple of a term for the last document that has it is.
type mark struct {
	doc uint32 // + 1
	at  uint32
}

// A tuple says how often a document has a term.
type tuple struct{ term, tf uint32 }

// inverted is what becomes of a part.
type inverted struct {
	runs     []run
	postings uint64 // in them
	texts    []byte // blocks
	starts   []int  // of the blocks in texts
	firsts   []uint32
	records  []byte
	total    [classes]uint64 // of lengths
	sum      index.Contents
}

// newInverter returns an inverter that takes so many bytes, half of them for
// tuples and a quarter each for its vocabulary and for the words that it
// remembers. Those of one building have one seed.
func newInverter(f *os.File, seed maphash.Seed, bytes int64) *inverter {
	v := &inverter{file: f, w: bufio.NewWriterSize(f, 1<<18)}
	v.limit = limits{tuples: int(bytes / 2 / tupleBytes), termBytes: int(bytes / 4)}
	v.analyzer.MaxWords = int(max(bytes/4/wordCost, 1))
	v.content.SetSeed(seed)
	v.drop()
	return v
}

// drop gives up the memory. The inverter can still be used.
func (v *inverter) drop() {
	v.analyzer = english.Analyzer{MaxWords: v.analyzer.MaxWords}
	for c := range v.vocabulary {
		v.vocabulary[c] = make(map[string]uint32)
	}
	v.terms, v.marks, v.tuples, v.ends, v.order, v.postings = nil, nil, nil, nil, nil, nil
}

// invert writes the runs of a part and returns the rest of it.
func (v *inverter) invert(ctx context.Context, p *docPart) (*inverted, error) {
	room := 0
	for _, doc := range p.docs {
		room += int(bytesOf(doc))
	}
	out := &inverted{records: make([]byte, 0, recordBytes*len(p.docs))}
	if len(p.docs) > 1 {
		out.texts = make([]byte, 0, room*3/4)
	}
	v.out, v.window, v.doc = out, p.window, p.within
	v.reset()
	blockFirst := p.first
	for i, doc := range p.docs {
		v.doc = p.within + uint32(i)
		v.add(doc)
		if v.err != nil {
			return nil, v.err
		}
		if v.texts.add(doc) || i+1 == len(p.docs) {
			out.starts, out.firsts = append(out.starts, len(out.texts)), append(out.firsts, blockFirst)
			out.texts = v.texts.flush(out.texts)
			blockFirst = p.first + uint32(i) + 1
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	v.endRun()
	v.out = nil
	return out, v.err
}

// reset begins a run with the document at hand.
func (v *inverter) reset() {
	v.round++
	for c := range v.vocabulary {
		clear(v.vocabulary[c])
	}
	clear(v.terms)
	v.terms, v.marks, v.tuples, v.ends = v.terms[:0], v.marks[:0], v.tuples[:0], v.ends[:0]
	v.first, v.termBytes = v.doc, 0
}

// endRun writes a run of what there is, the beginning of the document at hand
// included, and begins another.
func (v *inverter) endRun() {
	if len(v.tuples) > 0 && v.err == nil {
		v.ends = append(v.ends, uint32(len(v.tuples)))
		v.sort()
		v.err = v.write()
	}
	v.reset()
}

// add counts the terms of the document at hand.
func (v *inverter) add(doc search.Document) {
	var r record
	count := func(w *english.Word) {
		r.lengths[byAll]++
		if !w.Stop {
			r.lengths[byContent]++
		}
		v.count(w)
	}
	v.analyzer.EachWord(doc.Title, count) // a line break between title and text would change nothing
	v.analyzer.EachWord(doc.Text, count)
	v.ends = append(v.ends, uint32(len(v.tuples)))
	for c, n := range r.lengths {
		v.out.total[c] += uint64(n)
	}
	v.out.sum.Toggle(index.SumOf(doc))
	r.content = v.hash(doc)
	v.out.records = appendRecord(v.out.records, r)
}

// hash returns a hash of what is behind the id, which tells duplicates of this
// building.
func (v *inverter) hash(doc search.Document) uint64 {
	v.content.Reset()
	var length [8]byte
	for _, s := range [...]string{doc.Title, doc.URL, doc.Text} {
		binary.LittleEndian.PutUint64(length[:], uint64(len(s)))
		v.content.Write(length[:])
		v.content.WriteString(s)
	}
	return v.content.Sum64()
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
		v.termBytes += termCost + len(w.Term)
	}
	w.Mark = v.round<<32 | uint64(place)
	return place
}

// count counts one occurrence of a word in the document at hand.
func (v *inverter) count(w *english.Word) {
	if len(v.tuples) >= v.limit.tuples || v.termBytes >= v.limit.termBytes {
		v.endRun()
	}
	place, doc := v.place(w), v.doc+1
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
	for i, end := range v.ends {
		for _, t := range v.tuples[from:end] {
			next := &v.terms[t.term].start
			v.postings[*next] = posting{v.first + uint32(i), t.tf}
			*next++
		}
		from = end
	}
}

// write writes the run.
func (v *inverter) write() error {
	start := v.size
	var b, room []byte
	for _, place := range v.order {
		t := v.terms[place]
		b, room = appendRunTerm(b[:0], room, t, v.postings[t.start-t.df:t.start]) // start has moved to the end
		v.size += int64(len(b))
		if _, err := v.w.Write(b); err != nil {
			return err
		}
	}
	v.out.postings += uint64(len(v.postings))
	v.out.runs = append(v.out.runs, run{v.window, v.file, start, v.size - start})
	return v.w.Flush()
}
