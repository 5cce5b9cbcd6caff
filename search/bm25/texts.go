package bm25

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"sort"

	"github.com/klauspost/compress/s2"

	"trawl/search"
	"trawl/search/index"
)

const (
	// blockBytes is the length of texts with which a block ends. Of real
	// paragraphs of 490 bytes, blocks of 4 KiB take 330 bytes each and ten hits
	// 34 µs to decompress; blocks of 2 KiB 355 and 15. By zstd, blocks of 4 KiB
	// would take 248 bytes and 127 µs, which is more than the search itself, and
	// of 2 KiB 264 and 86; a dictionary for all blocks makes them 7 % to 12 %
	// smaller and a third slower.
	blockBytes = 4 << 10
	// maxDocumentBytes bounds a document, and with maxBlockBytes what a foreign
	// block can make us ask for.
	maxDocumentBytes = 128 << 20
	maxBlockBytes    = 2 * maxDocumentBytes
)

// A textEncoder makes blocks of documents.
type textEncoder struct{ raw []byte }

// bytesOf returns the length of a document's parts.
func bytesOf(doc search.Document) int64 {
	n := int64(0)
	for _, s := range fieldsOf(&doc) {
		n += int64(len(*s))
	}
	return n
}

// add adds a document to the block, and reports whether that is full.
func (e *textEncoder) add(doc search.Document) (full bool) {
	e.raw = appendDocument(e.raw, doc)
	return len(e.raw) >= blockBytes
}

// flush appends the block compressed to dst, unless it is empty, and begins a
// new one. It lets go of what a long document took.
func (e *textEncoder) flush(dst []byte) []byte {
	if len(e.raw) == 0 {
		return dst
	}
	start := len(dst) + crc32.Size
	dst = slices.Grow(dst, crc32.Size+s2.MaxEncodedLen(len(e.raw)))
	packed := s2.EncodeBetter(dst[start:cap(dst)], e.raw) // in place, since there is room
	dst = binary.LittleEndian.AppendUint32(dst, crc32.Checksum(packed, castagnoli))
	if e.raw = e.raw[:0]; cap(e.raw) > 64*blockBytes {
		e.raw = nil
	}
	return dst[:start+len(packed)]
}

// unpack is the reverse of flush, into dst.
func unpack(dst, block []byte) ([]byte, error) {
	if len(block) < crc32.Size {
		return dst, fmt.Errorf("%d bytes", len(block))
	}
	packed := block[crc32.Size:]
	if crc32.Checksum(packed, castagnoli) != binary.LittleEndian.Uint32(block) {
		return dst, errors.New("it does not have its checksum")
	}
	if n, err := s2.DecodedLen(packed); err != nil || n > maxBlockBytes {
		return dst, fmt.Errorf("texts of %d bytes: %v", n, err)
	}
	return s2.Decode(dst[:cap(dst)], packed)
}

// fieldsOf returns the parts of a document in the order in which they are kept.
func fieldsOf(doc *search.Document) [4]*string {
	return [4]*string{&doc.ID, &doc.Title, &doc.URL, &doc.Text}
}

// appendLengths appends what comes before a document's parts.
func appendLengths(b []byte, doc search.Document) []byte {
	for _, s := range fieldsOf(&doc) {
		b = binary.AppendUvarint(b, uint64(len(*s)))
	}
	return b
}

func appendDocument(b []byte, doc search.Document) []byte {
	b = appendLengths(slices.Grow(b, int(bytesOf(doc))+4*binary.MaxVarintLen32), doc)
	for _, s := range fieldsOf(&doc) {
		b = append(b, *s...)
	}
	return b
}

// A rawDocument is a document whose bytes belong to somebody else: id, title,
// URL, text.
type rawDocument [4][]byte

func (r rawDocument) document() search.Document {
	var doc search.Document
	for i, s := range fieldsOf(&doc) {
		*s = string(r[i])
	}
	return doc
}

// cutDocument takes a document off the front of a block.
func cutDocument(b []byte) (doc rawDocument, rest []byte, ok bool) {
	var lengths [len(doc)]int
	for i := range lengths {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > maxDocumentBytes {
			return doc, nil, false
		}
		lengths[i], b = int(v), b[n:]
	}
	for i, n := range lengths {
		if n > len(b) {
			return doc, nil, false
		}
		doc[i], b = b[:n:n], b[n:]
	}
	return doc, b, true
}

// appendOffsets appends where the blocks of the file of texts begin, and where
// the last ends, and the first document of each.
func appendOffsets(b []byte, starts []uint64, firsts []uint32) []byte {
	for _, v := range starts {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return appendColumn(b, firsts)
}

// A library reads documents.
type library struct {
	texts     []byte // the file
	starts    []byte // of blocks, and the end of the last
	firsts    column
	documents int
}

// offsetBytes is what a block takes in the file of offsets.
const offsetBytes = 12

func openTexts(texts, offsets []byte, documents int) (library, error) {
	room := len(offsets) - headerBytes - 8
	if room < 0 || room%offsetBytes != 0 || (room == 0) != (documents == 0) {
		return library{}, index.Damaged("%s has %d bytes for %d documents", offsetsFile, len(offsets), documents)
	}
	blocks := room / offsetBytes
	split := headerBytes + 8*(blocks+1)
	l := library{texts, offsets[headerBytes:split], offsets[split:], documents}
	if end := l.start(blocks); end != uint64(len(texts)) {
		return library{}, index.Damaged("%s has %d bytes, and %s says %d", textsFile, len(texts), offsetsFile, end)
	}
	return l, nil
}

func (l library) start(block int) uint64 { return binary.LittleEndian.Uint64(l.starts[8*block:]) }

// A textBlock is a block of documents and where the reader stands in it.
type textBlock struct {
	raw  []byte // as it was decompressed
	rest []byte // documents from next on
	next uint32
	end  uint32 // first document behind the block
}

// open decompresses a block into b.
func (l library) open(b *textBlock, block int) (err error) {
	from, to := l.start(block), l.start(block+1)
	if from < headerBytes || from > to || to > uint64(len(l.texts)) {
		return index.Damaged("%s: block %d from %d to %d", offsetsFile, block, from, to)
	}
	if b.raw, err = unpack(b.raw, l.texts[from:to]); err != nil {
		return index.Damaged("%s: block %d: %v", textsFile, block, err)
	}
	b.rest, b.next, b.end = b.raw, l.firsts.at(uint32(block)), uint32(l.documents)
	if block+1 < l.firsts.len() {
		b.end = l.firsts.at(uint32(block + 1))
	}
	return nil
}

// read returns a document, whose bytes are b's. A block that holds it and that b
// has not passed is not decompressed again.
func (l library) read(b *textBlock, doc uint32) (rawDocument, error) {
	if doc < b.next || doc >= b.end {
		block := sort.Search(l.firsts.len(), func(i int) bool { return l.firsts.at(uint32(i)) > doc }) - 1
		if block < 0 {
			return rawDocument{}, index.Damaged("%s: no block begins with document 0", offsetsFile)
		}
		if err := l.open(b, block); err != nil {
			return rawDocument{}, err
		}
	}
	for b.next < b.end {
		raw, rest, ok := cutDocument(b.rest)
		if !ok {
			break
		}
		b.rest = rest
		if b.next++; b.next-1 == doc {
			return raw, nil
		}
	}
	b.next, b.end = 0, 0
	return rawDocument{}, index.Damaged("%s: document %d is missing in its block", textsFile, doc)
}
