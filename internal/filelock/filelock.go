// Package filelock lets one process at a time write what a lock file stands for.
// [Lock] takes a lock file, [Try] a file that is open already. The kernel lets go
// of a lock when its process ends, however it ends, so there are no stale ones. A
// system or file system that knows no locks keeps nobody out.
package filelock

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrHeld: another process has the lock.
var ErrHeld = errors.New("wait for it, or stop it")

// Lock takes the lock of that file name in dir, and writes the number of this
// process into it. If another process has it, the error is [ErrHeld] and names
// that one. Closing lets go. The file may be removed by whoever has the lock.
func Lock(dir, name string) (io.Closer, error) {
	for {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, err
		}
		current, err := take(f, dir)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if current {
			return f, nil
		}
		f.Close() // it was removed between opening and locking, and keeps nobody out
	}
}

// take locks f and says in it who did; current is whether f still has its name.
func take(f *os.File, dir string) (current bool, err error) {
	mine, err := Try(f)
	if err != nil {
		return false, err
	}
	if !mine {
		return false, fmt.Errorf("%s is being written by %s: %w", dir, holder(f), ErrHeld)
	}
	opened, err := f.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Stat(f.Name())
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(opened, named) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := f.Truncate(0); err != nil {
		return false, err
	}
	_, err = fmt.Fprintln(f, os.Getpid())
	return true, err
}

// holder reads who holds a lock from its file.
func holder(f io.Reader) string {
	pid, err := io.ReadAll(io.LimitReader(f, 20))
	if err != nil || len(pid) == 0 {
		return "another process"
	}
	return "process " + strings.TrimSpace(string(pid))
}
