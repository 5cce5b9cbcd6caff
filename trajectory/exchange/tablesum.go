package exchange

import (
	"bufio"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A dictionary is where the values of a column of a group stand that the pages point
// to.
type dictionary struct {
	column string
	chunk  *io.SectionReader
}

// dictionariesOf returns the dictionaries of each group. The library checks the sums of
// pages with rows in them, and not those of dictionaries.
func dictionariesOf(f *parquet.File, r io.ReaderAt) [][]dictionary {
	var out [][]dictionary
	for _, group := range f.Metadata().RowGroups {
		var all []dictionary
		for i, col := range group.Columns {
			if m := col.MetaData; m.DictionaryPageOffset > 0 {
				all = append(all, dictionary{strings.Join(f.Schema().Columns()[i], "."), io.NewSectionReader(r, m.DictionaryPageOffset, m.TotalCompressedSize)})
			}
		}
		out = append(out, all)
	}
	return out
}

// check compares the sum that the head of the dictionary states, if it states one,
// with that of its bytes. Files of other writers often state none.
func (d dictionary) check() error {
	var (
		head     format.PageHeader
		protocol thrift.CompactProtocol
	)
	buf := bufio.NewReader(d.chunk)
	if err := thrift.NewDecoder(protocol.NewReader(buf)).Decode(&head); err != nil {
		return fmt.Errorf("is damaged: the head of the dictionary of column %s: %w", d.column, err)
	}
	if head.Type != format.DictionaryPage || head.CRC == 0 {
		return nil
	}
	sum := crc32.NewIEEE()
	if _, err := io.CopyN(sum, buf, int64(head.CompressedPageSize)); err != nil {
		return fmt.Errorf("is damaged: the dictionary of column %s: %w", d.column, err)
	}
	if sum.Sum32() != uint32(head.CRC) {
		return fmt.Errorf("is damaged: the dictionary of column %s has another checksum than it states", d.column)
	}
	return nil
}
