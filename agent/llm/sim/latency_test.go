package sim_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"trawl/agent/llm/sim"
)

func TestParseLatency(t *testing.T) {
	for _, bad := range []string{"fast", "-1s", "2s..1s", "1s..", "lognormal:1s", "lognormal:1s,0", "lognormal:1s,x", "lognormal:,", "1s..2s..3s", "5"} {
		if _, err := sim.ParseLatency(bad); err == nil {
			t.Errorf("ParseLatency(%q) accepts it", bad)
		}
	}
}

// took returns how long the server takes for n different requests, in the
// bubble's time.
func took(t *testing.T, latency string, n int, streamed bool) []time.Duration {
	t.Helper()
	l, err := sim.ParseLatency(latency)
	if err != nil {
		t.Fatal(err)
	}
	h := sim.New(sim.Options{Latency: l})
	var out []time.Duration
	for i := range n {
		begin := time.Now()
		w := post(t, h, "/v1/chat/completions", msg{"seed": i, "stream": streamed, "messages": []msg{{"role": "user", "content": "x"}}})
		if w.Code != 200 {
			t.Fatalf("status %d", w.Code)
		}
		out = append(out, time.Since(begin))
	}
	return out
}

func TestLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, none := range []string{"", "0", "0s"} {
			if got := took(t, none, 1, false); got[0] != 0 {
				t.Errorf("%q: took %v", none, got[0])
			}
		}
		for _, streamed := range []bool{false, true} {
			if got := took(t, "500ms", 2, streamed); got[0] != 500*time.Millisecond || got[1] != got[0] {
				t.Errorf("500ms, streamed %v: took %v", streamed, got)
			}
		}
		uniform := took(t, "200ms..2s", 200, false)
		if low, high := slices.Min(uniform), slices.Max(uniform); low < 200*time.Millisecond || low > 300*time.Millisecond || high > 2*time.Second || high < 1900*time.Millisecond {
			t.Errorf("200ms..2s: from %v to %v", low, high)
		}
		if again := took(t, "200ms..2s", 200, false); !slices.Equal(uniform, again) {
			t.Error("the same requests take another time")
		}
		normal := took(t, "lognormal:500ms,0.5", 401, false)
		slices.Sort(normal)
		// The median of the logarithm has a standard error of 1.25·0.5/√401 = 0.031.
		if median := normal[200]; median < 440*time.Millisecond || median > 570*time.Millisecond {
			t.Errorf("lognormal: median %v, want about 500ms", median)
		}
	})
}

// TestCancel checks that a request ends with its client.
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := sim.ParseLatency("1h")
		if err != nil {
			t.Fatal(err)
		}
		h := sim.New(sim.Options{Latency: l})
		for _, stream := range []string{"false", "true"} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			begin := time.Now()
			r := httptest.NewRequest("POST", "/v1/chat/completions", strings.NewReader(`{"stream":`+stream+`,"messages":[{"role":"user","content":"x"}]}`))
			h.ServeHTTP(httptest.NewRecorder(), r.WithContext(ctx))
			if d := time.Since(begin); d != time.Second {
				t.Errorf("stream %s: took %v, want 1s", stream, d)
			}
			cancel()
		}
	})
}
