package trajectory_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/trajectory"
)

func TestUsage(t *testing.T) {
	var one trajectory.CallUsage
	one.Add(trajectory.CallUsage{Prompt: 900, Completion: 40, Cached: 512})
	one.Add(trajectory.CallUsage{Prompt: 1000, Completion: 2, Cached: 1, Estimated: true})
	one.Add(trajectory.CallUsage{})
	if want := (trajectory.CallUsage{Prompt: 1900, Completion: 42, Cached: 513, Estimated: true}); one != want {
		t.Errorf("of calls: %+v, want %+v", one, want)
	}
	var all trajectory.Usage
	all.AddCalls(1, trajectory.CallUsage{Prompt: 100, Completion: 10, Cached: 1})
	all.AddTurn(trajectory.Turn{Calls: 2, Usage: one, Searches: 3})
	all.AddTurn(trajectory.Turn{ // what was carried out counts, not what was asked for
		Calls: 1, Usage: trajectory.CallUsage{Prompt: 5}, Searches: 1, Opens: 1,
		Steps: []trajectory.Step{{Kind: trajectory.KindSearch}, {Kind: trajectory.KindSearch}, {Kind: trajectory.KindOpen}},
	})
	want := trajectory.Usage{LLMCalls: 4, Prompt: 2005, Completion: 52, Cached: 514, Searches: 4, Opens: 1, Estimated: true}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("of turns (-want +got):\n%s", diff)
	}
}
