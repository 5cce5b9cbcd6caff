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

	"trawl/corpus/dataset"
	"trawl/corpus/weave"
	"trawl/eval"
	"trawl/eval/scaffold"
	"trawl/eval/utility"
	"trawl/internal/text"
	"trawl/trajectory"
)

// readBeside reads the references and traps of the data set of a run: those that
// are named, or else those that lie beside it and speak of its questions.
func readBeside(e env, opts *utility.Options, o evaluateOptions, runs *evaluated) error {
	questions := runs.folders[0].manifest.Dataset.Path
	if _, named, ok := strings.Cut(o.dataset, ":"); ok {
		questions = named
	}
	ids, examples := map[string]bool{}, map[string]dataset.Example{}
	for _, ex := range runs.examples {
		ids[ex.ID], examples[ex.ID] = true, ex
	}
	err := readEither(e, o.oracle, besideOracle(questions), "reference trajectories", func(path string) (err error) {
		opts.References, err = loadReferences(path, ids)
		return err
	})
	if err != nil {
		return err
	}
	return readEither(e, o.traps, filepath.Join(filepath.Dir(questions), weave.TrapsFile), "traps", func(path string) (err error) {
		opts.Traps, err = loadTraps(path, examples)
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
	oracles, err := loadOracle(path, ids)
	if err != nil {
		return nil, err
	}
	out := map[string]utility.Reference{}
	for id, steps := range oracles {
		var ref utility.Reference
		for _, s := range steps {
			ref.Actions = append(ref.Actions, trajectory.Kind(s.Action))
			ref.Facts = append(ref.Facts, s.Subconclusion)
		}
		out[id] = ref
	}
	return out, nil
}

// loadOracle reads oracle trajectories, each of at least one step that has a
// conclusion, by question. Some must be of the questions ids; those of others are
// there too. Steps have whatever arguments they have in the file.
func loadOracle(path string, ids map[string]bool) (map[string][]scaffold.Step, error) {
	out := map[string][]scaffold.Step{}
	err := eachJSONLine(path, func(line []byte) error {
		var task struct {
			ID     string          `json:"id"`
			Oracle []scaffold.Step `json:"oracle"`
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
		for i, s := range task.Oracle {
			if text.Blank(s.Subconclusion) { // so of a step that is null or {}
				return fmt.Errorf("%s: step %d of the oracle: no subconclusion", task.ID, i+1)
			}
		}
		out[task.ID] = task.Oracle
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, known(path, out, ids)
}

// loadTraps reads the traps of the examples, which are by question id. One whose false
// answer is right is refused: who gives it has not walked into anything.
func loadTraps(path string, examples map[string]dataset.Example) (map[string][]utility.Trap, error) {
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
		if trap.FalseAnswer != "" && eval.Mark(examples[trap.QuestionID], trap.FalseAnswer).EM {
			return fmt.Errorf("the false answer %q of the trap %s is a gold answer of question %s: take the line out, or mend it", trap.FalseAnswer, trap.DocID, trap.QuestionID)
		}
		out[trap.QuestionID] = append(out[trap.QuestionID], trap.Trap)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, known(path, out, examples)
}

// readScaffold returns the report of trawl scaffold on the run in the folder dir; nil if
// there is none.
func readScaffold(dir string) (*scaffold.Report, error) {
	path := filepath.Join(dir, "scaffold", reportFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	r := new(scaffold.Report)
	if err == nil {
		err = text.JSONError(json.Unmarshal(data, r))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// known makes sure that a file speaks of the questions of the run, which are the keys
// of asked.
func known[V, W any](path string, read map[string]V, asked map[string]W) error {
	if len(read) == 0 {
		return fmt.Errorf("%s: %w", path, errEmpty)
	}
	for id := range read {
		if _, ok := asked[id]; ok {
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
