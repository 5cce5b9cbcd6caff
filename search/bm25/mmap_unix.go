//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package bm25

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile returns the bytes of a file that is not empty, and what lets go of them.
func mapFile(f *os.File, size int64) (data []byte, unmap func() error, err error) {
	data, err = unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, &os.PathError{Op: "mmap", Path: f.Name(), Err: err}
	}
	return data, func() error { return unix.Munmap(data) }, nil
}
