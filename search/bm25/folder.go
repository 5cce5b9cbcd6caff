package bm25

import (
	"errors"
	"os"
	"path/filepath"

	"trawl/search/index"
)

// runsFolder holds what a building needs on its way.
const runsFolder = "runs"

// claim makes dir a folder in which an index is being built.
func claim(dir string) (*index.Claim, error) {
	c, err := index.Static.Claim(dir, func() error {
		x, err := open(dir)
		if err != nil {
			return err
		}
		return x.release()
	})
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(filepath.Join(dir, runsFolder), 0o755); err != nil {
		return nil, errors.Join(err, c.Abandon())
	}
	return c, nil
}

// finish makes the folder that of a complete index.
func finish(c *index.Claim, dir string, m meta) error {
	if err := os.RemoveAll(filepath.Join(dir, runsFolder)); err != nil {
		return err
	}
	return c.Finish(m)
}
