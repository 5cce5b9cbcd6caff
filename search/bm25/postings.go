package bm25

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"trawl/search/index"
)

// A posting says how often a document has a term.
type posting struct {
	doc, tf uint32
}

const (
	sparseHead = 4  // bytes before the postings of a sparse list: max
	denseHead  = 4  // bytes before the heads of a dense list: number of windows
	windowHead = 12 // bytes of a head
	fullTF     = 255
)

// appendList appends the list of a term: its postings, of which there is at
// least one, in rising order of documents, with lengths of the term's class.
func appendList(dst []byte, l layout, postings []posting, s *norms, lengths column) []byte {
	if l.sparse(len(postings)) {
		return appendSparse(dst, postings, greatest(postings, s, lengths))
	}
	return appendDense(dst, l, postings, s, lengths)
}

// greatest returns the greatest saturation of the postings, rounded up.
func greatest(postings []posting, s *norms, lengths column) float32 {
	m := 0.0
	for _, p := range postings {
		m = max(m, s.saturation(p.tf, lengths.at(p.doc)))
	}
	return roundUp(m)
}

func appendSparse(dst []byte, postings []posting, m float32) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(m))
	last := uint32(0)
	for _, p := range postings {
		dst = binary.AppendUvarint(dst, uint64(p.doc-last))
		dst = binary.AppendUvarint(dst, uint64(p.tf))
		last = p.doc
	}
	return dst
}

func appendDense(dst []byte, l layout, postings []posting, s *norms, lengths column) []byte {
	var ends []int // of the postings of each window
	for i := range postings {
		if i+1 == len(postings) || l.of(postings[i].doc) != l.of(postings[i+1].doc) {
			ends = append(ends, i+1)
		}
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(ends)))
	at := len(dst) // of the next head
	dst = append(dst, make([]byte, windowHead*len(ends))...)
	body := len(dst)
	start := 0
	for _, end := range ends {
		part := postings[start:end]
		putHead(dst[at:], head{l.of(part[0].doc), len(part), greatest(part, s, lengths), uint32(len(dst) - body)})
		dst = appendWindow(dst, l, part)
		at, start = at+windowHead, end
	}
	return dst
}

// of returns the number of the document's window.
func (l layout) of(doc uint32) int { return int(doc) / l.window }

// appendWindow appends the postings of one window of a dense list.
func appendWindow(dst []byte, l layout, postings []posting) []byte {
	for _, p := range postings {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(int(p.doc)&(l.window-1)))
	}
	for _, p := range postings {
		dst = append(dst, byte(min(p.tf, fullTF)))
	}
	for _, p := range postings {
		if p.tf >= fullTF {
			dst = binary.AppendUvarint(dst, uint64(p.tf-fullTF))
		}
	}
	return dst
}

// A head describes the postings of a window in a dense list.
type head struct {
	window int
	count  int
	max    float32
	offset uint32
}

func putHead(b []byte, h head) {
	binary.LittleEndian.PutUint16(b, uint16(h.window))
	binary.LittleEndian.PutUint16(b[2:], uint16(h.count-1))
	binary.LittleEndian.PutUint32(b[4:], math.Float32bits(h.max))
	binary.LittleEndian.PutUint32(b[8:], h.offset)
}

func getHead(b []byte) head {
	return head{
		window: int(binary.LittleEndian.Uint16(b)),
		count:  int(binary.LittleEndian.Uint16(b[2:])) + 1,
		max:    math.Float32frombits(binary.LittleEndian.Uint32(b[4:])),
		offset: binary.LittleEndian.Uint32(b[8:]),
	}
}

// A list is the postings of a term in the form of a dense list. Its heads are
// in order, and what they describe lies within body.
type list struct {
	heads []byte
	body  []byte
}

func (l list) windows() int { return len(l.heads) / windowHead }

func (l list) head(i int) head { return getHead(l.heads[i*windowHead:]) }

// find returns the postings in window w, if there are any.
func (l list) find(w int) (head, window, bool) {
	i, ok := w, l.windows() > w && l.head(w).window == w
	if !ok {
		lo, hi := 0, l.windows()
		for lo < hi {
			if i = int(uint(lo+hi) / 2); l.head(i).window < w {
				lo = i + 1
			} else {
				hi = i
			}
		}
		i, ok = lo, lo < l.windows() && l.head(lo).window == w
	}
	if !ok {
		return head{}, window{}, false
	}
	return l.head(i), l.window(i), true
}

// window returns the postings of the i-th head.
func (l list) window(i int) window {
	h := l.head(i)
	end := len(l.body)
	if i+1 < l.windows() {
		end = int(l.head(i + 1).offset)
	}
	b := l.body[h.offset:end]
	return window{docs: b[:2*h.count], tfs: b[2*h.count : 3*h.count], more: b[3*h.count:]}
}

