package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"trawl/internal/config"
	"trawl/search"
	"trawl/search/bm25"
	"trawl/search/index"
	"trawl/search/live"
	"trawl/search/opensearch"
	"trawl/search/remote"
)

// An openedIndex is an index that is open for searching, wherever it is.
type openedIndex struct {
	search.Engine
	io.Closer
	identity  json.RawMessage                             // what tells its documents and ranking from others'
	documents int                                         // -1 if it does not say
	found     string                                      // what it is, for people
	doubt     string                                      // what is odd about it, for people; mostly empty
	get       func(string) (search.Document, bool, error) // by id; nil if that cannot be had
	verify    func(context.Context) error                 // reads all of it; nil if that cannot be had
}

// errNoIndex says that a command needs an index and was given none.
var errNoIndex = errors.New("no index: name one with --index DIR; trawl index corpus.jsonl --out DIR makes it")

// openIndex opens an index for searching: a folder, or the address of a server.
func openIndex(ctx context.Context, e env, where string) (*openedIndex, error) {
	switch scheme, _, isURL := strings.Cut(where, "://"); {
	case where == "":
		return nil, errNoIndex
	case opensearch.IsAddress(where):
		return openCluster(ctx, e, where)
	case !isURL:
		return openFolder(where)
	case scheme == "http" || scheme == "https":
		return openServer(ctx, where)
	default:
		return nil, fmt.Errorf("index %s: want a folder, or an address that begins with http:// or opensearch://", config.RedactURL(where))
	}
}

// openFolder opens the index in a folder, of whichever kind it is.
func openFolder(dir string) (*openedIndex, error) {
	x, err := openKind(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, index.ErrForeign) {
		err = fmt.Errorf("%w\n  trawl index corpus.jsonl --out DIR makes an index", err)
	}
	return x, err
}

func openKind(dir string) (*openedIndex, error) {
	kind, err := index.KindOf(dir)
	if err != nil {
		return nil, err
	}
	if kind.Format == index.Live.Format {
		x, err := live.Open(dir)
		if err != nil {
			return nil, err
		}
		stats, err := x.Stats()
		if err != nil {
			return nil, errors.Join(err, x.Close())
		}
		return describeFolder(&openedIndex{Engine: x, Closer: x, get: x.Get}, stats)
	}
	x, err := bm25.Open(dir)
	if err != nil {
		return nil, err
	}
	return describeFolder(&openedIndex{Engine: x, Closer: x, get: x.Get, verify: x.Verify}, x.Stats().Stats)
}

// describeFolder adds what is known of a folder's index. Both kinds rank alike, so
// the same documents are the same index, wherever they came from.
func describeFolder(x *openedIndex, stats index.Stats) (*openedIndex, error) {
	stats.Source = ""
	identity, err := json.Marshal(stats)
	if err != nil {
		return nil, errors.Join(err, x.Close())
	}
	x.identity, x.documents = identity, stats.Documents
	x.found = fmt.Sprintf("%d documents, %d terms, k1=%g b=%g", stats.Documents, stats.Terms, stats.Params.K1, stats.Params.B)
	return x, nil
}

// openServer opens the index behind a server's /retrieve, which is asked one
// question to learn what it is.
func openServer(ctx context.Context, address string) (*openedIndex, error) {
	c, err := remote.New(address, remote.Options{})
	if err != nil {
		return nil, err
	}
	d, err := c.Probe(ctx)
	if errors.Is(err, remote.ErrUnreachable) {
		err = fmt.Errorf("%w\n  is the server running? trawl serve-index --index DIR is one", err)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	x := &openedIndex{Engine: c, Closer: c, identity: d.Identity(), documents: -1, found: "a server that answers as " + string(d.Form)}
	var said struct{ Documents *int }
	if d.Index != nil && json.Unmarshal(d.Index, &said) == nil {
		x.found = "trawl serve-index"
		if said.Documents != nil {
			x.documents, x.found = *said.Documents, fmt.Sprintf("trawl serve-index, %d documents", *said.Documents)
		}
	}
	switch {
	case d.Hits == 0:
		x.doubt = "it found nothing for a question of common words"
	case d.Rising:
		x.doubt = "its scores grow from hit to hit, as distances do; trawl takes the greater for the better"
	}
	return x, nil
}

// clusterOptions are how an OpenSearch cluster is called.
func clusterOptions(e env) opensearch.Options {
	var o opensearch.Options
	o.User, _ = e.getenv("TRAWL_INDEX_USER")
	o.Password, _ = e.getenv("TRAWL_INDEX_PASSWORD")
	return o
}

// openCluster opens an index in an OpenSearch cluster.
func openCluster(ctx context.Context, e env, address string) (*openedIndex, error) {
	x, err := opensearch.Open(ctx, address, clusterOptions(e))
	if errors.Is(err, opensearch.ErrMissing) || errors.Is(err, index.ErrForeign) {
		err = fmt.Errorf("%w\n  trawl index corpus.jsonl --out opensearch://HOST/NAME makes an index", err)
	}
	if err != nil {
		return nil, err
	}
	info := x.Info()
	found := fmt.Sprintf("OpenSearch, %d documents in %s", info.Documents, strings.Join(info.Fields, ", "))
	if info.Params != nil {
		found += fmt.Sprintf(", k1=%g b=%g", info.Params.K1, info.Params.B)
	}
	return &openedIndex{Engine: x, Closer: x, identity: x.Identity(), documents: info.Documents, found: found}, nil
}

// tellDoubt warns of what is odd about the index.
func (x *openedIndex) tellDoubt(e env) {
	if x.doubt != "" {
		fmt.Fprintf(e.stderr, "trawl: warning: the index: %s\n", x.doubt)
	}
}
