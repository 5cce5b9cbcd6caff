package recursion_test

import (
	"fmt"

	"trawl/recursion"
	"trawl/trajectory"
)

func ExampleMerge() {
	found := func(rollout int, fact string, status trajectory.Status) trajectory.State {
		return trajectory.State{
			QuestionID: "q1", Round: 1, Rollout: rollout,
			Facts:         []trajectory.Fact{{ID: "E1", Text: fact, Verified: status}},
			Uncertainties: []string{"Does a second source confirm E1?"},
		}
	}
	s := recursion.Merge([]trajectory.State{
		found(0, "Ann Lee was born in 1934.", trajectory.Partial),
		found(1, "Ann Lee was born in 1943.", trajectory.Verified),
	}, recursion.Base)
	for _, f := range s.Facts {
		fmt.Println(f.ID, f.Text)
	}
	fmt.Println(s.Uncertainties)
	fmt.Println(s.Conflicts)
	// Output:
	// E1 Ann Lee was born in 1943.
	// E2 Ann Lee was born in 1934.
	// [Does a second source confirm E2? Does a second source confirm E1?]
	// [These may contradict each other: "Ann Lee was born in 1943." and "Ann Lee was born in 1934."]
}
