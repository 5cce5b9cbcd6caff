package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"trawl/internal/text"
)

const (
	longestWait = time.Minute // between two attempts
	shownBytes  = 200         // of what a server said
	readBytes   = 16 << 10    // of it that are looked at
)

// A passing failure is one that may not come again.
type passing struct {
	err   error
	after time.Duration // what the server asks to wait; 0 if it does not
}

func (p *passing) Error() string { return p.err.Error() }

func (p *passing) Unwrap() error { return p.err }

// persist calls until it works, the failure will not pass, or the attempts are
// used up. Before attempt i+1 it waits
//
//	Wait · 2^(i−1) · (1 + j) / 2, with j by chance in [0, 1)
//
// or longer if the server asks for it; one that asks for more than a minute is
// not called again.
func (c *Client) persist(ctx context.Context, call func(context.Context) ([]byte, error)) ([]byte, error) {
	wait := c.opts.Wait
	for i := 1; ; i++ {
		data, err := call(ctx)
		p, again := errors.AsType[*passing](err)
		switch {
		case err == nil:
			return data, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !again:
			return nil, err
		case p.after > longestWait:
			return nil, fmt.Errorf("%w (the server asks to wait for %v, and trawl waits for %v at most)", err, p.after, longestWait)
		case i >= c.opts.Attempts:
			return nil, fmt.Errorf("attempt %d of %d: %w", i, c.opts.Attempts, err)
		}
		d := max(p.after, time.Duration(float64(wait)*(1+rand.Float64())/2))
		if ctxErr := pause(ctx, min(d, longestWait)); ctxErr != nil {
			return nil, fmt.Errorf("waiting to try again: %w (%v)", ctxErr, err)
		}
		wait = min(2*wait, longestWait)
	}
}

// pause waits for d, or until ctx ends, whose error it then returns.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// do makes one request and returns the body of an answer that is JSON.
func (c *Client) do(ctx context.Context, method string, to *url.URL, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.opts.Timeout, fmt.Errorf("no answer within %v", c.opts.Timeout))
	defer cancel()
	var began atomic.Bool
	trace := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotFirstResponseByte: func() { began.Store(true) }})
	req, err := http.NewRequestWithContext(trace, method, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the address is no URL") // err quotes it whole
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	resp, err := c.http.Do(req)
	switch {
	case err != nil && began.Load() && ctx.Err() == nil:
		return nil, &passing{err: fmt.Errorf("the answer is broken: %s", firstWords([]byte(inner(err).Error())))}
	case err != nil:
		return nil, unreachable(ctx, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, c.opts.MaxBody+1))
	data = bytes.TrimPrefix(data, []byte(byteOrderMark))
	switch {
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return nil, refused(resp, data) // what came of its body is only shown
	case err != nil && ctx.Err() != nil:
		return nil, &passing{err: fmt.Errorf("the answer is not complete after %v", c.opts.Timeout)}
	case err != nil:
		return nil, &passing{err: fmt.Errorf("the answer is broken after %d bytes: %w", len(data), err)}
	case int64(len(data)) > c.opts.MaxBody:
		return nil, fmt.Errorf("the answer has more than %d bytes", c.opts.MaxBody)
	case !isJSON(resp.Header, data):
		return nil, fmt.Errorf("%s in place of JSON (HTTP %d): %s", kind(resp.Header), resp.StatusCode, firstWords(data))
	}
	return data, nil
}

// inner returns an error without the address, which may hold a password.
func inner(err error) error {
	if outer, ok := errors.AsType[*url.Error](err); ok {
		return outer.Err
	}
	return err
}

// unreachable words a failure before an answer.
func unreachable(ctx context.Context, err error) error {
	err = inner(err)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return &passing{err: fmt.Errorf("%w: %w", ErrUnreachable, err)}
}

// refused words a status that is no success.
func refused(resp *http.Response, data []byte) error {
	said := fmt.Sprintf("HTTP %d %s, %s", resp.StatusCode, http.StatusText(resp.StatusCode), kind(resp.Header))
	if to, err := resp.Location(); err == nil {
		to.User, to.RawQuery = nil, ""
		said += ", redirects to " + to.String()
	}
	if words := firstWords(data); words != "" {
		said += ": " + words
	}
	err := errors.New(said)
	if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500 {
		return &passing{err: err, after: retryAfter(resp.Header)}
	}
	return err
}

// retryAfter returns how many seconds the server asks to wait.
func retryAfter(h http.Header) time.Duration {
	s, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After")), 64)
	if err != nil || !(s > 0) {
		return 0
	}
	return time.Duration(min(s, 24*60*60) * float64(time.Second))
}

// isJSON reports whether an answer says that it is JSON, or begins as an object:
// small servers send their JSON as text/html.
func isJSON(h http.Header, data []byte) bool {
	k := kind(h)
	return k == "application/json" || strings.HasSuffix(k, "+json") || bytes.HasPrefix(bytes.TrimSpace(data), []byte("{"))
}

// kind returns the media type of an answer.
func kind(h http.Header) string {
	k, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return "no content type"
	}
	return k
}

var markup = regexp.MustCompile(`(?is)<(script|style)\b.*?</(script|style)\s*>|<[a-z/!][^<>]*>`)

// firstWords returns the beginning of what a server said on one line, without
// the tags of the pages that proxies send.
func firstWords(data []byte) string {
	said := strings.ToValidUTF8(string(data[:min(len(data), readBytes)]), "\uFFFD")
	said = text.Collapse(html.UnescapeString(markup.ReplaceAllString(said, " ")))
	said = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, said)
	if short := text.Truncate(said, shownBytes); short != said {
		return short + " …"
	}
	return said
}
