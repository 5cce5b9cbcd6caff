package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"trawl/agent"
	"trawl/internal/config"
	"trawl/rollout"
	"trawl/search"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

func newBench(e env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Whole-part benchmarks on synthetic work",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newBenchRollout(e), newBenchSelector(e), newBenchBM25(e))
	return cmd
}

const benchRolloutHelp = `Measure what the runtime itself costs: rollouts against a simulated server of a fixed
latency in another process, over an engine that answers at once, into a real run folder.

Every rollout makes exactly --turns model calls. The ideal is the time that the calls
take if the server's latency is all there is: waves of --concurrency rollouts.`

// A benchOptions is the size of a benchmark of rollouts.
type benchOptions struct {
	rollouts    int
	turns       int
	concurrency int
	latency     time.Duration
	json        bool
}

func newBenchRollout(e env) *cobra.Command {
	var o benchOptions
	cmd := &cobra.Command{
		Use:   "rollout",
		Short: "The cost of the rollout runtime",
		Long:  benchRolloutHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if min(o.rollouts, o.turns, o.concurrency) < 1 || o.latency <= 0 {
				return usageError{command: cmd.CommandPath(), err: errors.New("--rollouts, --turns and --concurrency must be 1 or more, --latency more than 0")}
			}
			r, err := benchRollout(cmd.Context(), e, o)
			if err != nil {
				return err
			}
			if o.json {
				return writeJSON(e.stdout, r)
			}
			r.write(e)
			return nil
		},
	}
	fs := cmd.Flags()
	fs.IntVar(&o.rollouts, "rollouts", 2000, "rollouts in all")
	fs.IntVar(&o.turns, "turns", 6, "model calls of a rollout")
	fs.IntVar(&o.concurrency, "concurrency", 500, "rollouts under way at once")
	fs.DurationVar(&o.latency, "latency", 500*time.Millisecond, "latency of the simulated server")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

// ideal is how long the model calls take if nothing else takes time.
func (o benchOptions) ideal() time.Duration {
	waves := (o.rollouts + o.concurrency - 1) / o.concurrency
	return time.Duration(waves*o.turns) * o.latency
}

// A benchResult is what a benchmark of rollouts measured.
type benchResult struct {
	Rollouts    int     `json:"rollouts"`
	Turns       int     `json:"turns"`
	Concurrency int     `json:"concurrency"`
	LatencyMS   float64 `json:"latency_ms"`
	ModelCalls  int     `json:"model_calls"`
	WallS       float64 `json:"wall_s"`
	IdealS      float64 `json:"ideal_s"`
	Ratio       float64 `json:"wall_to_ideal"`
	CPUPerTurn  float64 `json:"cpu_ms_per_turn"`        // of this process: user and system
	LiveEach    float64 `json:"live_bytes_per_rollout"` // of live heap and stacks, per rollout in flight, half-way
	PeakEach    float64 `json:"peak_bytes_per_rollout"` // the same with what is not collected yet, at its highest
	Goroutines  int     `json:"goroutines_peak"`        // of this process
	RSSPeak     int64   `json:"rss_peak_bytes"`         // of this process
	CPUs        int     `json:"cpus"`                   // that both processes share
	RunBytes    int64   `json:"rollouts_jsonl_bytes"`   // written and fsynced
	Baseline    string  `json:"baseline"`               // what ideal_s is
}

func (r *benchResult) write(e env) {
	fmt.Fprintf(e.stdout, "%d rollouts × %d turns, %d at once, %.0f ms a call, %d CPUs [simulated model]\n",
		r.Rollouts, r.Turns, r.Concurrency, r.LatencyMS, r.CPUs)
	fmt.Fprintf(e.stdout, "wall    %.2f s, ideal %.2f s, ratio %.3f\n", r.WallS, r.IdealS, r.Ratio)
	fmt.Fprintf(e.stdout, "cpu     %.3f ms a turn\n", r.CPUPerTurn)
	fmt.Fprintf(e.stdout, "memory  %.0f KB live for a rollout in flight (%.0f KB at the peak, with garbage), %d goroutines, %.0f MB resident\n",
		r.LiveEach/1e3, r.PeakEach/1e3, r.Goroutines, float64(r.RSSPeak)/1e6)
}

func benchRollout(ctx context.Context, e env, o benchOptions) (r *benchResult, err error) {
	url, stop, err := startServer(ctx, o.latency)
	if err != nil {
		return nil, err
	}
	defer stop()
	dir, err := os.MkdirTemp("", "trawl-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	p, err := benchPipeline(ctx, e, o, url)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	st, err := store.Open(dir, store.Manifest{Config: store.Hash(nil)})
	if err != nil {
		return nil, err
	}
	m := startMeter(o.ideal() / 2)
	sum, err := rollout.Run(ctx, rollout.Plan{
		Questions: benchQuestions(o.rollouts), Count: 1, Concurrency: o.concurrency, Config: store.Hash(nil),
	}, rollout.Deps{Runner: p.agent, Store: st})
	r = m.stop(o, sum.Elapsed)
	if err = errors.Join(err, st.Close()); err != nil {
		return nil, err
	}
	return r, checkBench(dir, o, r)
}

// checkBench makes sure that the work was done, and adds how much was written.
func checkBench(dir string, o benchOptions, r *benchResult) error {
	run, err := store.Read(dir)
	if err != nil {
		return err
	}
	for _, t := range run.Trajectories {
		r.ModelCalls += t.Usage.LLMCalls
	}
	if want := o.rollouts * o.turns; len(run.Trajectories) != o.rollouts || r.ModelCalls != want {
		return fmt.Errorf("bench: %d rollouts with %d model calls are done, want %d with %d", len(run.Trajectories), r.ModelCalls, o.rollouts, want)
	}
	info, err := os.Stat(dir + "/rollouts.jsonl")
	if err == nil {
		r.RunBytes = info.Size()
	}
	return err
}

// startServer starts a simulated model in a process of its own.
func startServer(ctx context.Context, latency time.Duration) (url string, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.CommandContext(ctx, self, "sim", "--addr", "127.0.0.1:0", "--skill", "load", "--latency", latency.String())
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		cmd.Process.Kill() //nolint:errcheck // it may have ended by itself
		cmd.Wait()         //nolint:errcheck // and how is of no interest
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("bench: the simulated server did not start: %w", err)
	}
	return strings.TrimSpace(line), stop, nil
}