// A window is the postings of a term in a window.
type window struct {
	docs []byte // uint16 each
	tfs  []byte
	more []byte // what is above 255
}

// decodeList decodes a list of df postings, a sparse one into scratch. It
// returns scratch, grown. The documents in the windows are not looked at; their
// number is df.
func decodeList(data []byte, l layout, df int, scratch []byte) (list, []byte, error) {
	if l.sparse(df) {
		return decodeSparse(data, l, df, scratch)
	}
	d, err := decodeDense(data, l, df)
	return d, scratch, err
}

func decodeDense(data []byte, l layout, df int) (list, error) {
	if len(data) < denseHead {
		return list{}, index.Damaged("%s: a list of %d bytes", postingsFile, len(data))
	}
	n := binary.LittleEndian.Uint32(data)
	if n == 0 || uint64(n) > uint64(l.windows()) || uint64(len(data)-denseHead) < windowHead*uint64(n) {
		return list{}, index.Damaged("%s: a list of %d bytes in %d windows", postingsFile, len(data), n)
	}
	split := denseHead + windowHead*int(n)
	d := list{heads: data[denseHead:split], body: data[split:]}
	total, last, need := 0, -1, 0
	for i := range int(n) {
		h := d.head(i)
		if h.window <= last || h.window >= l.windows() || h.count > l.size(h.window) || int(h.offset) < need || i == 0 && h.offset != 0 || !(h.max > 0 && h.max <= 1) {
			return list{}, index.Damaged("%s: a list whose windows are out of order", postingsFile)
		}
		total, last, need = total+h.count, h.window, int(h.offset)+3*h.count
	}
	if need > len(d.body) || total != df {
		return list{}, index.Damaged("%s: a list of %d bytes with %d documents instead of %d", postingsFile, len(data), total, df)
	}
	return d, nil
}

// decodeSparse brings a sparse list into the form of a dense one.
func decodeSparse(data []byte, l layout, df int, scratch []byte) (list, []byte, error) {
	cut := func() (list, []byte, error) {
		return list{}, scratch, index.Damaged("%s: a list of %d bytes that does not hold %d documents in order", postingsFile, len(data), df)
	}
	if len(data) < sparseHead+2*df {
		return cut()
	}
	m := math.Float32frombits(binary.LittleEndian.Uint32(data))
	if !(m > 0 && m <= 1) {
		return cut()
	}
	data = data[sparseHead:]
	scratch = slices.Grow(scratch[:0], (windowHead+sparseRoom)*df)
	heads, body := scratch[:0:windowHead*df], scratch[windowHead*df:windowHead*df]
	var part []posting // of one window
	var few [64]posting
	part = few[:0]
	doc := uint64(0)
	flush := func() {
		var b [windowHead]byte
		putHead(b[:], head{l.of(part[0].doc), len(part), m, uint32(len(body))})
		heads = append(heads, b[:]...)
		body = appendWindow(body, l, part)
		part = part[:0]
	}
	for i := range df {
		gap, n := binary.Uvarint(data)
		tf, k := binary.Uvarint(data[max(n, 0):])
		if n <= 0 || k <= 0 || i > 0 && gap == 0 || gap >= uint64(l.documents) || tf == 0 || tf > math.MaxUint32 {
			return cut()
		}
		data = data[n+k:]
		if doc += gap; doc >= uint64(l.documents) {
			return cut()
		}
		if len(part) > 0 && l.of(part[0].doc) != l.of(uint32(doc)) {
			flush()
		}
		part = append(part, posting{uint32(doc), uint32(tf)})
	}
	if len(data) > 0 {
		return cut()
	}
	flush()
	return list{heads, body}, scratch, nil
}

// sparseRoom is what a posting of a decoded sparse list takes in body, with a
// large tf.
const sparseRoom = 3 + binary.MaxVarintLen32

// A large is the place of a posting in its window and its tf above 254.
type large struct {
	at int
	tf uint32
}

// larges appends those postings of a window that have a tf above 254.
func (w window) larges(dst []large) ([]large, error) {
	more := w.more
	for at := 0; ; at++ {
		i := bytes.IndexByte(w.tfs[at:], fullTF)
		if i < 0 {
			break
		}
		at += i
		v, n := binary.Uvarint(more)
		if n <= 0 || v > math.MaxUint32-fullTF {
			return dst, index.Damaged("%s: a list that lacks large counts", postingsFile)
		}
		more = more[n:]
		dst = append(dst, large{at, uint32(v) + fullTF})
	}
	if len(more) > 0 {
		return dst, index.Damaged("%s: a list with %d bytes too many", postingsFile, len(more))
	}
	return dst, nil
}
