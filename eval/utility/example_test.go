package utility_test

import (
	"fmt"

	"trawl/eval/utility"
)

func Example() {
	w := utility.DefaultWeights()
	gains := utility.Gains([]float64{0.2, 0.1, 0.1, 0.7}, w.Epsilon)
	cost := 0.0
	for _, p := range utility.Penalties(gains, []float64{0, 0.3, 1, 0}, w.Alpha) {
		cost += w.Search * p
	}
	e := utility.Efficiency(2, cost, w.Gamma)
	c := utility.Quality(utility.Grounding([]float64{0.9, 0.4}, w.Floor), utility.Recovery([]float64{3, 1}, w.Lambda), w.Beta)
	fmt.Printf("E %.3f, C %.3f, U %.3f\n", e, c, utility.Utility(true, e, c, w))
	// Output: E 0.469, C 0.621, U 0.540
}
