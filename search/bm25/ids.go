package bm25

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
)

// ids holds the ids of all documents: their bytes, and 9 to 20 bytes for each.
type ids struct {
	seed   maphash.Seed
	pages  []idPage
	slots  []uint32 // open addressing by hash: document + 1, or 0
	number uint32
}

// idsInPage is how many ids share one buffer.
const idsInPage = 1 << 16

type idPage struct {
	bytes []byte
	ends  []uint32
}

func newIDs() *ids { return &ids{seed: maphash.MakeSeed(), slots: make([]uint32, 1<<10)} }

// at returns the id of a document.
func (s *ids) at(doc uint32) []byte {
	page, i := &s.pages[doc/idsInPage], doc%idsInPage
	start := uint32(0)
	if i > 0 {
		start = page.ends[i-1]
	}
	return page.bytes[start:page.ends[i]]
}

// add adds the id of the next document. It fails if an earlier one has it.
func (s *ids) add(id string) error {
	if 4*int(s.number) >= 3*len(s.slots) {
		s.grow()
	}
	slot := s.slot(maphash.String(s.seed, id))
	for ; s.slots[slot] != 0; slot = s.after(slot) {
		if earlier := s.slots[slot] - 1; string(s.at(earlier)) == id {
			return fmt.Errorf("documents %d and %d both have the id %q", earlier+1, s.number+1, id)
		}
	}
	if s.number%idsInPage == 0 {
		if n := len(s.pages); n > 0 {
			s.pages[n-1].bytes = bytes.Clone(s.pages[n-1].bytes) // without room to grow
		}
		s.pages = append(s.pages, idPage{ends: make([]uint32, 0, idsInPage)})
	}
	page := &s.pages[len(s.pages)-1]
	if uint64(len(page.bytes))+uint64(len(id)) > math.MaxUint32 {
		return fmt.Errorf("ids of %d bytes: the longest is too long", len(page.bytes)+len(id))
	}
	page.bytes = append(page.bytes, id...)
	page.ends = append(page.ends, uint32(len(page.bytes)))
	s.number++
	s.slots[slot] = s.number
	return nil
}

func (s *ids) slot(hash uint64) uint32 { return uint32(hash) & uint32(len(s.slots)-1) }

func (s *ids) after(slot uint32) uint32 { return (slot + 1) & uint32(len(s.slots)-1) }

func (s *ids) grow() {
	s.slots = make([]uint32, 2*len(s.slots))
	for doc := range s.number {
		slot := s.slot(maphash.Bytes(s.seed, s.at(doc)))
		for s.slots[slot] != 0 {
			slot = s.after(slot)
		}
		s.slots[slot] = doc + 1
	}
}

// ranks returns the place of each document's id among all in byte order, and
// the documents in that order. It drops what add needs.
func (s *ids) ranks(ctx context.Context) (rank, order []uint32, err error) {
	s.slots = nil
	type key struct {
		prefix uint64 // the first eight bytes
		doc    uint32
	}
	keys := make([]key, s.number)
	for doc := range s.number {
		var first [8]byte
		copy(first[:], s.at(doc))
		keys[doc] = key{binary.BigEndian.Uint64(first[:]), doc}
	}
	compared := 0
	slices.SortFunc(keys, func(a, b key) int {
		if compared++; compared%(1<<16) == 0 && err == nil {
			err = ctx.Err()
		}
		switch {
		case err != nil: // so that it ends soon
			return 0
		case a.prefix != b.prefix:
			return cmp.Compare(a.prefix, b.prefix)
		}
		return bytes.Compare(s.at(a.doc), s.at(b.doc))
	})
	if err != nil {
		return nil, nil, err
	}
	rank, order = make([]uint32, s.number), make([]uint32, s.number)
	for i, k := range keys {
		rank[k.doc], order[i] = uint32(i), k.doc
	}
	return rank, order, nil
}
