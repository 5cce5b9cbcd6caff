package aggregate

import (
	"strings"

	"trawl/agent/llm/reply"
	"trawl/internal/text"
)

// maxRepeats is how often in a row an attempt may repeat its calls before it must
// finish.
const maxRepeats = 3

// A history is the calls of an attempt, but for finish. The trajectories do not
// change, so an equal call has an equal result.
type history struct {
	made    map[string]bool
	repeats int // since the last new call
}

// again notes a call and reports whether it was made before. Nothing but a new call
// ends a row of repeats, so that a guard which has warned stays armed.
func (h *history) again(c reply.Call) bool {
	key := callKey(c)
	if h.made[key] {
		h.repeats++
		return true
	}
	if h.made == nil {
		h.made = map[string]bool{}
	}
	h.made[key] = true
	h.repeats = 0
	return false
}

// callKey returns what makes two calls the same: the name, and the arguments
// without regard to case, composition of characters and white space.
func callKey(c reply.Call) string {
	return strings.ToLower(c.Name) + "\x00" + string(mustJSON(folded(c.Args)))
}

// folded returns a copy of a JSON value whose texts are folded.
func folded(v any) any {
	switch v := v.(type) {
	case string:
		return text.Fold(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = folded(e)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = folded(e)
		}
		return out
	}
	return v
}
