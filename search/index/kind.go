package index

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"trawl/internal/filelock"
)

const (
	metaFile     = "index.json"
	buildingFile = "index.building"
	runsFolder   = "runs" // only while an index is built
)

// A Kind is the folder of one engine.
type Kind struct {
	Format   string   // as index.json names it
	Version  int      // that this program writes and reads
	Contents []string // files and folders beside index.json, while it is built and after
}

var (
	// Live is the folder of [trawl/search/live].
	Live = Kind{"trawl live index", 1, []string{"store"}}
	// Static is the folder of [trawl/search/bm25].
	Static = Kind{"trawl bm25 index", 1, []string{"terms", "postings", "lengths", "ranks", "texts", "offsets", runsFolder}}
)

var kinds = []Kind{Live, Static}

// A header is the part of index.json that all kinds have.
type header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
}

// KindOf returns the kind of the complete index in dir. It fails with [ErrBusy]
// while one is being built there, with [ErrIncomplete] if that was cut short, and
// with [ErrDamaged] if index.json is no longer JSON, and with [ErrForeign] if the
// folder holds something else.
func KindOf(dir string) (Kind, error) {
	kind, _, err := read(dir)
	if err != nil {
		return Kind{}, fmt.Errorf("index: %s: %w", dir, err)
	}
	return kind, nil
}

// read returns the kind of an index and the content of index.json.
func read(dir string) (Kind, []byte, error) {
	data, err := os.ReadFile(filepath.Join(dir, metaFile))
	if errors.Is(err, fs.ErrNotExist) {
		return Kind{}, nil, missing(dir)
	}
	if err != nil {
		return Kind{}, nil, err
	}
	var h header
	if json.Unmarshal(data, &h) == nil {
		for _, kind := range kinds {
			if kind.Format == h.Format {
				return kind, data, nil
			}
		}
	}
	if !json.Valid(data) && ours(dir, data) {
		return Kind{}, nil, Damaged("%s is cut short or overwritten", metaFile)
	}
	return Kind{}, nil, fmt.Errorf("%w: its %s is another program's", ErrForeign, metaFile)
}

// ours reports whether an index.json that is no JSON is what is left of one of
// ours: it says so, or the files beside it are those of a complete index.
func ours(dir string, data []byte) bool {
	return slices.ContainsFunc(kinds, func(k Kind) bool {
		return bytes.Contains(data, []byte(k.Format)) || !slices.ContainsFunc(k.Contents, func(name string) bool {
			_, err := os.Stat(filepath.Join(dir, name))
			return err != nil && name != runsFolder
		})
	})
}

// missing returns what the absence of index.json means.
func missing(dir string) error {
	if _, err := os.Stat(dir); err != nil {
		return err
	}
	f, err := os.Open(filepath.Join(dir, buildingFile))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: it has no %s", ErrForeign, metaFile)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if mine, err := filelock.Try(f); err == nil && !mine {
		return fmt.Errorf("%w: it is being built", ErrBusy)
	}
	return ErrIncomplete
}

// ReadMeta reads index.json of a complete index of this kind into meta.
func (k Kind) ReadMeta(dir string, meta any) error {
	kind, data, err := read(dir)
	if err != nil {
		return err
	}
	if kind.Format != k.Format {
		return fmt.Errorf("%w of this kind, but a %s", ErrForeign, kind.Format)
	}
	var h header
	if err := json.Unmarshal(data, &h); err != nil {
		return err
	}
	if h.Version != k.Version {
		return fmt.Errorf("%s says version %d and this trawl reads version %d: run trawl index again, into another folder", metaFile, h.Version, k.Version)
	}
	if err := json.Unmarshal(data, meta); err != nil {
		return Damaged("%s: %v", metaFile, err)
	}
	return nil
}
