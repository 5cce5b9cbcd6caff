package sim

import (
	"fmt"
	"net/http"
	"slices"
)

// The faults below answer instead of the model.

func status(code int, text string) transport {
	return func(w http.ResponseWriter, _ *http.Request, _ *chatRequest) bool {
		writeError(w, code, "InternalServerError", text)
		return true
	}
}

func html(code int) transport {
	return func(w http.ResponseWriter, _ *http.Request, _ *chatRequest) bool {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(code)
		fmt.Fprintf(w, "<html><head><title>%d %s</title></head><body><center><h1>nginx</h1></center></body></html>\n", code, http.StatusText(code))
		return true
	}
}

func rateLimit(w http.ResponseWriter, _ *http.Request, _ *chatRequest) bool {
	w.Header().Set("Retry-After", "1")
	writeError(w, http.StatusTooManyRequests, "RateLimitError", "Rate limit reached. Please try again later.")
	return true
}

// refuseContext complains as vLLM does about a prompt that fills the window.
func refuseContext(w http.ResponseWriter, _ *http.Request, req *chatRequest) bool {
	prompt, _ := promptTokens(req.Messages, req.Tools)
	n, _ := req.limit()
	writeError(w, http.StatusBadRequest, "BadRequestError", fmt.Sprintf("'max_tokens' or 'max_completion_tokens' is too large: %d. "+
		"This model's maximum context length is %d tokens and your request has %d input tokens (%d > %d - %d).", n, prompt+n-1, prompt, n, prompt+n-1, prompt))
	return true
}

// refuseNull complains about a history that strict servers reject, in the words
// of the library by which they check it.
func refuseNull(w http.ResponseWriter, _ *http.Request, req *chatRequest) bool {
	for i := range req.Messages {
		m := &req.Messages[i]
		wrong, field := "Input should be a valid string", "content"
		if m.reasoning() != "" {
			wrong, field = "Extra inputs are not permitted", "reasoning"
		} else if m.Content != nil {
			continue
		}
		writeError(w, http.StatusBadRequest, "BadRequestError", fmt.Sprintf("[{'loc': ('body', 'messages', %d, '%s'), 'msg': '%s'}]", i, field, wrong))
		return true
	}
	return false
}

// hang answers nothing until the client gives up.
func hang(_ http.ResponseWriter, r *http.Request, _ *chatRequest) bool {
	<-r.Context().Done()
	return true
}

// reset drops the connection. [http.ErrAbortHandler] is the server's own way to
// say so; no panic is reported.
func reset(http.ResponseWriter, *http.Request, *chatRequest) bool { panic(http.ErrAbortHandler) }

// cutReply sends the beginning of a reply and drops the connection.
func cutReply(w http.ResponseWriter, _ *http.Request, req *chatRequest) bool {
	if req.Stream {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		fmt.Fprint(w, `data: {"id":"chatcmpl-cut","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"I sho"},"finish_reason":null}]}`+"\n\n"+`data: {"id":`)
	} else {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, `{"id":"chatcmpl-cut","object":"chat.completion","choices":[{"index":0,"message":{"role":"assi`)
	}
	http.NewResponseController(w).Flush() //nolint:errcheck // not every writer can
	panic(http.ErrAbortHandler)
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
