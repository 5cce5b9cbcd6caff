package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"trawl/corpus/dataset"
	"trawl/corpus/weave"
	"trawl/eval/scaffold"
)

// besideOracle returns where the oracle trajectories of a data set usually are.
func besideOracle(dataset string) string {
	return filepath.Join(filepath.Dir(dataset), weave.OracleFile)
}

// hashedOracle is [loadOracle] for the examples, with the hash of the file.
func hashedOracle(path string, examples []dataset.Example) (oracles map[string][]scaffold.Step, sum string, err error) {
	ids := map[string]bool{}
	for _, ex := range examples {
		ids[ex.ID] = true
	}
	oracles, err = loadOracle(path, ids)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("no oracle trajectories: %w\n  --oracle names a file that has them; trawl weave makes one beside its questions", err)
	}
	if err != nil {
		return nil, "", err
	}
	sum, err = hashFile(path)
	return oracles, sum, err
}

// hashFile returns the SHA-256 of a file.
func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
