package bm25

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"testing"

	"trawl/search/index"
)

// denseList is a list of 200 documents in windows of 64: 70 postings in windows 0
// and 1.
func denseList() []byte {
	b := []byte{2, 0, 0, 0}
	heads := make([]byte, 2*windowHead)
	putHead(heads, head{0, 40, 0.5, 0})
	putHead(heads[windowHead:], head{1, 30, 0.5, 120})
	b = append(b, heads...)
	for _, n := range []int{40, 30} {
		for i := range n {
			b = binary.LittleEndian.AppendUint16(b, uint16(i))
		}
		b = append(b, slices.Repeat([]byte{1}, n)...)
	}
	return b
}

// TestMalformedLists has lists of 200 documents in windows of 64.
func TestMalformedLists(t *testing.T) {
	l := layout{200, 64}
	first, second := denseHead, denseHead+windowHead
	changed := func(at int, h head) []byte {
		b := denseList()
		putHead(b[at:], h)
		return b
	}
	sparse := func(b ...byte) []byte { return append([]byte{0, 0, 0, 0x3f /* 0.5 */}, b...) }
	big := binary.AppendUvarint(nil, math.MaxUint32+1)
	nan := math.Float32bits(float32(math.NaN()))
	for _, tt := range []struct {
		name string
		df   int
		list []byte
		ok   bool
	}{
		{"dense", 70, denseList(), true},
		{"dense, without a head", 70, []byte{1, 0, 0}, false},
		{"dense, of no window", 70, []byte{0, 0, 0, 0}, false},
		{"dense, of too many windows", 70, append([]byte{5, 0, 0, 0}, make([]byte, 5*windowHead+210)...), false},
		{"dense, shorter than its heads", 70, denseList()[:denseHead+2*windowHead-1], false},
		{"dense, short by a byte", 70, denseList()[:len(denseList())-1], false},
		{"dense, of another df", 71, denseList(), false},
		{"dense, a window twice", 70, changed(second, head{0, 30, 0.5, 120}), false},
		{"dense, windows in falling order", 70, changed(first, head{2, 40, 0.5, 0}), false},
		{"dense, a window that is not there", 70, changed(second, head{4, 30, 0.5, 120}), false},
		{"dense, more than a window holds", 70, changed(second, head{3, 30, 0.5, 120}), false}, // it has 8 documents
		{"dense, a first offset", 69, changed(first, head{0, 39, 0.5, 3}), false},
		{"dense, a window in the one before", 70, changed(second, head{1, 30, 0.5, 119}), false},
		{"dense, a window behind the end", 70, changed(second, head{1, 30, 0.5, 121}), false},
		{"dense, max 0", 70, changed(first, head{0, 40, 0, 0}), false},
		{"dense, max above 1", 70, changed(second, head{1, 30, 1.0001, 120}), false},
		{"dense, max not a number", 70, changed(first, head{0, 40, math.Float32frombits(nan), 0}), false},

		{"sparse", 3, sparse(5, 1, 60, 2, 134, 1, 7), true}, // 5, 65, 199
		{"sparse, cut in its head", 3, sparse()[:3], false},
		{"sparse, cut", 3, sparse(5, 1, 60, 2, 3), false},
		{"sparse, cut in a number", 3, sparse(5, 1, 60, 2, 134, 129), false},
		{"sparse, a byte too many", 3, sparse(5, 1, 60, 2, 134, 1, 7, 0), false},
		{"sparse, a document twice", 3, sparse(5, 1, 0, 2, 134, 1, 7), false},
		{"sparse, the last document and one", 3, sparse(5, 1, 60, 2, 135, 1, 7), false},
		{"sparse, a gap beyond all", 1, sparse(200, 1, 1), false},
		{"sparse, a gap that comes round", 2, append(binary.AppendUvarint(sparse(5, 1), math.MaxUint64), 1), false},
		{"sparse, tf 0", 3, sparse(5, 0, 60, 2, 134, 1, 7), false},
		{"sparse, the greatest tf", 1, append(sparse(5), binary.AppendUvarint(nil, math.MaxUint32)...), true},
		{"sparse, a greater tf", 1, append(sparse(5), big...), false},
		{"sparse, max 0", 1, []byte{0, 0, 0, 0, 5, 1}, false},
		{"sparse, max 2", 1, []byte{0, 0, 0, 0x40, 5, 1}, false},
		{"sparse, max not a number", 1, append(binary.LittleEndian.AppendUint32(nil, nan), 5, 1), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, _, err := decodeList(tt.list, l, tt.df, nil)
			if (err == nil) != tt.ok || !tt.ok && !errors.Is(err, index.ErrDamaged) {
				t.Fatalf("decodeList = %v, want ok: %v", err, tt.ok)
			}
			total := 0
			for i := range d.windows() {
				w := d.window(i)
				total += len(w.tfs)
			}
			if tt.ok && total != tt.df {
				t.Errorf("%d postings, want %d", total, tt.df)
			}
		})
	}
}

