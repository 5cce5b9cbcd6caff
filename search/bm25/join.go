package bm25

import (
	"context"
	"os"
	"slices"
)

// join makes the files of the index out of the runs, beside that of the texts,
// which is there.
func (b *builder) join(ctx context.Context) error {
	if err := b.write(offsetsFile, appendOffsets(nil, b.starts, b.firsts)); err != nil {
		return err
	}
	rank, order := b.ids.ranks()
	b.ids = nil
	if err := b.write(ranksFile, appendColumn(appendColumn(nil, rank), order)); err != nil {
		return err
	}
	lengths, err := b.joinRecords()
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
func (b *builder) joinRecords() ([]byte, error) {
	n := b.meta.Documents
	contents := make([]uint64, 0, n)
	lengths := make([]byte, 0, 8*n)
	all := make([]byte, 0, 4*n)
	for i := range b.runs {
		data, err := os.ReadFile(runPath(b.dir, i, "records"))
		if err != nil {
			return nil, err
		}
		for ; len(data) >= recordBytes; data = data[recordBytes:] {
			r := getRecord(data)
			contents = append(contents, r.content)
			lengths = appendColumn(lengths, r.lengths[byContent:byContent+1])
			all = appendColumn(all, r.lengths[byAll:byAll+1])
		}
	}
	slices.Sort(contents)
	b.meta.Duplicates = len(contents) - len(slices.Compact(contents))
	return append(lengths, all...), nil
}