// benchPipeline is a pipeline over an engine that answers at once.
func benchPipeline(ctx context.Context, e env, o benchOptions, url string) (*pipeline, error) {
	s := config.Default()
	s.Models.Agent.Endpoints, s.Models.Agent.Retries = []string{url}, 0
	s.Retrieval.CacheMB = 0 // no query comes twice
	s.Agent.Turns, s.Rollout.FirstQuery, s.Rollout.Concurrency = o.turns, "standard", o.concurrency
	p := &pipeline{settings: s, dialect: agent.Native}
	var err error
	if p.backend, err = openBackend(ctx, e, s.Models.Agent, o.concurrency); err != nil {
		return nil, err
	}
	return p, p.build(tenPassages())
}

func benchQuestions(n int) []trajectory.Question {
	qs := make([]trajectory.Question, n)
	for i := range qs {
		qs[i] = trajectory.Question{ID: fmt.Sprintf("bench-%d", i), Text: fmt.Sprintf("Which passage holds the number %d?", i)}
	}
	return qs
}

// passages is an engine that returns the same documents at once.
type passages []search.Hit

// Search implements [search.Engine].
func (p passages) Search(_ context.Context, _ string, n int) ([]search.Hit, error) {
	return append([]search.Hit(nil), p[:min(n, len(p))]...), nil
}

// tenPassages returns ten passages of a hundred words, as long as a search of
// Wikipedia returns.
func tenPassages() passages {
	var p passages
	for i := range 10 {
		doc := search.Document{ID: fmt.Sprint(i), Title: fmt.Sprintf("Passage %d", i), Text: strings.Repeat(fmt.Sprintf("word%d ", i), 100)}
		p = append(p, search.Hit{Document: doc, Score: float64(10 - i)})
	}
	return p
}

// A meter measures what this process uses while a run goes on.
type meter struct {
	cpu        time.Duration
	memory     uint64 // live before
	live       uint64 // half-way; written by watch
	peak       uint64 // likewise
	goroutines int    // likewise
	done       chan struct{}
	ended      chan struct{}
}

// sampleEvery is how often a meter looks; reading the counters stops the world
// for some microseconds.
const sampleEvery = 50 * time.Millisecond

// startMeter begins to measure; half is when the run is half-way.
func startMeter(half time.Duration) *meter {
	m := &meter{memory: liveBytes(), cpu: cpuTime(), done: make(chan struct{}), ended: make(chan struct{})}
	go m.watch(half)
	return m
}

func (m *meter) watch(half time.Duration) {
	defer close(m.ended)
	tick, middle := time.NewTicker(sampleEvery), time.NewTimer(half)
	defer tick.Stop()
	defer middle.Stop()
	for {
		select {
		case <-m.done:
			return
		case <-middle.C:
			m.live = liveBytes()
		case <-tick.C:
			m.peak = max(m.peak, inUse())
			m.goroutines = max(m.goroutines, runtime.NumGoroutine())
		}
	}
}

func (m *meter) stop(o benchOptions, wall time.Duration) *benchResult {
	cpu := cpuTime() - m.cpu
	close(m.done)
	<-m.ended
	ideal, flight := o.ideal(), float64(min(o.concurrency, o.rollouts))
	return &benchResult{
		Rollouts: o.rollouts, Turns: o.turns, Concurrency: o.concurrency, LatencyMS: float64(o.latency.Microseconds()) / 1e3,
		WallS: wall.Seconds(), IdealS: ideal.Seconds(), Ratio: wall.Seconds() / max(ideal.Seconds(), 1e-9),
		CPUPerTurn: float64(cpu.Microseconds()) / 1e3 / float64(o.rollouts*o.turns),
		LiveEach:   float64(m.live-min(m.memory, m.live)) / flight,
		PeakEach:   float64(m.peak-min(m.memory, m.peak)) / flight,
		Goroutines: m.goroutines, RSSPeak: peakRSS(), CPUs: runtime.NumCPU(),
		Baseline: "waves of concurrency rollouts × turns × latency",
	}
}

// liveBytes returns the bytes of live objects and of stacks, after a collection.
func liveBytes() uint64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc + s.StackInuse
}

// inUse returns the bytes of live and not yet collected objects and of stacks.
func inUse() uint64 {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapInuse + s.StackInuse
}
