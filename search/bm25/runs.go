package bm25

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Before the merge, the documents are runs, each of neighbouring documents of one
// window: the terms in order, each with its documents. A term is uvarint length,
// bytes, class, uvarint documents, uvarint bytes of what follows: for each document
// uvarint twice the gap to the one before in the window, plus one if a uvarint tf
// follows, which else is 1. A document may be the last of a run and the first of
// the next, when it has too many terms for one.
//
// Beside them is a file of a record for each document.

// A run says where a run is.
type run struct {
	window       int
	file         *os.File
	offset, size int64
}

func runPath(dir, name string) string { return filepath.Join(dir, runsFolder, name) }

func (b *builder) recordsPath() string { return runPath(b.dir, "records") }

// A localTerm is a term of a window.
type localTerm struct {
	term  string
	class class
	df    uint32
	start uint32 // of its postings
}

func compareLocal(a, b localTerm) int {
	return cmp.Or(strings.Compare(a.term, b.term), cmp.Compare(a.class, b.class))
}

// appendRunTerm appends a term with its postings, whose documents count within
// the window.
func appendRunTerm(b, room []byte, t localTerm, postings []posting) (run, scratch []byte) {
	room = room[:0]
	last := uint32(0)
	for _, p := range postings {
		gap := uint64(p.doc-last) << 1
		last = p.doc
		if p.tf == 1 {
			room = binary.AppendUvarint(room, gap)
			continue
		}
		room = binary.AppendUvarint(room, gap|1)
		room = binary.AppendUvarint(room, uint64(p.tf))
	}
	b = binary.AppendUvarint(b, uint64(len(t.term)))
	b = append(b, t.term...)
	b = append(b, byte(t.class))
	b = binary.AppendUvarint(b, uint64(len(postings)))
	b = binary.AppendUvarint(b, uint64(len(room)))
	return append(b, room...), room
}

// appendRunPostings is the reverse for what follows a term; first is the
// window's first document. What dst has of the first document is added to.
func appendRunPostings(dst []posting, data []byte, first uint32) []posting {
	doc := first
	for len(data) > 0 {
		gap, n := binary.Uvarint(data)
		data = data[n:]
		doc += uint32(gap >> 1)
		tf := uint64(1)
		if gap&1 != 0 {
			tf, n = binary.Uvarint(data)
			data = data[n:]
		}
		if last := len(dst) - 1; last >= 0 && dst[last].doc == doc {
			dst[last].tf += uint32(tf)
			continue
		}
		dst = append(dst, posting{doc, uint32(tf)})
	}
	return dst
}

// A runReader reads the terms of a run.
type runReader struct {
	number int // of the run: those of earlier documents are smaller
	run    run
	r      *bufio.Reader
	term   []byte
	class  class
	df     int
	bytes  int // of the postings, which come next
}

func newRunReader(number int, r run, buffer int) *runReader {
	section := io.NewSectionReader(r.file, r.offset, r.size)
	return &runReader{number: number, run: r, r: bufio.NewReaderSize(section, min(buffer, int(min(r.size, 1<<30))))}
}

// next reads up to the next term's postings. It returns io.EOF after the last.
func (r *runReader) next() error {
	n, err := binary.ReadUvarint(r.r)
	if err != nil {
		return err
	}
	if uint64(cap(r.term)) < n {
		r.term = make([]byte, n)
	}
	r.term = r.term[:n]
	_, err = io.ReadFull(r.r, r.term)
	c, classErr := r.r.ReadByte()
	df, dfErr := binary.ReadUvarint(r.r)
	size, sizeErr := binary.ReadUvarint(r.r)
	if err := errors.Join(err, classErr, dfErr, sizeErr); err != nil {
		return fmt.Errorf("%s: %w", r.run.file.Name(), err)
	}
	r.class, r.df, r.bytes = class(c), int(df), int(size)
	return nil
}

// postings appends the bytes of the term's postings.
func (r *runReader) postings(b []byte) ([]byte, error) {
	start := len(b)
	b = append(b, make([]byte, r.bytes)...)
	if _, err := io.ReadFull(r.r, b[start:]); err != nil {
		return nil, fmt.Errorf("%s: %w", r.run.file.Name(), err)
	}
	return b, nil
}

// A record is what is known of a document besides its postings.
type record struct {
	lengths [classes]uint32
	content uint64 // hash of title, URL and text, for this process alone
}

const recordBytes = 16

func appendRecord(b []byte, r record) []byte {
	b = binary.LittleEndian.AppendUint32(b, r.lengths[byContent])
	b = binary.LittleEndian.AppendUint32(b, r.lengths[byAll])
	return binary.LittleEndian.AppendUint64(b, r.content)
}

func getRecord(b []byte) record {
	return record{
		lengths: [classes]uint32{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])},
		content: binary.LittleEndian.Uint64(b[8:]),
	}
}
