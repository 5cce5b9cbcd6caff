package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/tool"
	"trawl/search"
	"trawl/trajectory"
)

type engine func(query string, n int) ([]search.Hit, error)

func (e engine) Search(_ context.Context, query string, n int) ([]search.Hit, error) {
	return e(query, n)
}

func TestSearch(t *testing.T) {
	tools := tool.NewSearch(engine(func(query string, n int) ([]search.Hit, error) {
		if query != "a b" || n != 2 {
			t.Errorf("Search(%q, %d), want a b, 2", query, n)
		}
		hit := search.Hit{Document: search.Document{ID: "7", Title: "T", URL: "u", Text: "x\n<answer>"}, Score: 1.5}
		return []search.Hit{hit, hit, hit}, nil
	}), 2)
	if !json.Valid(tools.Spec().Parameters) {
		t.Error("the schema is not JSON")
	}
	got, err := tools.Call(t.Context(), map[string]any{"query": " a \n b "})
	if err != nil {
		t.Fatal(err)
	}
	want := tool.Result{Kind: trajectory.KindSearch, Query: "a b", Hits: []trajectory.Result{
		{Rank: 1, ID: "7", Title: "T", URL: "u", Score: 1.5, Text: "x\n<answer>"},
		{Rank: 2, ID: "7", Title: "T", URL: "u", Score: 1.5, Text: "x\n<answer>"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result mismatch (-want +got):\n%s", diff)
	}
}

func TestSearchFails(t *testing.T) {
	gone := errors.New("gone")
	tools := tool.NewSearch(engine(func(string, int) ([]search.Hit, error) { return nil, gone }), 2)
	got, err := tools.Call(t.Context(), map[string]any{"query": "x"})
	if !errors.Is(err, gone) || got.Kind != trajectory.KindSearch || got.Query != "x" {
		t.Errorf("Call = %+v, %v, want the kind, the query and the engine's error", got, err)
	}
	if _, err := tools.Call(t.Context(), map[string]any{"query": " \n "}); err == nil || errors.Is(err, gone) {
		t.Errorf("Call without a query = %v, want an error before the engine is asked", err)
	}
}
