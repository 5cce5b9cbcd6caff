// Package openai talks to any server of the OpenAI protocol: vLLM, llama.cpp,
// SGLang, Ollama, LM Studio, or a hosted service. [New] returns a [Client],
// which is an [llm.Client] and an [llm.Embedder].
//
// The calls are made by go-openai. What it lacks is in one [http.RoundTripper]
// under it (transport.go), so that go-openai sees nothing but the plain
// protocol: sampling values of zero, keys that only some servers know,
// reasoning under either of its names, streams, every form of error.
//
// A client learns what its server is like as it goes: the context window
// (models.go), whether there is a tokenizer (tokens.go), and which forms of a
// conversation its chat template refuses (form.go). It is safe for concurrent
// use and keeps nothing else between calls.
package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	goopenai "github.com/sashabaranov/go-openai"

	"trawl/agent/llm"
)

var (
	_ llm.Client   = (*Client)(nil)
	_ llm.Embedder = (*Client)(nil)
)

// Options say how to use a server. The zero value selects the defaults.
type Options struct {
	Model   string // default: the only model that the server lists
	Key     string // bearer token; in no error and no log
	KeyName string // the variable that holds it, for error messages; default TRAWL_API_KEY
	Window  int    // context length in tokens; default: what the server says, or unknown
	Roles   Roles  // what to do if the chat template lacks roles

	MinTokens int           // a call that leaves less for the completion is not made; default 16
	Timeout   time.Duration // for a whole reply; default 15 min
	Listing   time.Duration // for the list of models, which tells whether there is a server; default 15 s

	Stream     bool          // stream replies, for the two time-outs below; what Complete returns is the same
	FirstToken time.Duration // until a stream begins; default 5 min
	Gap        time.Duration // between two events of a stream; default 2 min

	MaxBytes  int64             // of a reply; default 32 MiB
	Batch     int               // texts in one embedding request; default 64
	Transport http.RoundTripper // what carries the requests; default: one with room for many idle connections
}

// Roles says what to do with messages that a chat template may refuse. (vLLM
// issue 2964: Gemma's has no system role and wants user and assistant in turn)
type Roles int

const (
	RolesAuto Roles = iota // as they are until the server refuses them, folded from then on
	RolesKeep              // always as they are
	RolesFold              // always folded, see fold.go
)

func (o Options) withDefaults() Options {
	def := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	def(&o.Timeout, 15*time.Minute)
	def(&o.Listing, 15*time.Second)
	def(&o.FirstToken, 5*time.Minute)
	def(&o.Gap, 2*time.Minute)
	o.Key = strings.TrimSpace(o.Key)
	if o.KeyName == "" {
		o.KeyName = "TRAWL_API_KEY"
	}
	if o.MinTokens <= 0 {
		o.MinTokens = 16
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 32 << 20
	}
	if o.Batch <= 0 {
		o.Batch = 64
	}
	if o.Transport == nil {
		o.Transport = newBase()
	}
	return o
}

// A Client is one server of one model.
type Client struct {
	base string // ends in /v1, or whatever the endpoint ends in
	root string // base without /v1
	name string // base as errors show it, without user and password
	bad  error  // what is wrong with the endpoint
	opts Options

	chat *goopenai.Client
	http *http.Client

	form   atomic.Uint32 // what the server is known to need, a [form]
	meter  atomic.Int32  // what tokenizer it has, a [meter]
	found  lazy[Model]   // the model in use
	length lazy[int]     // of its embeddings
}

// New returns a client of the server at endpoint: its address with or without
// scheme, /v1 or a slash at the end. It makes no call; an endpoint that is not
// an http address makes every call fail with [llm.ErrBadRequest].
func New(endpoint string, opts Options) *Client {
	c := &Client{opts: opts.withDefaults(), found: newLazy[Model](), length: newLazy[int]()}
	c.base, c.root = addresses(endpoint)
	c.name = withoutUser(c.base)
	if !isAddress(endpoint, c.base) {
		c.bad = &llm.Error{Kind: llm.ErrBadRequest, Endpoint: withoutUser(strings.TrimSpace(endpoint)), Err: fmt.Errorf(
			"the endpoint %q is not an address: want one such as http://127.0.0.1:8000/v1", withoutUser(endpoint))}
	}
	password := ""
	if u, err := url.Parse(c.base); err == nil {
		password, _ = u.User.Password()
	}
	if c.opts.Roles == RolesFold {
		c.form.Store(uint32(folded))
	}
	c.http = &http.Client{Transport: &transport{opts: c.opts, endpoint: c.name, password: password}}
	config := goopenai.DefaultConfig("") // the key is added by the transport
	config.BaseURL = c.base
	config.HTTPClient = c.http
	c.chat = goopenai.NewClientWithConfig(config)
	return c
}

