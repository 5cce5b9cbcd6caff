package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"trawl/internal/atomicfile"
)

// Counts is what reading a file of lines came to: every line is parsed or
// dropped.
type Counts struct {
	Lines   int          // with an end, or whole but for it
	Parsed  int          // of Lines
	Dropped []*LineError // of Lines: those that cannot be read
	Torn    int64        // bytes of an unfinished last line
}

// A LineError is a line that cannot be read.
type LineError struct {
	File string // its base name
	Line int    // from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }

// Unwrap returns what is wrong with the line.
func (e *LineError) Unwrap() error { return e.Err }

// eachLine gives every line of r to keep, with its offset and without its end,
// and counts those for which keep returns an error as dropped. A last line
// without an end counts if keep takes it. end is the offset behind what counts;
// ragged says that the line before it has no end.
func eachLine(r io.Reader, name string, keep func(line []byte, at int64) error) (c Counts, end int64, ragged bool, err error) {
	br := bufio.NewReaderSize(r, 1<<16)
	for {
		line, err := br.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return c, end, false, err
		}
		if len(line) == 0 {
			return c, end, false, nil
		}
		torn := err == io.EOF
		bad := keep(bytes.TrimSuffix(line, []byte("\n")), end)
		if torn && bad != nil {
			c.Torn = int64(len(line))
			return c, end, false, nil
		}
		c.Lines++
		if bad != nil {
			c.Dropped = append(c.Dropped, &LineError{File: name, Line: c.Lines, Err: bad})
		} else {
			c.Parsed++
		}
		end += int64(len(line))
		if torn {
			return c, end, true, nil
		}
	}
}

// A file is what a log needs of an os.File.
type file interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	Sync() error
	Close() error
}

// A log is a file of lines that grows at its end. It is safe for concurrent use.
type log struct {
	f    file
	path string
	info os.FileInfo // of f; nil if nobody is to watch the path

	mu     sync.Mutex
	end    int64
	broken error // of an fsync, after which nobody knows what is on disk, or ErrGone

	syncing sync.Mutex
	synced  int64 // guarded by syncing
}

// openLog opens or makes the file at path, gives its lines to keep as
// [eachLine] does, and mends its end.
func openLog(path string, keep func(line []byte, at int64) error) (*log, Counts, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = makeFile(path)
	}
	if err != nil {
		return nil, Counts{}, err
	}
	counts, end, ragged, err := eachLine(f, filepath.Base(path), keep)
	if err == nil && counts.Torn > 0 {
		err = f.Truncate(end)
	}
	if err == nil && ragged {
		_, err = f.WriteAt([]byte("\n"), end)
		end++
	}
	if err != nil {
		return nil, counts, errors.Join(err, f.Close())
	}
	info, err := f.Stat()
	if err != nil {
		return nil, counts, errors.Join(err, f.Close())
	}
	return &log{f: f, path: path, info: info, end: end}, counts, nil
}

// makeFile makes a file whose name is on disk when it returns.
func makeFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := atomicfile.SyncFolder(filepath.Dir(path)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// present makes sure that the path still names the file: what is written to one
// that was deleted, or moved, is in no run any more. It needs l.mu.
func (l *log) present() error {
	if l.broken != nil || l.info == nil {
		return l.broken
	}
	now, err := os.Stat(l.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(l.info, now):
		l.broken = fmt.Errorf("%s %w: what was written since is lost, unless the folder was moved", l.path, ErrGone)
		return l.broken
	}
	return err
}

// check is present for callers without l.mu.
func (l *log) check() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.present()
}

// append writes a line, which has its end, and returns its offset. If it cannot
// be written whole, the file stays as it was.
func (l *log) append(line []byte) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.present(); err != nil {
		return 0, err
	}
	at := l.end
	if _, err := l.f.WriteAt(line, at); err != nil {
		return 0, errors.Join(err, l.f.Truncate(at))
	}
	l.end += int64(len(line))
	return at, nil
}

// sync returns when all that was appended before the call is on disk. Of those
// that call it at once, one does the work for all.
func (l *log) sync() error {
	l.mu.Lock()
	want := l.end
	l.mu.Unlock()

	l.syncing.Lock()
	defer l.syncing.Unlock()
	if l.synced >= want {
		return nil
	}
	l.mu.Lock()
	end, err := l.end, l.broken
	l.mu.Unlock()
	if err != nil {
		return err
	}
	err = l.f.Sync()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.broken = err
		return err
	}
	if err := l.present(); err != nil {
		return err
	}
	l.synced = end
	return nil
}

// read returns size bytes at the offset at.
func (l *log) read(at int64, size int) ([]byte, error) {
	b := make([]byte, size)
	_, err := l.f.ReadAt(b, at)
	return b, err
}

// empty makes the log empty.
func (l *log) empty() error {
	l.syncing.Lock()
	defer l.syncing.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.present(); err != nil {
		return err
	}
	if err := l.f.Truncate(0); err != nil {
		return err
	}
	l.end, l.synced = 0, 0
	return nil
}
