package main

import (
	"fmt"

	"github.com/dustin/go-humanize"
)

// What the index has to reach, and the corpus that it is made for.
const (
	targetRatio     = 20     // of p50, against bleve
	targetP95       = 5.0    // ms, at targetPassages
	targetPassages  = 1e6    // that targetP95 is about
	targetRate      = 20_000 // passages per CPU-second
	targetCores     = 1.5    // busy at once, where there are two or more
	targetPosting   = 3.5    // bytes
	wikipediaCorpus = 21_015_324
)

// A bm25Result is what a benchmark of the index measured.
type bm25Result struct {
	Passages     int            `json:"passages"`
	Distinct     int            `json:"distinct_passages"` // the others are these under other ids
	Source       string         `json:"source"`
	PassageBytes int64          `json:"passage_bytes"` // of titles and texts
	WriteS       float64        `json:"write_s"`       // to make and write them; in no other figure
	Queries      int            `json:"queries"`
	QuerySource  string         `json:"query_source,omitempty"`
	Top          int            `json:"top"`
	Goroutines   int            `json:"goroutines"`
	CPUs         int            `json:"cpus"`
	Memory       int64          `json:"memory_bytes"` // that building may take
	Check        *rankingCheck  `json:"check"`        // against search/live
	BM25         *engineCost    `json:"bm25"`
	Bleve        *engineCost    `json:"bleve,omitempty"`
	BleveNote    string         `json:"bleve_note,omitempty"`
	Ratios       []searchRatio  `json:"ratios,omitempty"`
	Targets      []benchTarget  `json:"targets"`
	Wikipedia    *extrapolation `json:"extrapolation"`
}

// An engineCost is what an engine took.
type engineCost struct {
	Build  buildCost    `json:"build"`
	OpenMS float64      `json:"open_ms"`
	Search []searchCost `json:"search"`
}

// A searchRatio is how many times as long bleve takes as bm25.
type searchRatio struct {
	Goroutines int     `json:"goroutines"`
	P50        float64 `json:"p50"`
	P95        float64 `json:"p95"`
	CPU        float64 `json:"cpu"`
}

// A benchTarget is a figure beside what it has to reach.
type benchTarget struct {
	What   string  `json:"what"`
	Value  float64 `json:"value"`
	Target float64 `json:"target"`
	AtMost bool    `json:"at_most"` // else at least
	Met    bool    `json:"met"`
}

// An extrapolation is what the figures come to for 21 million passages.
type extrapolation struct {
	Passages   int       `json:"passages"`
	BuildS     float64   `json:"build_s"`
	Bytes      float64   `json:"bytes"`
	P50        []float64 `json:"p50_ms"` // as search has them
	Arithmetic []string  `json:"arithmetic"`
}

// conclude adds what follows from the measurements.
func (r *bm25Result) conclude() {
	if r.Bleve != nil {
		for i, ours := range r.BM25.Search {
			theirs := r.Bleve.Search[i]
			r.Ratios = append(r.Ratios, searchRatio{ours.Goroutines, theirs.P50 / ours.P50, theirs.P95 / ours.P95, theirs.CPUEach / max(ours.CPUEach, 1e-9)})
		}
	}
	r.Targets = r.targets()
	r.Wikipedia = r.extrapolate()
}

func (r *bm25Result) targets() (all []benchTarget) {
	atLeast := func(what string, value, target float64) {
		all = append(all, benchTarget{What: what, Value: value, Target: target, Met: value >= target})
	}
	atMost := func(what string, value, target float64) {
		all = append(all, benchTarget{What: what, Value: value, Target: target, AtMost: true, Met: value <= target})
	}
	for _, ratio := range r.Ratios {
		atLeast(fmt.Sprintf("p50 of bleve / p50 of bm25, goroutines: %d", ratio.Goroutines), ratio.P50, targetRatio)
	}
	last := r.BM25.Search[len(r.BM25.Search)-1]
	atMost(fmt.Sprintf("p95 in ms, goroutines: %d; for %s passages", last.Goroutines, humanize.Comma(targetPassages)), last.P95, targetP95)
	build := r.BM25.Build
	atLeast("passages built per CPU-second", build.PerCPUSecond, targetRate)
	if r.CPUs > 1 {
		atLeast(fmt.Sprintf("cores at work of %d", r.CPUs), build.Cores, targetCores)
	}
	atMost("peak memory of building in bytes", float64(build.PeakRSS), float64(r.Memory))
	atMost("bytes a posting", build.PerPosting, targetPosting)
	return all
}

// extrapolate takes everything to grow as the passages do, which is too much for
// the dictionary, for the reading of ten texts, and for a search that skips more,
// the more there is.
func (r *bm25Result) extrapolate() *extrapolation {
	const passages = float64(wikipediaCorpus)
	n, build := float64(r.Passages), r.BM25.Build
	x := &extrapolation{Passages: wikipediaCorpus, BuildS: passages / build.PerSecond, Bytes: passages / n * float64(build.Bytes)}
	all, here := humanize.Comma(wikipediaCorpus), humanize.Comma(int64(r.Passages))
	x.Arithmetic = []string{
		fmt.Sprintf("building: %s passages / %.0f a second = %.0f s = %.1f min, on as many cores", all, build.PerSecond, x.BuildS, x.BuildS/60),
		fmt.Sprintf("on disk: %s passages × %.1f bytes = %s", all, float64(build.Bytes)/n, size(int64(x.Bytes))),
	}
	for _, s := range r.BM25.Search {
		p50 := s.P50 * passages / n
		x.P50 = append(x.P50, p50)
		x.Arithmetic = append(x.Arithmetic, fmt.Sprintf("p50, goroutines: %d: %.3f ms × %s / %s passages = %.2f ms", s.Goroutines, s.P50, all, here, p50))
	}
	return x
}
