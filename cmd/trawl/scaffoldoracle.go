package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"trawl/corpus/dataset"
	"trawl/corpus/weave"
	"trawl/eval/scaffold"
	"trawl/internal/text"
)

// besideOracle returns where the oracle trajectories of a data set usually are.
func besideOracle(dataset string) string {
	return filepath.Join(filepath.Dir(dataset), weave.OracleFile)
}

// loadOracles reads oracle trajectories by question, and the hash of their file.
// Some must be of the examples.
func loadOracles(path string, examples []dataset.Example) (oracles map[string][]scaffold.Step, sum string, err error) {
	oracles = map[string][]scaffold.Step{}
	err = eachJSONLine(path, func(line []byte) error {
		var task struct {
			ID     string          `json:"id"`
			Oracle []scaffold.Step `json:"oracle"`
		}
		if err := json.Unmarshal(line, &task); err != nil {
			return text.JSONError(err)
		}
		switch _, twice := oracles[task.ID]; {
		case task.ID == "":
			return errors.New("no id of a question")
		case len(task.Oracle) == 0:
			return fmt.Errorf("%s: no steps in oracle", task.ID)
		case twice:
			return fmt.Errorf("%s stands twice", task.ID)
		}
		oracles[task.ID] = task.Oracle
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("no oracle trajectories: %w\n  --oracle names a file that has them; trawl weave makes one beside its questions", err)
	}
	if err != nil {
		return nil, "", err
	}
	ids := map[string]bool{}
	for _, ex := range examples {
		ids[ex.ID] = true
	}
	if err := known(path, oracles, ids); err != nil {
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
