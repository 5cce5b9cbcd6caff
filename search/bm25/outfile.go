package bm25

import (
	"bufio"
	"hash/crc32"
	"os"
	"path/filepath"
)

// An outFile is one of the index's files as it is written.
type outFile struct {
	f   *os.File
	w   *bufio.Writer
	sum fileSum
}

// createFile begins the file with the name; what it is to hold comes with its
// header if bare.
func createFile(dir, name string, bare bool) (*outFile, error) {
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	o := &outFile{f: f, w: bufio.NewWriterSize(f, 1<<18)}
	if !bare {
		o.Write(appendHeader(nil, name)) // into the buffer
	}
	return o, nil
}

// Write implements [io.Writer].
func (o *outFile) Write(b []byte) (int, error) {
	o.sum.Size += int64(len(b))
	o.sum.CRC32C = crc32.Update(o.sum.CRC32C, castagnoli, b)
	return o.w.Write(b)
}

// close sees to it that the file is on disk.
func (o *outFile) close() (fileSum, error) {
	err := o.w.Flush()
	if err == nil {
		err = o.f.Sync()
	}
	if closed := o.f.Close(); err == nil {
		err = closed
	}
	return o.sum, err
}
