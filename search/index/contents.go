package index

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"sync"

	"trawl/search"
)

// Contents stand for a set of documents: the exclusive or of the sum of each, so
// that it does not matter in which order and in which batches they came, and one
// that is replaced is taken out by adding it again. They tell apart what differs
// by accident, not what somebody made to look alike.
type Contents [sha256.Size]byte

// SumOf returns the sum of one document: the SHA-256 of its id, title, URL and
// text, each behind its length in eight bytes, the highest first.
func SumOf(doc search.Document) Contents {
	h := hashers.Get().(*hasher)
	defer hashers.Put(h)
	h.sha.Reset()
	for _, s := range [...]string{doc.ID, doc.Title, doc.URL, doc.Text} {
		h.length(len(s))
		h.string(s)
	}
	h.sha.Write(h.waiting)
	h.waiting = h.waiting[:0]
	var c Contents
	h.sha.Sum(c[:0])
	return c
}

// Toggle adds the documents of o to c, or takes them out.
func (c *Contents) Toggle(o Contents) { subtle.XORBytes(c[:], c[:], o[:]) }

// String returns the contents in hexadecimal digits.
func (c Contents) String() string { return hex.EncodeToString(c[:]) }

// A hasher hashes strings without a copy of a long one.
type hasher struct {
	sha     hash.Hash
	waiting []byte // to be hashed, up to its capacity
}

var hashers = sync.Pool{New: func() any { return &hasher{sha256.New(), make([]byte, 0, 4<<10)} }}

func (h *hasher) length(n int) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n))
	h.string(string(b[:]))
}

func (h *hasher) string(s string) {
	for {
		room := cap(h.waiting) - len(h.waiting)
		h.waiting = append(h.waiting, s[:min(room, len(s))]...)
		if len(s) <= room {
			return
		}
		s = s[room:]
		h.sha.Write(h.waiting)
		h.waiting = h.waiting[:0]
	}
}
