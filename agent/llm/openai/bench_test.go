package openai_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"trawl/agent/llm"
	"trawl/agent/llm/openai"
)

// BenchmarkComplete is a call over loopback, the server's part included. The
// conversation of 30 KB is that of a rollout's eighth turn.
func BenchmarkComplete(b *testing.B) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, saysHi)
	}))
	defer s.Close()
	for _, size := range []int{300, 30_000} {
		for _, parallel := range []int{1, 64} {
			b.Run(fmt.Sprintf("bytes=%d/parallel=%d", size, parallel), func(b *testing.B) {
				c := openai.New(s.URL, openai.Options{Model: "m", Window: 100_000})
				req := &llm.Request{Sampling: llm.Sampling{Temperature: ptr(1.0), MaxTokens: 512}}
				for range 15 {
					req.Messages = append(req.Messages, llm.Message{Role: llm.User, Content: strings.Repeat("trawl ", size/6/15)})
				}
				b.SetParallelism(parallel)
				b.ReportAllocs()
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						if _, err := c.Complete(b.Context(), req); err != nil {
							b.Error(err)
						}
					}
				})
			})
		}
	}
}
