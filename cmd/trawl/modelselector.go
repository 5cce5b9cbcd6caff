package main

import (
	"context"
	"fmt"

	"trawl/agent/llm"
	"trawl/eval/compare"
	"trawl/internal/config"
	"trawl/selection"
	"trawl/selection/aggregate"
	"trawl/trajectory/store"
)

// A modelSelector is a selector that calls a model. Its id stands for all that
// decides beside the rollouts: the model, the method, its prompts, its settings.
type modelSelector struct {
	selection.Selector
	id string
}

// idOf returns what stands for all that decides beside the rollouts: the hash of
// a checkpoint or of a model's settings; "" for a selector that is a rule.
func idOf(s selection.Selector) string {
	switch s := s.(type) {
	case modelSelector:
		return s.id
	case keptSelector:
		return s.id
	}
	return checkpointOf(s)
}

// A modelSelectors makes the selectors that call the aggregator's model, which
// is opened with the first of them.
type modelSelectors struct {
	settings *config.Settings
	tools    []llm.Tool // that the rollouts were made with; none in the tags dialect
	roles    *roles
	backend  *backend
}

func newModelSelectors(e env, s *config.Settings) *modelSelectors {
	return &modelSelectors{settings: s, roles: newRoles(e, s.Rollout.Concurrency)}
}

// An identified selector says what decides beside the rollouts and the model.
type identified interface {
	selection.Selector
	Identity() string
}

// open returns the selector of a name, one of those that write, or confidence.
func (m *modelSelectors) open(ctx context.Context, name string, seed int64) (modelSelector, error) {
	model := m.settings.Models.In(m.settings.Models.Aggregator)
	if m.backend == nil {
		var err error
		if m.backend, err = m.roles.open(ctx, "aggregator", model); err != nil {
			return modelSelector{}, fmt.Errorf("selector %s asks a model: %w", name, err)
		}
	}
	o := aggregate.Options{Sampling: sampling(model), Seed: seed, Context: m.context(model), Tools: m.tools}
	var s identified
	switch name {
	case "solagg":
		s = aggregate.NewSolAgg(m.backend.client, o)
	case "summagg":
		s = aggregate.NewSummAgg(m.backend.client, o)
	case "aggagent":
		s = aggregate.NewAggAgent(m.backend.client, o)
	default:
		s = aggregate.NewConfidence(m.backend.client, o)
	}
	return modelSelector{s, store.Hash(m.backend.model + "\n" + s.Identity())}, nil
}

// context returns how long the conversation of aggagent may become: what the
// settings say, within what the server has room for. A tenth is for the error of
// counting four characters a token.
func (m *modelSelectors) context(model config.Model) int {
	most := m.settings.Selection.Context
	if w := m.backend.window; w > 0 {
		most = min(most, max(1000, (w-model.MaxTokens)*9/10))
	}
	return most
}

// simulated reports whether the model that was asked is the simulated one.
func (m *modelSelectors) simulated() bool { return m.backend != nil && m.backend.simulated }

func (m *modelSelectors) close() error { return m.roles.close() }

// A keptSelector decides by a model, on the same rollouts once: what was decided
// before is read from the folder, and what is decided now is written there before
// anybody hears of it. So a comparison that was killed pays for nothing twice.
type keptSelector struct {
	modelSelector
	name string
	runs *selectedRuns
}

// Select implements [selection.Selector].
func (k keptSelector) Select(ctx context.Context, g selection.Group) (selection.Decision, error) {
	rollouts := make([]int, len(g.Trajectories))
	for i, t := range g.Trajectories {
		rollouts[i] = t.Rollout
	}
	if d, ok := k.runs.find(g.Question.ID, k.name, k.id, rollouts); ok {
		return d, nil
	}
	d, err := k.modelSelector.Select(ctx, g)
	if err != nil {
		return d, err
	}
	if err := k.runs.put(k.name, k.id, g.Question.ID, rollouts, d); err != nil {
		return d, fmt.Errorf("%w: %w", compare.ErrNotKept, err)
	}
	return d, nil
}
