package bm25

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"trawl/search/index"
)

const (
	blockTerms   = 32 // terms in a block of the dictionary
	termsTrailer = 28 // bytes behind the table of blocks
)

// A termsWriter writes the dictionary.
type termsWriter struct {
	w      *bufio.Writer
	buf    []byte
	crc    uint32
	size   uint64
	terms  uint64
	offset uint64 // of the next list
	last   []byte // term
	class  class  // of the last term
	blocks []uint64
}

// newTermsWriter begins the dictionary of lists that follow each other in the
// file of postings.
func newTermsWriter(w io.Writer) *termsWriter {
	t := &termsWriter{w: bufio.NewWriterSize(w, 1<<16), offset: headerBytes}
	t.buf = appendHeader(t.buf, termsFile)
	return t
}

// add adds a term with the number of documents that have it and the length of
// its list. Terms come in the order of their bytes, and then of their classes.
func (t *termsWriter) add(term []byte, c class, df, listBytes int) error {
	if order := bytes.Compare(term, t.last); len(term) == 0 || t.terms > 0 && (order < 0 || order == 0 && c <= t.class) {
		return fmt.Errorf("terms: %q after %q", term, t.last)
	}
	if err := t.spill(); err != nil {
		return err
	}
	shared := 0
	if t.terms%blockTerms == 0 {
		t.blocks = append(t.blocks, t.size+uint64(len(t.buf)))
		t.buf = binary.AppendUvarint(t.buf, t.offset)
	} else {
		for shared < min(len(term), len(t.last)) && term[shared] == t.last[shared] {
			shared++
		}
		t.buf = binary.AppendUvarint(t.buf, uint64(shared))
	}
	t.buf = binary.AppendUvarint(t.buf, uint64(len(term)-shared))
	t.buf = append(t.buf, term[shared:]...)
	t.buf = binary.AppendUvarint(t.buf, uint64(df))
	t.buf = binary.AppendUvarint(t.buf, uint64(c))
	t.buf = binary.AppendUvarint(t.buf, uint64(listBytes))
	t.offset += uint64(listBytes)
	t.last, t.class = append(t.last[:0], term...), c
	t.terms++
	return nil
}

// spill writes what waits.
func (t *termsWriter) spill() error {
	t.crc = crc32.Update(t.crc, castagnoli, t.buf)
	t.size += uint64(len(t.buf))
	_, err := t.w.Write(t.buf)
	t.buf = t.buf[:0]
	return err
}

// close writes the table of blocks. It does not close the writer below.
func (t *termsWriter) close() error {
	if err := t.spill(); err != nil {
		return err
	}
	table := t.size
	for _, offset := range t.blocks {
		t.buf = binary.LittleEndian.AppendUint64(t.buf, offset)
	}
	t.buf = binary.LittleEndian.AppendUint64(t.buf, uint64(len(t.blocks)))
	t.buf = binary.LittleEndian.AppendUint64(t.buf, t.terms)
	t.buf = binary.LittleEndian.AppendUint64(t.buf, table)
	t.crc = crc32.Update(t.crc, castagnoli, t.buf)
	t.buf = binary.LittleEndian.AppendUint32(t.buf, t.crc)
	if _, err := t.w.Write(t.buf); err != nil {
		return err
	}
	return t.w.Flush()
}

// A dictionary reads the terms.
type dictionary struct {
	data   []byte // up to the table
	table  []byte // offset of each block
	blocks int
	terms  uint64
}

// An entry says where the list of a term is.
type entry struct {
	df     int
	class  class
	offset uint64 // in the file of postings
	bytes  uint64
}

// openTerms reads the end of the dictionary, which is all of the file.
func openTerms(data []byte) (dictionary, error) {
	if len(data) < headerBytes+termsTrailer {
		return dictionary{}, index.Damaged("%s has %d bytes, less than its ends", termsFile, len(data))
	}
	end := data[len(data)-termsTrailer:]
	blocks, terms, table := binary.LittleEndian.Uint64(end), binary.LittleEndian.Uint64(end[8:]), binary.LittleEndian.Uint64(end[16:])
	room := uint64(len(data) - termsTrailer)
	if table < headerBytes || table > room || (room-table)%8 != 0 || blocks != (room-table)/8 || terms > blocks*blockTerms || blocks != (terms+blockTerms-1)/blockTerms {
		return dictionary{}, index.Damaged("%s: %d terms in %d blocks, with their table at %d", termsFile, terms, blocks, table)
	}
	return dictionary{data[:table], data[table:room], int(blocks), terms}, nil
}

// checksum compares the dictionary, which is all of the file, with its checksum.
func checksum(data []byte) error {
	end := len(data) - crc32.Size
	if crc32.Checksum(data[:end], castagnoli) != binary.LittleEndian.Uint32(data[end:]) {
		return index.Damaged("%s does not have its checksum", termsFile)
	}
	return nil
}

