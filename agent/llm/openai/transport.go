package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"

	"trawl/agent/llm"
)

// newBase returns a transport for many calls at once to few servers. net/http's
// default keeps two idle connections to a host, so that hundreds of rollouts
// would dial for nearly every call. Proxies come from the environment, and
// never apply to loopback addresses.
func newBase() *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		ForceAttemptHTTP2:   true,
		TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConnsPerHost: 1024,
		IdleConnTimeout:     90 * time.Second,
		DisableCompression:  true,
	}
}

// A transport makes a plain exchange of the OpenAI protocol from what servers
// do. It adds the key and the overlay to a request; it reads the whole reply,
// within bounds of time and size, and merges a stream into one reply; and it
// returns an [*llm.Error] for everything that is not a usable reply, so that
// whoever is above it sees status 200 and JSON only.
type transport struct {
	opts     Options
	endpoint string // for errors
	password string // of the endpoint
}

// What a server writes where a vector is not finite, since JSON has no NaN; a
// decoder makes 0 of it. It is the model's doing, so trying again does not help.
var (
	nullNumber = regexp.MustCompile(`[\[,]\s*null\s*[,\]]`)
	errNull    = errors.New("a vector has null in place of a number: the model made one that is not finite")
)

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeoutCause(req.Context(), t.opts.Timeout, tooSlow{"no whole reply", t.opts.Timeout})
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)

	over, isChat := req.Context().Value(overlayKey{}).(overlay)
	out, err := t.prepare(req.WithContext(ctx), over)
	if err != nil {
		return nil, err
	}
	clock := &clock{stop: stop, gap: t.opts.Gap}
	if isChat && t.opts.Stream {
		clock.start(t.opts.FirstToken)
		defer clock.end()
	}
	resp, err := t.opts.Transport.RoundTrip(out)
	if err != nil {
		return nil, t.lost(ctx, err)
	}
	defer resp.Body.Close()
	body, err := t.read(ctx, resp, clock)
	if err != nil {
		return nil, err
	}
	if isChat {
		if body, err = t.plain(body); err != nil {
			return nil, err
		}
	}
	if strings.HasSuffix(req.URL.Path, "/embeddings") && nullNumber.Match(body) {
		return nil, &llm.Error{Kind: llm.ErrBadRequest, Endpoint: t.endpoint, Status: http.StatusOK, Err: errNull}
	}
	resp.Header.Set("Content-Type", "application/json")
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.ContentLength = int64(len(body))
	return resp, nil
}

// prepare returns a copy of req with the key and the overlay. It closes the
// body of req, if it replaces it.
//
// The copy has an empty idempotency key, which net/http does not send but takes
// as leave to repeat the request on another connection if an idle one turns out
// to be closed: vLLM's server closes them after five seconds.
func (t *transport) prepare(req *http.Request, over overlay) (*http.Request, error) {
	out := req.Clone(req.Context())
	if t.opts.Key != "" {
		out.Header.Set("Authorization", "Bearer "+t.opts.Key)
	}
	out.Header["Idempotency-Key"] = []string{}
	if over == nil || req.Body == nil {
		return out, nil
	}
	defer req.Body.Close()
	body, err := over.lay(req.Body)
	if err != nil {
		return nil, err
	}
	clear(over) // the body has it all; the context would keep a second copy while the server thinks
	out.Body = io.NopCloser(bytes.NewReader(body))
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	out.ContentLength = int64(len(body))
	return out, nil
}

// read returns the body of a good reply: JSON, or what a stream was merged to.
func (t *transport) read(ctx context.Context, resp *http.Response, clock *clock) ([]byte, error) {
	limited := &io.LimitedReader{R: resp.Body, N: t.opts.MaxBytes + 1}
	isStream := strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
	if isStream && resp.StatusCode == http.StatusOK {
		body, err := t.merge(ctx, limited, clock)
		if err = t.bounded(limited, err); err == nil {
			clock.drain(limited)
		}
		return body, err
	}
	body, err := readAll(limited, resp.ContentLength)
	if err != nil {
		return nil, t.lost(ctx, err)
	}
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		return nil, t.refusal(resp.StatusCode, resp.Header, body)
	}
	if err := t.bounded(limited, nil); err != nil {
		return nil, err
	}
	if start := bytes.TrimSpace(body); len(start) == 0 || start[0] != '{' {
		return nil, t.malformed(foreign(errors.New("its reply is not a JSON object")), body)
	}
	return body, nil
}

// bounded returns err or, if the reply went beyond its bound, that.
func (t *transport) bounded(body *io.LimitedReader, err error) error {
	if body.N > 0 {
		return err
	}
	return t.malformed(fmt.Errorf("longer than %d bytes", t.opts.MaxBytes), nil)
}

// readAll is io.ReadAll with one allocation if the size is known.
func readAll(r io.Reader, size int64) ([]byte, error) {
	var b bytes.Buffer
	if size > 0 && size < 1<<20 {
		b.Grow(int(size) + bytes.MinRead)
	}
	_, err := b.ReadFrom(r)
	return b.Bytes(), err
}

// lost explains a connection that failed.
func (t *transport) lost(ctx context.Context, err error) error {
	var slow tooSlow
	switch cause := context.Cause(ctx); {
	case errors.As(cause, &slow):
		err = slow
	case cause != nil:
		return cause // the caller's
	}
	return &llm.Error{Kind: llm.ErrUnreachable, Endpoint: t.endpoint, Err: innermost(err)}
}

// innermost returns what failed of a connection, without the addresses of its
// two ends: that of the server is in the endpoint, and ours means nothing and
// differs each time.
func innermost(err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err
	}
	if call, ok := errors.AsType[*os.SyscallError](err); ok {
		err = call.Err
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		return fmt.Errorf("there is no host named %s", dns.Name)
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the reply was cut off")
	case errors.Is(err, io.EOF):
		return errors.New("the connection was closed before the reply")
	}
	return err
}

// tooSlow is the cause of a context that one of the time-outs ended.
type tooSlow struct {
	what  string
	limit time.Duration
}

func (s tooSlow) Error() string { return fmt.Sprintf("%s within %v", s.what, s.limit) }

// A clock ends a context if a stream does not begin or does not go on. The zero
// clock, of a reply that is not streamed, never does.
type clock struct {
	stop  context.CancelCauseFunc
	gap   time.Duration
	timer *time.Timer
	began bool
}

func (c *clock) start(first time.Duration) {
	c.timer = time.AfterFunc(first, func() { c.stop(tooSlow{"no first token", first}) })
}

// tick says that an event came.
func (c *clock) tick() {
	switch {
	case c.timer == nil:
	case c.began:
		c.timer.Reset(c.gap)
	default:
		c.began = true
		c.timer.Stop()
		c.timer = time.AfterFunc(c.gap, func() { c.stop(tooSlow{"no further token", c.gap}) })
	}
}

func (c *clock) end() { c.timer.Stop() }

// drain reads what follows the end of a stream, which should be nothing: only
// the connection of a body that was read to its end is used again. A server that
// goes on is left after a second.
func (c *clock) drain(r io.Reader) {
	timer := time.AfterFunc(time.Second, func() { c.stop(context.Canceled) })
	defer timer.Stop()
	io.Copy(io.Discard, r) // the reply is whole: an error changes nothing
}