// TestMalformedLarges has windows whose large counts are not what their tfs say.
func TestMalformedLarges(t *testing.T) {
	for _, tt := range []struct {
		name      string
		tfs, more []byte
		ok        bool
	}{
		{"none", []byte{1, 254}, nil, true},
		{"two", []byte{255, 1, 255}, []byte{0, 128, 1}, true},
		{"the greatest", []byte{255}, binary.AppendUvarint(nil, math.MaxUint32-255), true},
		{"one is missing", []byte{255, 1, 255}, []byte{0}, false},
		{"one is cut", []byte{255}, []byte{128}, false},
		{"one too many", []byte{255}, []byte{0, 0}, false},
		{"one for none", []byte{1}, []byte{0}, false},
		{"too great", []byte{255}, binary.AppendUvarint(nil, math.MaxUint32-254), false},
	} {
		_, err := window{tfs: tt.tfs, more: tt.more}.larges(nil)
		if (err == nil) != tt.ok || !tt.ok && !errors.Is(err, index.ErrDamaged) {
			t.Errorf("%s: %v, want ok: %v", tt.name, err, tt.ok)
		}
	}
}

// A dictionaryFile is the parts of a file of terms.
type dictionaryFile struct {
	blocks   [][]byte
	starts   []uint64 // of the blocks, if not where they are
	trailing [3]int64 // to add to the numbers of blocks and terms and to the table's offset
	terms    uint64
}

