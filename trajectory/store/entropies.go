package store

import (
	"encoding/json"
	"fmt"
	"math"

	"trawl/internal/text"
)

// The files of resampled entropies. Like decisions, they have a lock of their own.
const (
	entropiesName = "entropies.jsonl"
	entropiesLock = "entropies.lock"
)

// EntropyVersion is the version of the form of a line of entropies.jsonl.
const EntropyVersion = 1

// An Entropy is a line of entropies.jsonl: what a model did in the place of one turn
// of a rollout when it was asked again. Of several lines of one [EntropyKey] the last
// counts.
type Entropy struct {
	V int `json:"v"`
	EntropyKey
	Resampled  int      `json:"resampled"`  // how often it was asked
	Unreadable int      `json:"unreadable"` // replies that say nothing
	Entropy    *float64 `json:"entropy"`    // in nats, of the actions; nil from fewer than two that can be read
	Actions    []Drawn  `json:"actions"`    // the most frequent first
	Reason     string   `json:"reason,omitempty"`
}

// An EntropyKey names the entropy of one turn.
type EntropyKey struct {
	Model      string `json:"model"`  // SHA-256 of the model, how it samples, its tools and how often it is asked
	Prompt     string `json:"prompt"` // SHA-256 of the messages before the turn
	QuestionID string `json:"question_id"`
	Round      int    `json:"round"`
	Rollout    int    `json:"rollout"`
	Turn       int    `json:"turn"`
}

// A Drawn is an action in normal form and how often it was drawn.
type Drawn struct {
	Action string `json:"action"`
	Count  int    `json:"count"`
}

// validate reports what an entropy lacks.
func (e *Entropy) validate() error {
	known := 0
	for _, a := range e.Actions {
		if a.Count < 1 {
			return fmt.Errorf("an entropy of question %q has an action drawn %d times", e.QuestionID, a.Count)
		}
		known += a.Count
	}
	switch {
	case e.V != EntropyVersion || e.QuestionID == "" || e.Model == "" || e.Turn < 1:
		return fmt.Errorf("an entropy of version %d of question %q, model %q, turn %d, want version %d", e.V, e.QuestionID, e.Model, e.Turn, EntropyVersion)
	case e.Entropy != nil && !(*e.Entropy >= 0 && *e.Entropy <= math.MaxFloat64):
		return fmt.Errorf("an entropy of question %q is %v, want 0 or more", e.QuestionID, *e.Entropy)
	case known+e.Unreadable > e.Resampled || e.Entropy != nil && known < 2:
		return fmt.Errorf("an entropy of question %q is of %d actions and %d unreadable replies of %d", e.QuestionID, known, e.Unreadable, e.Resampled)
	}
	return nil
}

var entropyKind = kind[EntropyKey, Entropy]{
	name: entropiesName, lock: entropiesLock, decode: decodeEntropy,
	key: func(e Entropy) EntropyKey { return e.EntropyKey },
}

func decodeEntropy(line []byte) (Entropy, error) {
	var e Entropy
	if err := json.Unmarshal(line, &e); err != nil {
		return e, text.JSONError(err)
	}
	return e, e.validate()
}

// Entropies are the resampled entropies of a run folder, open for writing. They are
// safe for concurrent use.
type Entropies struct {
	ledger *ledger[EntropyKey, Entropy]
}

// OpenEntropies opens the entropies of the run folder dir for writing, mends the end
// of their file as [Open] does, and keeps out others who would write them.
func OpenEntropies(dir string) (*Entropies, error) {
	l, err := entropyKind.open(dir)
	if err != nil {
		return nil, err
	}
	return &Entropies{l}, nil
}

// Counts says what OpenEntropies found.
func (s *Entropies) Counts() Counts { return s.ledger.counts }

// Find returns the entropy of a turn, also one that says that there is none.
func (s *Entropies) Find(key EntropyKey) (Entropy, bool) { return s.ledger.find(key) }

// Add writes an entropy, in the place of an earlier one of its key. It is on disk
// when Add returns.
func (s *Entropies) Add(e Entropy) error {
	e.V = EntropyVersion
	_, err := s.ledger.add(e, e.validate())
	return err
}

// Close lets go of the entropies.
func (s *Entropies) Close() error { return s.ledger.close() }

// ReadEntropies returns the entropies in the run folder dir, in the order in which
// the turns were first resampled; none if there are none.
func ReadEntropies(dir string) ([]Entropy, Counts, error) { return entropyKind.read(dir) }
