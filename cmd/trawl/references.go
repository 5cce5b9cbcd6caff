package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"trawl/corpus/weave"
	"trawl/eval/utility"
	"trawl/internal/text"
)

// readBeside reads the references and traps of the data set of a run: those that
// are named, or else those that lie beside it and speak of its questions.
func readBeside(e env, opts *utility.Options, o evaluateOptions, runs *evaluated) error {
	dataset := runs.folders[0].manifest.Dataset.Path
	if _, named, ok := strings.Cut(o.dataset, ":"); ok {
		dataset = named
	}
	ids := map[string]bool{}
	for _, ex := range runs.examples {
		ids[ex.ID] = true
	}
	err := readEither(e, o.oracle, filepath.Join(filepath.Dir(dataset), weave.OracleFile), "reference trajectories", func(path string) (err error) {
		opts.References, err = loadReferences(path, ids)
		return err
	})
	if err != nil {
		return err
	}
	return readEither(e, o.traps, filepath.Join(filepath.Dir(dataset), weave.TrapsFile), "traps", func(path string) (err error) {
		opts.Traps, err = loadTraps(path, ids)
		return err
	})
}

// errForeign is the error of a file of other questions.
var errForeign = errors.New("none of its questions is of the run")

// errEmpty is the error of a file that holds nothing.
var errEmpty = errors.New("there is nothing in it")

// readEither reads the file that is named, or else the one at usual, if it is there
// and not of other questions.
func readEither(e env, named, usual, what string, read func(path string) error) error {
	if named != "" {
		return read(named)
	}
	err := read(usual)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errEmpty): // a world without traps has an empty file of them
		return nil
	case errors.Is(err, errForeign):
		fmt.Fprintf(e.stderr, "trawl: not used: %v\n", err)
		return nil
	case err == nil:
		fmt.Fprintf(e.stderr, "trawl: %s of %s\n", what, usual)
	}
	return err
}

// loadReferences reads the references of the questions ids.
func loadReferences(path string, ids map[string]bool) (map[string]utility.Reference, error) {
	out := map[string]utility.Reference{}
	err := eachJSONLine(path, func(line []byte) error {
		var task struct {
			ID     string       `json:"id"`
			Oracle []weave.Step `json:"oracle"`
		}
		if err := json.Unmarshal(line, &task); err != nil {
			return text.JSONError(err)
		}
		switch _, twice := out[task.ID]; {
		case task.ID == "":
			return errors.New("no id of a question")
		case len(task.Oracle) == 0:
			return fmt.Errorf("%s: no steps in oracle", task.ID)
		case twice:
			return fmt.Errorf("%s stands twice", task.ID)
		}
		ref := utility.Reference{Steps: len(task.Oracle)}
		for _, s := range task.Oracle {
			if s.Subconclusion != "" {
				ref.Facts = append(ref.Facts, s.Subconclusion)
			}
		}
		out[task.ID] = ref
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, known(path, out, ids)
}

// loadTraps reads the traps of the questions ids.
func loadTraps(path string, ids map[string]bool) (map[string][]utility.Trap, error) {
	out := map[string][]utility.Trap{}
	seen := map[[2]string]bool{}
	err := eachJSONLine(path, func(line []byte) error {
		var trap struct {
			QuestionID string `json:"question_id"`
			utility.Trap
		}
		if err := json.Unmarshal(line, &trap); err != nil {
			return text.JSONError(err)
		}
		if trap.QuestionID == "" || trap.DocID == "" || trap.FalseClaim == "" {
			return errors.New("a trap needs question_id, doc_id and false_claim")
		}
		if key := [2]string{trap.QuestionID, trap.DocID}; seen[key] {
			return fmt.Errorf("the trap %s of question %s stands twice", trap.DocID, trap.QuestionID)
		} else {
			seen[key] = true
		}
		out[trap.QuestionID] = append(out[trap.QuestionID], trap.Trap)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, known(path, out, ids)
}

// known makes sure that a file speaks of the questions of the run.
func known[V any](path string, read map[string]V, ids map[string]bool) error {
	if len(read) == 0 {
		return fmt.Errorf("%s: %w", path, errEmpty)
	}
	for id := range read {
		if ids[id] {
			return nil
		}
	}
	return fmt.Errorf("%s: %w", path, errForeign)
}

// eachJSONLine calls f with each line of a file; the error names the line.
func eachJSONLine(path string, f func(line []byte) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	r, err := text.NewReader(file)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("%s: %w", path, err)
		}
		if !text.Blank(string(line)) {
			if err := f(line); err != nil {
				return fmt.Errorf("%s:%d: %w", path, n, err)
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}
