package opensearch

import (
	"bytes"
	"context"
	"errors"
	"net/http"

	"github.com/opensearch-project/opensearch-go/v4"
	"github.com/opensearch-project/opensearch-go/v4/opensearchapi"

	"trawl/internal/text"
	"trawl/search/index"
)

// What the mapping of an index of ours says it is.
const (
	format  = "trawl opensearch index"
	version = 1
)

// The fields of an index of ours that are searched.
const (
	contentsField   = "contents"
	everythingField = "everything"
)

// Stats describe an index of ours. SHA256 is of its documents, as that of
// [index.Stats].
type Stats struct {
	Documents int          `json:"documents"`
	Params    index.Params `json:"params"`
	SHA256    string       `json:"sha256"`
	Source    string       `json:"source,omitempty"` // what the index was made of, if it was said
}

// A mark is what the mapping of an index of ours has in its _meta, under trawl.
type mark struct {
	Format   string `json:"format"`
	Version  int    `json:"version"`
	Complete bool   `json:"complete"`
	Building string `json:"building"` // tells one building from another
	Stats           // of what is complete; before that Params and Source only
}

// metaOf returns the mark as the mapping has it.
func metaOf(m mark) map[string]any { return map[string]any{"trawl": m} }

// creation is the body that creates an index. What slows a load down is off:
// there is no refresh and no replica until its end.
func creation(m mark, shards int) map[string]any {
	settings := map[string]any{
		"refresh_interval":   "-1",
		"number_of_replicas": 0,
		"similarity":         map[string]any{"default": map[string]any{"type": "BM25", "k1": m.Params.K1, "b": m.Params.B}},
		"analysis": map[string]any{
			"filter": map[string]any{
				"possessive": map[string]any{"type": "stemmer", "language": "possessive_english"},
				"stops":      map[string]any{"type": "stop", "stopwords": "_english_"},
			},
			"analyzer": map[string]any{
				contentsField:   chain("possessive", "lowercase", "stops", "porter_stem"),
				everythingField: chain("possessive", "lowercase", "porter_stem"),
			},
		},
	}
	if shards > 0 {
		settings["number_of_shards"] = shards
	}
	return map[string]any{
		"settings": map[string]any{"index": settings},
		"mappings": map[string]any{"dynamic": "strict", "_meta": metaOf(m), "properties": properties()},
	}
}

func chain(filters ...string) map[string]any {
	return map[string]any{"type": "custom", "tokenizer": "standard", "filter": filters}
}

// properties are the fields. The terms' frequencies are kept, for BM25, and not
// their places, for no query has phrases.
func properties() map[string]any {
	stored := map[string]any{"type": "text", "index": false, "copy_to": []string{contentsField, everythingField}}
	return map[string]any{
		"id":            map[string]any{"type": "keyword"}, // ties are sorted by it
		"url":           map[string]any{"type": "keyword", "index": false, "doc_values": false},
		"title":         stored,
		"text":          stored,
		contentsField:   map[string]any{"type": "text", "index_options": "freqs", "analyzer": contentsField},
		everythingField: map[string]any{"type": "text", "index_options": "freqs", "analyzer": everythingField},
	}
}

// An acknowledgement is the answer to what changes an index.
type acknowledgement struct {
	Acknowledged bool `json:"acknowledged"`
}

// change makes a request that the cluster acknowledges.
func (c *client) change(ctx context.Context, method string, r request) error {
	var a acknowledgement
	if err := c.call(ctx, method, r, &a); err != nil {
		return err
	}
	if !a.Acknowledged {
		return errors.New("the cluster has not acknowledged a change in time")
	}
	return nil
}

// create makes the index, without documents.
func (c *client) create(ctx context.Context, m mark, shards int) error {
	body, err := text.JSON(creation(m, shards))
	if err != nil {
		return err
	}
	err = c.change(ctx, http.MethodPut, func() opensearch.Request {
		return opensearchapi.IndicesCreateReq{Index: c.index, Body: bytes.NewReader(body)}
	})
	if !isRefusal(err, "resource_already_exists_exception") {
		return err
	}
	// An earlier attempt of ours whose answer was lost, or somebody else.
	return c.stillMine(ctx, m)
}

// stillMine reports an index that another building has replaced.
func (c *client) stillMine(ctx context.Context, m mark) error {
	s, err := c.look(ctx)
	if err == nil && (s.mark == nil || s.mark.Building != m.Building) {
		err = errors.New("another program has made the index meanwhile")
	}
	return err
}

// remove deletes the index.
func (c *client) remove(ctx context.Context) error {
	err := c.change(ctx, http.MethodDelete, func() opensearch.Request {
		return opensearchapi.IndicesDeleteReq{Indices: c.indices()}
	})
	if isRefusal(err, notFound) {
		return nil
	}
	return err
}

// complete puts the settings of a load back and then says in the mapping that
// the index is complete.
func (c *client) complete(ctx context.Context, m mark, replicas int) error {
	settings, err := text.JSON(map[string]any{"index": map[string]any{"refresh_interval": nil, "number_of_replicas": replicas}})
	if err != nil {
		return err
	}
	err = c.change(ctx, http.MethodPut, func() opensearch.Request {
		return opensearchapi.SettingsPutReq{Indices: c.indices(), Body: bytes.NewReader(settings)}
	})
	if err != nil {
		return err
	}
	m.Complete = true
	meta, err := text.JSON(map[string]any{"_meta": metaOf(m)})
	if err != nil {
		return err
	}
	return c.change(ctx, http.MethodPut, func() opensearch.Request {
		return opensearchapi.MappingPutReq{Indices: c.indices(), Body: bytes.NewReader(meta)}
	})
}
