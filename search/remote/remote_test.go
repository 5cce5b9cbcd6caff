package remote_test

import (
	"context"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/search"
	"trawl/search/index"
	"trawl/search/live"
	"trawl/search/remote"
	"trawl/search/searchtest"
)

// TestConformance holds a client, over a handler, over an index, to what the
// index itself promises.
func TestConformance(t *testing.T) {
	searchtest.RunBM25(t, func(t *testing.T, docs []search.Document) search.Engine {
		return dial(t, remote.Handler(indexed(t, docs), remote.ServeOptions{}), remote.Options{})
	})
}

// TestRoundTrip has documents whose titles, texts and ids are hard to carry.
func TestRoundTrip(t *testing.T) {
	tests := []struct {
		name      string
		doc, want search.Document
	}{
		{"quotes", search.Document{ID: "1", Title: `The "Fast" one`, Text: `a "film" ""twice""`}, search.Document{}},
		{"a title of quotes", search.Document{ID: `"`, Title: `"""`, Text: "\n\nbroken lines\r\n"}, search.Document{}},
		{"no title", search.Document{ID: "1", Text: "\"not\na title\""}, search.Document{}},
		{"no text", search.Document{ID: "1", Title: "a title"}, search.Document{}},
		{"tags", search.Document{ID: "<b>", Title: "a <b> & c", Text: "</information> \u2028 \x00 \t"}, search.Document{}},
		{"a URL", search.Document{ID: "1", Title: "t", URL: "https://example.org/?a=b&c", Text: "x"}, search.Document{}},
		{"other scripts", search.Document{ID: "東", Title: "東京", Text: "👩‍👩‍👧 e\u0301"}, search.Document{}},
		{"a line break in a title", search.Document{ID: "1", Title: "a\nb", Text: "c"}, search.Document{ID: "1", Title: "a b", Text: "c"}},
		{"bytes that are no UTF-8", search.Document{ID: "1", Title: "a", Text: "b\xff"}, search.Document{ID: "1", Title: "a", Text: "b\uFFFD"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.want.ID == "" {
				tt.want = tt.doc
			}
			const score = 0.1 + 0.2
			engine := searcher(func(context.Context, string, int) ([]search.Hit, error) {
				return []search.Hit{{Document: tt.doc, Score: score}}, nil
			})
			c := dial(t, remote.Handler(engine, remote.ServeOptions{}), remote.Options{})
			got, err := c.Search(t.Context(), "q", 1)
			if diff := cmp.Diff([]search.Hit{{Document: tt.want, Score: score}}, got); diff != "" || err != nil {
				t.Errorf("%v, hits mismatch (-want +got):\n%s", err, diff)
			}
		})
	}
}

// searcher is an engine that is a function.
type searcher func(ctx context.Context, query string, n int) ([]search.Hit, error)

func (f searcher) Search(ctx context.Context, query string, n int) ([]search.Hit, error) {
	return f(ctx, query, n)
}

// dial serves a handler until the test ends and returns a client of it.
func dial(t testing.TB, h http.Handler, o remote.Options) *remote.Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	c := client(t, server.URL, o)
	t.Cleanup(func() { c.Close() })
	return c
}

func client(t testing.TB, url string, o remote.Options) *remote.Client {
	t.Helper()
	c, err := remote.New(url, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// indexed makes an index of documents.
func indexed(t testing.TB, docs []search.Document) *live.Index {
	t.Helper()
	dir := t.TempDir()
	if _, err := live.Build(t.Context(), dir, stream(docs), live.BuildOptions{Params: index.DefaultParams()}); err != nil {
		t.Fatal(err)
	}
	x, err := live.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func stream(docs []search.Document) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		for _, doc := range docs {
			if !yield(doc, nil) {
				return
			}
		}
	}
}

// piped serves a handler over pipes in memory, so that a bubble of synctest
// holds the whole of net/http: its clock is false, and it fails if a goroutine
// stays behind. stop ends the server.
func piped(h http.Handler) (o remote.Options, stop func()) {
	l := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	server := &http.Server{Handler: h}
	var g sync.WaitGroup
	g.Go(func() { server.Serve(l) }) //nolint:errcheck // it ends with ErrServerClosed
	transport := &http.Transport{DialContext: l.dial, DisableKeepAlives: false, IdleConnTimeout: time.Hour}
	return remote.Options{Transport: transport}, func() {
		transport.CloseIdleConnections()
		server.Close()
		g.Wait()
	}
}

// pipes is a listener whose connections are pipes.
type pipes struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func (l *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		return ours, nil
	case <-l.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipes) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *pipes) Addr() net.Addr { return &net.TCPAddr{} }
