package sim_test

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"os"
	"testing"

	"trawl/agent/llm/sim"
)

func BenchmarkChat(b *testing.B) {
	var w struct {
		Docs [][3]string
		Q    []struct{ ID, Text string }
	}
	raw, _ := os.ReadFile("/tmp/simw/world.json")
	json.Unmarshal(raw, &w)
	var ti, te []string
	for _, d := range w.Docs {
		ti = append(ti, d[1])
		te = append(te, d[2])
	}
	s := newShelf(ti, te)
	h := sim.New(sim.Options{})
	var bodies [][]byte
	for _, q := range w.Q[:20] {
		_, _, ms := rollout(b, h, s, q.Text, "", 1, 1, 8)
		for len(ms) < 6 {
			ms = append(ms, msg{"role": "user", "content": s.show(q.Text+" more", 10)})
		}
		bd, _ := json.Marshal(msg{"messages": ms, "seed": 2})
		bodies = append(bodies, bd)
	}
	n := 0
	for _, x := range bodies {
		n += len(x)
	}
	i := 0
	for b.Loop() {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", "/v1/chat/completions", bytes.NewReader(bodies[i%len(bodies)])))
		i++
	}
	b.ReportMetric(float64(n)/float64(len(bodies)), "bytes")
}

func BenchmarkFirst(b *testing.B) {
	h := sim.New(sim.Options{})
	bd, _ := json.Marshal(msg{"messages": []msg{{"role": "user", "content": "Question: Who founded the company that employed the director of The Silent Harbor?"}}, "seed": 2})
	for b.Loop() {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", "/v1/chat/completions", bytes.NewReader(bd)))
	}
}
