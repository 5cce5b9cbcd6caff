package bm25

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"trawl/internal/atomicfile"
	"trawl/internal/filelock"
)

// ErrExists: the folder holds a complete index that is not damaged, which Build
// leaves alone.
var ErrExists = errors.New("the folder already holds an index")

// runsFolder holds what a building needs on its way.
const runsFolder = "runs"

// claim makes dir a folder in which an index is being built, until the lock that
// it returns is closed. It takes a folder that is absent, empty, left by a
// building that was cut short, or holds a damaged index, which are cleared;
// anything else is left as it is.
func claim(dir string) (io.Closer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := claimable(dir); err != nil {
		return nil, err
	}
	lock, err := filelock.Lock(dir, buildingFile)
	if err != nil {
		return nil, err
	}
	if err = clearFolder(dir); err == nil {
		err = os.Mkdir(filepath.Join(dir, runsFolder), 0o755)
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

// claimable reports a folder that holds anything worth keeping.
func claimable(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	has := make(map[string]bool, len(entries))
	for _, e := range entries {
		has[e.Name()] = true
	}
	switch {
	case has[metaFile]:
		x, err := open(dir)
		if err == nil {
			return errors.Join(ErrExists, x.release())
		}
		if !errors.Is(err, ErrDamaged) {
			return err
		}
	case len(entries) > 0 && !has[buildingFile]:
		return fmt.Errorf("%w, and not empty: it holds %s", ErrForeign, entries[0].Name())
	}
	return nil
}

// clearFolder removes the files of an index, index.json first: without the
// others it would say that the index is damaged, and without it the mark of
// building says that nothing is lost.
func clearFolder(dir string) error {
	for _, name := range append([]string{metaFile}, binaryFiles...) {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return os.RemoveAll(filepath.Join(dir, runsFolder))
}

// finish makes the folder that of a complete index.
func finish(dir string, m meta) error {
	if err := os.RemoveAll(filepath.Join(dir, runsFolder)); err != nil {
		return err
	}
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	err = atomicfile.Write(filepath.Join(dir, metaFile), func(w io.Writer) error {
		_, err := w.Write(append(data, '\n'))
		return err
	})
	if err != nil {
		return err
	}
	return os.Remove(filepath.Join(dir, buildingFile))
}

// abandon removes what claim and the building put into dir.
func abandon(dir string) error {
	return errors.Join(clearFolder(dir), os.Remove(filepath.Join(dir, buildingFile)))
}
