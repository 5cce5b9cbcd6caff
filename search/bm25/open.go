package bm25

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"trawl/search"
	"trawl/search/index"
)

// An Index is an open index.
type Index struct {
	dir    string
	meta   meta
	layout layout

	closed  atomic.Bool  // from the beginning of Close on
	mu      sync.RWMutex // read-held by whoever reads the files; held to close
	unmap   []func() error
	files   map[string][]byte
	terms   dictionary
	texts   library
	lengths [classes]column
	ranks   column // of each document
	order   column // the documents by rank
	norms   [classes]*norms
}

var _ search.Engine = (*Index)(nil)

// Open opens the complete index in dir, which takes milliseconds whatever its
// size: the files are mapped, and of their content only the ends are read. It
// fails with [index.ErrDamaged] if a file is missing or has not the size that
// index.json says. [Index.Verify] reads the rest; damage that Open does not see
// makes the searches that meet it fail with index.ErrDamaged, or find wrong scores.
func Open(dir string) (*Index, error) {
	x, err := open(dir)
	if err != nil {
		return nil, fmt.Errorf("bm25: open %s: %w", dir, err)
	}
	return x, nil
}

func open(dir string) (*Index, error) {
	m, err := readMeta(dir)
	if err != nil {
		return nil, err
	}
	x := &Index{dir: dir, meta: m, layout: layout{m.Documents, m.Window}, files: make(map[string][]byte)}
	for _, name := range binaryFiles {
		if err := x.mapFile(name); err != nil {
			return nil, errors.Join(err, x.release())
		}
	}
	if err := guarded(x.load); err != nil {
		return nil, errors.Join(err, x.release())
	}
	return x, nil
}

// readMeta reads index.json of a complete index.
func readMeta(dir string) (meta, error) {
	var m meta
	if err := index.Static.ReadMeta(dir, &m); err != nil {
		return m, err
	}
	if err := m.validate(); err != nil {
		return m, index.Damaged("%s: %v", metaFile, err)
	}
	return m, nil
}

// mapFile maps a file that has the size that index.json says.
func (x *Index) mapFile(name string) error {
	f, err := os.Open(filepath.Join(x.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return index.Damaged("%s is missing", name)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	switch want := x.meta.Files[name].Size; {
	case info.Size() != want:
		return index.Damaged("%s has %d bytes, and %s says %d", name, info.Size(), metaFile, want)
	case int64(int(want)) != want:
		return fmt.Errorf("%s has %d bytes, more than a process can address on this system", name, want)
	case want < headerBytes:
		return index.Damaged("%s has %d bytes, less than its header", name, want)
	}
	data, unmap, err := mapFile(f, info.Size())
	if err != nil {
		return err
	}
	x.files[name] = data
	x.unmap = append(x.unmap, unmap)
	return nil
}

// load checks the ends of the files, and finds what is in them.
func (x *Index) load() (err error) {
	for _, name := range binaryFiles {
		if err := checkHeader(name, x.files[name]); err != nil {
			return err
		}
	}
	n := x.meta.Documents
	for _, name := range []string{lengthsFile, ranksFile} {
		if got := len(x.files[name]); got != headerBytes+8*n {
			return index.Damaged("%s has %d bytes, too few or too many for %d documents", name, got, n)
		}
	}
	if x.terms, err = openTerms(x.files[termsFile]); err != nil {
		return err
	}
	if x.terms.terms != x.meta.DistinctTerms {
		return index.Damaged("%s has %d terms, and %s says %d", termsFile, x.terms.terms, metaFile, x.meta.DistinctTerms)
	}
	if x.texts, err = openTexts(x.files[textsFile], x.files[offsetsFile], n); err != nil {
		return err
	}
	lengths, ranks := x.files[lengthsFile][headerBytes:], x.files[ranksFile][headerBytes:]
	x.lengths = [classes]column{column(lengths[:4*n]), column(lengths[4*n:])}
	x.ranks, x.order = column(ranks[:4*n]), column(ranks[4*n:])
	for c := range classes {
		x.norms[c] = newNorms(x.meta.Params, x.meta.total(c), n)
	}
	return nil
}

// guarded runs f, which reads mapped files. That they are not what was written
// shows as an index out of range or, if one was cut since, as a fault.
func guarded(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			cause, ok := r.(runtime.Error)
			if !ok {
				panic(r)
			}
			err = index.Damaged("its files do not fit together: %v", cause)
		}
	}()
	return f()
}

// use runs f, which reads the files, while they stay mapped. It does not wait
// for a Close that waits for others.
func (x *Index) use(f func() error) error {
	if x.closed.Load() {
		return index.ErrClosed
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed.Load() {
		return index.ErrClosed
	}
	return guarded(f)
}

// Close closes the index. Searches under way finish first, and a Verify stops;
// later ones fail with [index.ErrClosed]. Closing twice is an error.
func (x *Index) Close() error {
	err := index.ErrClosed
	if !x.closed.Swap(true) {
		x.mu.Lock()
		defer x.mu.Unlock()
		err = x.release()
	}
	if err != nil {
		return fmt.Errorf("bm25: close %s: %w", x.dir, err)
	}
	return nil
}

// release lets go of the files, which nobody reads.
func (x *Index) release() error {
	var errs []error
	for _, unmap := range x.unmap {
		errs = append(errs, unmap())
	}
	return errors.Join(errs...)
}

// Stats describes the index.
func (x *Index) Stats() Stats { return x.meta.Stats }

// Get returns the document with the id, if the index has it. It reads some
// twenty documents to find it.
func (x *Index) Get(id string) (doc search.Document, ok bool, err error) {
	err = x.use(func() error {
		_, raw, found, err := x.find(id)
		if found {
			doc, ok = raw.document(), true
		}
		return err
	})
	if err != nil {
		return search.Document{}, false, fmt.Errorf("bm25: get %q from %s: %w", id, x.dir, err)
	}
	return doc, ok, nil
}

// find returns the document with the id, and its number.
func (x *Index) find(id string) (number uint32, doc rawDocument, ok bool, err error) {
	var block textBlock
	lo, hi := 0, x.order.len()
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		number = x.order.at(uint32(mid))
		block.end = 0 // documents come in no order
		if doc, err = x.texts.read(&block, number); err != nil {
			return 0, doc, false, err
		}
		switch got := string(doc[0]); {
		case got == id:
			return number, doc, true, nil
		case got < id:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return 0, doc, false, nil
}
