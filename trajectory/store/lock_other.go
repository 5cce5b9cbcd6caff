//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package store

import (
	"io"
	"os"
	"path/filepath"
)

// lockDir makes the lock file of that name in dir. It keeps nobody out: on this system it is
// the user who must not let two processes write one run at a time.
func lockDir(dir, name string) (io.Closer, error) {
	return os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE, 0o644)
}
