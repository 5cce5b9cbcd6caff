package index

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"trawl/internal/atomicfile"
	"trawl/internal/filelock"
)

// A Claim is a folder in which an index is being built, by this process alone.
// It ends with Finish, Abandon or Release.
type Claim struct {
	dir  string
	kind Kind
	lock io.Closer
}

// Claim makes dir a folder in which an index of this kind is being built. It
// takes a folder that is absent, empty, left by a building that was cut short, or
// holds an index of this kind that open finds damaged, and clears it; anything
// else is left as it is, and is [ErrExists], [ErrForeign] or [ErrBusy].
func (k Kind) Claim(dir string, open func() error) (*Claim, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := k.claimable(dir, open); err != nil {
		return nil, err
	}
	lock, err := filelock.Lock(dir, buildingFile)
	if errors.Is(err, filelock.ErrHeld) {
		return nil, fmt.Errorf("%w: %w", ErrBusy, err)
	}
	if err != nil {
		return nil, err
	}
	if err = k.claimable(dir, open); err == nil { // once more, for another building may have ended since
		err = clearFolder(dir)
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return &Claim{dir, k, lock}, nil
}

// claimable reports a folder that holds anything worth keeping.
func (k Kind) claimable(dir string, open func() error) error {
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
		kind, _, err := read(dir)
		if err != nil {
			return err
		}
		if kind.Format != k.Format {
			return fmt.Errorf("%w, a %s", ErrExists, kind.Format)
		}
		switch err := open(); {
		case err == nil:
			return ErrExists
		case !errors.Is(err, ErrDamaged):
			return fmt.Errorf("%w: %w", ErrExists, err)
		}
	case len(entries) > 0 && !has[buildingFile]:
		return fmt.Errorf("%w, and not empty: it holds %s", ErrForeign, entries[0].Name())
	}
	return nil
}

// clearFolder removes what any building may have left.
func clearFolder(dir string) error {
	for _, name := range leftovers() {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// leftovers returns what any building may leave, in the order in which it is to
// be removed: index.json goes first, for without it the mark of building says
// that nothing else is worth keeping.
func leftovers() []string {
	names := []string{metaFile, metaFile + atomicfile.TempSuffix}
	for _, kind := range kinds {
		names = append(names, kind.Contents...)
	}
	return names
}

// Finish makes the folder that of a complete index, with meta as its index.json.
// If it fails, the claim has not ended.
func (c *Claim) Finish(meta any) error {
	if err := WriteMeta(c.dir, meta); err != nil {
		return err
	}
	c.unmark() //nolint:errcheck // the index is complete, and a mark that stays does no harm
	return nil
}

// Abandon removes what the building put into the folder.
func (c *Claim) Abandon() error {
	return errors.Join(clearFolder(c.dir), c.unmark())
}

// unmark takes the mark of building away and then lets go of its lock: behind
// the lock it might be another's. Only Windows, which removes no open file, needs
// it the other way round.
func (c *Claim) unmark() error {
	mark := filepath.Join(c.dir, buildingFile)
	removed := os.Remove(mark)
	err := c.lock.Close()
	if removed != nil && !errors.Is(removed, fs.ErrNotExist) {
		removed = os.Remove(mark)
	}
	if errors.Is(removed, fs.ErrNotExist) {
		removed = nil
	}
	return errors.Join(err, removed)
}

// Release leaves the folder as it is: an index whose building was cut short.
func (c *Claim) Release() error { return c.lock.Close() }

// WriteMeta puts index.json in place, whole or not at all.
func WriteMeta(dir string, meta any) error {
	data, err := json.MarshalIndent(meta, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, metaFile), func(w io.Writer) error {
		_, err := w.Write(append(data, '\n'))
		return err
	})
}
