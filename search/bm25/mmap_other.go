//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package bm25

import (
	"io"
	"os"
)

// mapFile reads the file whole: on this system an index takes memory for each
// process that has it open.
func mapFile(f *os.File, size int64) (data []byte, unmap func() error, err error) {
	data = make([]byte, size)
	_, err = io.ReadFull(f, data)
	return data, func() error { return nil }, err
}
