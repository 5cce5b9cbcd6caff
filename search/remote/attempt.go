package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"trawl/internal/httpcall"
)

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
		return nil, &httpcall.Passing{Err: garbled(err)}
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
		return nil, &httpcall.Passing{Err: fmt.Errorf("the answer is not complete after %v", c.opts.Timeout)}
	case err != nil:
		return nil, &httpcall.Passing{Err: fmt.Errorf("the answer is broken after %d bytes: %w", len(data), err)}
	case int64(len(data)) > c.opts.MaxBody:
		return nil, fmt.Errorf("the answer has more than %d bytes", c.opts.MaxBody)
	case !isJSON(resp.Header, data):
		return nil, fmt.Errorf("%s in place of JSON (HTTP %d): %s", httpcall.Kind(resp.Header), resp.StatusCode, httpcall.FirstWords(data))
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

// garbled words a failure to read the header of an answer, which err quotes whole.
// Of two ways to say so net/http chooses by chance.
func garbled(err error) error {
	said := strings.TrimPrefix(inner(err).Error(), "net/http: HTTP/1.x transport connection broken: ")
	return errors.New("the answer is broken: " + httpcall.FirstWords([]byte(said)))
}

// unreachable words a failure before an answer.
func unreachable(ctx context.Context, err error) error {
	err = inner(err)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return &httpcall.Passing{Err: fmt.Errorf("%w: %w", ErrUnreachable, err)}
}

// refused words a status that is no success.
func refused(resp *http.Response, data []byte) error {
	said := fmt.Sprintf("HTTP %d %s, %s", resp.StatusCode, http.StatusText(resp.StatusCode), httpcall.Kind(resp.Header))
	if to, err := resp.Location(); err == nil {
		to.User, to.RawQuery = nil, ""
		said += ", redirects to " + to.String()
	}
	if words := httpcall.FirstWords(data); words != "" {
		said += ": " + words
	}
	err := errors.New(said)
	if httpcall.Passes(resp.StatusCode) {
		return &httpcall.Passing{Err: err, After: httpcall.RetryAfter(resp.Header)}
	}
	return err
}

// isJSON reports whether an answer says that it is JSON, or begins as an object:
// small servers send their JSON as text/html.
func isJSON(h http.Header, data []byte) bool {
	k := httpcall.Kind(h)
	return k == "application/json" || strings.HasSuffix(k, "+json") || bytes.HasPrefix(bytes.TrimSpace(data), []byte("{"))
}
