package llm

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Why a call did not lead to a usable response. Callers branch on these with
// errors.Is; the error itself is an [*Error].
var (
	ErrOverloaded    = errors.New("the server is overloaded")                    // 429, 503, 529: wait and try again
	ErrContextLength = errors.New("the prompt does not fit the model's context") // shorten it; trying again does not help
	ErrBadRequest    = errors.New("the server refused the request")              // other 4xx: a setting is wrong
	ErrUnreachable   = errors.New("the server cannot be reached")                // dial, reset, time-out
	ErrMalformed     = errors.New("the server's reply cannot be read")           // not the protocol, or no choices
)

// ErrServer is a server that answered with its own failure, a 5xx. It matches
// [ErrUnreachable] too, since the same helps: another server, or a later try.
var ErrServer error = kindOf{"the server failed", ErrUnreachable}

// A kindOf is a kind of failure that is one of another kind.
type kindOf struct {
	text    string
	broader error
}

func (k kindOf) Error() string { return k.text }

func (k kindOf) Unwrap() error { return k.broader }

// shownBytes bounds what a message quotes of a server.
const shownBytes = 300

// An Error is a failed call. Body is the beginning of what the server said.
type Error struct {
	Kind       error // one of the sentinels above
	Endpoint   string
	Status     int           // of HTTP; 0 if there was no response
	RetryAfter time.Duration // what the server asked for; 0 if it did not
	Body       string        // at most a few KiB
	Err        error         // cause, if there is one
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "llm: %s: %v", e.Endpoint, e.Kind)
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	if e.Body != "" {
		fmt.Fprintf(&b, ": %s", shown(e.Body))
	}
	return b.String()
}

// shown returns the beginning of what a server said.
func shown(body string) string {
	if len(body) <= shownBytes {
		return body
	}
	return strings.ToValidUTF8(body[:shownBytes], "") + " …"
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}
