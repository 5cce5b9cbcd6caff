package opensearch

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"trawl/internal/text"
	"trawl/search"
	"trawl/search/index"
)

// An Index is an engine whose documents are in an OpenSearch cluster.
type Index struct {
	client *client
	info   Info
	window int  // greatest number of hits
	byID   bool // the server can sort by the field id
}

var _ search.Engine = (*Index)(nil)

// Info is what an index was found to be when it was opened.
type Info struct {
	Name      string // that of the index itself where the address names an alias
	UUID      string
	Ours      bool // made by [Build]
	Documents int
	Shards    int
	Fields    []string      // that are searched
	Params    *index.Params // nil: not scored by BM25, or that cannot be told
	SHA256    string        // of the documents, for an index of ours
	Source    string        // what it was made of, for an index of ours, if it was said
	// Fingerprint is the SHA-256 of the hits of a fixed question, for an index
	// that is not ours.
	Fingerprint string
}

// Open opens the index at an address (see the package comment), with two calls,
// and a search if the index is not ours. It fails with [ErrMissing] if there is no
// such index, with [index.ErrIncomplete] if its building was cut short or goes on,
// with [index.ErrDamaged] if it has other documents than [Build] gave it, with
// [index.ErrForeign] if it has no field to search, and with [ErrUnreachable].
func Open(ctx context.Context, address string, o Options) (*Index, error) {
	c, err := newClient(address, o)
	if err != nil {
		return nil, fmt.Errorf("opensearch: %w", err)
	}
	x := &Index{client: c}
	if err := x.learn(ctx); err != nil {
		x.Close()
		return nil, fmt.Errorf("opensearch: %s: %w", c.shown, err)
	}
	return x, nil
}

// learn finds out what the index is.
func (x *Index) learn(ctx context.Context) error {
	s, err := x.client.look(ctx)
	if err != nil {
		return err
	}
	if s.mark != nil && !s.mark.Complete {
		return index.ErrIncomplete
	}
	x.window, x.byID = s.window, s.fields["id"].Type == "keyword"
	x.info = Info{Name: s.name, UUID: s.uuid, Shards: s.shards, Ours: s.mark != nil, Fields: []string{contentsField}}
	if x.info.Documents, err = x.client.count(ctx); err != nil {
		return err
	}
	if s.mark != nil {
		x.info.SHA256, x.info.Source = s.mark.SHA256, s.mark.Source
		x.info.Params = s.params(contentsField)
		return x.check(s.mark.Stats)
	}
	if x.info.Fields, err = s.searched(x.client.opts.Fields); err != nil {
		return err
	}
	x.info.Params = s.params(x.info.Fields[0])
	x.info.Fingerprint, err = x.fingerprint(ctx)
	return err
}

// check compares what the index has with what was written.
func (x *Index) check(written Stats) error {
	switch p := x.info.Params; {
	case x.info.Documents != written.Documents:
		return fmt.Errorf("%w: it has %d documents, and %d were written: build it again in its place", index.ErrDamaged, x.info.Documents, written.Documents)
	case p == nil || *p != written.Params:
		return fmt.Errorf("%w: its similarity is not BM25 with k1=%g and b=%g: build it again in its place", index.ErrDamaged, written.Params.K1, written.Params.B)
	}
	return nil
}

// Info returns what the index was found to be.
func (x *Index) Info() Info { return x.info }

// Identity returns what tells the documents and the ranking from others', as
// JSON. The address is no part of it.
func (x *Index) Identity() json.RawMessage {
	id := map[string]any{"engine": "opensearch", "documents": x.info.Documents, "params": x.info.Params}
	if x.info.Ours {
		id["sha256"] = x.info.SHA256
	} else {
		id["uuid"], id["fields"], id["fingerprint"] = x.info.UUID, x.info.Fields, x.info.Fingerprint
	}
	data, err := text.JSON(id)
	if err != nil {
		panic("opensearch: an identity of strings and numbers is no JSON")
	}
	return data
}

// String returns the address without user and password.
func (x *Index) String() string { return x.client.shown }

// Close lets go of the connections. Searches under way go on.
func (x *Index) Close() error { return x.client.search.Close() }

// What a fingerprint asks for: words that many passages of an English corpus
// have. A change of either changes every fingerprint.
const (
	probeQuery = "the history of a city and its people"
	probeTop   = 10
)

// fingerprint hashes the hits of the fixed question, without their scores, whose
// last digits may differ from one version of the server to another.
func (x *Index) fingerprint(ctx context.Context) (string, error) {
	hits, err := x.find(ctx, probeQuery, probeTop)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, h := range hits {
		b.Write(message(h.ID, h.Title, h.Text))
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:]), nil
}

// message returns texts, each behind its length in eight bytes.
func message(texts ...string) []byte {
	var b []byte
	for _, s := range texts {
		b = binary.BigEndian.AppendUint64(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}
