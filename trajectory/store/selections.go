package store

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"trawl/internal/filelock"
	"trawl/internal/text"
)

// The files of decisions. They have a lock of their own: rollouts may be decided
// on while a run goes on.
const (
	selectionsName = "selections.jsonl"
	selectionsLock = "selections.lock"
)

// DecisionVersion is the version of the form of a line of selections.jsonl.
const DecisionVersion = 1

// A Decision is a line of selections.jsonl: what a selector made of the rollouts
// of a question that were done. The same selector on the same rollouts decides
// once; a later line that says otherwise takes the place of the earlier one.
type Decision struct {
	V          int       `json:"v"`
	QuestionID string    `json:"question_id"`
	Round      int       `json:"round"`
	Selector   string    `json:"selector"`
	Model      string    `json:"model,omitempty"` // SHA-256 of the checkpoint that the selector is, if it is one
	Rollouts   []int     `json:"rollouts"`        // numbers of those decided on, rising
	Rollout    int       `json:"rollout"`         // the chosen one; -1 if the answer was written anew or there is none
	Answer     string    `json:"answer"`          // empty if no rollout has one
	Scores     []float64 `json:"scores"`          // one for each of Rollouts, higher is better; empty if there are none
	Note       string    `json:"note"`
}

// validate reports what a decision lacks.
func (d *Decision) validate() error {
	switch {
	case d.V != DecisionVersion:
		return fmt.Errorf("unknown version %d of a decision, want %d", d.V, DecisionVersion)
	case d.QuestionID == "" || d.Selector == "" || d.Round < 1:
		return fmt.Errorf("a decision of selector %q on question %q in round %d", d.Selector, d.QuestionID, d.Round)
	case len(d.Scores) > 0 && len(d.Scores) != len(d.Rollouts):
		return fmt.Errorf("%d scores of %d rollouts", len(d.Scores), len(d.Rollouts))
	case !slices.IsSorted(d.Rollouts):
		return fmt.Errorf("rollouts %v do not rise", d.Rollouts)
	case d.Rollout != -1 && !slices.Contains(d.Rollouts, d.Rollout):
		return fmt.Errorf("rollout %d is chosen of %v", d.Rollout, d.Rollouts)
	}
	return nil
}

// A decided names one decision: there is one line for it that counts.
type decided struct {
	question, selector, model, rollouts string
	round                               int
}

func (d *Decision) key() decided {
	return decided{d.QuestionID, d.Selector, d.Model, fmt.Sprint(d.Rollouts), d.Round}
}

// Selections are the decisions of a run folder, open for writing. They are safe
// for concurrent use.
type Selections struct {
	lock   io.Closer
	log    *log
	counts Counts

	mu     sync.Mutex
	newest map[decided][sha256.Size]byte // of the line
}

// OpenSelections opens the decisions of the run folder dir for writing, mends the
// end of their file as [Open] does, and keeps out others who would write them.
func OpenSelections(dir string) (*Selections, error) {
	if _, err := ReadManifest(dir); err != nil {
		return nil, err
	}
	lock, err := filelock.Lock(dir, selectionsLock)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	s := &Selections{lock: lock, newest: map[decided][sha256.Size]byte{}}
	s.log, s.counts, err = openLog(filepath.Join(dir, selectionsName), func(line []byte, _ int64) error {
		d, err := decodeDecision(line)
		if err != nil {
			return err
		}
		again, err := encode(d)
		s.newest[d.key()] = sha256.Sum256(again)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("store: %w", errors.Join(err, lock.Close()))
	}
	return s, nil
}

// Counts says what OpenSelections found.
func (s *Selections) Counts() Counts { return s.counts }

// Add writes a decision and reports true, unless it stands there already. The
// kernel keeps it if the process is killed, and Close puts it on disk: a decision
// that a power cut takes is made again.
func (s *Selections) Add(d Decision) (bool, error) {
	d.V = DecisionVersion
	d.Rollouts = append([]int{}, d.Rollouts...) // never null
	d.Scores = append([]float64{}, d.Scores...)
	err := d.validate()
	var line []byte
	if err == nil {
		line, err = encode(d)
	}
	if err != nil {
		return false, fmt.Errorf("store: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := sha256.Sum256(line)
	if old, ok := s.newest[d.key()]; ok && old == sum {
		return false, nil
	}
	if _, err := s.log.append(line); err != nil {
		return false, fmt.Errorf("store: %w", err)
	}
	s.newest[d.key()] = sum
	return true, nil
}

// Close puts the decisions on disk and lets go of them.
func (s *Selections) Close() error {
	if err := errors.Join(s.log.sync(), s.log.f.Close(), s.lock.Close()); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// ReadSelections returns the decisions in the run folder dir, the newest of each
// selector on the same rollouts, sorted by question, round, selector and rollouts.
func ReadSelections(dir string) ([]Decision, Counts, error) {
	f, err := os.Open(filepath.Join(dir, selectionsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Counts{}, nil
	}
	if err != nil {
		return nil, Counts{}, fmt.Errorf("store: %w", err)
	}
	defer f.Close()
	newest := map[decided]Decision{}
	counts, _, _, err := eachLine(f, selectionsName, func(line []byte, _ int64) error {
		d, err := decodeDecision(line)
		if err == nil {
			newest[d.key()] = d
		}
		return err
	})
	if err != nil {
		return nil, counts, fmt.Errorf("store: %w", err)
	}
	return slices.SortedFunc(maps.Values(newest), func(a, b Decision) int {
		return cmp.Or(cmp.Compare(a.QuestionID, b.QuestionID), cmp.Compare(a.Round, b.Round), cmp.Compare(a.Selector, b.Selector), cmp.Compare(a.Model, b.Model), slices.Compare(a.Rollouts, b.Rollouts))
	}), counts, nil
}

func decodeDecision(line []byte) (Decision, error) {
	var d Decision
	if err := json.Unmarshal(line, &d); err != nil {
		return d, text.JSONError(err)
	}
	return d, d.validate()
}
