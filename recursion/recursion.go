// Package recursion carries what a round of rollouts found out into the next
// one: Re-TRAC, arXiv:2602.02486. After a round the model writes down, in eight
// sections, what its conversation came to; the next round is a fresh rollout that
// is told this summary and nothing else of the past. [Loop] puts itself around
// the runner and the seeder of a run and says which rollouts follow which;
// [Compressor] makes a [trajectory.State] of a trajectory, [Merge] unites those of
// several rollouts; internal/summary reads the text of one.
//
// Nothing of a summary can end a run: what cannot be read of it is left out, and
// where the model writes none the next round begins with the state before.
// repairs.go has the names of what had to be mended.
//
// The rounds of a rollout are either a chain of their own ([PerThread]), or those
// of a question meet after each round ([Merged]): their states become one, which
// all of them begin the next round with, with first queries that go for what it
// leaves open.
//
// # Departures
//
// The paper's code gives the whole conversation to the summary and fails if it
// does not fit. Here earlier results are left out first and then whole turns, the
// oldest first, never the question. A call that a limit left without a result
// gets one that says so.
//
// An empty reply, or one in which no section can be read, is asked for again, with
// another seed and, if thinking took its place, without that; the paper repeats
// failed requests and calls of tools that were left as text. Prose that is all
// there is after the last try goes on as it stands; calls do not.
//
// Merged rounds, budgets over all rounds and the early stop are no part of the
// paper, and off by default. The early stop asks for an answer that is the same
// after two rounds and rests on no fact that is marked as not verified. A budget
// stops a rollout once another round like the last would not fit, which it may do
// with much of it left; it bounds the rounds but not the summary behind one, so
// the last summary may exceed it. A summary of which no section can be read has
// no part in a merged state.
//
// All functions and types are safe for concurrent use.
package recursion

import (
	"errors"
	"fmt"
	"time"

	"trawl/agent/llm"
)

// A Mode says what a round begins with.
type Mode string

// The modes.
const (
	PerThread Mode = "per-thread" // each rollout with its own state
	Merged    Mode = "merged"     // all rollouts of a question with one state
)

// A Variant says which sections a state has.
type Variant string

// The variants. Full is for strong models.
const (
	Base Variant = "base" // sections 0 to 4
	Full Variant = "full" // all eight
)

// Options set a loop. The zero value is one round, in which nothing changes.
type Options struct {
	Rounds    int           // of each rollout; default 1, the paper's is 8
	Count     int           // rollouts of a question
	Mode      Mode          // default PerThread
	Variant   Variant       // default Base
	Plain     bool          // a round is given the summary without the advice how to use it: the paper's ablation
	EarlyStop bool          // no round follows once an answer has settled
	Tokens    int           // of all rounds of a rollout, summaries included: none follows if one like the last would not fit; 0 is no limit
	Time      time.Duration // likewise
	Sampling  llm.Sampling  // of the summaries
	Tools     []llm.Tool    // those of the rollouts, sent along so that a server's cached prefix fits; nil for the tags dialect
}

// settle fills in the defaults and checks the rest.
func (o *Options) settle() error {
	if o.Rounds == 0 {
		o.Rounds = 1
	}
	if o.Mode == "" {
		o.Mode = PerThread
	}
	if o.Variant == "" {
		o.Variant = Base
	}
	switch {
	case o.Rounds < 1:
		return fmt.Errorf("%d rounds, want 1 or more", o.Rounds)
	case o.Mode != PerThread && o.Mode != Merged:
		return fmt.Errorf("unknown mode %q", o.Mode)
	case o.Variant != Base && o.Variant != Full:
		return fmt.Errorf("unknown variant %q", o.Variant)
	case o.Mode == Merged && o.Rounds > 1 && o.Count < 1:
		return fmt.Errorf("%d rollouts to merge, want 1 or more", o.Count)
	case o.Tokens < 0 || o.Time < 0:
		return errors.New("a budget is negative")
	}
	return nil
}
