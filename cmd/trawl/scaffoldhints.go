package main

import (
	"context"

	"trawl/agent"
	"trawl/eval/scaffold"
	"trawl/rollout"
	"trawl/trajectory"
)

// Hints are what rollouts are told of the oracle trajectories of their questions.
type hints struct {
	fixed fixedHints
	texts map[string]string // by question; none: nothing is told
}

// A fixedHints is what decides hints beside the questions and the index, as part of
// a run's identity.
type fixedHints struct {
	Lambda float64 `json:"lambda"`
	Oracle string  `json:"oracle"` // SHA-256 of the file
	Prompt string  `json:"prompt"` // hash
}

// hintsAt returns the hints of the tasks at lambda.
func hintsAt(tasks []*scaffold.Task, lambda float64, oracle string) *hints {
	h := &hints{fixed: fixedHints{Lambda: lambda, Oracle: oracle, Prompt: scaffold.PromptHash()}, texts: map[string]string{}}
	for _, t := range tasks {
		h.texts[t.Example.ID] = t.Hint(lambda).Text
	}
	return h
}

// identity returns what is fixed of a run with the hints, nil without.
func (h *hints) identity() *fixedHints {
	if h == nil {
		return nil
	}
	return &h.fixed
}

// around returns a runner that gives the first round of each rollout its hint.
// Later rounds are told what the one before came to, and nothing else of the past.
func (h *hints) around(next rollout.Runner) rollout.Runner {
	if h == nil {
		return next
	}
	return hinted{next, h.texts}
}

// A hinted runner tells each rollout the hint of its question.
type hinted struct {
	next  rollout.Runner
	texts map[string]string
}

var _ rollout.Runner = hinted{}

// Run implements [rollout.Runner].
func (h hinted) Run(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
	if text := h.texts[task.Key.QuestionID]; text != "" && task.Key.Round == 1 {
		task.Preface = &agent.Preface{Text: text}
	}
	return h.next.Run(ctx, task)
}
