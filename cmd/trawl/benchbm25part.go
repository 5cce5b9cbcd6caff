package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// childPatience is how long an interrupted part may take to clean up.
const childPatience = 10 * time.Second

// A bm25Part is a part of the benchmark that runs in a process of its own, so that
// its memory and its processor time are nobody else's: an engine that builds its
// index or searches it.
type bm25Part struct {
	engine     string // bm25 or bleve
	work       string // folder of the benchmark
	passages   int
	memory     memorySize
	goroutines int
	measure    time.Duration
}

// A partReport is what a part prints.
type partReport struct {
	Error  string       `json:"error,omitempty"`
	Build  *buildCost   `json:"build,omitempty"`
	OpenMS float64      `json:"open_ms,omitempty"`
	Search []searchCost `json:"search,omitempty"`
}

// Files and folders of a benchmark, beside the folder of each engine's index.
const (
	passagesFile = "passages"
	queriesFile  = "queries.json"
	engineBleve  = "bleve"
)

// newBenchBM25Part returns the hidden command that carries out a part.
func newBenchBM25Part(e env) *cobra.Command {
	var p bm25Part
	cmd := &cobra.Command{
		Use:    "part build|search",
		Short:  "A part of trawl bench bm25, in a process of its own",
		Hidden: true,
		Args:   needs("build or search", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var r partReport
			err := p.carryOut(cmd.Context(), e, args[0], &r)
			if err != nil {
				r.Error = err.Error() // for whoever started this process to report
			}
			return writeJSON(e.stdout, r)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&p.engine, "engine", "", "bm25 or bleve")
	fs.StringVar(&p.work, "work", "", "folder of the benchmark")
	fs.IntVar(&p.passages, "passages", 0, "how many there are")
	fs.Var(&p.memory, "memory", "what building may take")
	fs.IntVar(&p.goroutines, "goroutines", 1, "searches at once")
	fs.DurationVar(&p.measure, "measure", time.Second, "how long to measure")
	return cmd
}

// start carries a part out in a process of its own.
func (p bm25Part) start(ctx context.Context, e env, what string) (*partReport, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, "bench", "bm25", "part", what, "--engine", p.engine, "--work", p.work,
		"--passages", strconv.Itoa(p.passages), "--memory", strconv.FormatInt(int64(p.memory), 10),
		"--goroutines", strconv.Itoa(p.goroutines), "--measure", p.measure.String(), "--quiet="+strconv.FormatBool(e.isQuiet()))
	cmd.Args[0] = "trawl" // whatever the file is called
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = childPatience
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, e.stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("bench: the process in which %s was to %s ended early: %w", p.engine, what, err)
	}
	var r partReport
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return nil, fmt.Errorf("bench: the process in which %s was to %s: %w", p.engine, what, err)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if r.Error != "" {
		return nil, errors.New(r.Error)
	}
	return &r, nil
}

func (p bm25Part) carryOut(ctx context.Context, e env, what string, r *partReport) (err error) {
	if what == "build" {
		r.Build, err = p.build(ctx, e)
		return err
	}
	raw, err := os.ReadFile(filepath.Join(p.work, queriesFile))
	if err != nil {
		return err
	}
	var queries []string
	if err := json.Unmarshal(raw, &queries); err != nil {
		return fmt.Errorf("%s: %w", queriesFile, err)
	}
	start := time.Now()
	x, err := p.open()
	if err != nil {
		return err
	}
	r.OpenMS = ms(time.Since(start))
	defer func() { err = errors.Join(err, x.Close()) }()
	r.Search, err = p.search(ctx, x.find, queries)
	return err
}

// dir is the folder of the engine's index.
func (p bm25Part) dir() string { return filepath.Join(p.work, p.engine) }

// A buildCost is what it took to build an index, measured in the process that did
// nothing else, from before the first passage was read until all was on disk.
type buildCost struct {
	WallS        float64          `json:"wall_s"`
	CPUS         float64          `json:"cpu_s"` // user and system
	PerSecond    float64          `json:"passages_per_s"`
	PerCPUSecond float64          `json:"passages_per_cpu_s"`
	Cores        float64          `json:"cores"`          // cpu_s / wall_s
	PeakRSS      int64            `json:"peak_rss_bytes"` // of the whole process
	Bytes        int64            `json:"bytes"`          // on disk
	Files        map[string]int64 `json:"files,omitempty"`
	Postings     uint64           `json:"postings,omitempty"`
	Terms        uint64           `json:"distinct_terms,omitempty"`
	PerPosting   float64          `json:"bytes_per_posting,omitempty"` // of the file of postings
	WithTerms    float64          `json:"bytes_per_posting_with_dictionary,omitempty"`
	TextEach     float64          `json:"text_bytes_per_passage,omitempty"` // compressed
	Segments     int              `json:"segments,omitempty"`
}

// build builds the engine's index.
func (p bm25Part) build(ctx context.Context, e env) (*buildCost, error) {
	bar := newProgress(e, p.engine+": passages", 0, p.passages)
	defer bar.close()
	engine := buildBM25
	if p.engine == engineBleve {
		engine = buildBleve
	}
	cost := &buildCost{}
	cpu, start := cpuTime(), time.Now()
	if err := engine(ctx, p, bar, cost); err != nil {
		return nil, err
	}
	wall, cpu := time.Since(start), cpuTime()-cpu
	cost.WallS, cost.CPUS, cost.PeakRSS = wall.Seconds(), cpu.Seconds(), peakOfProgram()
	cost.PerSecond = float64(p.passages) / cost.WallS
	if cost.CPUS > 0 {
		cost.PerCPUSecond = float64(p.passages) / cost.CPUS
		cost.Cores = cost.CPUS / cost.WallS
	}
	var err error
	cost.Bytes, err = folderSize(p.dir())
	return cost, err
}

// peakOfProgram returns the largest resident size of this program. Linux counts
// what the process had before it became this program in the usual figure, but not
// in this one.
func peakOfProgram() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return peakRSS()
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			if kib, err := strconv.ParseInt(n, 10, 64); err == nil {
				return kib << 10
			}
		}
	}
	return peakRSS()
}

// ms returns a duration in milliseconds.
func ms(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }
