package wiki

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
)

// maxNumber bounds the ids that take one bit each: 32 MiB of bits at most.
const maxNumber = 1 << 28

// ids is a set of ids. Numbers below maxNumber, as Wikipedia's passages have
// them, are kept exactly; of others a hash is kept, so that an id may seem to be
// there when it is not.
type ids struct {
	numbers []uint64 // bits
	hashes  map[uint64]struct{}
	seed    maphash.Seed
}

// known is what has been read. Of the passages of a dump only the pages are kept,
// as numbers, and how many passages a page has that has several.
type known struct {
	passages, pages ids
	counts          []pageCount
	sorted          bool // counts are, by page
}

// A pageCount says how many passages the page of a number has.
type pageCount struct{ page, passages int32 }

// add adds the id of a record and reports whether it seems new.
func (k *known) add(rec record) bool {
	page, isNumber := number(rec.page)
	if rec.page != "" && isNumber {
		fresh := rec.number > 1 || k.pages.addNumber(page)
		k.count(page, rec.number)
		return fresh && !k.passages.hasHash(rec.ID)
	}
	return k.passages.add(rec.ID) && !k.ofPage(rec.ID)
}

// count keeps that a page has at least so many passages. Those of a page come one
// after another.
func (k *known) count(page, passages int) {
	last := len(k.counts) - 1
	switch {
	case passages < 2:
	case last >= 0 && !k.sorted && k.counts[last].page == int32(page):
		k.counts[last].passages = int32(passages)
	default:
		k.counts, k.sorted = append(k.counts, pageCount{int32(page), int32(passages)}), false
	}
}

// ofPage reports whether an id is that of a passage of a page.
func (k *known) ofPage(id string) bool {
	before, behind, _ := strings.Cut(id, "-")
	passage, ok := number(behind)
	if !ok || passage == 0 || !k.pages.has(before) {
		return false
	}
	if !k.sorted {
		slices.SortFunc(k.counts, func(a, b pageCount) int { return cmp.Compare(a.page, b.page) })
		k.sorted = true
	}
	page, _ := number(before)
	at, found := slices.BinarySearchFunc(k.counts, int32(page), func(c pageCount, page int32) int { return cmp.Compare(c.page, page) })
	return passage == 1 || found && passage <= int(k.counts[at].passages)
}

// has reports whether a number is there; of other ids it may not know.
func (s *ids) has(id string) bool {
	n, ok := number(id)
	return ok && n/64 < len(s.numbers) && s.numbers[n/64]&(1<<(n%64)) != 0
}

// hasHash reports whether an id that is no number seems to be there.
func (s *ids) hasHash(id string) bool {
	if len(s.hashes) == 0 {
		return false
	}
	_, ok := s.hashes[maphash.String(s.seed, id)]
	return ok
}

// add adds an id and reports whether it seems new.
func (s *ids) add(id string) bool {
	if n, ok := number(id); ok {
		return s.addNumber(n)
	}
	if s.hashes == nil {
		s.hashes, s.seed = make(map[uint64]struct{}), maphash.MakeSeed()
	}
	h := maphash.String(s.seed, id)
	_, known := s.hashes[h]
	s.hashes[h] = struct{}{}
	return !known
}

func (s *ids) addNumber(n int) bool {
	word, bit := n/64, uint64(1)<<(n%64)
	if word >= len(s.numbers) {
		s.numbers = append(s.numbers, make([]uint64, word+1-len(s.numbers))...)
	}
	known := s.numbers[word]&bit != 0
	s.numbers[word] |= bit
	return !known
}

// number returns the number that an id is, if it is written as Go writes it.
func number(id string) (int, bool) {
	if len(id) == 0 || len(id) > 9 || id[0] == '0' && len(id) > 1 {
		return 0, false
	}
	for i := range len(id) {
		if id[i] < '0' || id[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.Atoi(id)
	return n, err == nil && n < maxNumber
}
