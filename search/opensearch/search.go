package opensearch

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/opensearch-project/opensearch-go/v4"
	"github.com/opensearch-project/opensearch-go/v4/opensearchapi"

	"trawl/internal/httpcall"
	"trawl/internal/text"
	"trawl/search"
	"trawl/search/english"
)

// maxTerms is how many terms a query may have; the server's own limit is 1,024
// unless its administrator changed it.
const maxTerms = 1000

// Search implements [search.Engine]. It returns at most so many hits as the
// index's max_result_window, which is 10,000 unless it was changed. It tries
// again, as often as its options say, if the server is not there, is overloaded
// (429) or fails (5xx). A blank query is not sent.
func (x *Index) Search(ctx context.Context, query string, n int) ([]search.Hit, error) {
	if err := ctx.Err(); err != nil || n < 1 || text.Blank(query) {
		return nil, err
	}
	hits, err := x.find(ctx, query, min(n, x.window))
	if err != nil {
		return nil, fmt.Errorf("opensearch: %s: %w", x.client.shown, err)
	}
	return hits, nil
}

// A searchAnswer is what is of use in the answer to a search.
type searchAnswer struct {
	TimedOut bool   `json:"timed_out"`
	Shards   shards `json:"_shards"`
	Hits     *struct {
		Hits []hit `json:"hits"`
	} `json:"hits"`
}

func (a *searchAnswer) check() error {
	switch {
	case a.Hits == nil || a.Hits.Hits == nil:
		return errors.New("the answer to _search has no hits")
	case a.TimedOut:
		return &httpcall.Passing{Err: errors.New("a part of the answer is missing: the search timed out in the cluster")}
	}
	return a.Shards.check()
}

// A hit is a hit as the server has it.
type hit struct {
	ID     string   `json:"_id"`
	Score  *float64 `json:"_score"`
	Source source   `json:"_source"`
}

// find makes one search.
func (x *Index) find(ctx context.Context, query string, n int) ([]search.Hit, error) {
	body, err := text.JSON(x.question(query, n))
	if err != nil {
		return nil, err
	}
	whole := false
	var answer searchAnswer
	err = x.client.call(ctx, http.MethodPost, func() opensearch.Request {
		answer = searchAnswer{}
		return opensearchapi.SearchReq{
			Indices: x.client.indices(), Body: bytes.NewReader(body),
			Params: opensearchapi.SearchParams{SearchType: "dfs_query_then_fetch", AllowPartialSearchResults: &whole},
		}
	}, &answer)
	switch {
	case isRefusal(err, notFound):
		return nil, ErrMissing
	case err != nil:
		return nil, err
	}
	return x.best(answer.Hits.Hits, n)
}

// best returns at most n hits, in order.
func (x *Index) best(found []hit, n int) ([]search.Hit, error) {
	var hits []search.Hit
	for _, h := range found[:min(n, len(found))] {
		if h.Score == nil {
			return nil, fmt.Errorf("document %q has no score", h.ID)
		}
		if len(h.Source) == 0 {
			return nil, fmt.Errorf("document %q has no _source, of which its title and text are read: index the documents again with _source enabled and nothing of it excluded", h.ID)
		}
		doc, err := h.Source.document(x.info)
		if err != nil {
			return nil, fmt.Errorf("document %q: %w", h.ID, err)
		}
		if doc.Title == "" && doc.Text == "" {
			// It has a word of the query, and so it is not empty.
			return nil, fmt.Errorf("document %q has neither title nor text in its _source: index the documents again with nothing of it excluded, or name another field", h.ID)
		}
		if doc.ID == "" {
			doc.ID = h.ID
		}
		hits = append(hits, search.Hit{Document: doc, Score: *h.Score})
	}
	slices.SortStableFunc(hits, func(a, b search.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return hits, nil
}

// question is the body of a search.
func (x *Index) question(query string, n int) map[string]any {
	sort := []any{map[string]string{"_score": "desc"}}
	if x.byID {
		sort = append(sort, map[string]string{"id": "asc"})
	}
	return map[string]any{
		"size":             n,
		"query":            x.matching(query),
		"sort":             sort,
		"track_total_hits": false,
		"_source":          sourceKeys(x.info),
	}
}

// matching is the query that finds documents with any of the words.
func (x *Index) matching(query string) any {
	fields, terms := x.info.Fields, english.AnalyzeAll(query)
	if x.info.Ours {
		switch content := english.Analyze(query); {
		case len(content) > 0:
			terms = content
		case len(terms) > 0: // stop words alone
			fields = []string{everythingField}
		}
	}
	if len(terms)*len(fields) <= maxTerms {
		return match(fields, query)
	}
	different, counts := tally(terms)
	var parts []any
	for _, term := range different[:min(len(different), maxTerms/len(fields))] {
		for _, name := range fields {
			parts = append(parts, x.part(name, term, counts[term]))
		}
	}
	return map[string]any{"bool": map[string]any{"should": parts}}
}

// tally returns the different terms in their order, and how often each is there.
func tally(terms []string) (different []string, counts map[string]int) {
	counts = make(map[string]int)
	for _, term := range terms {
		if counts[term]++; counts[term] == 1 {
			different = append(different, term)
		}
	}
	return different, counts
}

// match finds documents with any of the words in any of the fields, whose scores
// add up.
func match(fields []string, query string) any {
	if len(fields) == 1 {
		return map[string]any{"match": map[string]any{fields[0]: map[string]any{"query": query}}}
	}
	return map[string]any{"multi_match": map[string]any{"query": query, "fields": fields, "type": "most_fields"}}
}

// part finds documents with a term that the query has so many times. Only of an
// index of ours it is known that its terms are these.
func (x *Index) part(name, term string, count int) any {
	if x.info.Ours {
		return map[string]any{"term": map[string]any{name: map[string]any{"value": term, "boost": count}}}
	}
	return map[string]any{"match": map[string]any{name: map[string]any{"query": term, "boost": count}}}
}

// A source is a document as it was given to the server.
type source map[string]json.RawMessage

// sourceKeys are what a hit needs of a document.
func sourceKeys(info Info) []string {
	keys := []string{"id", "title", "url", "text"}
	if !info.Ours {
		for _, name := range append([]string{"contents"}, info.Fields...) {
			if !slices.Contains(keys, name) {
				keys = append(keys, name)
			}
		}
	}
	return keys
}

// document reads a document. Without text it has its contents, whose first line
// is the title if they are written so, or the last field that is searched and
// not empty.
func (s source) document(info Info) (search.Document, error) {
	var doc search.Document
	var contents string
	for key, to := range map[string]*string{"id": &doc.ID, "title": &doc.Title, "url": &doc.URL, "text": &doc.Text, "contents": &contents} {
		if err := s.read(key, to); err != nil {
			return search.Document{}, err
		}
	}
	if info.Ours || doc.Text != "" {
		return doc, nil
	}
	if contents == "" {
		for _, name := range slices.Backward(info.Fields) {
			if err := s.read(name, &doc.Text); err != nil || doc.Text != "" {
				return doc, err
			}
		}
		return doc, nil
	}
	title, body := text.SplitContents(contents)
	if doc.Title == "" {
		doc.Title = title
	}
	doc.Text = body
	return doc, nil
}

// read reads a string or a number.
func (s source) read(key string, to *string) error {
	raw := s[key]
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var number json.Number
	if raw[0] != '"' && json.Unmarshal(raw, &number) == nil {
		*to = number.String()
		return nil
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return fmt.Errorf("key %s: %w", key, text.JSONError(err))
	}
	return nil
}