func (f dictionaryFile) bytes() []byte {
	b := appendHeader(nil, termsFile)
	starts := f.starts
	for _, block := range f.blocks {
		if f.starts == nil {
			starts = append(starts, uint64(len(b)))
		}
		b = append(b, block...)
	}
	table := len(b)
	for _, at := range starts {
		b = binary.LittleEndian.AppendUint64(b, at)
	}
	for i, v := range []uint64{uint64(len(f.blocks)), f.terms, uint64(table)} {
		b = binary.LittleEndian.AppendUint64(b, v+uint64(f.trailing[i]))
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// dictionaryOf reads a dictionary whole.
func dictionaryOf(data []byte) error {
	d, err := openTerms(data)
	if err != nil {
		return err
	}
	return d.each(func([]byte, entry) error { return nil })
}

// TestMalformedTerms has dictionaries of one block, unless they say otherwise: an
// offset, and terms with lengths, bytes, df, class and the length of the list.
func TestMalformedTerms(t *testing.T) {
	one := func(b ...byte) dictionaryFile { return dictionaryFile{blocks: [][]byte{b}, terms: 1} }
	two := func(b ...byte) dictionaryFile { return dictionaryFile{blocks: [][]byte{b}, terms: 2} }
	long := func(terms uint64, fields ...uint64) dictionaryFile {
		b := []byte{16, 1, 'a'}
		for _, v := range fields {
			b = binary.AppendUvarint(b, v)
		}
		return dictionaryFile{blocks: [][]byte{b}, terms: terms}
	}
	with := func(f dictionaryFile, change func(f *dictionaryFile)) dictionaryFile {
		change(&f)
		return f
	}
	var full []byte // block of 32 terms
	full = append(full, 16, 1, 'a', 1, 0, 1)
	for i := range byte(31) {
		full = append(full, 1, 1, 'a'+i, 1, 0, 1)
	}
	for _, tt := range []struct {
		name string
		file dictionaryFile
		want string // "" if it is well-formed
	}{
		{"empty", dictionaryFile{}, ""},
		{"a term", one(16, 1, 'a', 3, 1, 5), ""},
		{"a term in both classes", two(16, 1, 'a', 3, 0, 5, 1, 0, 1, 1, 5), ""},
		{"two blocks", dictionaryFile{blocks: [][]byte{full, {48, 1, 'b', 1, 0, 1}}, terms: 33}, ""},
		{"the longest list", long(1, 1, 0, 1<<40), ""},
		{"a table in the header", dictionaryFile{terms: 1, trailing: [3]int64{1, 0, -8}}, "1 terms in 1 blocks, with their table at 8"},
		{"a table behind the end", with(one(16, 1, 'a', 3, 1, 5), func(f *dictionaryFile) { f.trailing[2] = 16 }), "with their table at 38"},
		{"half an offset", with(one(16, 1, 'a', 3, 1, 5), func(f *dictionaryFile) { f.trailing[2] = -4 }), "with their table at 18"},
		{"a block more", with(one(16, 1, 'a', 3, 1, 5), func(f *dictionaryFile) { f.trailing[0] = 1 }), "1 terms in 2 blocks"},
		{"terms for another block", with(one(16, 1, 'a', 3, 1, 5), func(f *dictionaryFile) { f.terms = 33 }), "33 terms in 1 blocks"},
		{"terms that overflow", with(dictionaryFile{}, func(f *dictionaryFile) { f.terms = math.MaxUint64 }), "terms in 0 blocks"},
		{"no terms in a block", with(one(16, 1, 'a', 3, 1, 5), func(f *dictionaryFile) { f.terms = 0 }), "0 terms in 1 blocks"},
		{"a block in the header", with(one(16, 1, 'a', 3, 1, 5), func(f *dictionaryFile) { f.starts = []uint64{15} }), "block 0 from 15"},
		{"a block behind the end", with(one(16, 1, 'a', 3, 1, 5), func(f *dictionaryFile) { f.starts = []uint64{22} }), "block 0 from 22"},
		{"a block that ends before it begins", dictionaryFile{blocks: [][]byte{full, {48, 1, 'b', 1, 0, 1}}, starts: []uint64{40, 30}, terms: 33}, "block 0 from 40 to 30"},
		{"a block that ends beyond the table", dictionaryFile{blocks: [][]byte{full, {48, 1, 'b', 1, 0, 1}}, starts: []uint64{16, 1000}, terms: 33}, "block 0 from 16 to 1000"},
		{"class 2", one(16, 1, 'a', 3, 2, 5), "of class 2"},
		{"df 0", one(16, 1, 'a', 0, 1, 5), "in 0 documents"},
		{"a great df", long(1, maxDocuments+1, 0, 1), "in 536870913 documents"},
		{"no list", one(16, 1, 'a', 3, 1, 0), "with a list of 0 bytes"},
		{"a great list", long(1, 1, 0, 1<<40+1), "with a list of 1099511627777 bytes"},
		{"cut", one(16, 1, 'a', 3, 1), "cut short"},
		{"longer than the block", one(16, 9, 'a', 3, 1, 5), "longer than its block"},
		{"more of the term before than it has", two(16, 1, 'a', 3, 0, 5, 2, 0, 1, 1, 5), "longer than its block"},
		{"bytes left", one(16, 1, 'a', 3, 1, 5, 0), "block 0 has 1 bytes too many"},
		{"a term twice", two(16, 1, 'a', 3, 0, 5, 1, 0, 1, 0, 5), "out of order"},
		{"terms in falling order", two(16, 1, 'b', 3, 0, 5, 0, 1, 'a', 1, 0, 5), "out of order"},
		{"classes in falling order", two(16, 1, 'a', 3, 1, 5, 1, 0, 1, 0, 5), "out of order"},
		{"a first list in the header", one(15, 1, 'a', 3, 1, 5), "out of order"},
		{"a list between those of two blocks", dictionaryFile{blocks: [][]byte{full, {49, 1, 'b', 1, 0, 1}}, terms: 33}, "out of order"},
	} {
		err := dictionaryOf(tt.file.bytes())
		if tt.want == "" && err != nil || tt.want != "" && (!errors.Is(err, index.ErrDamaged) || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	if _, err := openTerms(dictionaryFile{}.bytes()[1:]); !errors.Is(err, index.ErrDamaged) {
		t.Errorf("a file that is too short: %v", err)
	}
}

// TestEntryBounds has lists beside the file of postings, which has 100 bytes.
func TestEntryBounds(t *testing.T) {
	for _, tt := range []struct {
		offset, bytes uint64
		ok            bool
	}{
		{16, 84, true}, {99, 1, true}, {15, 1, false}, {16, 85, false}, {101, 1, false}, {16, math.MaxUint64 - 8, false},
	} {
		list, err := entry{offset: tt.offset, bytes: tt.bytes}.list(make([]byte, 100))
		if (err == nil) != tt.ok || tt.ok && len(list) != int(tt.bytes) {
			t.Errorf("list from %d of %d bytes: %d, %v, want ok: %v", tt.offset, tt.bytes, len(list), err, tt.ok)
		}
	}
}

// TestMalformedTexts has files of texts and offsets that do not fit.
func TestMalformedTexts(t *testing.T) {
	texts := make([]byte, 40)
	for _, tt := range []struct {
		name      string
		offsets   []byte // behind the header
		documents int
		open      string // what opening says, "" if nothing
		read      string // what reading document 0 says
	}{
		{"empty", appendOffsets(nil, []uint64{40}, nil), 0, "", "no block begins with document 0"},
		{"no offsets", nil, 0, "offsets has 16 bytes", ""},
		{"no block", appendOffsets(nil, []uint64{40}, nil), 1, "offsets has 24 bytes for 1 documents", ""},
		{"a block of nothing", appendOffsets(nil, []uint64{16, 40}, []uint32{0}), 0, "offsets has 36 bytes for 0 documents", ""},
		{"half a block", appendOffsets(nil, []uint64{16, 40}, nil), 1, "offsets has 32 bytes", ""},
		{"another end", appendOffsets(nil, []uint64{16, 41}, []uint32{0}), 1, "offsets says 41", ""},
		{"a block in the header", appendOffsets(nil, []uint64{15, 40}, []uint32{0}), 1, "", "block 0 from 15 to 40"},
		{"a block behind the end", appendOffsets(nil, []uint64{41, 40}, []uint32{0}), 1, "", "block 0 from 41 to 40"},
		{"a block that ends behind the end", appendOffsets(nil, []uint64{16, 50, 40}, []uint32{0, 1}), 2, "", "block 0 from 16 to 50"},
		{"a first document", appendOffsets(nil, []uint64{16, 40}, []uint32{1}), 2, "", "no block begins with document 0"},
	} {
		l, err := openTexts(texts, append(appendHeader(nil, offsetsFile), tt.offsets...), tt.documents)
		if err == nil && tt.open == "" {
			_, err = l.read(new(textBlock), 0)
		}
		if !errors.Is(err, index.ErrDamaged) || !strings.Contains(err.Error(), tt.open+tt.read) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.open+tt.read)
		}
	}
}

// TestGreatTexts has blocks and documents that say they are greater than any.
func TestGreatTexts(t *testing.T) {
	block := func(n uint64) []byte {
		packed := binary.AppendUvarint(nil, n)
		return append(binary.LittleEndian.AppendUint32(nil, crc32.Checksum(packed, castagnoli)), packed...)
	}
	for _, tt := range []struct {
		bytes uint64
		want  string
	}{{maxBlockBytes + 1, "texts of 268435457 bytes"}, {1 << 40, "texts of"}} {
		if _, err := unpack(nil, block(tt.bytes)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("a block that says it has %d bytes: %v, want %q", tt.bytes, err, tt.want)
		}
	}
	for _, n := range []uint64{2, maxDocumentBytes + 1, 1 << 63, math.MaxUint64} {
		for field := range 4 {
			var b []byte
			for i := range 4 {
				if i == field {
					b = binary.AppendUvarint(b, n)
				} else {
					b = append(b, 0)
				}
			}
			if _, _, ok := cutDocument(append(b, 'x')); ok {
				t.Errorf("a document of a byte with %d in field %d", n, field)
			}
		}
	}
}
