package remote

import (
	"encoding/json"
	"errors"
	"fmt"

	"trawl/internal/httpcall"
	"trawl/internal/text"
	"trawl/search"
)

// A call is what somebody asks of the handler.
type call struct {
	queries []string
	top     int
	scores  bool
	single  bool // one query, asked and answered as BrowseComp-Plus does
}

// read reads a call. Where it has both queries and query, as those of [Client]
// have, queries counts, unless it is empty.
func (h *handler) read(body []byte) (call, error) {
	var in struct {
		Queries *[]string
		Query   *string
		TopK    json.RawMessage `json:"topk"`
		Scores  json.RawMessage `json:"return_scores"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return call{}, text.JSONError(err)
	}
	var c call
	switch {
	case in.Query != nil && (in.Queries == nil || len(*in.Queries) == 0):
		c.queries, c.single = []string{*in.Query}, true
	case in.Queries != nil:
		c.queries = *in.Queries
	default:
		return call{}, errors.New(`key queries: missing; a call is such as {"queries": ["a question"], "topk": 3, "return_scores": true}`)
	}
	var err error
	if c.scores, err = truth(in.Scores); err != nil {
		return call{}, fmt.Errorf("key return_scores: %w", err)
	}
	if c.top, err = h.top(in.TopK); err != nil {
		return call{}, fmt.Errorf("key topk: %w", err)
	}
	return c, h.check(c)
}

// top reads how many hits are asked for. Null, 0 and nothing leave it to us.
func (h *handler) top(raw json.RawMessage) (int, error) {
	n, err := wholeNumber(raw)
	if err != nil || n < 0 || n > float64(h.opts.MaxTop) {
		return 0, fmt.Errorf("%s: want a whole number from 1 to %d", httpcall.FirstWords(raw), h.opts.MaxTop)
	}
	return or(int(n), h.opts.Top), nil
}

// check refuses calls that ask for too much.
func (h *handler) check(c call) error {
	switch n := len(c.queries); {
	case n > h.opts.MaxQueries:
		return fmt.Errorf("key queries: %d of them: want at most %d in one call", n, h.opts.MaxQueries)
	case n > maxHits/c.top:
		return fmt.Errorf("%d queries with topk %d: want at most %d hits in one call", n, c.top, maxHits)
	}
	for i, query := range c.queries {
		if len(query) > h.opts.MaxQuery {
			return fmt.Errorf("query %d has %d bytes: want at most %d", i+1, len(query), h.opts.MaxQuery)
		}
	}
	return nil
}

// document is a document as Search-R1 has it, and its URL if it has one.
type document struct {
	ID       string `json:"id"`
	Contents string `json:"contents"`
	URL      string `json:"url,omitempty"`
}

// scored is a hit of an answer with scores.
type scored struct {
	Document document `json:"document"`
	Score    float64  `json:"score"`
}

// titled is a hit as BrowseComp-Plus has it.
type titled struct {
	Document struct {
		Title string `json:"title"`
		Text  string `json:"text"`
		URL   string `json:"url,omitempty"`
	} `json:"document"`
	DocID string   `json:"docid"`
	Score *float64 `json:"score,omitempty"` // if it was asked for
}

// shape returns a hit as the caller reads it.
func (c call) shape(h search.Hit) any {
	if c.single {
		return c.titled(h)
	}
	doc := document{ID: h.ID, Contents: text.Contents(h.Title, h.Text), URL: h.URL}
	if c.scores {
		return scored{Document: doc, Score: h.Score}
	}
	return doc
}

func (c call) titled(h search.Hit) titled {
	out := titled{DocID: h.ID}
	out.Document.Title, out.Document.Text, out.Document.URL = h.Title, h.Text, h.URL
	if c.scores {
		out.Score = &h.Score
	}
	return out
}
