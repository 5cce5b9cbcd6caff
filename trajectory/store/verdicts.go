package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"trawl/internal/atomicfile"
	"trawl/internal/text"
)

// The files of verdicts. Like decisions, they have a lock of their own.
const (
	verdictsName = "verdicts.jsonl"
	verdictsLock = "verdicts.lock"
)

// VerdictVersion is the version of the form of a line of verdicts.jsonl.
const VerdictVersion = 1

// A Verdict is a line of verdicts.jsonl: what a judge said of an answer to a
// question. Of several lines of one judge on the same answer the last counts.
type Verdict struct {
	V          int      `json:"v"`
	QuestionID string   `json:"question_id"`
	Answer     string   `json:"answer"` // as the rollouts give it
	Correct    bool     `json:"correct"`
	Judge      string   `json:"judge"`                // who said so, for people
	Model      string   `json:"model,omitempty"`      // SHA-256 of the judge's model, prompts and settings; empty if it is not known
	Golds      string   `json:"golds,omitempty"`      // SHA-256 of the question and the gold answers that it was judged by; likewise
	Except     []int    `json:"except,omitempty"`     // rollouts with this answer of which the judge said the opposite, rising
	Unscored   bool     `json:"unscored,omitempty"`   // the judge gave no verdict, and Correct says nothing
	Reason     string   `json:"reason,omitempty"`     // why, or what is special about the verdict
	Confidence *float64 `json:"confidence,omitempty"` // 0 to 1, that the judge found in the answer
	Extracted  string   `json:"extracted,omitempty"`  // the answer that the judge read in the answer
}

// validate reports what a verdict lacks.
func (v *Verdict) validate() error {
	switch {
	case v.V != VerdictVersion || v.QuestionID == "":
		return fmt.Errorf("a verdict of version %d on question %q, want version %d", v.V, v.QuestionID, VerdictVersion)
	case v.Unscored && v.Correct:
		return fmt.Errorf("a verdict on question %q is both correct and unscored", v.QuestionID)
	case !slices.IsSorted(v.Except):
		return fmt.Errorf("a verdict on question %q excepts rollouts %v, which do not rise", v.QuestionID, v.Except)
	case v.Confidence != nil && !(*v.Confidence >= 0 && *v.Confidence <= 1):
		return fmt.Errorf("a verdict on question %q has confidence %v, want 0 to 1", v.QuestionID, *v.Confidence)
	}
	return nil
}

// A judged names one verdict: there is one line for it that counts.
type judged struct{ model, question, answer string }

var verdictKind = kind[judged, Verdict]{
	name: verdictsName, lock: verdictsLock, decode: decodeVerdict,
	key: func(v Verdict) judged { return judged{v.Model, v.QuestionID, v.Answer} },
}

func decodeVerdict(line []byte) (Verdict, error) {
	var v Verdict
	var ruled struct{ Correct *bool }
	if err := errors.Join(json.Unmarshal(line, &v), json.Unmarshal(line, &ruled)); err != nil {
		return v, text.JSONError(err)
	}
	if ruled.Correct == nil && !v.Unscored { // else nothing would count as wrong
		return v, fmt.Errorf("a verdict on question %q says neither that it is correct nor that it is not", v.QuestionID)
	}
	return v, v.validate()
}

// Verdicts are the verdicts of a run folder, open for writing. They are safe for
// concurrent use.
type Verdicts struct{ ledger *ledger[judged, Verdict] }

// OpenVerdicts opens the verdicts of the run folder dir for writing, mends the end
// of their file as [Open] does, and keeps out others who would write them.
func OpenVerdicts(dir string) (*Verdicts, error) {
	l, err := verdictKind.open(dir)
	if err != nil {
		return nil, err
	}
	return &Verdicts{l}, nil
}

// Counts says what OpenVerdicts found.
func (s *Verdicts) Counts() Counts { return s.ledger.counts }

// Find returns the verdict of a judge on an answer to a question, also one that
// says that there is none; model is that of [Verdict].
func (s *Verdicts) Find(model, questionID, answer string) (Verdict, bool) {
	return s.ledger.find(judged{model, questionID, answer})
}

// Add writes a verdict, in the place of an earlier one of the same judge on the
// same answer, and reports true, unless that says the same. It is on disk when Add
// returns.
func (s *Verdicts) Add(v Verdict) (bool, error) {
	v.V = VerdictVersion
	return s.ledger.add(v, v.validate())
}

// Close lets go of the verdicts.
func (s *Verdicts) Close() error { return s.ledger.close() }

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

// ReadVerdicts returns the verdicts in the run folder dir that say right or wrong,
// the newest of each judge on the same answer, in the order in which the answers
// were first judged; none if there are none. Answers that a judge left unscored are
// not among them.
func ReadVerdicts(dir string) ([]Verdict, Counts, error) {
	all, counts, err := verdictKind.read(dir)
	var scored []Verdict
	for _, v := range all {
		if !v.Unscored {
			scored = append(scored, v)
		}
	}
	return scored, counts, err
}
