// Package selection chooses what to return when several rollouts of one
// question are done. A [Selector] makes a [Decision] of a [Group]; the ways to
// choose live in the packages below.
//
// Selectors see records, never an agent, an engine or a gold answer, so they
// work on trajectories that another program wrote.
package selection

import (
	"context"
	"errors"

	"trawl/trajectory"
)

// ErrEmpty says that a group has no answer to choose. An empty group counts as
// wrong where answers are scored.
var ErrEmpty = errors.New("selection: no rollout has an answer")

// A Group is all finished trajectories of one question, by rollout.
type Group struct {
	Question     trajectory.Question
	Trajectories []*trajectory.Trajectory
}

// A Decision is what a Selector made of a Group.
type Decision struct {
	Answer string
	Index  int       // in Group.Trajectories of the one whose answer it is; -1 if it was written anew
	Scores []float64 // one for each trajectory, higher is better; nil if there are none
	Note   string    // what the reader of the decision must know about it; "" if nothing
	Cost   Cost
}

// A Cost is what the model calls of a decision took; it is zero for one that
// made none.
type Cost struct {
	Calls      int
	Prompt     int // tokens
	Completion int
	Cached     int // of Prompt, as the server counted
	Fresh      int // of Prompt: what the call before it in the same conversation had not sent, Σ max(promptₜ − promptₜ₋₁, 0); what is paid for where prefixes are cached (arXiv:2604.11753)
	Estimated  bool
	Millis     int64 // that deciding took
}

// Add adds o to c.
func (c *Cost) Add(o Cost) {
	c.Calls += o.Calls
	c.Prompt += o.Prompt
	c.Completion += o.Completion
	c.Cached += o.Cached
	c.Fresh += o.Fresh
	c.Estimated = c.Estimated || o.Estimated
	c.Millis += o.Millis
}

// A Selector decides. It returns [ErrEmpty] if no trajectory of the group has
// an answer. It is safe for concurrent use and does not change the group.
type Selector interface {
	Select(ctx context.Context, g Group) (Decision, error)
}

// A Batcher is a Selector to whom many groups at once cost less than one after
// the other, because they share texts or fill a batch. SelectAll decides as
// Select would; the decision of a group without an answer is [None].
type Batcher interface {
	Selector
	SelectAll(ctx context.Context, groups []Group) ([]Decision, error)
}

// None is the decision where there is nothing to choose.
func None() Decision { return Decision{Index: -1} }
