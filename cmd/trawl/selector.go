package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"trawl/selection"
	"trawl/selection/baseline"
	"trawl/trajectory"
)

// selectorNames are the selectors that need no gold answers.
var selectorNames = []string{"first", "random", "majority", "weighted", "best-of-n", "fewest-tools", "gnn"}

// oracleName is the selector that does.
const oracleName = "oracle"

// A selectorOptions is what selectors are made with.
type selectorOptions struct {
	seed   int64                                               // of random
	right  func(*trajectory.Trajectory) bool                   // what is right, for the oracle; nil where nobody knows
	graphs func(checkpoint string) (selection.Selector, error) // opens gnn; "" is the checkpoint of the settings
}

// newSelector returns a selector, and the name of the one that it is: auto is
// majority.
func newSelector(name string, o selectorOptions) (selection.Selector, string, error) {
	switch name {
	case "auto", "majority":
		return baseline.Majority{}, "majority", nil
	case "first":
		return baseline.First{}, name, nil
	case "random":
		return baseline.Random{Seed: o.seed}, name, nil
	case "weighted":
		return baseline.Weighted{}, name, nil
	case "best-of-n":
		return baseline.BestOfN{}, name, nil
	case "fewest-tools":
		return baseline.FewestTools{}, name, nil
	case "gnn":
		s, err := o.graphs("")
		return s, name, err
	case oracleName:
		if o.right == nil {
			return nil, "", errors.New("selector oracle needs gold answers, which only trawl select has")
		}
		return baseline.Oracle{Right: o.right}, name, nil
	}
	if checkpoint, ok := strings.CutPrefix(name, "gnn:"); ok {
		s, err := o.graphs(checkpoint)
		return s, name, err
	}
	return nil, "", fmt.Errorf("unknown selector %q: want %s", name, strings.Join(append(slices.Clone(selectorNames), oracleName), ", "))
}
