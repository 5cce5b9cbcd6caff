package opensearch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/opensearch-project/opensearch-go/v4"
	"github.com/opensearch-project/opensearch-go/v4/opensearchtransport"

	"trawl/internal/httpcall"
	"trawl/internal/text"
)

// Options are how a cluster is called. The zero value selects the defaults.
type Options struct {
	User, Password string            // where the address has none
	Fields         []string          // that are searched; for an index of somebody else's only
	Timeout        time.Duration     // for one attempt; default 60 s
	Attempts       int               // of one request; default 4, and 10 while building
	Wait           time.Duration     // before the second attempt, and twice as long before each one more; default 500 ms
	MaxBody        int64             // bytes of an answer; default 64 MiB
	Transport      http.RoundTripper // default one with the settings of the environment and 64 spare connections
}

func (o Options) withDefaults() Options {
	if o.Timeout <= 0 {
		o.Timeout = time.Minute
	}
	if o.Attempts <= 0 {
		o.Attempts = 4
	}
	if o.Wait <= 0 {
		o.Wait = 500 * time.Millisecond
	}
	if o.MaxBody <= 0 {
		o.MaxBody = 64 << 20
	}
	if o.Transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.MaxIdleConnsPerHost = 64
		o.Transport = t
	}
	return o
}

// A client calls the cluster about one index.
type client struct {
	opts   Options
	index  string
	shown  string // the address without user and password
	search *opensearch.Client
}

func newClient(where string, o Options) (*client, error) {
	a, err := parseAddress(where)
	if err != nil {
		return nil, err
	}
	o = o.withDefaults()
	if a.user == "" && a.password == "" {
		a.user, a.password = o.User, o.Password
	}
	t, err := opensearchtransport.New(opensearchtransport.Config{
		URLs:     []*url.URL{&a.server},
		Username: a.user, Password: a.password,
		Transport:         o.Transport,
		DisableRetry:      true, // persist does it, and knows what was sent before
		NodeStatsInterval: -1,   // these are for choosing among several nodes
	})
	if err != nil {
		return nil, err
	}
	return &client{opts: o, index: a.index, shown: a.shown, search: &opensearch.Client{Transport: t}}, nil
}

// indices returns the index as requests name it.
func (c *client) indices() []string { return []string{c.index} }

// A checked answer says what is wrong with it, which may pass.
type checked interface{ check() error }

// A request returns what to send, anew for every attempt.
type request func() opensearch.Request

// call makes a request, again if that may help, and reads the answer into out.
func (c *client) call(ctx context.Context, method string, r request, out any) error {
	return httpcall.Persist(ctx, c.opts.Attempts, c.opts.Wait, func(ctx context.Context) error { return c.do(ctx, method, r, out) })
}

// do makes a request once and reads the answer, which is JSON, into out, and
// checks it if it is [checked].
func (c *client) do(ctx context.Context, method string, r request, out any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.opts.Timeout, fmt.Errorf("no answer within %v", c.opts.Timeout))
	defer cancel()
	req, err := r().GetRequest(method)
	if err != nil {
		return err
	}
	if req.Header == nil {
		req.Header = make(http.Header)
	}
	req.Header.Set("Accept", "application/json")
	resp, err := c.search.Stream(req.WithContext(ctx))
	if err != nil {
		return unreachable(ctx, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, c.opts.MaxBody+1))
	switch status := status(resp, data); {
	case err != nil:
		return unreachable(ctx, err)
	case !success(status):
		return refused(resp, status, data)
	case int64(len(data)) > c.opts.MaxBody:
		return fmt.Errorf("the answer has more than %d bytes", c.opts.MaxBody)
	}
	if err := json.Unmarshal(data, out); err != nil {
		return fmt.Errorf("not an answer of OpenSearch, but %s (HTTP %d): %w: %s", httpcall.Kind(resp.Header), resp.StatusCode, text.JSONError(err), httpcall.FirstWords(data))
	}
	if out, ok := out.(checked); ok {
		return out.check()
	}
	return nil
}

// unreachable words a failure of the connection.
func unreachable(ctx context.Context, err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		err = inner // without method and address, which opensearch-go puts before it
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return &httpcall.Passing{Err: fmt.Errorf("%w: %w", ErrUnreachable, err)}
}
