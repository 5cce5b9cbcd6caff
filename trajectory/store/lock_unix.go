//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// lockDir takes the lock of that name in dir or says which process holds it. The
// kernel lets go of it when the process ends, however it ends, so there are no
// stale locks. A file system that knows no locks keeps nobody out.
func lockDir(dir, name string) (_ io.Closer, err error) {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, fmt.Errorf("%s is being written by %s: wait for it, or stop it", dir, holder(f))
	case err != nil && !errors.Is(err, syscall.ENOSYS) && !errors.Is(err, syscall.ENOTSUP):
		return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
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
