package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"trawl/agent/llm"
	"trawl/internal/text"
	"trawl/search"
	"trawl/trajectory"
)

// SearchName is the name of the tool that [NewSearch] returns, and SearchQuery
// that of its only parameter.
const (
	SearchName  = "search"
	SearchQuery = "query"
)

type searchTool struct {
	engine search.Engine
	top    int
}

// NewSearch returns a tool that shows the best top documents of engine for a query.
func NewSearch(engine search.Engine, top int) Tool { return searchTool{engine: engine, top: top} }

// Spec implements [Tool].
func (s searchTool) Spec() llm.Tool {
	return llm.Tool{
		Name:        SearchName,
		Description: "Searches the document collection and shows the best matching passages.",
		Parameters:  json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","description":"one short query: the names and key words of one fact"}},"required":["query"]}`),
	}
}

// Call implements [Tool].
func (s searchTool) Call(ctx context.Context, args map[string]any) (Result, error) {
	query, _ := args[SearchQuery].(string)
	query = text.Collapse(query)
	r := Result{Kind: trajectory.KindSearch, Query: query}
	if query == "" {
		return r, errors.New("the query is empty")
	}
	hits, err := s.engine.Search(ctx, query, s.top)
	if err != nil {
		return r, fmt.Errorf("the search failed: %w", err)
	}
	for i, h := range hits[:min(len(hits), max(s.top, 0))] {
		r.Hits = append(r.Hits, trajectory.Result{Rank: i + 1, ID: h.ID, Title: h.Title, URL: h.URL, Score: h.Score, Text: h.Text})
	}
	return r, nil
}
