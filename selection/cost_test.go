package selection_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/selection"
)

func TestCostAdd(t *testing.T) {
	a := selection.Cost{Calls: 1, Prompt: 20, Completion: 300, Cached: 4000, Fresh: 50000, Millis: 600000}
	b := selection.Cost{Calls: 2, Prompt: 30, Completion: 400, Cached: 5000, Fresh: 60000, Millis: 700000, Estimated: true}
	want := selection.Cost{Calls: 3, Prompt: 50, Completion: 700, Cached: 9000, Fresh: 110000, Millis: 1300000, Estimated: true}
	for _, pair := range [][2]selection.Cost{{a, b}, {b, a}} {
		got := pair[0]
		got.Add(pair[1])
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("sum mismatch (-want +got):\n%s", diff)
		}
	}
}
