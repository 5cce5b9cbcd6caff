package live

import (
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"log"
	"runtime/debug"
	"sync"
	"syscall"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"trawl/search/index"
)

// asDamage returns err as damage, unless it says that somebody else has the
// store, or that the system refused something.
func asDamage(err error) error {
	var refusal syscall.Errno
	switch {
	case err == nil, errors.Is(err, index.ErrDamaged), errors.Is(err, index.ErrBusy), errors.Is(err, index.ErrClosed):
		return err
	case errors.As(err, &refusal) && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return index.Damaged("%v", err)
}

// guarded runs f, which reads files that may be damaged: bleve and its store
// trust what offsets and lengths they find in them, and panic or read beyond the
// end of a file.
func guarded(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			err = index.Damaged("its files cannot be read")
		}
	}()
	return asDamage(f())
}

// logging is held while the standard logger is silent.
var logging sync.Mutex

// silently runs f with the standard logger silent. bleve tells it, and nobody
// else, of snapshots that it cannot load, and then goes on without them; it
// cannot be told otherwise. What is missing then is found by comparing.
func silently(f func() error) error {
	logging.Lock()
	defer logging.Unlock()
	defer log.SetOutput(log.Writer())
	log.SetOutput(io.Discard)
	return f()
}

// summedBytes bounds the size of a store whose checksums are compared when it is
// opened, which takes a third of a second for this many.
const summedBytes = 1 << 30

// documentRoom is the least that a segment takes for a document: its offset.
const documentRoom = 8

// check compares the segments on disk with their checksums, as far as
// summedBytes goes, and keeps a wrong count of documents from becoming memory.
func (s *store) check() error {
	reader, err := s.Reader()
	if err != nil {
		return err
	}
	snapshot := reader.(*scorch.IndexSnapshot)
	defer snapshot.Close()
	total := 0
	for _, part := range snapshot.Segments() {
		file, ok := part.Segment().(interface {
			Data() []byte
			CRC() uint32
		})
		if !ok { // in memory
			continue
		}
		data := file.Data()
		if part.Segment().Count() > uint64(len(data)/documentRoom) {
			return index.Damaged("a segment of %d bytes says that it holds %d documents", len(data), part.Segment().Count())
		}
		if total += len(data); total > summedBytes {
			continue
		}
		if crc32.ChecksumIEEE(data[:len(data)-crc32.Size]) != file.CRC() {
			return index.Damaged("a segment does not have its checksum")
		}
	}
	return nil
}

// matches reports as damage that v holds less than index.json says. More is no
// damage: a process that was adding documents may have been killed. It cannot
// take any away, and when index.json was written last the contents were those
// that it says.
func (m meta) matches(v *view) error {
	switch same := v.content.String() == m.SHA256; {
	case v.live < m.Documents, same && v.live != m.Documents:
		return index.Damaged("%d documents expected, %d found", m.Documents, v.live)
	case same && v.total[byContent] != m.Terms:
		return index.Damaged("%d terms expected, %d found", m.Terms, v.total[byContent])
	}
	return nil
}
