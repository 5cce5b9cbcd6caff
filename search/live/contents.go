package live

import (
	"errors"
	"maps"
	"slices"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"trawl/search/index"
)

// contentsKey is where the store keeps its contents. A batch brings documents
// and contents at once, so that they agree whenever a process dies.
var contentsKey = []byte("contents")

// storedContents returns the contents of a snapshot of the store; those of a new
// one are zero.
func storedContents(snapshot *scorch.IndexSnapshot) (index.Contents, error) {
	var c index.Contents
	value, err := snapshot.GetInternal(contentsKey)
	if err == nil && value != nil && copy(c[:], value) != len(value) {
		err = errors.New("its sum of contents is damaged")
	}
	return c, err
}

// contentsWith returns what the contents of the store will be when documents
// with these ids and contents have been added.
func (s *store) contentsWith(added map[string]index.Contents) (index.Contents, error) {
	reader, err := s.Reader()
	if err != nil {
		return index.Contents{}, err
	}
	snapshot := reader.(*scorch.IndexSnapshot)
	sum, err := storedContents(snapshot)
	ids := slices.Collect(maps.Keys(added))
	for _, segment := range snapshot.Segments() {
		if err == nil {
			err = remove(&sum, segment, ids)
		}
	}
	for _, c := range added {
		sum.Toggle(c)
	}
	return sum, errors.Join(err, snapshot.Close())
}

// remove takes out of c those documents of a segment that have one of the ids.
func remove(c *index.Contents, s *scorch.SegmentSnapshot, ids []string) error {
	numbers, err := s.DocNumbers(ids)
	if err != nil {
		return err
	}
	for _, number := range numbers.ToArray() {
		id, err := s.DocID(uint64(number))
		if err != nil {
			return err
		}
		doc, err := readDocument(s, uint64(number), string(id))
		if err != nil {
			return err
		}
		c.Toggle(index.SumOf(doc))
	}
	return nil
}