// find returns the entry of a term, which it reads with r.
func (d dictionary) find(r *blockReader, term string, c class) (entry, bool, error) {
	lo, hi := 0, d.blocks // the block is before hi, and not before lo-1
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if err := d.block(r, mid); err != nil {
			return entry{}, false, err
		}
		if err := r.next(); err != nil {
			return entry{}, false, err
		}
		if order := compareTerm(r.term, r.entry.class, term, c); order == 0 {
			return r.entry, true, nil
		} else if order < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return entry{}, false, nil
	}
	err := d.block(r, lo-1)
	for err == nil && r.left > 0 {
		if err = r.next(); err != nil {
			break
		}
		if order := compareTerm(r.term, r.entry.class, term, c); order >= 0 {
			return r.entry, order == 0, nil
		}
	}
	return entry{}, false, err
}

func compareTerm(a []byte, ac class, b string, bc class) int {
	switch {
	case string(a) < b:
		return -1
	case string(a) > b:
		return 1
	}
	return int(ac) - int(bc)
}

// A blockReader reads the terms of a block one by one.
type blockReader struct {
	data  []byte
	first bool
	left  int    // terms to come
	term  []byte // the last one read
	entry entry
}

// block makes r begin to read block i.
func (d dictionary) block(r *blockReader, i int) (err error) {
	start, end := binary.LittleEndian.Uint64(d.table[8*i:]), uint64(len(d.data))
	if i+1 < d.blocks {
		end = binary.LittleEndian.Uint64(d.table[8*(i+1):])
	}
	if start < headerBytes || start >= end || end > uint64(len(d.data)) {
		return index.Damaged("%s: block %d from %d to %d", termsFile, i, start, end)
	}
	*r = blockReader{data: d.data[start:end], first: true, left: blockTerms, term: r.term[:0]}
	if i+1 == d.blocks {
		r.left = int(d.terms - uint64(i)*blockTerms)
	}
	r.entry.offset, err = r.uvarint()
	return err
}

func (r *blockReader) uvarint() (uint64, error) {
	v, n := binary.Uvarint(r.data)
	if n <= 0 {
		return 0, index.Damaged("%s: a block is cut short", termsFile)
	}
	r.data = r.data[n:]
	return v, nil
}

// next reads the next term.
func (r *blockReader) next() error {
	var fields [5]uint64 // shared, rest; df, class, bytes
	from := 0
	if r.first {
		from = 1
	}
	for i := from; i < len(fields); i++ {
		v, err := r.uvarint()
		if err != nil {
			return err
		}
		fields[i] = v
		if i != 1 {
			continue
		}
		if fields[0] > uint64(len(r.term)) || v > uint64(len(r.data)) {
			return index.Damaged("%s: a term longer than its block", termsFile)
		}
		r.term = append(r.term[:fields[0]], r.data[:v]...)
		r.data = r.data[v:]
	}
	if fields[2] == 0 || fields[2] > maxDocuments || fields[3] >= uint64(classes) || fields[4] == 0 || fields[4] > 1<<40 {
		return index.Damaged("%s: term %q in %d documents, of class %d, with a list of %d bytes", termsFile, r.term, fields[2], fields[3], fields[4])
	}
	r.entry = entry{int(fields[2]), class(fields[3]), r.entry.offset + r.entry.bytes, fields[4]}
	r.first = false
	r.left--
	return nil
}

// each calls f with every term in order; term is f's until it returns.
func (d dictionary) each(f func(term []byte, e entry) error) error {
	offset := uint64(headerBytes)
	var last []byte
	var lastClass class
	var r blockReader
	for i := range d.blocks {
		err := d.block(&r, i)
		for err == nil && r.left > 0 {
			if err = r.next(); err != nil {
				break
			}
			if r.entry.offset != offset || offset > headerBytes && compareTerm(last, lastClass, string(r.term), r.entry.class) >= 0 {
				return index.Damaged("%s: term %q is out of order", termsFile, r.term)
			}
			offset += r.entry.bytes
			last, lastClass = append(last[:0], r.term...), r.entry.class
			err = f(r.term, r.entry)
		}
		if err == nil && len(r.data) > 0 {
			err = index.Damaged("%s: block %d has %d bytes too many", termsFile, i, len(r.data))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// list returns the bytes of the list in the file of postings.
func (e entry) list(postings []byte) ([]byte, error) {
	if e.offset < headerBytes || e.offset > uint64(len(postings)) || e.bytes > uint64(len(postings))-e.offset {
		return nil, index.Damaged("%s: a list from %d of %d bytes, beyond the end", postingsFile, e.offset, e.bytes)
	}
	return slices.Clip(postings[e.offset : e.offset+e.bytes]), nil
}
