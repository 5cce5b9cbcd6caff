package opensearch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"trawl/internal/httpcall"
)

// A refusal is an answer whose status, that of HTTP or its own, is no success.
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

// isTooLarge reports whether err is the refusal of a request for its size, by the
// cluster or by a proxy before it.
func isTooLarge(err error) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && r.status == http.StatusRequestEntityTooLarge
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
	return httpcall.FirstWords([]byte(said))
}

// status returns the status of an answer: that of HTTP, unless this is success
// and the answer itself has an error with another, as proxies pass it on.
func status(resp *http.Response, data []byte) int {
	if !success(resp.StatusCode) || !bytes.Contains(data, []byte(`"error"`)) {
		return resp.StatusCode
	}
	var answer struct {
		Error  json.RawMessage `json:"error"`
		Status int             `json:"status"`
	}
	// An index may have the name error, and is described without a status.
	if json.Unmarshal(data, &answer) != nil || len(answer.Error) == 0 || answer.Status < 400 {
		return resp.StatusCode
	}
	return answer.Status
}

func success(status int) bool { return status >= 200 && status < 300 }

// refused words a status that is no success.
func refused(resp *http.Response, status int, data []byte) error {
	r := &refusal{status: status, said: fmt.Sprintf("HTTP %d %s", status, http.StatusText(status))}
	if status != resp.StatusCode {
		r.said = fmt.Sprintf("HTTP %d with an error of status %d", resp.StatusCode, status)
	}
	var answer struct{ Error osError }
	if json.Unmarshal(data, &answer) == nil && answer.Error.Type != "" {
		r.kind = answer.Error.Type
		r.said += ": " + answer.Error.String()
	} else {
		r.said += ", " + httpcall.Kind(resp.Header)
		if words := httpcall.FirstWords(data); words != "" {
			r.said += ": " + words
		}
	}
	if httpcall.Passes(status) {
		return &httpcall.Passing{Err: r, After: httpcall.RetryAfter(resp.Header)}
	}
	return r
}
