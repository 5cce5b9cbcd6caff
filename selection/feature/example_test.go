package feature_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"trawl/agent/llm/hashing"
	"trawl/selection/feature"
)

func ExampleTable() {
	cache, err := os.MkdirTemp("", "vectors")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(cache)

	embedder := hashing.Embedder{}
	table, err := feature.New(embedder, feature.Options{Name: embedder.Name(), Cache: cache})
	if err != nil {
		log.Fatal(err)
	}
	defer table.Close()

	rows, err := table.Rows(context.Background(), []string{"Who directed Titanic?", "", "James Cameron", "Who directed Titanic?"})
	if err != nil {
		log.Fatal(err)
	}
	vector := make([]float32, table.Dims())
	table.Read(rows[0], vector)
	fmt.Println(rows, len(vector), table.Counts().Embedded)
	// Output: [0 -1 1 0] 512 2
}
