package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"trawl/internal/config"
	"trawl/selection"
	"trawl/selection/aggregate"
	"trawl/selection/baseline"
	"trawl/selection/graph"
	"trawl/trajectory"
)

// The selectors, by what they need beside the rollouts.
var (
	plainSelectors   = []string{"first", "random", "majority", "weighted", "best-of-n", "fewest-tools"}
	writingSelectors = []string{"solagg", "summagg", "aggagent"} // the aggregator's model
	selectorNames    = slices.Concat(plainSelectors, []string{"gnn"}, writingSelectors)
)

// oracleName is the selector that needs gold answers.
const oracleName = "oracle"

// isSelector reports whether trawl select knows a selector of that name.
func isSelector(name string) bool {
	return slices.Contains(selectorNames, name) || name == oracleName || name == "auto" || strings.HasPrefix(name, "gnn:")
}

func unknownSelector(name string) error {
	return fmt.Errorf("unknown selector %q: want %s", name, strings.Join(append(slices.Clone(selectorNames), oracleName), ", "))
}

// confidenceName is what decisions are kept under that say how sure the
// aggregator's model is of a rollout.
const confidenceName = "confidence"

// A selectors makes selectors for the settings, and holds what they need:
// checkpoints, vectors, a device, a model.
type selectors struct {
	settings *config.Settings
	graphs   *graphSelectors
	models   *modelSelectors

	seed  int64                                                 // of random
	right func(*trajectory.Trajectory) bool                     // what is right, for the oracle; nil where nobody knows
	keep  func(name string, s modelSelector) selection.Selector // keeps what a model decided; nil: nobody does
}

func newSelectors(e env, s *config.Settings) *selectors {
	return &selectors{settings: s, seed: s.Seed, graphs: newGraphSelectors(e, s), models: newModelSelectors(e, s)}
}

// close gives everything back.
func (x *selectors) close() error { return errors.Join(x.graphs.close(), x.models.close()) }

// choose returns the selector that the settings name, for rollouts of a variant,
// and its name.
func (x *selectors) choose(ctx context.Context, v graph.Variant) (selection.Selector, string, error) {
	if name := x.settings.Selection.Selector; name != "auto" {
		return x.make(ctx, name, v)
	}
	s, name, err := x.graphs.auto(ctx, v)
	if s == nil && err == nil {
		s = baseline.Majority{}
	}
	return s, name, err
}

// make returns the selector of a name, for rollouts of a variant; "" is any.
func (x *selectors) make(ctx context.Context, name string, v graph.Variant) (selection.Selector, string, error) {
	switch name {
	case "auto":
		return x.choose(ctx, v)
	case "majority":
		return baseline.Majority{}, name, nil
	case "first":
		return baseline.First{}, name, nil
	case "random":
		return baseline.Random{Seed: x.seed}, name, nil
	case "weighted":
		return x.confident(ctx, name, baseline.Weighted{})
	case "best-of-n":
		return x.confident(ctx, name, baseline.BestOfN{})
	case "fewest-tools":
		return baseline.FewestTools{}, name, nil
	case "gnn":
		s, err := x.graphs.open(ctx, "", v)
		return s, name, err
	case oracleName:
		if x.right == nil {
			return nil, "", errors.New("selector oracle needs gold answers, which only trawl select has")
		}
		return baseline.Oracle{Right: x.right}, name, nil
	}
	if slices.Contains(writingSelectors, name) {
		s, err := x.written(ctx, name)
		return s, name, err
	}
	if checkpoint, ok := strings.CutPrefix(name, "gnn:"); ok {
		s, err := x.graphs.open(ctx, checkpoint, v)
		return s, name, err
	}
	return nil, "", unknownSelector(name)
}

// confident returns a selector that decides by confidence: the one that rollouts
// stated, or the one that the aggregator's model is asked for.
func (x *selectors) confident(ctx context.Context, name string, s selection.Selector) (selection.Selector, string, error) {
	if x.settings.Selection.Confidence != "asked" {
		return s, name, nil
	}
	confidence, err := x.written(ctx, confidenceName)
	if err != nil {
		return nil, "", err
	}
	id := idOf(confidence)
	return modelSelector{aggregate.Asked{Confidence: confidence, Inner: s}, id}, name, nil
}

// written returns a selector that calls the aggregator's model.
func (x *selectors) written(ctx context.Context, name string) (selection.Selector, error) {
	s, err := x.models.open(ctx, name, x.seed)
	if err != nil {
		return nil, err
	}
	if x.keep != nil {
		return x.keep(name, s), nil
	}
	return s, nil
}
