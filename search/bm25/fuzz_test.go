package bm25

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/search"
	"trawl/search/index"
)

// FuzzTerms reads a dictionary whose end says how many blocks there are.
func FuzzTerms(f *testing.F) {
	var whole bytes.Buffer
	w := newTermsWriter(&whole)
	for i := range 70 {
		if err := w.add([]byte{'a' + byte(i/26), 'a' + byte(i%26)}, byContent, i+1, 5+i); err != nil {
			f.Fatal(err)
		}
	}
	if err := w.close(); err != nil {
		f.Fatal(err)
	}
	f.Add(whole.Bytes())
	f.Add(whole.Bytes()[:60])
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := openTerms(data)
		if err != nil {
			return
		}
		d.find(new(blockReader), "bb", byContent)
		d.find(new(blockReader), "", byAll)
		terms := uint64(0)
		if d.each(func([]byte, entry) error { terms++; return nil }) == nil && terms != d.terms {
			t.Errorf("%d terms, and the end says %d", terms, d.terms)
		}
	})
}

// FuzzList reads a list, and holds what can be read to what was asked for.
func FuzzList(f *testing.F) {
	lengths := column(appendColumn(nil, slices.Repeat([]uint32{1000}, 300)))
	s := newNorms(index.DefaultParams(), 300_000, 300)
	for _, n := range []int{1, 79, 80, 300} {
		var postings []posting
		for i := range n {
			postings = append(postings, posting{uint32(i), uint32(1 + i*7%600)})
		}
		f.Add(appendList(nil, layout{300, 64}, postings, s, lengths), n)
	}
	f.Fuzz(func(t *testing.T, data []byte, df int) {
		if df < 1 || df > 300 {
			return
		}
		l, _, err := decodeList(data, layout{300, 64}, df, nil)
		if err != nil {
			return
		}
		total := 0
		for i := range l.windows() {
			w := l.window(i)
			total += len(w.tfs)
			larges, err := w.larges(nil)
			if err == nil && len(larges) != bytes.Count(w.tfs, []byte{fullTF}) {
				t.Errorf("%d large counts in % x", len(larges), w.tfs)
			}
		}
		if total != df {
			t.Errorf("%d postings, want %d", total, df)
		}
	})
}

// FuzzTexts reads a block of documents.
func FuzzTexts(f *testing.F) {
	docs := []search.Document{{ID: "1", Title: "a", URL: "b", Text: "c"}, {}, {ID: "2", Text: string(bytes.Repeat([]byte("x"), 200))}}
	var raw []byte
	for _, doc := range docs {
		raw = appendDocument(raw, doc)
	}
	f.Add(raw)
	f.Fuzz(func(t *testing.T, data []byte) {
		var again []byte
		for rest := data; len(rest) > 0; {
			doc, after, ok := cutDocument(rest)
			if !ok {
				return
			}
			again, rest = appendDocument(again, doc.document()), after
		}
		for rest := again; len(rest) > 0; {
			_, after, ok := cutDocument(rest)
			if !ok {
				t.Fatal("documents cannot be read again")
			}
			rest = after
		}
	})
}

// FuzzBlock decompresses bytes that may be no block, behind their checksum.
func FuzzBlock(f *testing.F) {
	var e textEncoder
	e.add(search.Document{ID: "1", Text: "a text that is a text"})
	f.Add(e.flush(nil)[crc32.Size:])
	f.Fuzz(func(t *testing.T, data []byte) {
		texts := binary.LittleEndian.AppendUint32(appendHeader(nil, textsFile), crc32.Checksum(data, castagnoli))
		texts = append(texts, data...)
		offsets := appendOffsets(appendHeader(nil, offsetsFile), []uint64{headerBytes, uint64(len(texts))}, []uint32{0})
		l, err := openTexts(texts, offsets, 1)
		if err != nil {
			t.Fatal(err)
		}
		var b textBlock
		if doc, err := l.read(&b, 0); err == nil && len(doc[0]) > len(b.raw) {
			t.Errorf("an id of %d bytes in a block of %d", len(doc[0]), len(b.raw))
		}
	})
}

// TestListBytes pins both kinds of lists: three documents in windows of 64, and
// the greatest saturation at k1 = 1, b = 0: tf / (tf + 1).
func TestListBytes(t *testing.T) {
	s := newNorms(index.Params{K1: 1}, 200, 200)
	lengths := column(appendColumn(nil, slices.Repeat([]uint32{1}, 200)))
	sparse := appendList(nil, layout{200, 64}, []posting{{3, 1}, {70, 3}, {199, 2}}, s, lengths)
	want := []byte{0, 0, 0x40, 0x3f /* 0.75 */, 3, 1, 67, 3, 129, 1, 2}
	if diff := cmp.Diff(want, sparse); diff != "" {
		t.Errorf("sparse list mismatch (-want +got):\n%s", diff)
	}
	dense := appendDense(nil, layout{200, 64}, []posting{{3, 1}, {63, 300}, {130, 255}}, s, lengths)
	want = []byte{
		2, 0, 0, 0,
		0, 0, 1, 0, 0x46, 0x26, 0x7f, 0x3f /* 300/301 = (2²⁴ − 55738.25)/2²⁴, up */, 0, 0, 0, 0,
		2, 0, 0, 0, 0, 0, 0x7f, 0x3f /* 255/256 */, 7, 0, 0, 0,
		3, 0, 63, 0, 1, 255, 45,
		2, 0, 255, 0,
	}
	if diff := cmp.Diff(want, dense); diff != "" {
		t.Errorf("dense list mismatch (-want +got):\n%s", diff)
	}
}

// TestRoundUp: a bound may not be below what it bounds.
func TestRoundUp(t *testing.T) {
	for _, x := range []float64{0.1, 0.2, 0.25, 1.0 / 3, 0.7, 0.9999999999, 1} {
		f := float64(roundUp(x))
		if f < x || f > x*(1+0x1p-22) {
			t.Errorf("roundUp(%v) = %v", x, f)
		}
	}
}
