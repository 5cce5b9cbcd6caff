package feature

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"trawl/internal/filelock"
)

// Names of the files in an embedder's folder.
const (
	vectorsName = "vectors.f16"
	keysName    = "vectors.keys"
)

// A cache is the file of one embedder's vectors. The file of keys beside it is
// there to open it fast, and can be deleted. One goroutine at a time appends;
// reading is safe for concurrent use.
type cache struct {
	data   *os.File
	keys   *os.File // nil: another process writes
	name   string
	dims   int // 0: there is no header yet
	n      atomic.Int64
	sound  []bool // records that were there when it was opened: already checked
	counts Counts
	buffer sync.Pool
}

// openCache opens, or makes, the cache of the embedder below root, for vectors of
// so many numbers if that is not 0, and returns the keys of its records.
func openCache(root, name string, dims int) (_ *cache, keys []key, err error) {
	if len(name) > maxName {
		return nil, nil, fmt.Errorf("the name of the embedder has %d bytes, more than %d", len(name), maxName)
	}
	c := &cache{name: name, dims: dims}
	dir := filepath.Join(root, folderName(name))
	path := filepath.Join(dir, vectorsName)
	mine, err := c.openData(dir, path)
	if err != nil {
		return nil, nil, fmt.Errorf("cache of vectors: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close())
		}
	}()
	n, err := c.mend(mine)
	if err != nil {
		return nil, nil, fmt.Errorf("cache of vectors: %s %w", path, err)
	}
	if keys, err = c.openKeys(filepath.Join(dir, keysName), n, mine); err != nil {
		return nil, nil, fmt.Errorf("cache of vectors: %w", err)
	}
	c.n.Store(int64(n))
	c.sound = make([]bool, n)
	return c, keys, nil
}

// openData opens the file of vectors and reports whether this process may write.
func (c *cache) openData(dir, path string) (mine bool, err error) {
	err = os.MkdirAll(dir, 0o755)
	if err == nil {
		c.data, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	}
	if err != nil {
		return false, err
	}
	if mine, err = filelock.Try(c.data); err != nil {
		return false, errors.Join(err, c.data.Close())
	}
	if !mine {
		c.counts.Note = dir + " is being written by another process: vectors of further texts are kept in memory only"
	}
	return mine, nil
}

// mend reads the header, cuts off what was not written whole, and returns the
// number of records.
func (c *cache) mend(mine bool) (n int, err error) {
	info, err := c.data.Stat()
	if err != nil {
		return 0, err
	}
	size := info.Size()
	whole := int64(0)
	if size >= headerSize {
		b := make([]byte, headerSize)
		if _, err := c.data.ReadAt(b, 0); err != nil {
			return 0, err
		}
		h, err := decodeHeader(b)
		if err == nil {
			err = h.fits(c.name, c.dims)
		}
		if err != nil {
			return 0, fmt.Errorf("%w: delete it, or name another folder, to embed the texts anew", err)
		}
		c.dims = h.dims
		n = int((size - headerSize) / int64(recordSize(c.dims)))
		whole = offset(n, c.dims)
	}
	if mine && size > whole {
		c.counts.Torn = size - whole
		err = c.data.Truncate(whole)
	}
	return n, err
}

// openKeys returns the keys of the n records. If the cache is ours, it brings the
// file of keys up to them.
func (c *cache) openKeys(path string, n int, mine bool) ([]key, error) {
	list, err := readAtMost(path, n*keySize)
	if err != nil {
		return nil, err
	}
	keys, dropped := readKeys(c.data, n, c.dims, list)
	c.counts.Dropped = dropped
	if !mine {
		return keys, nil
	}
	if c.keys, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return nil, err
	}
	known := len(list) / keySize
	if err := c.keys.Truncate(int64(known) * int64(keySize)); err != nil {
		return nil, err
	}
	return keys, c.appendKeys(known, keys[known:])
}

// readAtMost returns the first n bytes of a file, or all; none if there is no
// such file.
func readAtMost(path string, n int) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(f, int64(n)))
	return b, errors.Join(err, f.Close())
}

func (c *cache) appendKeys(first int, keys []key) error {
	b := make([]byte, 0, len(keys)*keySize)
	for _, k := range keys {
		b = append(b, k[:]...)
	}
	_, err := c.keys.WriteAt(b, int64(first)*int64(keySize))
	return err
}

func (c *cache) len() int { return int(c.n.Load()) }

func (c *cache) readOnly() bool { return c.keys == nil }

// checked reports whether a record needs no check: this process wrote it, or
// passed it.
func (c *cache) checked(row int32) bool {
	return int(row) >= len(c.sound) || c.sound[row]
}

// pass says that a record was found sound.
func (c *cache) pass(row int32) { c.sound[row] = true }

// append writes records and returns the number of the first. If it cannot write
// them whole, the file stays as it was.
func (c *cache) append(keys []key, packed []byte, dims int) (first int, err error) {
	first = c.len()
	if c.dims == 0 || first == 0 {
		c.dims = dims
		if _, err := c.data.WriteAt(header{name: c.name, dims: dims}.encode(), 0); err != nil {
			return 0, fmt.Errorf("%w: nothing is lost, %s is as it was", errors.Join(err, c.data.Truncate(0)), c.data.Name())
		}
	}
	_, err = c.data.WriteAt(encodeRecords(keys, packed, dims), offset(first, dims))
	if err == nil {
		err = c.appendKeys(first, keys)
	}
	if err != nil {
		err = errors.Join(err, c.data.Truncate(offset(first, dims)))
		return 0, fmt.Errorf("%w: what %s held before is kept", err, c.data.Name())
	}
	c.n.Add(int64(len(keys)))
	return first, nil
}

// check reports whether record i is whole and that of k.
func (c *cache) check(i int32, k key) bool {
	r := c.borrow()
	defer c.buffer.Put(r)
	got, ok := readRecord(c.data, int(i), c.dims, *r)
	return ok && got == k
}

// read sets dst to the vector of record i.
func (c *cache) read(i int, dst []float32) error {
	if i < 0 || len(dst) != c.dims {
		panic(badRow)
	}
	r := c.borrow()
	defer c.buffer.Put(r)
	b := (*r)[:2*len(dst)]
	if _, err := c.data.ReadAt(b, offset(i, c.dims)+int64(keySize)); err != nil {
		return err
	}
	widen(dst, b)
	return nil
}

// borrow returns a buffer for one record.
func (c *cache) borrow() *[]byte {
	if r, ok := c.buffer.Get().(*[]byte); ok {
		return r
	}
	r := make([]byte, recordSize(c.dims))
	return &r
}

// close puts what was written on disk and lets others write.
func (c *cache) close() error {
	var errs []error
	written := c.len() > len(c.sound)
	for _, f := range []*os.File{c.keys, c.data} {
		if f == nil {
			continue
		}
		if written {
			errs = append(errs, f.Sync())
		}
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
