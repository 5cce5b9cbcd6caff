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
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return false, nil
	case err != nil && !knowsNone(err):
		return false, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return true, nil
}

// knowsNone reports whether an error says that there are no locks here, as on a
// network file system whose server runs no lock daemon.
func knowsNone(err error) bool {
	return errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOLCK)
}
