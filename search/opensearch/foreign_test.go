package opensearch_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/search"
	"trawl/search/index"
	"trawl/search/opensearch"
)

// foreign puts an index of another program into the cluster.
func (c *cluster) foreign(fields map[string]any, docs map[string]map[string]any) {
	c.indexes["passages"] = &stored{
		uuid: "theirs", settings: map[string]any{"uuid": "theirs", "number_of_shards": "5"},
		mappings: map[string]any{"properties": fields}, docs: docs, seen: docs,
	}
}

func text() map[string]any { return map[string]any{"type": "text"} }

func TestForeign(t *testing.T) {
	tests := []struct {
		name   string
		fields map[string]any
		doc    map[string]any
		opts   opensearch.Options
		want   search.Document
		used   []string
	}{
		{
			"contents as Search-R1 has them", map[string]any{"contents": text(), "id": map[string]any{"type": "keyword"}},
			map[string]any{"id": "7", "contents": "\"The city\"\nIts history."}, opensearch.Options{},
			search.Document{ID: "7", Title: "The city", Text: "Its history."}, []string{"contents"},
		},
		{
			"title and text", map[string]any{"title": text(), "text": text()},
			map[string]any{"title": "The city", "text": "Its history.", "url": "u"}, opensearch.Options{},
			search.Document{ID: "_7", Title: "The city", URL: "u", Text: "Its history."}, []string{"title", "text"},
		},
		{
			"text alone, and an id that is a number", map[string]any{"text": text(), "id": map[string]any{"type": "long"}},
			map[string]any{"id": 7, "text": "The city: its history."}, opensearch.Options{},
			search.Document{ID: "7", Text: "The city: its history."}, []string{"text"},
		},
		{
			"a field that is named", map[string]any{"passage": text(), "text": text()},
			map[string]any{"passage": "The city: its history."}, opensearch.Options{Fields: []string{"passage"}},
			search.Document{ID: "_7", Text: "The city: its history."}, []string{"passage"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, address := newCluster(t)
			c.foreign(tt.fields, map[string]map[string]any{"_7": tt.doc})
			x := opened(t, address, tt.opts)
			info := x.Info()
			if info.Ours || info.Documents != 1 || info.Shards != 5 || *info.Params != (index.Params{K1: 1.2, B: 0.75}) {
				t.Errorf("Info() = %+v, want 1 document of another program in 5 shards, k1 1.2 and b 0.75", info)
			}
			if diff := cmp.Diff(tt.used, info.Fields); diff != "" {
				t.Errorf("fields mismatch (-want +got):\n%s", diff)
			}
			hits, err := x.Search(t.Context(), "the history of the city", 3)
			if err != nil || len(hits) != 1 {
				t.Fatalf("Search = %v, %v; want a hit", hits, err)
			}
			if diff := cmp.Diff(tt.want, hits[0].Document); diff != "" {
				t.Errorf("document mismatch (-want +got):\n%s", diff)
			}
			if _, err := x.Search(t.Context(), strings.Repeat("history ", 3000), 3); err != nil {
				t.Errorf("a query of 3,000 words: %v", err)
			}
			_, err = opensearch.Build(t.Context(), address, each(owl), opensearch.BuildOptions{Replace: true, Client: quick()})
			if !errors.Is(err, index.ErrForeign) {
				t.Errorf("Build over it: error is %v, want ErrForeign", err)
			}
		})
	}
}

// TestForeignIdentity has indexes that differ in one thing.
func TestForeignIdentity(t *testing.T) {
	seen := make(map[string]string)
	for name, doc := range map[string]map[string]any{
		"one":          {"text": "The city."},
		"another text": {"text": "The city!"},
		"another id":   {"text": "The city.", "id": "7"},
	} {
		c, address := newCluster(t)
		c.foreign(map[string]any{"text": text()}, map[string]map[string]any{"_7": doc})
		id := string(opened(t, address, quick()).Identity())
		if other, ok := seen[id]; ok {
			t.Errorf("%s and %s have the same identity %s", name, other, id)
		}
		seen[id] = name
	}
}

