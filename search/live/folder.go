package live

import (
	"errors"
	"fmt"

	"trawl/search/index"
)

const (
	storeFolder = "store"
	storeRoot   = "root.bolt" // bleve's list of segments
)

// A meta is the content of index.json. Counts are those of when it was written.
type meta struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	index.Stats
}

func newMeta(params index.Params) meta {
	return meta{index.Live.Format, index.Live.Version, index.Stats{Params: params}}
}

// readMeta reads index.json of a complete index.
func readMeta(dir string) (meta, error) {
	var m meta
	if err := index.Live.ReadMeta(dir, &m); err != nil {
		return m, err
	}
	if m.SHA256 == "" {
		return m, errors.New("index.json has no sha256: run trawl index again, into another folder")
	}
	if err := m.Params.Validate(); err != nil {
		return m, fmt.Errorf("index.json: %w", err)
	}
	return m, nil
}

// claim makes dir a folder in which an index is being built.
func claim(dir string) (*index.Claim, error) {
	return index.Live.Claim(dir, func() error {
		x, err := Open(dir)
		if err != nil {
			return err
		}
		return x.Close()
	})
}
