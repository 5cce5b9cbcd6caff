// Package filelock lets one process at a time write what a lock file stands for.
// [Lock] takes a lock file, [Try] a file that is open already. The kernel lets go
// of a lock when its process ends, however it ends, so there are no stale ones. A
// system or file system that knows no locks keeps nobody out.
package filelock

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Lock takes the lock of that file name in dir, and writes the number of this
// process into it. If another process has it, the error names that one. Closing
// lets go.
func Lock(dir, name string) (_ io.Closer, err error) {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	mine, err := Try(f)
	if err != nil {
		return nil, err
	}
	if !mine {
		return nil, fmt.Errorf("%s is being written by %s: wait for it, or stop it", dir, holder(f))
	}
	if err := f.Truncate(0); err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintln(f, os.Getpid()); err != nil {
		return nil, err
	}
	return f, nil
}

// holder reads who holds a lock from its file.
func holder(f io.Reader) string {
	pid, err := io.ReadAll(io.LimitReader(f, 20))
	if err != nil || len(pid) == 0 {
		return "another process"
	}
	return "process " + strings.TrimSpace(string(pid))
}
