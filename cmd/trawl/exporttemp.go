package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"trawl/internal/atomicfile"
	"trawl/internal/filelock"
)

// exportMark stands in the names of folders that trawl export is making, and that it
// holds the lock of as long as it does.
const exportMark = atomicfile.TempSuffix + "-export-"

// A tempFolder is the folder that an export is making, under a name of its own.
type tempFolder struct {
	path string
	lock *os.File // the folder itself; nil where locks keep nobody out
}

// newTempFolder makes one beside out.
func newTempFolder(out string) (t *tempFolder, err error) {
	path, err := os.MkdirTemp(filepath.Dir(out), filepath.Base(out)+exportMark)
	if err != nil {
		return nil, err
	}
	t = &tempFolder{path: path}
	lock, err := os.Open(path)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(path))
	}
	switch mine, err := filelock.Try(lock); {
	case err == nil && !mine:
		return nil, errors.Join(fmt.Errorf("%s is being taken away by another process: try again", path), lock.Close())
	case err == nil && keepsOut(path):
		t.lock = lock
		return t, nil
	}
	return t, lock.Close()
}

// finish puts the folder under its name.
func (t *tempFolder) finish(out string) error {
	if err := t.isThere(); err != nil {
		return err
	}
	if err := os.Chmod(t.path, 0o755); err != nil {
		return err
	}
	if err := os.Rename(t.path, out); err != nil {
		return err
	}
	t.path = out
	return atomicfile.SyncFolder(filepath.Dir(out))
}

// isThere makes sure that the folder is the one that was made, which nobody has taken
// away and appending to it made again.
func (t *tempFolder) isThere() error {
	if t.lock == nil {
		return nil
	}
	own, err := t.lock.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Stat(t.path); err != nil || !os.SameFile(own, there) {
		return fmt.Errorf("%s was taken away while it was being made", t.path)
	}
	return nil
}

// close lets go of the folder, and takes it away if it did not get the name out.
func (t *tempFolder) close(out string) (err error) {
	if t.path != out {
		err = os.RemoveAll(t.path)
	}
	if t.lock != nil {
		err = errors.Join(err, t.lock.Close())
	}
	return err
}

// clearLeftovers takes away what an export that was killed while it made out has left
// beside it, and says so. It tells of what it leaves: what another process may be at.
func clearLeftovers(e env, out string) {
	out = filepath.Clean(out)
	entries, err := os.ReadDir(filepath.Dir(out))
	if err != nil {
		return // there is no such folder yet
	}
	for _, entry := range entries {
		path := filepath.Join(filepath.Dir(out), entry.Name())
		switch {
		case isLeftover(entry, filepath.Base(out)+exportMark) && takeAway(path):
			fmt.Fprintf(e.stderr, "trawl: took away %s, which an export that was killed had left\n", path)
		case isLeftover(entry, filepath.Base(out)+exportMark), isLeftover(entry, filepath.Base(out)+atomicfile.TempSuffix+"-"):
			fmt.Fprintf(e.stderr, "trawl: %s is of an import or export that was killed, or is under way: take it away if none is\n", path)
		}
	}
}

// isLeftover reports whether a name is that of an output that was not finished: a
// folder with a number behind the prefix. An unfinished file is written over.
func isLeftover(entry fs.DirEntry, prefix string) bool {
	number, ok := strings.CutPrefix(entry.Name(), prefix)
	return ok && entry.IsDir() && number != "" && strings.Trim(number, "0123456789") == ""
}

// takeAway removes a folder that no process is at, which its lock tells where locks
// hold; it reports whether it did.
func takeAway(path string) bool {
	lock, err := os.Open(path)
	if err != nil {
		return false
	}
	defer lock.Close()
	if mine, err := filelock.Try(lock); err != nil || !mine || !keepsOut(path) {
		return false
	}
	// Under another name first, so that whoever is at it all the same finds it gone
	// as a whole.
	gone := path + "0"
	if os.Rename(path, gone) != nil {
		return false
	}
	return os.RemoveAll(gone) == nil
}

// keepsOut reports whether the lock that is held of a folder is one that keeps others
// out: some systems and file systems know none.
func keepsOut(path string) bool {
	second, err := os.Open(path)
	if err != nil {
		return false
	}
	defer second.Close()
	mine, err := filelock.Try(second)
	return err == nil && !mine
}
