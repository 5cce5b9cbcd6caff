package summary_test

import (
	"fmt"

	"trawl/recursion/internal/summary"
)

func ExampleParse() {
	s := summary.Parse(`**Current Answer:** The answer is Paris. [E1]

### Facts
1. Paris is the capital of France (Source: atlas, Verified=Yes)
`)
	fmt.Println(*s.CurrentAnswer, s.Facts, s.Repairs)
	// Output:
	// Paris [{E1 Paris is the capital of France atlas  yes}] [heading answer-cleaned facts-renumbered section-missing]
}
