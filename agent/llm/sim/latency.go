package sim

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"trawl/internal/seed"
)

// A Latency is how long the simulated model takes to answer. The zero value
// answers at once.
type Latency struct {
	low, high time.Duration // uniform between the two
	sigma     float64       // not 0: log-normal with median low
}

// ParseLatency reads "0" (none), "500ms" (always that), "200ms..2s" (uniform)
// or "lognormal:500ms,0.5" (median and sigma of the logarithm).
func ParseLatency(s string) (Latency, error) {
	fail := func() (Latency, error) {
		return Latency{}, fmt.Errorf("sim: latency %q: want 0, 500ms, 200ms..2s or lognormal:500ms,0.5", s)
	}
	s = strings.TrimSpace(s)
	if rest, ok := strings.CutPrefix(s, "lognormal:"); ok {
		median, sigma, ok := strings.Cut(rest, ",")
		low, err := parseWait(median)
		sd, serr := strconv.ParseFloat(strings.TrimSpace(sigma), 64)
		if !ok || err != nil || serr != nil || !(sd > 0 && sd <= 5) {
			return fail()
		}
		return Latency{low: low, high: low, sigma: sd}, nil
	}
	from, to, isRange := strings.Cut(s, "..")
	low, err := parseWait(from)
	if err != nil {
		return fail()
	}
	high := low
	if isRange {
		if high, err = parseWait(to); err != nil || high < low {
			return fail()
		}
	}
	return Latency{low: low, high: high}, nil
}

func parseWait(s string) (time.Duration, error) {
	s = strings.TrimSpace(s)
	if s == "" || s == "0" {
		return 0, nil
	}
	d, err := time.ParseDuration(s)
	if err == nil && d < 0 {
		err = fmt.Errorf("%v is negative", d)
	}
	return d, err
}

// draw returns the wait for the request whose hash is key.
func (l Latency) draw(key int64) time.Duration {
	switch {
	case l.sigma != 0:
		return time.Duration(float64(l.low) * math.Exp(l.sigma*seed.Rand(key, "latency").NormFloat64()))
	case l.high > l.low:
		return l.low + time.Duration(seed.Rand(key, "latency").Int64N(int64(l.high-l.low)+1))
	}
	return l.low
}

// wait blocks for d or until ctx ends, and reports whether d passed.
func wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
