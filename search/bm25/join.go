package bm25

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
)

// join makes the files of the index out of the runs, beside that of the texts,
// which is there.
func (b *builder) join(ctx context.Context) error {
	if err := b.write(offsetsFile, appendOffsets(nil, b.starts, b.firsts)); err != nil {
		return err
	}
	b.starts, b.firsts = nil, nil
	rank, order, err := b.ids.ranks(ctx)
	if err != nil {
		return err
	}
	b.ids = nil
	if err := b.write(ranksFile, appendColumn(appendColumn(make([]byte, 0, 8*len(rank)), rank), order)); err != nil {
		return err
	}
	lengths, err := b.joinRecords(ctx)
	if err != nil {
		return err
	}
	if err := b.write(lengthsFile, lengths); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	n := b.meta.Documents
	m := &merger{builder: b, layout: layout{n, b.opts.window}, lengths: [classes]column{column(lengths[:4*n]), column(lengths[4*n:])}}
	for c := range classes {
		m.norms[c] = newNorms(b.meta.Params, b.meta.total(c), n)
	}
	return m.merge(ctx)
}

// write writes a file of the index that is at hand whole, without its header.
func (b *builder) write(name string, data []byte) error {
	f, err := createFile(b.dir, name, false)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	sum, closed := f.close()
	if err == nil {
		err = closed
	}
	b.meta.Files[name] = sum
	return err
}

// joinRecords counts the duplicates and returns the two columns of lengths.
func (b *builder) joinRecords(ctx context.Context) ([]byte, error) {
	f, err := os.Open(b.recordsPath())
	if err != nil {
		return nil, err
	}
	defer f.Close()
	n := b.meta.Documents
	contents, lengths := make([]uint64, n), make([]byte, 8*n)
	records := bufio.NewReaderSize(f, 1<<18)
	var data [recordBytes]byte
	for i := range n {
		if _, err := io.ReadFull(records, data[:]); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		if i%progressEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r := getRecord(data[:])
		contents[i] = r.content
		for c, length := range r.lengths {
			binary.LittleEndian.PutUint32(lengths[4*(c*n+i):], length)
		}
	}
	slices.Sort(contents)
	b.meta.Duplicates = n - len(slices.Compact(contents))
	return lengths, ctx.Err()
}
