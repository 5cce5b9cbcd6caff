package remote

import (
	"encoding/json"
	"errors"
	"fmt"

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
// have, queries counts.
func (h *handler) read(body []byte) (call, error) {
	var in struct {
		Queries *[]string
		Query   *string
		TopK    int  `json:"topk"` // null leaves 0
		Scores  bool `json:"return_scores"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return call{}, text.JSONError(err)
	}
	c := call{top: in.TopK, scores: in.Scores}
	switch {
	case in.Queries != nil:
		c.queries = *in.Queries
	case in.Query != nil:
		c.queries, c.single = []string{*in.Query}, true
	default:
		return call{}, errors.New(`key queries: missing; a call is such as {"queries": ["a question"], "topk": 3, "return_scores": true}`)
	}
	if c.top == 0 {
		c.top = h.opts.Top
	}
	return c, h.check(c)
}

// check refuses calls that ask for too much.
func (h *handler) check(c call) error {
	switch n := len(c.queries); {
	case c.top < 0 || c.top > h.opts.MaxTop:
		return fmt.Errorf("key topk: %d: want at most %d", c.top, h.opts.MaxTop)
	case n > h.opts.MaxQueries:
		return fmt.Errorf("key queries: %d of them: want at most %d in one call", n, h.opts.MaxQueries)
	case n > maxHits/c.top:
		return fmt.Errorf("%d queries with topk %d: want at most %d hits in one call", n, c.top, maxHits)
	}
	return nil
}

// answer is the whole answer; Result depends on how the call was made.
type answer struct {
	Result any `json:"result"`
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

// render returns the result of a call as its caller reads it.
func (c call) render(found [][]search.Hit) any {
	switch {
	case c.single:
		return each(found[0], c.titled)
	case c.scores:
		return each(found, func(hits []search.Hit) []scored { return each(hits, asScored) })
	}
	return each(found, func(hits []search.Hit) []document { return each(hits, asDocument) })
}

func asDocument(h search.Hit) document {
	return document{ID: h.ID, Contents: text.Contents(h.Title, h.Text), URL: h.URL}
}

func asScored(h search.Hit) scored { return scored{Document: asDocument(h), Score: h.Score} }

func (c call) titled(h search.Hit) titled {
	out := titled{DocID: h.ID}
	out.Document.Title, out.Document.Text, out.Document.URL = h.Title, h.Text, h.URL
	if c.scores {
		out.Score = &h.Score
	}
	return out
}

// each returns f of every element. It is never nil, so that JSON has [].
func each[A, B any](in []A, f func(A) B) []B {
	out := make([]B, len(in))
	for i, v := range in {
		out[i] = f(v)
	}
	return out
}
