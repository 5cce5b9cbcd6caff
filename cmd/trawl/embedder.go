package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"trawl/agent/llm"
	"trawl/agent/llm/hashing"
	"trawl/agent/llm/openai"
	"trawl/agent/llm/static"
	"trawl/internal/config"
	"trawl/selection/feature"
)

// noCache is the cache of vectors that is none.
const noCache = "none"

// parseEmbedder reads --embedder: hashing, static:DIR, sim, or the address of a
// server. What it does not name is left as m has it.
func parseEmbedder(s string, m config.Embedder) (config.Embedder, error) {
	dir, static := strings.CutPrefix(s, "static:")
	switch {
	case s == "hashing":
		m.Kind = "hashing"
	case static && dir != "":
		m.Kind, m.Dir = "static", dir
	case s == simEndpoint, strings.HasPrefix(s, "http://"), strings.HasPrefix(s, "https://"):
		m.Kind, m.Endpoints = "endpoint", []string{s}
	default:
		return m, fmt.Errorf("--embedder %s: want hashing, static:DIR with a Model2Vec folder, or the base URL of a server of /v1/embeddings", s)
	}
	return m, nil
}

// A vectors is a table of vectors and what it was opened with.
type vectors struct {
	*feature.Table
	server func() error // ends the simulated one
}

// openVectors opens the vectors of the embedder that m names. Those that a server
// makes are kept in a cache; the others are made faster than they are read.
func openVectors(ctx context.Context, e env, m config.Embedder) (*vectors, error) {
	v := &vectors{server: func() error { return nil }}
	o := feature.Options{Chars: m.Chars, Batch: m.Batch}
	var (
		embedder llm.Embedder
		err      error
	)
	switch m.Kind {
	case "static":
		var table *static.Embedder
		if table, err = static.Open(m.Dir); err == nil {
			embedder, o.Name, o.Dims = table, table.Name(), table.Dims()
		}
	case "endpoint":
		embedder, err = v.connect(ctx, e, m, &o)
	default:
		hashed := hashing.Embedder{IDF: true}
		embedder, o.Name, o.Dims = hashed, hashed.Name(), hashing.DefaultDims
	}
	if err == nil {
		v.Table, err = feature.New(embedder, o)
	}
	if err != nil {
		return nil, errors.Join(err, v.server())
	}
	c := v.Counts()
	if c.Note != "" {
		fmt.Fprintln(e.stderr, "trawl:", c.Note)
	}
	if c.Dropped > 0 || c.Torn > 0 {
		fmt.Fprintf(e.stderr, "trawl: the cache of vectors was damaged: %d vectors are made anew, and %d bytes at its end were cut off\n", c.Dropped, c.Torn)
	}
	return v, nil
}

// connect returns the embedder behind an endpoint, and fills in its name, its
// dimensions and its cache.
func (v *vectors) connect(ctx context.Context, e env, m config.Embedder, o *feature.Options) (llm.Embedder, error) {
	if len(m.Endpoints) == 0 {
		return nil, errors.New("models.embedder: kind endpoint needs endpoints: the base URL of a server of /v1/embeddings (--embedder URL)")
	}
	agent := config.Model{Endpoints: m.Endpoints, KeyEnv: m.KeyEnv}
	b := &backend{close: func() error { return nil }}
	urls, err := b.locate(ctx, e, agent)
	v.server = b.close
	if err != nil {
		return nil, err
	}
	if !b.simulated {
		b.model = m.Name
	}
	key, keyName := apiKey(e, agent)
	opts := openai.Options{Key: key, KeyName: keyName, Timeout: time.Duration(m.Timeout) * time.Second}
	served, err := b.served(ctx, openai.New(urls[0], opts), config.RedactURL(m.Endpoints[0]))
	if err != nil {
		return nil, fmt.Errorf("embedder: %w", err)
	}
	opts.Model = served.ID
	embedder := llm.RetryEmbedder(openai.New(urls[0], opts), m.Retries+1, time.Duration(m.RetryWait*float64(time.Second)))
	if o.Dims, err = feature.Probe(ctx, embedder); err != nil {
		return nil, err
	}
	o.Name = feature.EndpointName(served.ID, o.Dims)
	o.Cache, err = cacheFolder(m.Cache)
	return embedder, err
}

// cacheFolder returns where the vectors of servers are kept: "" for nowhere.
func cacheFolder(setting string) (string, error) {
	switch setting {
	case noCache:
		return "", nil
	case "":
		dir, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("%w; models.embedder.cache names a folder for vectors, or is %q", err, noCache)
		}
		return filepath.Join(dir, "trawl", "vectors"), nil
	}
	return setting, nil
}

// close puts the cache on disk.
func (v *vectors) close() error { return errors.Join(v.Close(), v.server()) }
