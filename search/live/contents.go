package live

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"maps"
	"slices"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"trawl/search"
)

// contents stands for a set of documents: the exclusive or of the SHA-256 of
// each, so that it does not matter in which order and in which batches they came,
// and one that is replaced is taken out by adding it again. It tells apart what
// differs by accident, not what somebody made to look alike.
type contents [sha256.Size]byte

// contentsOf returns the contents of one document: the SHA-256 of its id, title,
// URL and text, each behind its length in eight bytes.
func contentsOf(doc search.Document) contents {
	var b []byte
	for _, s := range []string{doc.ID, doc.Title, doc.URL, doc.Text} {
		b = binary.BigEndian.AppendUint64(b, uint64(len(s)))
		b = append(b, s...)
	}
	return sha256.Sum256(b)
}

// toggle adds o to c, or takes it out.
func (c *contents) toggle(o contents) { subtle.XORBytes(c[:], c[:], o[:]) }

func (c contents) String() string { return hex.EncodeToString(c[:]) }

// contentsKey is where the store keeps its contents. A batch brings documents
// and contents at once, so that they agree whenever a process dies.
var contentsKey = []byte("contents")

// storedContents returns the contents of a snapshot of the store; those of a new
// one are zero.
func storedContents(snapshot *scorch.IndexSnapshot) (contents, error) {
	var c contents
	value, err := snapshot.GetInternal(contentsKey)
	if err == nil && value != nil && copy(c[:], value) != len(value) {
		err = errors.New("its sum of contents is damaged")
	}
	return c, err
}

// contentsWith returns what the contents of the store will be when documents
// with these ids and contents have been added.
func (s *store) contentsWith(added map[string]contents) (contents, error) {
	reader, err := s.Reader()
	if err != nil {
		return contents{}, err
	}
	snapshot := reader.(*scorch.IndexSnapshot)
	sum, err := storedContents(snapshot)
	ids := slices.Collect(maps.Keys(added))
	for _, segment := range snapshot.Segments() {
		if err == nil {
			err = sum.remove(segment, ids)
		}
	}
	for _, c := range added {
		sum.toggle(c)
	}
	return sum, errors.Join(err, snapshot.Close())
}

// remove takes out those documents of a segment that have one of the ids.
func (c *contents) remove(s *scorch.SegmentSnapshot, ids []string) error {
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
		c.toggle(contentsOf(doc))
	}
	return nil
}
