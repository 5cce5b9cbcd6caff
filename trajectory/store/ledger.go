package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"sync"

	"trawl/internal/filelock"
)

// A kind is a kind of lines of which the newest of each key counts, and the file
// that they stand in. The file has a lock of its own: what it holds is made of
// rollouts that are done, while a run may go on.
type kind[K comparable, V any] struct {
	name, lock string
	decode     func(line []byte) (V, error)
	key        func(V) K
}

// A ledger is such a file, open for writing. It is safe for concurrent use.
type ledger[K comparable, V any] struct {
	kind[K, V]
	held   io.Closer
	log    *log
	counts Counts

	mu     sync.Mutex
	newest map[K]span
}

// open opens the file in the run folder dir for writing, mends its end as [Open]
// does, and keeps out others who would write it.
func (k kind[K, V]) open(dir string) (*ledger[K, V], error) {
	if _, err := ReadManifest(dir); err != nil {
		return nil, err
	}
	held, err := filelock.Lock(dir, k.lock)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	l := &ledger[K, V]{kind: k, held: held, newest: map[K]span{}}
	l.log, l.counts, err = openLog(filepath.Join(dir, k.name), func(line []byte, at int64) error {
		v, err := k.decode(line)
		if err == nil {
			l.newest[k.key(v)] = span{at, len(line)}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("store: %w", errors.Join(err, held.Close()))
	}
	return l, nil
}

// find returns the newest line of a key. One that cannot be read any more is not
// there.
func (l *ledger[K, V]) find(key K) (V, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.findLocked(key)
}

// findLocked is find for callers that hold l.mu.
func (l *ledger[K, V]) findLocked(key K) (v V, ok bool) {
	where, ok := l.newest[key]
	if !ok {
		return v, false
	}
	line, err := l.log.read(where.at, where.size)
	if err != nil {
		return v, false
	}
	v, err = l.decode(line)
	return v, err == nil
}

// put writes a line as far as the kernel, unless the newest of its key is the same,
// and reports whether it did.
func (l *ledger[K, V]) put(v V, same func(old, v V) bool) (bool, error) {
	line, err := encode(v)
	if err == nil {
		v, err = l.decode(line) // as it will be found, also where its text is not valid UTF-8
	}
	if err != nil {
		return false, err
	}
	key := l.key(v)
	l.mu.Lock()
	defer l.mu.Unlock()
	if old, ok := l.findLocked(key); ok && same(old, v) {
		return false, nil
	}
	at, err := l.log.append(line)
	if err != nil {
		return false, err
	}
	l.newest[key] = span{at, len(line) - 1}
	return true, nil
}

// add puts a line that was found valid, or reports why it was not, and has it on disk
// when it returns. It reports whether the line is new.
func (l *ledger[K, V]) add(v V, invalid error) (written bool, err error) {
	if err = invalid; err == nil {
		written, err = l.put(v, func(old, v V) bool { return reflect.DeepEqual(old, v) })
	}
	if err == nil {
		err = l.log.sync()
	}
	if err != nil {
		return false, fmt.Errorf("store: %w", err)
	}
	return written, nil
}

// close puts the lines on disk and lets go of the file.
func (l *ledger[K, V]) close() error {
	if err := errors.Join(l.log.sync(), l.log.f.Close(), l.held.Close()); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// read returns what counts in the file in the run folder dir, in the order in
// which the keys first came; none if there is no file.
func (k kind[K, V]) read(dir string) ([]V, Counts, error) {
	f, err := os.Open(filepath.Join(dir, k.name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Counts{}, nil
	}
	if err != nil {
		return nil, Counts{}, fmt.Errorf("store: %w", err)
	}
	defer f.Close()
	var all []V
	at := map[K]int{}
	counts, _, _, err := eachLine(f, k.name, func(line []byte, _ int64) error {
		v, err := k.decode(line)
		if err != nil {
			return err
		}
		if i, ok := at[k.key(v)]; ok {
			all[i] = v
			return nil
		}
		at[k.key(v)] = len(all)
		all = append(all, v)
		return nil
	})
	if err != nil {
		return nil, counts, fmt.Errorf("store: %w", err)
	}
	return all, counts, nil
}