var version = regexp.MustCompile(`/v\d+[a-z0-9]*(/|$)`)

// addresses returns the base of the API's paths and the root of the server's.
func addresses(endpoint string) (base, root string) {
	base = strings.TrimRight(strings.TrimSpace(endpoint), "/")
	base = strings.TrimRight(strings.TrimSuffix(base, "/chat/completions"), "/")
	if !strings.Contains(base, "://") {
		base = "http://" + base
	}
	if !version.MatchString(base) {
		base += "/v1"
	}
	return base, strings.TrimSuffix(base, "/v1")
}

// withoutUser returns an address without the user name and password that may be
// in it, however odd it is.
func withoutUser(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address[strings.LastIndexByte(address, '@')+1:]
	}
	return scheme + "://" + rest[strings.LastIndexByte(rest, '@')+1:]
}

// isAddress reports whether base, which was made of the endpoint, can be that of
// a server. A single word without a scheme is none: it is a name of something
// else, as "sim" is in settings.
func isAddress(endpoint, base string) bool {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return false
	}
	endpoint = strings.TrimSpace(endpoint)
	if _, rest, ok := strings.Cut(endpoint, "://"); ok {
		return strings.Trim(rest, "/") != ""
	}
	return strings.ContainsAny(endpoint, ".:/") || endpoint == "localhost"
}

// Complete implements [llm.Client]. The completion is bounded by what the
// request asks for and by what prompt and reserve leave of the context window;
// if that is too little, it fails with [llm.ErrContextLength] without a call.
// A request that the server's chat template refuses for its form is sent again
// in a form that it takes, which is remembered.
func (c *Client) Complete(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	model, err := c.model(ctx)
	if err != nil {
		return nil, err
	}
	tokens, err := c.room(ctx, req, model)
	if err != nil {
		return nil, err
	}
	f := form(c.form.Load())
	for {
		resp, err := c.complete(ctx, req, wire{model: model.ID, tokens: tokens, form: f, stream: c.opts.Stream})
		if err == nil {
			return resp, nil
		}
		needs := f | refusedForm(err)
		if c.opts.Roles == RolesKeep {
			needs &^= folded
		}
		if needs == f {
			return nil, err
		}
		c.form.Or(uint32(needs))
		f = needs
	}
}

// complete makes one call.
func (c *Client) complete(ctx context.Context, req *llm.Request, w wire) (*llm.Response, error) {
	body, overlay, err := w.encode(req)
	if err != nil {
		return nil, &llm.Error{Kind: llm.ErrBadRequest, Endpoint: c.name, Err: err}
	}
	reply, err := c.chat.CreateChatCompletion(withOverlay(ctx, overlay), body)
	if err != nil {
		return nil, c.explain(ctx, err)
	}
	return response(&reply, req), nil
}

// unreadable explains a reply that came whole and is not what it should be.
func (c *Client) unreadable(err error) error {
	return &llm.Error{Kind: llm.ErrMalformed, Endpoint: c.name, Status: http.StatusOK, Err: err}
}

// explain returns err, which came through net/http and go-openai, as this
// package's callers know it.
func (c *Client) explain(ctx context.Context, err error) error {
	var (
		e      *llm.Error
		typ    *json.UnmarshalTypeError
		syntax *json.SyntaxError
	)
	switch {
	case errors.As(err, &e):
		return e
	case ctx.Err() != nil:
		return fmt.Errorf("openai: %s: %w", c.name, ctx.Err())
	case errors.As(err, &typ), errors.As(err, &syntax):
		return c.unreadable(misshapen(err))
	default: // the transport explains all that happens on the wire: the request was not made
		if outer, ok := errors.AsType[*url.Error](err); ok { // it shows the address, with the user
			err = outer.Err
		}
		return &llm.Error{Kind: llm.ErrBadRequest, Endpoint: c.name, Err: err}
	}
}