func TestOpenRefuses(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(c *cluster, x *stored)
		is    error
		want  string
	}{
		{"a document that came later", func(_ *cluster, x *stored) { x.seen["new"] = map[string]any{} }, index.ErrDamaged, "it has 2 documents, and 1 were written"},
		{"another similarity", func(_ *cluster, x *stored) {
			x.settings["similarity"] = map[string]any{"default": map[string]any{"type": "BM25", "k1": "1.2", "b": "0.4"}}
		}, index.ErrDamaged, "k1=0.9 and b=0.4"},
		{"a later version", func(_ *cluster, x *stored) {
			x.mappings["_meta"].(map[string]any)["trawl"].(map[string]any)["version"] = 2
		}, nil, "version 2 and this trawl reads version 1"},
		{"nothing to search", func(c *cluster, _ *stored) {
			c.foreign(map[string]any{"body": text(), "n": map[string]any{"type": "long"}}, nil)
		}, index.ErrForeign, "it has: body"},
		{"an alias of two", func(c *cluster, _ *stored) { c.failing("/passages", 9, body(`{"a": {}, "b": {}}`)) }, nil, "stands for 2 indexes"},
		{"another program's JSON", func(c *cluster, _ *stored) { c.failing("/passages", 9, body(`{"status": "ok"}`)) }, nil, "not OpenSearch's description of an index"},
		{"a page", func(c *cluster, _ *stored) { c.failing("/passages", 9, html(200)) }, nil, "text/html"},
		{"a redirect", func(c *cluster, _ *stored) {
			c.failing("/passages", 9, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusFound) })
		}, nil, "HTTP 302 Found"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, address := newCluster(t)
			build(t, address, owl)
			tt.spoil(c, c.indexes["passages"])
			_, err := opensearch.Open(t.Context(), address, quick())
			if err == nil || tt.is != nil && !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want %q in it, and %v", err, tt.want, tt.is)
			}
		})
	}
}

func TestAddress(t *testing.T) {
	good := map[string]string{
		"opensearch://host/wiki":                   "opensearch://host:9200/wiki",
		"opensearch://u:p@host:1/wiki/":            "opensearch://host:1/wiki",
		"opensearchs://u@[::1]/proxy/wiki-2018_v1": "opensearchs://[::1]:9200/proxy/wiki-2018_v1",
	}
	bad := []string{
		"", "wiki", "http://host/wiki", "opensearch://host", "opensearch://host/", "opensearch:///wiki", "opensearch://host/Wiki",
		"opensearch://host/a,b", "opensearch://host/wiki*", "opensearch://host/_all", "opensearch://host/a%20b", "opensearch://host/wiki?x=secret",
		"opensearch://u:secret@ho st/wiki", "opensearch://u:secret@host:port/wiki", "opensearch://u:secret@host/-x",
	}
	none := opensearch.Options{Attempts: 1, Transport: answering(nil)}
	for address, shown := range good {
		_, err := opensearch.Open(t.Context(), address, none)
		if err == nil || !strings.Contains(err.Error(), shown+": ") || !opensearch.IsAddress(address) {
			t.Errorf("%s: error is %v, want one about %s", address, err, shown)
		}
	}
	for _, address := range bad {
		_, err := opensearch.Open(t.Context(), address, none)
		if err == nil || strings.Contains(err.Error(), "secret") || errors.Is(err, opensearch.ErrUnreachable) {
			t.Errorf("%q: error is %v, want that it is no address, without the password", address, err)
		}
	}
}

// answering is a transport that answers every request with the same bytes, or
// not at all.
type answering []byte

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	if a == nil {
		return nil, errors.New("no network")
	}
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(a))), Request: r}, nil
}

func FuzzAnswers(f *testing.F) {
	f.Add([]byte(`{"x":{"mappings":{"properties":{"text":{"type":"text"}}},"settings":{"index":{"uuid":"u"}}},"count":1}`))
	f.Add([]byte(`{"count":1,"hits":{"hits":[{"_id":"1","_score":1,"_source":{"id":1,"contents":"\"a\"\nb"}}]},"settings":{"index":{"uuid":"u"}},"mappings":{"properties":{"contents":{"type":"text"}}}}`))
	f.Add([]byte(`{"acknowledged":true,"items":[{"create":{"status":201}}],"_shards":{"failed":0}}`))
	f.Add([]byte(`{"error":{"type":"x","reason":"y","root_cause":[{"type":"a"}]},"status":400}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		o := opensearch.Options{Attempts: 1, Transport: answering(append([]byte{}, data...))}
		if x, err := opensearch.Open(ctx, "opensearch://host/x", o); err == nil {
			x.Search(ctx, "a question", 3)
			x.Close()
		}
		opensearch.Build(ctx, "opensearch://host/x", each(owl), opensearch.BuildOptions{Params: index.DefaultParams(), Client: o})
	})
}
