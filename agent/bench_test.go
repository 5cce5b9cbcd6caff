package agent_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"trawl/agent"
	"trawl/search"
)

// What a turn costs beside the model and the index: reading the reply, the
// state, the rendering of ten passages, the next request.
func BenchmarkTurn(b *testing.B) {
	passage := strings.Repeat("The river rises in the mountains and flows past the city. ", 10)
	for _, d := range []agent.Dialect{agent.Native, agent.Tags} {
		b.Run(string(d), func(b *testing.B) {
			var calls atomic.Int32
			a := agent.New(restless(d, &calls), setOf(&many{passage}), agent.Options{Dialect: d, Turns: 8})
			b.ReportAllocs()
			for b.Loop() {
				if _, err := a.Run(b.Context(), testTask()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(calls.Load()), "µs/turn")
		})
	}
}

// A many engine finds ten passages for every query.
type many struct{ text string }

func (e *many) Search(_ context.Context, query string, n int) ([]search.Hit, error) {
	hits := make([]search.Hit, n)
	for i := range hits {
		hits[i] = search.Hit{Document: search.Document{ID: fmt.Sprint(i), Title: query, Text: e.text}}
	}
	return hits, nil
}
