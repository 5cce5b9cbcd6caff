package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"trawl/internal/atomicfile"
)

const (
	metaFile     = "index.json"
	buildingFile = "index.building"
	storeFolder  = "store"
	storeRoot    = "root.bolt" // bleve's list of segments

	formatName    = "trawl live index"
	formatVersion = 1
)

// A meta is the content of index.json.
type meta struct {
	Format    string `json:"format"`
	Version   int    `json:"version"`
	Params    Params `json:"params"`
	Documents int    `json:"documents"` // when index.json was written
	Terms     uint64 `json:"terms"`     // total length of the documents, in terms
	SHA256    string `json:"sha256"`    // of the documents
	Source    string `json:"source,omitempty"`
}

// readMeta reads index.json of a complete index.
func readMeta(dir string) (meta, error) {
	var m meta
	data, err := os.ReadFile(filepath.Join(dir, metaFile))
	if errors.Is(err, fs.ErrNotExist) {
		return m, missingMeta(dir)
	}
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(data, &m); err != nil || m.Format != formatName {
		return m, fmt.Errorf("%w: its %s is another program's", ErrForeign, metaFile)
	}
	if m.Version != formatVersion {
		return m, fmt.Errorf("%s says version %d and this trawl reads version %d: run trawl index again", metaFile, m.Version, formatVersion)
	}
	if m.SHA256 == "" {
		return m, fmt.Errorf("%s has no sha256: run trawl index again", metaFile)
	}
	if err := m.Params.Validate(); err != nil {
		return m, fmt.Errorf("%s: %w", metaFile, err)
	}
	return m, nil
}

// missingMeta returns what the absence of index.json means.
func missingMeta(dir string) error {
	if _, err := os.Stat(dir); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, buildingFile)); err == nil {
		return ErrIncomplete
	}
	return fmt.Errorf("%w: it has no %s", ErrForeign, metaFile)
}

// writeMeta puts index.json in place, whole or not at all, and takes the mark
// of building away.
func writeMeta(dir string, m meta) error {
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
	err = os.Remove(filepath.Join(dir, buildingFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// claim makes dir a folder in which an index is being built. It takes a folder
// that is absent, empty, left by a building that was cut short, or holds a
// damaged index, which are cleared; anything else is left as it is.
func claim(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
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
		if _, err := readMeta(dir); errors.Is(err, ErrForeign) {
			return err
		}
		if !isDamaged(dir) {
			return ErrExists
		}
		if err := discard(dir); err != nil {
			return err
		}
	case has[buildingFile]:
		if err := clearStore(dir); err != nil {
			return err
		}
	case len(entries) > 0:
		return fmt.Errorf("%w, and not empty: it holds %s", ErrForeign, entries[0].Name())
	}
	return os.WriteFile(filepath.Join(dir, buildingFile), nil, 0o644)
}

// clearStore removes the store that a dead process left, if it is dead.
func clearStore(dir string) error {
	store := filepath.Join(dir, storeFolder)
	if _, err := os.Stat(store); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	s, err := openStore(dir, true)
	if errors.Is(err, ErrBusy) {
		return err
	}
	if err == nil {
		if err := s.close(); err != nil {
			return err
		}
	}
	return os.RemoveAll(store)
}

// isDamaged reports whether the complete index in dir is of no use any more.
func isDamaged(dir string) bool {
	x, err := Open(dir)
	if err == nil {
		x.Close()
	}
	return errors.Is(err, ErrDamaged)
}

// discard removes a complete index from dir. index.json goes last, for without
// the store it says that the index is damaged.
func discard(dir string) error {
	if err := os.RemoveAll(filepath.Join(dir, storeFolder)); err != nil {
		return err
	}
	return os.Remove(filepath.Join(dir, metaFile))
}

// abandon removes what claim and the store put into dir.
func abandon(dir string) error {
	return errors.Join(
		os.RemoveAll(filepath.Join(dir, storeFolder)),
		os.Remove(filepath.Join(dir, buildingFile)),
	)
}
