// Package atomicfile replaces files at once: whoever reads one, be it after the
// process was killed or the power went, finds what was there before or all of
// what was written. [Write] is all there is to it; [SyncFolder] is for those who
// rename or make files themselves.
package atomicfile

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// TempSuffix marks a file that is not whole yet. [Write] leaves one behind only
// if the process dies in it, and overwrites it the next time.
const TempSuffix = ".tmp"

// Write makes the file at path of what write writes, which is buffered. It is on
// disk, under its name, when Write returns; if Write fails, the file at path is
// as it was. Callers see to it that one of them at a time writes to a path.
func Write(path string, write func(io.Writer) error) error {
	temp := path + TempSuffix
	err := writeSynced(temp, write)
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		os.Remove(temp) // the error that matters is err
		return err
	}
	return SyncFolder(filepath.Dir(path))
}

func writeSynced(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(f, 1<<16)
	err = write(b)
	if err == nil {
		err = b.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// SyncFolder puts the names in the folder on disk. On Windows, where a folder
// cannot be synced, it does nothing.
func SyncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
