package exchange

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"trawl/internal/text"
)

// tableSuffix is how the names of Parquet files end.
const tableSuffix = ".parquet"

// tableMagic is what a Parquet file begins and ends with.
const tableMagic = "PAR1"

// IsTable reports whether a file is one for [ReadTable]: its name or its first
// bytes say that it is Parquet.
func IsTable(r io.ReaderAt, name string) bool {
	var head [len(tableMagic)]byte
	_, err := r.ReadAt(head[:], 0)
	return strings.HasSuffix(name, tableSuffix) || err == nil && string(head[:]) == tableMagic
}

// ReadTable is [Read] for a Parquet file of size bytes: one rollout a row, the
// keys of the form's JSON as columns. A column is a value, a list or a structure;
// messages, and what else is an object or a list in the form, may also be JSON in
// a string, as AggAgent's published tables have it, and messages a structure of lists.
// Rows are read one at a time, and of each column one page. Places count rows.
//
// A page or a dictionary that states a checksum is held against it. Trawl's own tables
// state all of them; what changed in a page that states none, as those of many writers
// do, shows only where it is no text or no JSON any more.
func ReadTable(form string, r io.ReaderAt, size int64, name string, o Options) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		form, err := formNamed(form)
		if err != nil {
			yield(nil, err)
			return
		}
		t, err := openTable(r, size)
		if err != nil {
			yield(nil, fmt.Errorf("exchange: %s: %w", name, err))
			return
		}
		place := Place{File: name, Row: true}
		for line, err := range t.rows() {
			place.Line++
			var rec *Record
			if err == nil {
				if rec, err = form.parse(line, file{Options: o}); err != nil && t.noText != nil {
					err = t.noText
				}
			}
			if err != nil {
				yield(nil, fmt.Errorf("exchange: %v: %w", place, t.explained(err)))
				return
			}
			rec.Place = place
			if !yield(rec, nil) {
				return
			}
		}
	}
}

// A table is a Parquet file that is read.
type table struct {
	groups  []parquet.RowGroup
	sums    [][]dictionary // to check, by group
	columns []*column
	leaves  int
	noText  error // of a column of the last row that holds no text; an error if the form reads it
}

// openTable reads what a file says of itself.
func openTable(r io.ReaderAt, size int64) (*table, error) {
	if err := checkEnds(r, size); err != nil {
		return nil, err
	}
	t := &table{}
	err := guarded(func() error {
		f, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		if err != nil {
			return err
		}
		t.groups, t.sums = f.RowGroups(), dictionariesOf(f, r)
		for _, c := range f.Root().Columns() {
			t.columns = append(t.columns, columnOf(c, true))
		}
		t.leaves = len(f.Schema().Columns())
		return nil
	})
	return t, err
}

// checkEnds looks at the two ends of a file, so that one that is cut off, or no
// table at all, is told from one that is damaged.
func checkEnds(r io.ReaderAt, size int64) error {
	if size == 0 {
		return text.ErrEmpty
	}
	head, tail := make([]byte, len(tableMagic)), make([]byte, 8)
	if n, err := r.ReadAt(head, 0); n < len(head) && !errors.Is(err, io.EOF) {
		return err
	}
	switch {
	case string(head) == "PARE":
		return errors.New("is encrypted")
	case string(head) != tableMagic:
		return fmt.Errorf("is not Parquet: it begins with %q", bytes.TrimRight(head, "\x00"))
	case size < int64(len(head)+len(tail)):
		return errCutOff
	}
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch footer := int64(binary.LittleEndian.Uint32(tail)); {
	case string(tail[4:]) != tableMagic:
		return errCutOff
	case footer > size-int64(len(head)+len(tail)):
		return fmt.Errorf("is damaged: its footer would have %d bytes, the file has %d", footer, size)
	}
	return nil
}

var errCutOff = errors.New("is cut off: it does not end as Parquet does")

// guarded turns a panic into an error: the Parquet library checks much but not all
// of what a damaged file says of itself.
func guarded(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("is damaged: %v", p)
		}
	}()
	return do()
}

// rows yields the rows as JSON objects.
func (t *table) rows() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for i := range t.groups {
			if !t.group(i, yield) {
				return
			}
		}
	}
}

// group yields the rows of a group; it reports false if nobody wants more.
func (t *table) group(i int, yield func([]byte, error) bool) (more bool) {
	rows, err := t.open(i)
	if err != nil {
		yield(nil, err)
		return false
	}
	defer rows.Close() // nothing is written, so there is nothing to lose
	buf, left := make([]parquet.Row, 1), t.groups[i].NumRows()
	for ; left > 0; left-- {
		var line []byte
		err := guarded(func() error {
			n, err := rows.ReadRows(buf)
			switch {
			case n == 0 && err == nil, n == 0 && errors.Is(err, io.EOF):
				return fmt.Errorf("is damaged: %d rows of a group are missing", left)
			case n == 0:
				return err
			}
			line, err = t.object(buf[0])
			return err
		})
		if !yield(line, err) || err != nil {
			return false
		}
	}
	return true
}

// open opens the rows of a group.
func (t *table) open(i int) (rows parquet.Rows, err error) {
	err = guarded(func() error {
		for _, d := range t.sums[i] {
			if err := d.check(); err != nil {
				return err
			}
		}
		rows = t.groups[i].Rows()
		return nil
	})
	return rows, err
}

// object writes a row as a JSON object.
func (t *table) object(row parquet.Row) ([]byte, error) {
	c := cells{of: make([][]parquet.Value, t.leaves)}
	t.noText = nil
	for at, values := range row.Range {
		if at < len(c.of) {
			c.of[at] = values
		}
	}
	out := []byte{'{'}
	for i, col := range t.columns {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, col.quoted...), ':')
		out = c.value(out, col)
		if c.err != nil {
			return nil, fmt.Errorf("column %s: %w", col.name, c.err)
		}
		if c.noText != nil {
			t.noText, c.noText = fmt.Errorf("column %s: %w", col.name, c.noText), nil
		}
		if len(out) > maxLine {
			return nil, errTooLong
		}
	}
	return append(out, '}'), nil
}

// explained adds the columns of the table to the error of one that a row lacks:
// most likely it is a table of something else.
func (t *table) explained(err error) error {
	var lacks missingError
	if !errors.As(err, &lacks) {
		return err
	}
	var names []string
	for _, c := range t.columns {
		names = append(names, c.name)
	}
	err = fmt.Errorf("%w (the columns are %s)", err, strings.Join(names, ", "))
	if slices.Contains(names, "answer_source") && slices.Contains(names, "step_count") {
		err = fmt.Errorf("%w: it is a table of trawl export, which trawl import parquet reads", err)
	}
	return err
}
