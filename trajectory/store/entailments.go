package store

import (
	"encoding/json"
	"fmt"

	"trawl/internal/text"
)

// The file of entailments. Like verdicts, they have a lock of their own.
const (
	entailmentsName = "entailments.jsonl"
	entailmentsLock = "entailments.lock"
)

// EntailmentVersion is the version of the form of a line of entailments.jsonl.
const EntailmentVersion = 1

// An EntailmentKind is what a model was asked when rollouts were evaluated.
type EntailmentKind string

// The kinds.
const (
	Entails  EntailmentKind = "entails"  // how probable a claim is by its evidence
	Claims   EntailmentKind = "claims"   // what an explanation claims
	Keypoint EntailmentKind = "keypoint" // what a response says of a fact
)

// An Entailment is a line of entailments.jsonl: what a model said of a claim, of an
// explanation or of a fact. Only what it said is kept: where it gave no verdict there
// is no line. Of several lines on the same the last counts.
type Entailment struct {
	V          int            `json:"v"`
	Kind       EntailmentKind `json:"kind"`
	QuestionID string         `json:"question_id"`
	Judge      string         `json:"judge"`            // the model, for people
	Model      string         `json:"model"`            // SHA-256 of model, prompt of the kind and settings
	Text       string         `json:"text,omitempty"`   // the claim, or the fact
	Shown      string         `json:"shown"`            // SHA-256 of what it was held against: the evidence, the explanation, question and response
	P          *float64       `json:"p,omitempty"`      // of a claim, 0 to 1
	Claims     []string       `json:"claims,omitzero"`  // of an explanation, as the model wrote them; may be empty
	Stance     string         `json:"stance,omitempty"` // of a fact: support, contradict or omit
}

// validate reports what an entailment lacks.
func (v *Entailment) validate() error {
	said := false
	switch v.Kind {
	case Entails:
		said = v.P != nil && *v.P >= 0 && *v.P <= 1
	case Claims:
		said = v.Claims != nil
	case Keypoint:
		said = v.Stance == "support" || v.Stance == "contradict" || v.Stance == "omit"
	}
	switch {
	case v.V != EntailmentVersion:
		return fmt.Errorf("an entailment of version %d, want version %d", v.V, EntailmentVersion)
	case !said:
		return fmt.Errorf("an entailment of the kind %q on %q that says nothing of the kind", v.Kind, v.Text)
	case v.Model == "" || v.Shown == "" || v.QuestionID == "":
		return fmt.Errorf("an entailment on %q without its question, the hash of its model or of what it was held against", v.Text)
	}
	return nil
}

// An entailed names one entailment: there is one line for it that counts.
type entailed struct {
	kind                         EntailmentKind
	model, question, text, shown string
}

func (v Entailment) entailed() entailed {
	return entailed{v.Kind, v.Model, v.QuestionID, v.Text, v.Shown}
}

var entailmentKind = kind[entailed, Entailment]{
	name: entailmentsName, lock: entailmentsLock, decode: decodeEntailment, key: Entailment.entailed,
}

func decodeEntailment(line []byte) (Entailment, error) {
	var v Entailment
	if err := json.Unmarshal(line, &v); err != nil {
		return v, text.JSONError(err)
	}
	return v, v.validate()
}

// Entailments are the entailments of a run folder, open for writing. They are safe
// for concurrent use.
type Entailments struct{ ledger *ledger[entailed, Entailment] }

// OpenEntailments opens the entailments of the run folder dir for writing, mends the
// end of their file as [Open] does, and keeps out others who would write them.
func OpenEntailments(dir string) (*Entailments, error) {
	l, err := entailmentKind.open(dir)
	if err != nil {
		return nil, err
	}
	return &Entailments{l}, nil
}

// Counts says what OpenEntailments found.
func (s *Entailments) Counts() Counts { return s.ledger.counts }

// Find returns what was said of the same before: v's kind, model, question, text and
// what was shown decide.
func (s *Entailments) Find(v Entailment) (Entailment, bool) { return s.ledger.find(v.entailed()) }

// Add writes an entailment, in the place of an earlier one on the same. It is on disk
// when Add returns.
func (s *Entailments) Add(v Entailment) error {
	v.V = EntailmentVersion
	_, err := s.ledger.add(v, v.validate())
	return err
}

// Close lets go of the entailments.
func (s *Entailments) Close() error { return s.ledger.close() }
