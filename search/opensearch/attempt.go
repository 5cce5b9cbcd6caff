package opensearch

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"trawl/internal/httpcall"
)

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
	return httpcall.FirstWords([]byte(said))
}

// refused words a status that is no success.
func refused(resp *http.Response, data []byte) error {
	r := &refusal{status: resp.StatusCode, said: fmt.Sprintf("HTTP %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))}
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
	if httpcall.Passes(resp.StatusCode) {
		return &httpcall.Passing{Err: r, After: httpcall.RetryAfter(resp.Header)}
	}
	return r
}
