//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package feature

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lock makes this process the only one that writes to f, or reports that another
// does. The kernel lets go of it when the process ends, however it ends. A file
// system that knows no locks keeps nobody out.
func lock(f *os.File) (mine bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return false, nil
	case err != nil && !errors.Is(err, syscall.ENOSYS) && !errors.Is(err, syscall.ENOTSUP):
		return false, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return true, nil
}
