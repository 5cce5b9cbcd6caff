package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"trawl/internal/atomicfile"
	"trawl/internal/text"
)

const verdictsName = "verdicts.jsonl"

// VerdictVersion is the version of the form of a line of verdicts.jsonl.
const VerdictVersion = 1

// A Verdict is a line of verdicts.jsonl: what a judge said of an answer to a
// question. There is one for each question and answer; of two lines the later
// counts.
type Verdict struct {
	V          int    `json:"v"`
	QuestionID string `json:"question_id"`
	Answer     string `json:"answer"` // as the rollouts give it
	Correct    bool   `json:"correct"`
	Judge      string `json:"judge"` // who said so
}

// writeVerdicts writes the verdicts of a new run folder, if there are any.
func writeVerdicts(dir string, verdicts []Verdict) error {
	if len(verdicts) == 0 {
		return nil
	}
	return atomicfile.Write(filepath.Join(dir, verdictsName), func(w io.Writer) error {
		for _, v := range verdicts {
			v.V = VerdictVersion
			line, err := encode(v)
			if err != nil {
				return err
			}
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
}

// ReadVerdicts returns the verdicts in the run folder dir in the order in which
// they were first given; none if there are none.
func ReadVerdicts(dir string) ([]Verdict, Counts, error) {
	f, err := os.Open(filepath.Join(dir, verdictsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Counts{}, nil
	}
	if err != nil {
		return nil, Counts{}, fmt.Errorf("store: %w", err)
	}
	defer f.Close()
	var all []Verdict
	at := map[[2]string]int{}
	counts, _, _, err := eachLine(f, verdictsName, func(line []byte, _ int64) error {
		var v Verdict
		if err := json.Unmarshal(line, &v); err != nil {
			return text.JSONError(err)
		}
		if v.V != VerdictVersion || v.QuestionID == "" {
			return fmt.Errorf("a verdict of version %d on question %q, want version %d", v.V, v.QuestionID, VerdictVersion)
		}
		key := [2]string{v.QuestionID, v.Answer}
		if i, ok := at[key]; ok {
			all[i] = v
			return nil
		}
		at[key] = len(all)
		all = append(all, v)
		return nil
	})
	if err != nil {
		return nil, counts, fmt.Errorf("store: %w", err)
	}
	return all, counts, nil
}
