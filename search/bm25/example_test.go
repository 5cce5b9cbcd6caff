package bm25_test

import (
	"context"
	"fmt"
	"os"

	"trawl/search"
	"trawl/search/bm25"
	"trawl/search/index"
)

func ExampleBuild() {
	dir, err := os.MkdirTemp("", "index")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	docs := []search.Document{
		{ID: "1", Title: "Montevideo", Text: "Montevideo is the capital of Uruguay."},
		{ID: "2", Title: "Asunción", Text: "Asunción is the capital of Paraguay."},
	}
	stats, err := bm25.Build(ctx, dir, stream(docs), bm25.Options{Params: index.DefaultParams()})
	if err != nil {
		panic(err)
	}
	x, err := bm25.Open(dir)
	if err != nil {
		panic(err)
	}
	defer x.Close()
	hits, err := x.Search(ctx, "the capitals of Uruguay", 10)
	if err != nil {
		panic(err)
	}
	fmt.Println(stats.Documents, "documents")
	for _, h := range hits {
		fmt.Printf("%.3f %s\n", h.Score, h.Title)
	}
	// Output:
	// 2 documents
	// 0.461 Montevideo
	// 0.096 Asunción
}
