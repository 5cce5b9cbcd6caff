package utility_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/eval/utility"
	"trawl/trajectory"
)

// Evidence is what a claim cites, without the mark, or else what is nearest; what a
// failed call showed is none, and gains nothing.
func TestEvidence(t *testing.T) {
	failed := found("x", "error@0")
	failed.Error = "gone"
	r := evaluated(t, utility.Options{}, barrow, rollout(0, "1782", "Barrow opened in 1782 [212].\nBarrow opened in 1782.",
		failed, found("a", "Barrow opened in 1782@80", "212"), found("b", "p@1"), found("c", "p@2"), found("d", "p@3")))
	d := r.Details[0].Rollouts[0]
	if c := d.Claims[0]; !c.Cited || !cmp.Equal(c.Steps, []int{2}) || *c.P != 1 {
		t.Errorf("the citing claim: %+v", c)
	}
	if c := d.Claims[1]; c.Cited || !cmp.Equal(c.Steps, []int{3, 4, 5}) || *c.P != 0 {
		t.Errorf("the other claim: %+v", c)
	}
	if d.Gains[0] != 0 {
		t.Errorf("a failed call gained %g", d.Gains[0])
	}
}

// An address is cited where it stands whole, the longer of two before the one that it
// begins with.
func TestCitedAddresses(t *testing.T) {
	page := func(url string) trajectory.Step {
		s := found("a", "Barrow opened in 1782 "+url)
		s.Results = []trajectory.Result{{Rank: 1, URL: url}}
		return s
	}
	steps := []trajectory.Step{page("https://e.org/1"), page("https://e.org/12"), page("https://e.org/1/a"), page("https://e.org/1"), page("https://e.org/2"), page("https://e.org/2/")}
	for claim, want := range map[string][]int{
		"Barrow opened in 1782 https://e.org/12.":                  {2},
		"Barrow opened in 1782 (https://e.org/1).":                 {1, 4},
		"Barrow opened in 1782, https://e.org/1/.":                 {1, 4},
		"Barrow opened in 1782 *https://e.org/1/a*":                {3},
		"Barrow opened in 1782 [one](https://e.org/1).":            {1, 4},
		"Barrow opened in 1782 https://e.org/1, https://e.org/12":  {1, 2, 4},
		"Barrow opened in 1782 https://e.org/2/.":                  {6},
		"Barrow opened in 1782 https://e.org/123":                  nil,
		"Barrow opened in 1782 https://e.org/1?page=2":             nil,
		"Barrow opened in 1782 https://e.org/1#top":                nil,
		"Barrow opened in 1782 https://e.org/1.html":               nil,
		"Barrow opened in 1782 https://arch.org/https://e.org/12":  nil,
		"Barrow opened in 1782 https://e.org/13 https://e.org/1 .": {1, 4},
	} {
		r := evaluated(t, utility.Options{}, barrow, rollout(0, "1782", claim, steps...))
		c := r.Details[0].Rollouts[0].Claims[0]
		if c.Cited != (want != nil) || c.Cited && !cmp.Equal(c.Steps, want) {
			t.Errorf("%q cites %v (%t), want %v", claim, c.Steps, c.Cited, want)
		}
	}
}
