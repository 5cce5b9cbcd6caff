package opensearch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"math/rand/v2"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"
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
// at most a minute, or longer if the server asks for it; one that asks for more
// than a minute is not called again.
func (c *client) persist(ctx context.Context, call func(context.Context) error) error {
	wait := c.opts.Wait
	for i := 1; ; i++ {
		err := call(ctx)
		p, again := errors.AsType[*passing](err)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !again:
			return err
		case p.after > longestWait:
			return fmt.Errorf("%w (the server asks to wait for %v, and trawl waits for %v at most)", err, p.after, longestWait)
		case i >= c.opts.Attempts:
			return fmt.Errorf("attempt %d of %d: %w", i, c.opts.Attempts, err)
		}
		d := max(p.after, time.Duration(float64(wait)*(1+rand.Float64())/2))
		if ctxErr := pause(ctx, min(d, longestWait)); ctxErr != nil {
			return fmt.Errorf("waiting to try again: %w (%v)", ctxErr, err)
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

// A refusal is an answer whose status is no success.
type refusal struct {
	status int
	kind   string // OpenSearch's name of the error, such as index_not_found_exception; empty if it has none
	said   string
}

func (r *refusal) Error() string { return r.said }

// isRefusal reports whether err is a refusal with this name.
func isRefusal(err error, kind string) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && r.kind == kind
}

// An osError is what OpenSearch says of a failure, of a request or of an item.
type osError struct {
	Type      string    `json:"type"`
	Reason    string    `json:"reason"`
	RootCause []osError `json:"root_cause"`
	CausedBy  *osError  `json:"caused_by"`
}

func (e osError) String() string {
	if len(e.RootCause) > 0 {
		e = e.RootCause[0]
	}
	said := e.Type + ": " + e.Reason
	if e.CausedBy != nil && e.CausedBy.Reason != e.Reason {
		said += " (" + e.CausedBy.Type + ": " + e.CausedBy.Reason + ")"
	}
	return firstWords([]byte(said))
}

// refused words a status that is no success.
func refused(resp *http.Response, data []byte) error {
	r := &refusal{status: resp.StatusCode, said: fmt.Sprintf("HTTP %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))}
	var answer struct{ Error osError }
	if json.Unmarshal(data, &answer) == nil && answer.Error.Type != "" {
		r.kind = answer.Error.Type
		r.said += ": " + answer.Error.String()
	} else {
		r.said += ", " + kind(resp.Header)
		if words := firstWords(data); words != "" {
			r.said += ": " + words
		}
	}
	if passes(resp.StatusCode) {
		return &passing{err: r, after: retryAfter(resp.Header)}
	}
	return r
}

// passes reports whether what has this status may work when it is tried again.
func passes(status int) bool { return status == http.StatusTooManyRequests || status >= 500 }

// retryAfter returns how many seconds the server asks to wait.
func retryAfter(h http.Header) time.Duration {
	s, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After")), 64)
	if err != nil || !(s > 0) {
		return 0
	}
	return time.Duration(min(s, 24*60*60) * float64(time.Second))
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
