//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package filelock

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Try takes the lock of f, or reports that another process has it.
func Try(f *os.File) (mine bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return false, nil
	case err != nil && !errors.Is(err, syscall.ENOSYS) && !errors.Is(err, syscall.ENOTSUP):
		return false, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return true, nil
}
