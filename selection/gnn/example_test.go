package gnn_test

import (
	"fmt"
	"log"

	"trawl/selection/gnn"
	"trawl/selection/graph"
)

// A model scores the candidates of graphs; the best of each is the first of the
// highest.
func ExampleModel_Scores() {
	device, err := gnn.OpenDevice("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	model, err := gnn.New(gnn.Config{Variant: graph.WebQA, Embedding: 16, Hidden: 32}, 1, device.Backend())
	if err != nil {
		log.Fatal(err)
	}
	graphs, vectors := gnn.Workload(1, 2, 16, gnn.PaperRollouts)
	scores, err := model.Scores(graphs, vectors)
	if err != nil {
		log.Fatal(err)
	}
	for i, s := range scores {
		best := gnn.Best(s)
		fmt.Println(len(graphs[i].Graph.Answers), "candidates,", len(s), "scores, the best is one of them:", best >= 0 && best < len(s))
	}
	// Output:
	// 12 candidates, 12 scores, the best is one of them: true
	// 12 candidates, 12 scores, the best is one of them: true
}
