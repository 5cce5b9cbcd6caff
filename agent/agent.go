// Package agent answers one question: a model thinks, calls tools and looks at
// what they return, turn by turn, until it answers or a limit asks it to. It is
// ReAct in the form that DivInit (arXiv:2606.17209, appendix A) and Search-R1
// (arXiv:2503.09516) use. [Agent.Run] carries out a [Task]; [Options] bound it.
//
// A rollout has at most Options.Turns turns. Turn 1 may be seeded: then its
// query is given and no model is asked. The last turn is a call without tools
// that asks for the answer. It comes at turn T, or earlier when tokens or time
// run out, when the model only repeats its calls, or when the context is full.
// So a rollout that never answers early makes exactly T model calls, or T−1
// with a seed, retries of unusable replies apart.
//
// The state of a rollout follows from its turns alone, so one that was killed
// goes on after its last whole turn and makes no call twice: Task.Past is what
// happened, Task.Record hears of each new turn.
//
// Package reply reads what the model says, and explains marks such as (B5) and
// (D2). Everything that had to be mended is recorded: repairs.go has the loop's
// names for it. What documents say is data: it is shown without markup, and no
// part of it is ever parsed.
//
// # Departures
//
// DivInit puts the whole history into one message for each turn; here it is a
// conversation that only grows, so that servers reuse its prefix. Package reply
// lists those of reading a reply.
//
// An Agent is safe for concurrent use.
package agent

import (
	"context"
	"fmt"
	"time"

	"trawl/agent/llm"
	"trawl/agent/llm/reply"
	"trawl/agent/tool"
	"trawl/trajectory"
)

// Options bound a rollout. The zero value selects the defaults.
type Options struct {
	Dialect          Dialect       // default Native
	Turns            int           // in all, seeded and last one included; default 8
	FinalTokens      int           // of the last completion, and left free for it before; default 512
	ObservationChars int           // characters of results shown in one turn, whatever the number of its calls; default 4,000
	Sampling         llm.Sampling  // of every call; MaxTokens does not bound the last one
	Tokens           int           // of all prompts and completions of a rollout: the last call is made while it still fits; 0 is no limit
	Time             time.Duration // of the turns before the last call; 0 is no limit
	RepeatLimit      int           // turns that only repeat calls before the last call is made; default 3
	FailureLimit     int           // turns that fail or do nothing before it is made; default 3
	Proposer         Proposer      // chooses the queries of turns 2 to ProposeTurns; nil leaves them to the model
	ProposeTurns     int
	Logprobs         int // of the likeliest tokens, asked for with every call, from which the entropies of turns are; 0 asks for none
}

// A Proposer chooses the query of a turn in the model's place, from the steps so
// far: DivInit's "extend to turns 1..N". An empty query leaves the turn to the
// model. Calls is the number of model calls that it made. It is safe for
// concurrent use; its choice depends on its arguments alone.
type Proposer interface {
	Propose(ctx context.Context, q trajectory.Question, steps []trajectory.Step, seed int64) (query trajectory.SeedQuery, usage trajectory.CallUsage, calls int, err error)
}

// A Task is one rollout.
type Task struct {
	Key       trajectory.Key
	Question  trajectory.Question
	Seed      int64                       // those of the model calls are derived from it
	SeedQuery *trajectory.SeedQuery       // the query of turn 1; nil or without text leaves it to the model
	Preface   *Preface                    // what the rollout is told of earlier ones; nil: nothing
	Tokens    int                         // bounds the rollout as Options.Tokens does; the smaller of the two holds; 0 is no further bound
	Time      time.Duration               // likewise for Options.Time
	Past      []trajectory.Turn           // whole turns made before, in order
	Record    func(trajectory.Turn) error // hears of each whole turn; nil if nobody does
}

// A Preface is what a rollout is told of earlier attempts at its question. It is
// part of the conversation from its beginning, so a rollout that goes on must be
// given the same one.
type Preface struct {
	Note string // added to the rules, after a blank line
	Text string // follows the question: a user message of its own in the native dialect (joined on the wire with the question), and the end of the only message in the tags dialect
}

// An Agent carries out rollouts.
type Agent struct {
	client llm.Client
	tools  tool.Set
	opts   Options
}

// New returns an agent that asks client and calls the tools of the set.
func New(client llm.Client, tools tool.Set, opts Options) *Agent {
	if opts.Dialect == "" {
		opts.Dialect = Native
	}
	opts.Turns = orDefault(opts.Turns, 8)
	opts.FinalTokens = orDefault(opts.FinalTokens, 512)
	opts.ObservationChars = orDefault(opts.ObservationChars, 4000)
	opts.RepeatLimit = orDefault(opts.RepeatLimit, 3)
	opts.FailureLimit = orDefault(opts.FailureLimit, 3)
	return &Agent{client: client, tools: tools, opts: opts}
}

func orDefault(n, def int) int {
	if n <= 0 {
		return def
	}
	return n
}

// Run carries out one rollout. It returns a trajectory whenever the rollout came
// to its end, with or without an answer. It returns an error, and no trajectory,
// only if ctx ended, the model could not be asked, or Record failed; the turns
// that were recorded are not lost.
func (a *Agent) Run(ctx context.Context, task Task) (*trajectory.Trajectory, error) {
	r := a.start(task)
	for !r.done() {
		t, err := a.turn(ctx, r)
		if err == nil && task.Record != nil {
			err = task.Record(t)
		}
		if err != nil {
			return nil, fmt.Errorf("agent: turn %d: %w", r.turns+1, err)
		}
		r.apply(t)
	}
	return &r.traj, nil
}

// turn makes the next turn.
func (a *Agent) turn(ctx context.Context, r *run) (trajectory.Turn, error) {
	d := newDraft(r.turns + 1)
	err := a.fill(ctx, r, d)
	return d.whole(), err
}

func (a *Agent) fill(ctx context.Context, r *run, d *draft) error {
	if reason := r.limit(a.opts); reason != "" {
		return a.conclude(ctx, r, d, reason)
	}
	query, err := a.given(ctx, r, d)
	if err != nil {
		return err
	}
	if query.Text != "" {
		d.source = query.Source
		return a.act(ctx, r, d, seeded(query.Text))
	}
	return a.think(ctx, r, d)
}

// given returns the query of a turn that the model does not choose; one without
// text leaves it to the model.
func (a *Agent) given(ctx context.Context, r *run, d *draft) (trajectory.SeedQuery, error) {
	n := d.turn.Number
	switch {
	case n == 1 && r.task.SeedQuery != nil:
		return *r.task.SeedQuery, nil
	case n >= 2 && n <= a.opts.ProposeTurns && a.opts.Proposer != nil:
		return a.propose(ctx, r, d)
	}
	return trajectory.SeedQuery{}, nil
}

// propose asks the proposer. Its failure is not the rollout's: the model is
// asked instead, and fails for good if the server is gone.
func (a *Agent) propose(ctx context.Context, r *run, d *draft) (trajectory.SeedQuery, error) {
	query, usage, calls, err := a.opts.Proposer.Propose(ctx, r.task.Question, r.traj.Steps, d.seed(r.task, "propose"))
	d.spend(calls, usage)
	if err == nil && query.Text != "" {
		return query, nil
	}
	d.note(repairProposer)
	return trajectory.SeedQuery{}, ctx.Err()
}

// seeded returns the reply that a given query stands for.
func seeded(query string) reply.Reply {
	return reply.Reply{Calls: []reply.Call{{Name: tool.SearchName, Args: map[string]any{tool.SearchQuery: query}}}}
}
