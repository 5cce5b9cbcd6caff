package graph_test

import (
	"fmt"

	"trawl/selection/graph"
)

// Two of three rollouts stand on the same passage.
func ExampleBuildPool() {
	passage := graph.Chunk{Title: "Taldra", Text: "Taldra is a port  town."}
	g, err := graph.BuildPool(graph.Pool{
		Question: "Where was Corvo born?",
		Rollouts: []graph.Rollout{
			{Number: 0, Answer: "Taldra", Searches: []graph.Search{{Query: "Corvo", Chunks: []graph.Chunk{passage}}}},
			{Number: 1, Answer: "Brann", Searches: []graph.Search{{Query: "Corvo", Chunks: []graph.Chunk{{Text: "Brann is a village."}}}}},
			{Number: 2, Answer: "taldra.", Searches: []graph.Search{{Query: "Corvo born", Chunks: []graph.Chunk{{Text: "(Title: Taldra) Taldra is a port town."}}}}},
		},
	}, graph.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range g.Answers {
		fmt.Println(g.Texts[a.Text], a.Votes)
	}
	s := graph.StatsOf(g)
	fmt.Printf("%d pieces of evidence, %d contents, %d cross pair\n", s.Evidence, g.Contents, s.Contents.Pairs)
	// Output:
	// Taldra 2
	// Brann 1
	// Taldra 2
	// 3 pieces of evidence, 2 contents, 1 cross pair
}
