package trajectory

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// StateVersion is the version of the form of a line of states.jsonl.
const StateVersion = 1

// MergedRollout stands in the place of a rollout's number in the key of a state
// that unites those of several rollouts.
const MergedRollout = -1

// A State is what a question stands at after a round: the trajectory compressed
// into the eight sections of Re-TRAC (arXiv:2602.02486 §3.2), in which the next
// round begins. Raw is the text that the next round is given; the sections are
// what could be read of it, for metrics and stop rules. A state of which nothing
// can be read is a state all the same.
type State struct {
	V          int    `json:"v"`
	QuestionID string `json:"question_id"`
	Round      int    `json:"round"`   // that it is the outcome of, from 1
	Rollout    int    `json:"rollout"` // MergedRollout if it unites those of several
	Config     string `json:"config"`
	From       []int  `json:"from,omitempty"` // rollouts whose states it unites, rising

	CurrentAnswer *string      `json:"current_answer"`      // section 0; nil: none yet
	Facts         []Fact       `json:"facts"`               // section 1
	Conclusions   []Conclusion `json:"conclusions"`         // section 2
	Sources       []Source     `json:"sources"`             // section 3
	Uncertainties []string     `json:"uncertainties"`       // section 4
	Failed        []string     `json:"failed"`              // section 5: what was tried and did not work
	Uncompleted   []string     `json:"uncompleted"`         // section 6: leads that were not followed
	Discarded     []string     `json:"discarded"`           // section 7: candidates ruled out
	Conflicts     []string     `json:"conflicts,omitempty"` // of a merged state: what its parts say against each other

	Raw     string      `json:"raw"`
	Origin  StateOrigin `json:"origin"`
	Repairs []string    `json:"repairs,omitempty"` // what had to be mended to read Raw
	Queries []string    `json:"queries"`           // searches that the round carried out, in order

	Calls   int         `json:"llm_calls"`         // model calls that making it took
	Usage   CallUsage   `json:"usage"`             // of those calls
	Spent   Spent       `json:"spent"`             // on the question's rounds up to this one
	Stopped Termination `json:"stopped,omitempty"` // why no round follows that could: Answered if the answer settled, TokenLimit or TimeLimit if another round like this one would not fit the budget
	Started time.Time   `json:"started"`           // in UTC
	Millis  int64       `json:"ms"`                // that making it took
}

// Spent is what the rounds of a rollout have cost together, summaries included;
// of a merged state, those of all its rollouts.
type Spent struct {
	Tokens int   `json:"tokens"` // of prompts and completions
	Millis int64 `json:"ms"`
}

// A StateOrigin says where the text of a state comes from.
type StateOrigin string

// The origins of a state.
const (
	StateModel   StateOrigin = "model"   // the model wrote it
	StateCarried StateOrigin = "carried" // the model wrote none: that of the round before stands
	StateNone    StateOrigin = "none"    // there is none at all: the next round begins from nothing
	StateMerged  StateOrigin = "merged"  // united from those of several rollouts
)

// A Fact is a line of section 1.
type Fact struct {
	ID         string `json:"id"` // E1, E2, …
	Text       string `json:"text"`
	SourceTool string `json:"source_tool"`
	SourceURI  string `json:"source_uri"`
	Verified   Status `json:"verified"`
}

// A Status says how far a fact or source is verified.
type Status string

// The statuses. The zero value is that of a line that states none.
const (
	Verified   Status = "yes"
	Partial    Status = "partial"
	Unverified Status = "no"
)

// A Conclusion is a line of section 2.
type Conclusion struct {
	Text      string   `json:"text"`
	Evidence  []string `json:"evidence"`  // ids of facts
	Inference bool     `json:"inference"` // it is marked as inferred
}

// A Source is a line of section 3.
type Source struct {
	URI    string `json:"uri"`
	Status string `json:"status"` // in the model's words
}

// Key returns the key of s.
func (s *State) Key() Key {
	return Key{QuestionID: s.QuestionID, Round: s.Round, Rollout: s.Rollout, Config: s.Config}
}

// Branches returns the leads that s leaves open: its uncompleted proposals and
// its uncertainties, in this order.
func (s *State) Branches() []string { return slices.Concat(s.Uncompleted, s.Uncertainties) }

// Blank reports whether the sections of s hold nothing, nor do its conflicts.
func (s *State) Blank() bool {
	return s.CurrentAnswer == nil && len(s.Facts)+len(s.Conclusions)+len(s.Sources)+len(s.Uncertainties)+
		len(s.Failed)+len(s.Uncompleted)+len(s.Discarded)+len(s.Conflicts) == 0
}

// Validate reports the first rule of the format that s breaks.
func (s *State) Validate() error {
	switch {
	case s.V != StateVersion:
		return fmt.Errorf("%w: state of version %d, want %d", ErrVersion, s.V, StateVersion)
	case s.QuestionID == "":
		return errors.New("trajectory: state: question_id is empty")
	case s.Round < 1:
		return fmt.Errorf("trajectory: state: round %d, want 1 or more", s.Round)
	case s.Rollout < MergedRollout:
		return fmt.Errorf("trajectory: state: rollout %d", s.Rollout)
	case !slices.Contains([]StateOrigin{StateModel, StateCarried, StateNone, StateMerged}, s.Origin):
		return fmt.Errorf("trajectory: state: unknown origin %q", s.Origin)
	case (s.Origin == StateMerged) != (s.Rollout == MergedRollout):
		return fmt.Errorf("trajectory: state: rollout %d with origin %q", s.Rollout, s.Origin)
	case (len(s.From) > 0) != (s.Origin == StateMerged) || !slices.IsSorted(s.From):
		return fmt.Errorf("trajectory: state: from %v with origin %q", s.From, s.Origin)
	case !slices.Contains([]Termination{"", Answered, TokenLimit, TimeLimit}, s.Stopped):
		return fmt.Errorf("trajectory: state: unknown stopped %q", s.Stopped)
	case s.Started.Year() < 0 || s.Started.Year() > 9999:
		return fmt.Errorf("trajectory: state: started in the year %d", s.Started.Year())
	case (s.Raw == "") != (s.Origin == StateNone):
		return fmt.Errorf("trajectory: state: origin %q with a text of %d bytes", s.Origin, len(s.Raw))
	case s.CurrentAnswer != nil && *s.CurrentAnswer == "":
		return errors.New("trajectory: state: current_answer is empty; null says that there is none")
	}
	for i, f := range s.Facts {
		if !slices.Contains([]Status{"", Verified, Partial, Unverified}, f.Verified) {
			return fmt.Errorf("trajectory: state: fact %d: unknown verified %q", i, f.Verified)
		}
	}
	return nil
}
