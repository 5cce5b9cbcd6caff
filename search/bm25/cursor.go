package bm25

import (
	"encoding/binary"
	"slices"
)

// A windowCursor is a place in the postings of a term in a window.
type windowCursor struct {
	window
	n      int // postings
	pos    int
	begin  int // where pos was when the span began
	larges []large
	bound  float64 // no document in the window scores more by the term
	rest   bool    // the term is only looked up for what the others bring
}

// doc returns the document of posting i within the window.
func (c *windowCursor) doc(i int) uint32 {
	return uint32(binary.LittleEndian.Uint16(c.docs[2*i:]))
}

// tf returns how often the document of posting i has the term.
func (c *windowCursor) tf(i int) uint32 {
	tf := uint32(c.tfs[i])
	if tf == fullTF {
		tf = c.largeTF(i)
	}
	return tf
}

func (c *windowCursor) largeTF(i int) uint32 {
	at, _ := slices.BinarySearchFunc(c.larges, i, func(l large, i int) int { return l.at - i })
	return c.larges[at].tf
}

// seek moves to the first posting from the document on, in steps that grow, and
// reports whether it is the document's.
func (c *windowCursor) seek(doc uint32) bool {
	lo, step := c.pos, 1
	for lo+step < c.n && c.doc(lo+step) < doc {
		lo, step = lo+step, 2*step
	}
	hi := min(lo+step, c.n) // not before the document, or the end
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); c.doc(mid) < doc {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	c.pos = lo
	return lo < c.n && c.doc(lo) == doc
}
