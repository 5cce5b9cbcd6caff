package opensearch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/opensearch-project/opensearch-go/v4"
	"github.com/opensearch-project/opensearch-go/v4/opensearchapi"

	"trawl/internal/httpcall"
	"trawl/search/index"
)

const notFound = "index_not_found_exception"

// defaultWindow is how many hits a search may ask for unless the index says.
const defaultWindow = 10000

// A state is what the cluster says of an index.
type state struct {
	name       string // that of the index where the address names an alias
	uuid       string
	shards     int
	window     int   // greatest number of hits of a search
	mark       *mark // nil: not ours
	fields     map[string]field
	similarity map[string]similarity
}

// A field is what a mapping says of a field.
type field struct {
	Type       string `json:"type"`
	Similarity string `json:"similarity"`
}

// A similarity is how an index scores. Settings are strings in the answers.
type similarity struct {
	Type string `json:"type"`
	K1   string `json:"k1"`
	B    string `json:"b"`
}

// An indexAnswer is what is of use in the answer to GET /INDEX.
type indexAnswer struct {
	Mappings struct {
		Meta struct {
			Trawl json.RawMessage `json:"trawl"`
		} `json:"_meta"`
		Properties map[string]field `json:"properties"`
	} `json:"mappings"`
	Settings struct {
		Index struct {
			UUID       string                `json:"uuid"`
			Shards     string                `json:"number_of_shards"`
			Window     string                `json:"max_result_window"`
			Similarity map[string]similarity `json:"similarity"`
		} `json:"index"`
	} `json:"settings"`
}

// look asks what the index is. Its absence is [ErrMissing].
func (c *client) look(ctx context.Context) (state, error) {
	var answer map[string]json.RawMessage
	err := c.call(ctx, http.MethodGet, func() opensearch.Request {
		return opensearchapi.IndicesGetReq{Indices: c.indices()}
	}, &answer)
	if isRefusal(err, notFound) {
		return state{}, ErrMissing
	}
	if err != nil {
		return state{}, err
	}
	if len(answer) != 1 {
		return state{}, fmt.Errorf("the name stands for %d indexes, want one", len(answer))
	}
	for name, raw := range answer {
		s, err := readState(raw)
		s.name = name
		return s, err
	}
	panic("opensearch: a map of one has none")
}

func readState(raw json.RawMessage) (state, error) {
	var a indexAnswer
	if err := json.Unmarshal(raw, &a); err != nil || a.Settings.Index.UUID == "" {
		return state{}, fmt.Errorf("not OpenSearch's description of an index: %s", httpcall.FirstWords(raw))
	}
	s := state{
		uuid: a.Settings.Index.UUID, fields: a.Mappings.Properties, similarity: a.Settings.Index.Similarity,
		shards: number(a.Settings.Index.Shards, 1), window: number(a.Settings.Index.Window, defaultWindow),
	}
	var m mark
	if json.Unmarshal(a.Mappings.Meta.Trawl, &m) != nil || m.Format != format {
		return s, nil
	}
	if m.Version != version {
		return state{}, fmt.Errorf("the index has version %d and this trawl reads version %d: run trawl index again, under another name", m.Version, version)
	}
	s.mark = &m
	return s, nil
}

// number reads a setting.
func number(s string, otherwise int) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return otherwise
	}
	return n
}

// A countAnswer is what is of use in the answer to a count.
type countAnswer struct {
	Count  *int   `json:"count"`
	Shards shards `json:"_shards"`
}

func (a *countAnswer) check() error {
	if a.Count == nil {
		return errors.New("the answer to _count has no count")
	}
	return a.Shards.check()
}

// count returns the number of documents that a search sees.
func (c *client) count(ctx context.Context) (int, error) {
	var answer countAnswer
	err := c.call(ctx, http.MethodGet, func() opensearch.Request {
		answer = countAnswer{}
		return opensearchapi.IndicesCountReq{Indices: c.indices()}
	}, &answer)
	if err != nil {
		return 0, err
	}
	return *answer.Count, nil
}

// shards says how the parts of an index fared. A part that was skipped, since it
// can hold no hit, counts as successful.
type shards struct {
	Total      int `json:"total"`
	Successful int `json:"successful"`
	Failed     int `json:"failed"`
}

// check reports an answer without some of the parts, be it that they failed or,
// as while a node starts, that there was nobody to ask.
func (s shards) check() error {
	if s.Failed == 0 && s.Successful >= s.Total {
		return nil
	}
	missing := max(s.Failed, s.Total-s.Successful)
	return &httpcall.Passing{Err: fmt.Errorf("a part of the answer is missing: %d of the index's %d shards did not answer, %d of them with a failure", missing, s.Total, s.Failed)}
}

// searched returns the fields that a search looks in, for an index that is not
// ours.
func (s state) searched(wanted []string) ([]string, error) {
	isText := func(name string) bool { return s.fields[name].Type == "text" }
	switch {
	case len(wanted) > 0:
		for _, name := range wanted {
			if !isText(name) {
				return nil, fmt.Errorf("the index has no text field %q", name)
			}
		}
		return wanted, nil
	case isText("contents"):
		return []string{"contents"}, nil
	case isText("text") && isText("title"):
		return []string{"title", "text"}, nil
	case isText("text"):
		return []string{"text"}, nil
	}
	var names []string
	for name, f := range s.fields {
		if f.Type == "text" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return nil, fmt.Errorf("%w, and it has no text field contents or text; it has: %s", index.ErrForeign, strings.Join(names, ", "))
}

// params returns k1 and b with which a field is scored, nil if it is not scored
// by BM25 or that cannot be told.
func (s state) params(name string) *index.Params {
	scoring := s.fields[name].Similarity
	if scoring == "" {
		scoring = "default"
	}
	found, ok := s.similarity[scoring]
	if !ok && scoring != "default" && scoring != "BM25" || ok && found.Type != "BM25" {
		return nil
	}
	p := index.Params{K1: 1.2, B: 0.75} // OpenSearch's own
	if !readNumber(found.K1, &p.K1) || !readNumber(found.B, &p.B) {
		return nil
	}
	return &p
}

// readNumber reads a setting, which may be absent, and reports whether it is fine.
func readNumber(s string, to *float64) bool {
	if s == "" {
		return true
	}
	v, err := strconv.ParseFloat(s, 64)
	*to = v
	return err == nil
}
