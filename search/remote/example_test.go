package remote_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"trawl/search"
	"trawl/search/remote"
)

func Example() {
	engine := searcher(func(context.Context, string, int) ([]search.Hit, error) {
		return []search.Hit{{Document: search.Document{ID: "7", Title: "The Third Man", Text: "A film."}, Score: 12.5}}, nil
	})
	server := httptest.NewServer(remote.Handler(engine, remote.ServeOptions{}))
	defer server.Close()

	client, err := remote.New(server.URL, remote.Options{})
	if err != nil {
		panic(err)
	}
	defer client.Close()
	hits, err := client.Search(context.Background(), "third man", 3)
	if err != nil {
		panic(err)
	}
	for _, h := range hits {
		fmt.Println(h.ID, h.Title, h.Score)
	}
	// Output: 7 The Third Man 12.5
}
