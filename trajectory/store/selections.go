package store

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

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
// once; a later line that says otherwise takes the place of the earlier one. What
// it cost is not what it says.
type Decision struct {
	V          int       `json:"v"`
	QuestionID string    `json:"question_id"`
	Round      int       `json:"round"`
	Selector   string    `json:"selector"`
	Model      string    `json:"model,omitempty"` // SHA-256 of the selector's checkpoint, or of its model and settings; empty for a rule
	Rollouts   []int     `json:"rollouts"`        // numbers of those decided on, rising
	Rollout    int       `json:"rollout"`         // the chosen one; -1 if the answer was written anew or there is none
	Answer     string    `json:"answer"`          // empty if no rollout has one
	Scores     []float64 `json:"scores"`          // one for each of Rollouts, higher is better; empty if there are none
	Note       string    `json:"note"`
	Cost       *Cost     `json:"cost,omitempty"` // nil if no model was asked
}

// A Cost is what model calls a decision took, in tokens, and the time that
// deciding took.
type Cost struct {
	Calls      int   `json:"llm_calls"`
	Prompt     int   `json:"prompt"`
	Completion int   `json:"completion"`
	Cached     int   `json:"cached"`
	Fresh      int   `json:"fresh"` // of Prompt: what the call before it in its conversation had not sent
	Estimated  bool  `json:"estimated,omitempty"`
	Millis     int64 `json:"ms"`
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

var decisionKind = kind[decided, Decision]{
	name: selectionsName, lock: selectionsLock, decode: decodeDecision, key: func(d Decision) decided { return d.key() },
}

// Selections are the decisions of a run folder, open for writing. They are safe
// for concurrent use.
type Selections struct{ ledger *ledger[decided, Decision] }

// OpenSelections opens the decisions of the run folder dir for writing, mends the
// end of their file as [Open] does, and keeps out others who would write them.
func OpenSelections(dir string) (*Selections, error) {
	l, err := decisionKind.open(dir)
	if err != nil {
		return nil, err
	}
	return &Selections{l}, nil
}

// Counts says what OpenSelections found.
func (s *Selections) Counts() Counts { return s.ledger.counts }

// Find returns the decision of a selector on rollouts of a question, whose numbers
// rise, if there is one; model is that of [Decision].
func (s *Selections) Find(questionID string, round int, selector, model string, rollouts []int) (Decision, bool) {
	sought := Decision{QuestionID: questionID, Round: round, Selector: selector, Model: model, Rollouts: rollouts}
	return s.ledger.find(sought.key())
}

// Add writes a decision and reports true, unless it stands there already: one
// that differs in nothing but its cost is the same decision and is not written
// again. The kernel keeps it if the process is killed. One that took model calls
// is on disk when Add returns; others are put there by Close, and one that a power
// cut takes is made again.
func (s *Selections) Add(d Decision) (bool, error) {
	d.V = DecisionVersion
	d.Rollouts = append([]int{}, d.Rollouts...) // never null
	d.Scores = append([]float64{}, d.Scores...)
	if err := d.validate(); err != nil {
		return false, fmt.Errorf("store: %w", err)
	}
	written, err := s.ledger.put(d, same)
	if err == nil && d.Cost != nil && d.Cost.Calls > 0 {
		err = s.ledger.log.sync()
	}
	if err != nil {
		return false, fmt.Errorf("store: %w", err)
	}
	return written, nil
}

// same reports whether two decisions say the same, whatever they cost.
func same(a, b Decision) bool {
	a.Cost, b.Cost = nil, nil
	return reflect.DeepEqual(a, b)
}

// Close puts the decisions on disk and lets go of them.
func (s *Selections) Close() error { return s.ledger.close() }

// ReadSelections returns the decisions in the run folder dir, the newest of each
// selector on the same rollouts, sorted by question, round, selector and rollouts.
func ReadSelections(dir string) ([]Decision, Counts, error) {
	all, counts, err := decisionKind.read(dir)
	slices.SortFunc(all, func(a, b Decision) int {
		return cmp.Or(cmp.Compare(a.QuestionID, b.QuestionID), cmp.Compare(a.Round, b.Round), cmp.Compare(a.Selector, b.Selector), cmp.Compare(a.Model, b.Model), slices.Compare(a.Rollouts, b.Rollouts))
	})
	return all, counts, err
}

func decodeDecision(line []byte) (Decision, error) {
	var d Decision
	if err := json.Unmarshal(line, &d); err != nil {
		return d, text.JSONError(err)
	}
	return d, d.validate()
}
