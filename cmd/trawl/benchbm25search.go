package main

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// A searchCost is what searching took at one number of goroutines.
type searchCost struct {
	Goroutines int     `json:"goroutines"`
	Queries    int     `json:"queries"` // asked in all, each question as often as the others
	P50        float64 `json:"p50_ms"`  // of the time from asking to answer, the wait for a core included
	P95        float64 `json:"p95_ms"`
	P99        float64 `json:"p99_ms"`
	CPUEach    float64 `json:"cpu_ms_per_query"` // user and system, of the whole process
	PerSecond  float64 `json:"queries_per_s"`
	Hits       float64 `json:"hits_per_query"`
}

// maxPasses bounds how often the questions are asked.
const maxPasses = 1000

// search measures find with one goroutine and with several.
func (p bm25Part) search(ctx context.Context, find findFunc, queries []string) (all []searchCost, err error) {
	for _, n := range slices.Compact([]int{1, p.goroutines}) {
		m := &searchMeter{find: find, queries: queries, goroutines: n}
		if err := m.run(ctx, 1); err != nil { // warms up, and says how long one pass takes
			return nil, err
		}
		passes := min(max(int(p.measure/max(m.wall, 1))+1, 1), maxPasses)
		if err := m.run(ctx, passes); err != nil {
			return nil, err
		}
		all = append(all, m.cost())
	}
	return all, nil
}

type findFunc = func(ctx context.Context, query string) (hits int, err error)

// A searchMeter asks questions from several goroutines, each of which asks the
// next one as soon as it has an answer, and measures.
type searchMeter struct {
	find       findFunc
	queries    []string
	goroutines int

	took      []time.Duration
	wall, cpu time.Duration
	hits      atomic.Int64
}

// run asks all questions so many times.
func (m *searchMeter) run(ctx context.Context, passes int) error {
	runtime.GC()
	m.took = make([]time.Duration, passes*len(m.queries))
	m.hits.Store(0)
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	cpu, start := cpuTime(), time.Now()
	for range m.goroutines {
		g.Go(func() error {
			for i := int(next.Add(1)) - 1; i < len(m.took); i = int(next.Add(1)) - 1 {
				asked := time.Now()
				// Those that asked before go first, as requests of other programs
				// would: else a goroutine that has a core keeps it for many queries.
				runtime.Gosched()
				hits, err := m.find(ctx, m.queries[i%len(m.queries)])
				if err != nil {
					return err
				}
				m.took[i] = time.Since(asked)
				m.hits.Add(int64(hits))
			}
			return nil
		})
	}
	err := g.Wait()
	m.wall, m.cpu = time.Since(start), cpuTime()-cpu
	return err
}

func (m *searchMeter) cost() searchCost {
	slices.Sort(m.took)
	n := len(m.took)
	quantile := func(q float64) float64 { return ms(m.took[min(int(q*float64(n)), n-1)]) }
	return searchCost{
		Goroutines: m.goroutines, Queries: n, P50: quantile(0.5), P95: quantile(0.95), P99: quantile(0.99),
		CPUEach: ms(m.cpu) / float64(n), PerSecond: float64(n) / m.wall.Seconds(), Hits: float64(m.hits.Load()) / float64(n),
	}
}
