package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"trawl/internal/httpcall"
	"trawl/internal/text"
	"trawl/search"
)

// Options are how a server is called. The zero value selects the defaults.
type Options struct {
	Timeout   time.Duration     // for one attempt; default 60 s
	Attempts  int               // of one search; default 4
	Wait      time.Duration     // before the second attempt, and twice as long before each one more; default 500 ms
	MaxBody   int64             // bytes of an answer; default 64 MiB
	MaxTop    int               // greatest topk that is asked for; default 1000, what [Handler] allows
	Transport http.RoundTripper // default one with the settings of the environment and 64 spare connections
}

func (o Options) withDefaults() Options {
	if o.Timeout <= 0 {
		o.Timeout = time.Minute
	}
	if o.Wait <= 0 {
		o.Wait = 500 * time.Millisecond
	}
	o.Attempts = or(o.Attempts, 4)
	o.MaxBody = or(o.MaxBody, 64<<20)
	o.MaxTop = or(o.MaxTop, 1000)
	if o.Transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.MaxIdleConnsPerHost = 64
		o.Transport = t
	}
	return o
}

// A Client is an engine behind a server's /retrieve.
type Client struct {
	opts  Options
	url   *url.URL // of the route
	shown string   // the same without user, password and parameters
	http  *http.Client
}

var _ search.Engine = (*Client)(nil)

// New returns a client for the server at an address, which may or may not end in
// /retrieve. A user and a password in it are sent. It fails if the address is no
// http or https URL, and calls nobody; [Client.Probe] does.
func New(address string, o Options) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("remote: the address is not a URL") // err quotes it, and there may be a password in it
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("remote: address %q: want http://HOST:PORT", u.Redacted())
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), retrievePath) + retrievePath
	u.RawPath, u.Fragment = "", ""
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	o = o.withDefaults()
	return &Client{opts: o, url: u, shown: shown.String(), http: &http.Client{
		Transport: o.Transport,
		// A redirected POST becomes a GET, mostly, and the password would go along.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// String returns the address of the route, without user, password and parameters.
func (c *Client) String() string { return c.shown }

// Close lets go of spare connections. The client can still be used.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// request is the body of a call, with the keys of every server that there is.
type request struct {
	Queries      []string `json:"queries"`
	Query        string   `json:"query"` // BrowseComp-Plus
	Top          int      `json:"topk"`
	TopRetrieval int      `json:"topk_retrieval"` // Search-R1's reranking server, whose default is 10
	TopRerank    int      `json:"topk_rerank"`
	Scores       bool     `json:"return_scores"`
}

// Search implements [search.Engine]. It tries again, as often as its options
// say, if the server is not there, is overloaded (429) or fails (5xx). An answer
// that is no answer is an error that names the address and what was said; one
// that matches [ErrUnreachable] if there was none. A blank query is not sent.
func (c *Client) Search(ctx context.Context, query string, n int) ([]search.Hit, error) {
	if err := ctx.Err(); err != nil || n < 1 || text.Blank(query) {
		return nil, err
	}
	a, err := c.ask(ctx, query, n)
	if err != nil {
		return nil, err
	}
	return a.best(n), nil
}

// ask sends one query and reads what comes back.
func (c *Client) ask(ctx context.Context, query string, n int) (reply, error) {
	top := min(n, c.opts.MaxTop)
	body, err := text.JSON(request{
		Queries: []string{query}, Query: query, Top: top, TopRetrieval: max(top, 10), TopRerank: top, Scores: true,
	})
	if err != nil {
		return reply{}, fmt.Errorf("remote: %w", err)
	}
	var data []byte
	err = httpcall.Persist(ctx, c.opts.Attempts, c.opts.Wait, func(ctx context.Context) (err error) {
		data, err = c.do(ctx, http.MethodPost, c.url, body)
		return err
	})
	if err != nil {
		return reply{}, fmt.Errorf("remote: %s: %w", c.shown, err)
	}
	a, err := readReply(data)
	if err != nil {
		return reply{}, fmt.Errorf("remote: %s: not an answer of a /retrieve server: %w: %s", c.shown, err, httpcall.FirstWords(data))
	}
	return a, nil
}
