package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"trawl/agent/llm"
	"trawl/internal/text"
)

const (
	maxComplaint = 2 << 10 // bytes of a server's complaint that an error keeps
	maxExcerpt   = 300     // and of a reply that cannot be read
)

// A complaint is what a server said was wrong.
type complaint struct {
	message string
	code    string // OpenAI's code and type: context_length_exceeded, …
	status  int    // a status inside the body, of replies that say 200; or 0
}

// readComplaint reads {"error": {message, type, code}}, {"error": "text"},
// {"object": "error", message, type, code}, {"detail": …}, or plain text.
func readComplaint(body []byte) complaint {
	var outer struct {
		Error   json.RawMessage
		Message loose
		Detail  loose
		Type    loose
		Code    loose
	}
	if json.Unmarshal(body, &outer) != nil {
		return complaint{message: readable(body)}
	}
	inner := struct{ Message, Type, Code loose }{outer.Message + outer.Detail, outer.Type, outer.Code}
	if len(outer.Error) > 0 && json.Unmarshal(outer.Error, &inner) != nil {
		var said loose
		if json.Unmarshal(outer.Error, &said) == nil {
			inner.Message = said
		}
	}
	c := complaint{message: readable([]byte(inner.Message)), code: string(inner.Code + " " + inner.Type)}
	if c.message == "" {
		c.message = readable(body)
	}
	if n, err := strconv.Atoi(string(inner.Code)); err == nil && 400 <= n && n < 600 {
		c.status = n
	}
	return c
}

// refusal explains a status other than 2xx.
func (t *transport) refusal(status int, header http.Header, body []byte) error {
	said := readComplaint(body)
	e := &llm.Error{
		Kind:       kindOf(status, said),
		Endpoint:   t.endpoint,
		Status:     status,
		RetryAfter: retryAfter(header, time.Now()),
		Body:       t.redact(said.message, maxComplaint),
	}
	switch keyed := status == http.StatusUnauthorized || status == http.StatusForbidden; {
	case keyed && t.opts.Key == "":
		e.Err = fmt.Errorf("$%s holds no key", t.opts.KeyName)
	case keyed:
		e.Err = fmt.Errorf("the key in $%s is not accepted", t.opts.KeyName)
	case header.Get("Location") != "": // a POST does not survive most redirects
		e.Err = fmt.Errorf("it redirects to %s", withoutUser(header.Get("Location")))
	}
	return e
}

// kindOf returns the sentinel for a status and a complaint.
func kindOf(status int, said complaint) error {
	switch {
	case status == http.StatusTooManyRequests && strings.Contains(said.code, "insufficient_quota"):
		return llm.ErrBadRequest // waiting does not fill an account
	case status != http.StatusTooManyRequests && saysTooLong(said.message, said.code):
		return llm.ErrContextLength
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable, status == 529:
		return llm.ErrOverloaded
	case status >= 500:
		return llm.ErrServer
	case status == http.StatusRequestTimeout:
		return llm.ErrUnreachable
	default:
		return llm.ErrBadRequest
	}
}

// failure explains an error that came as a reply or within a stream.
func (t *transport) failure(body []byte) error {
	said := readComplaint(body)
	if said.status != 0 || saysTooLong(said.message, said.code) {
		return &llm.Error{
			Kind: kindOf(said.status, said), Endpoint: t.endpoint, Status: said.status,
			Body: t.redact(said.message, maxComplaint),
		}
	}
	return t.malformed(errors.New("an error in place of a reply"), []byte(said.message))
}

// malformed explains a reply that cannot be read.
func (t *transport) malformed(err error, body []byte) error {
	return &llm.Error{
		Kind: llm.ErrMalformed, Endpoint: t.endpoint, Status: http.StatusOK, Err: err,
		Body: t.redact(readable(body), maxExcerpt),
	}
}

// misshapen words an error of decoding a reply. One that is JSON of another
// shape comes from a server of another protocol.
func misshapen(err error) error {
	worded := text.JSONError(err)
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return foreign(worded)
	}
	return worded
}

// foreign says that a server does not speak the protocol, for a reason.
func foreign(reason error) error {
	return fmt.Errorf("this is not an OpenAI-compatible server (%w)", reason)
}

const mostRead = 64 << 10 // bytes of a complaint that are looked at

var (
	isHTML     = regexp.MustCompile(`(?i)<(!doctype|html|head|body|title|h1|center|div|p)\b[^<>]*>`)
	htmlHidden = regexp.MustCompile(`(?is)<(script|style)\b.*?(</(script|style)[^<>]*>|$)|<!--.*?(-->|$)`)
	htmlTag    = regexp.MustCompile(`<[^<>]*>`)
)

// readable returns what a server said on one line, without the tags of the pages
// that proxies send.
func readable(body []byte) string {
	said := strings.ToValidUTF8(string(body[:min(len(body), mostRead)]), "\uFFFD")
	if isHTML.MatchString(said) {
		said = htmlTag.ReplaceAllString(htmlHidden.ReplaceAllString(said, " "), " ")
		said = html.UnescapeString(said)
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text.Collapse(said))
}

// redact returns the beginning of what a server said, without the key and the
// password, which some repeat.
func (t *transport) redact(said string, n int) string {
	for _, secret := range []string{t.opts.Key, t.password} {
		if secret != "" {
			said = strings.ReplaceAll(said, secret, "[key]")
		}
	}
	if len(said) > n {
		return text.Truncate(said, n) + " …"
	}
	return said
}

// retryAfter returns how long the server asks to wait: seconds or a date.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 {
		return time.Duration(min(s, 24*60*60) * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}
