package main

import (
	"fmt"

	"trawl/selection"
	"trawl/selection/baseline"
)

// newSelector returns a selector by its name. Auto is majority.
func newSelector(name string) (selection.Selector, string, error) {
	switch name {
	case "auto", "majority":
		return baseline.Majority{}, "majority", nil
	case "first":
		return baseline.First{}, "first", nil
	}
	return nil, "", fmt.Errorf("unknown selector %q: want auto, majority or first", name)
}
