package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"trawl/internal/config"
	"trawl/selection/gnn"
	"trawl/selection/graph"
	"trawl/selection/train"
)

const benchSelectorHelp = `Measure the graph selector on made-up graphs of the sizes that the paper's have at K=16
(11.85 candidates, 28.4 subqueries, 85.2 occurrences, 306 cross pairs and 23 distinct
chunks a graph; width 256, four layers): graphs a second of inference, seconds of a
training step of --batch graphs (forward, backward, AdamW), and how near its matrix
products come to what the cores can multiply at most, measured by the same command.

The machine's other work counts too: the best of --repeats is printed, and JSON has all.`

// A benchSelectorOptions is the size of a benchmark of the selector.
type benchSelectorOptions struct {
	graphs, dim, batch, repeats int
	device                      string
	seed                        int64
	json                        bool
}

func newBenchSelector(e env) *cobra.Command {
	var o benchSelectorOptions
	cmd := &cobra.Command{
		Use:   "selector",
		Short: "The speed of the graph selector",
		Long:  benchSelectorHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if min(o.graphs, o.dim, o.batch, o.repeats) < 1 {
				return usageError{command: cmd.CommandPath(), err: errors.New("--graphs, --dim, --batch and --repeats must be 1 or more")}
			}
			r, err := benchSelector(cmd.Context(), e, o)
			if err != nil {
				return err
			}
			if o.json {
				return writeJSON(e.stdout, r)
			}
			return r.write(e.stdout)
		},
	}
	fs := cmd.Flags()
	fs.IntVar(&o.graphs, "graphs", 300, "graphs to score")
	fs.IntVar(&o.dim, "dim", 4096, "numbers of a text's vector")
	fs.IntVar(&o.batch, "batch", 256, "graphs of a training step")
	fs.IntVar(&o.repeats, "repeats", 5, "times that each part is measured")
	fs.StringVar(&o.device, "device", "auto", "what the network runs on: auto, cpu or cuda")
	fs.Int64Var(&o.seed, "seed", config.Default().Seed, "seed of graphs, vectors and parameters")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

// A benchPart is one part of the benchmark, with the figures of its best repeat.
type benchPart struct {
	Seconds   float64   `json:"seconds"`           // of the best repeat
	All       []float64 `json:"all_seconds"`       // of every repeat
	Graphs    int       `json:"graphs"`            // that one repeat is about
	PerSecond float64   `json:"graphs_per_second"` // in the best repeat
	GFLOP     float64   `json:"gflop"`             // of matrix products, in one repeat
	Share     float64   `json:"products_share"`    // of the time that goes into them, in the best repeat
	Speed     float64   `json:"products_gflops"`   // GFLOP/s of the products alone, in the best repeat
	OfPeak    float64   `json:"products_of_peak"`  // that speed as a share of the peak; 0 if nobody knows it
}

// A benchSelectorResult is what the benchmark of the selector measured.
type benchSelectorResult struct {
	Device    string      `json:"device"`
	CPUs      int         `json:"cpus"`
	Dim       int         `json:"dim"`
	Peak      float64     `json:"peak_gflops"` // of the cores' multiply-add, 0 on a GPU
	Inference benchPart   `json:"inference"`
	Step      benchPart   `json:"step"`
	Sizes     []benchSize `json:"by_candidates"`

	// What the figures come to for the paper's work: 2,939 pools to score, and three
	// epochs over 101,323 questions in batches of 256.
	PoolsS    float64 `json:"pools_2939_s"`
	TrainingS float64 `json:"training_3_epochs_s"`

	Baseline string `json:"baseline"`
}

// A benchSize is the cost of graphs of other sizes.
type benchSize struct {
	Rollouts int     `json:"rollouts"`
	MS       float64 `json:"ms_per_graph"`
}

// The paper's work, and a PyTorch implementation on two cores such as this was
// written on, which multiplied only rows that are reached.
const (
	paperPools     = 2939
	paperQuestions = 101323
	paperBatch     = 256
	paperEpochs    = 3
	torchNote      = "a tuned PyTorch reference on two AVX-512 cores: 293–314 graphs/s, 2.4–2.7 s a step of 256 graphs"
)

func benchSelector(ctx context.Context, e env, o benchSelectorOptions) (_ *benchSelectorResult, err error) {
	device, err := gnn.OpenDevice(o.device)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	b := selectorBench{options: o, device: device, result: &benchSelectorResult{
		Device: device.Name(), CPUs: runtime.GOMAXPROCS(0), Dim: o.dim, Peak: device.Peak(), Baseline: torchNote,
	}}
	told := e.waiting("measuring")
	defer told()
	if err := b.inference(ctx); err != nil {
		return nil, err
	}
	if err := b.step(ctx); err != nil {
		return nil, err
	}
	if err := b.sizes(ctx); err != nil {
		return nil, err
	}
	r := b.result
	r.PoolsS = paperPools / r.Inference.PerSecond
	r.TrainingS = paperEpochs * math.Ceil(paperQuestions/float64(paperBatch)) * r.Step.Seconds * paperBatch / float64(o.batch)
	return r, nil
}

// A selectorBench is a benchmark under way.
type selectorBench struct {
	options benchSelectorOptions
	device  *gnn.Device
	result  *benchSelectorResult
}

func (b *selectorBench) model() (*gnn.Model[float32], error) {
	return gnn.New(gnn.Config{Variant: graph.WebQA, Embedding: b.options.dim}, b.options.seed, b.device.Backend())
}

// inference measures scoring.
func (b *selectorBench) inference(ctx context.Context) error {
	m, err := b.model()
	if err != nil {
		return err
	}
	defer m.Close()
	in, vectors := gnn.Workload(b.options.seed, b.options.graphs, b.options.dim, gnn.PaperRollouts)
	b.result.Inference, err = b.measure(ctx, len(in), func() error {
		_, err := m.Scores(in, vectors)
		return err
	})
	return err
}

// step measures training steps: forward, backward, AdamW.
func (b *selectorBench) step(ctx context.Context) error {
	m, err := b.model()
	if err != nil {
		return err
	}
	defer m.Close()
	in, vectors := gnn.Workload(b.options.seed, b.options.batch, b.options.dim, gnn.PaperRollouts)
	part := benchPart{Graphs: b.options.batch}
	meter := b.device.Meter()
	meter.Reset()
	start := time.Now()
	_, err = train.Run(ctx, m, everyOtherRight(in), nil, vectors, train.Options{
		Epochs: b.options.repeats + 1, Batch: b.options.batch, Seed: b.options.seed,
		Progress: func(p train.Progress) {
			if p.Validation != nil {
				return
			}
			if p.Epoch > 1 { // the first one makes the buffers
				b.add(&part, time.Since(start))
			}
			meter.Reset()
			start = time.Now()
		},
	})
	b.result.Step = part
	return err
}

// everyOtherRight makes examples of which every other candidate is right.
func everyOtherRight(in []gnn.Input) []train.Example {
	examples := make([]train.Example, len(in))
	for i, each := range in {
		labels := make([]float64, len(each.Graph.Answers))
		for j := range labels {
			labels[j] = float64((i + j) % 2)
		}
		examples[i] = train.Example{Question: fmt.Sprint(i), Input: each, Labels: labels, Trainable: true}
	}
	return examples
}

// sizes measures how the cost grows with the candidates.
func (b *selectorBench) sizes(ctx context.Context) error {
	m, err := b.model()
	if err != nil {
		return err
	}
	defer m.Close()
	for _, k := range []int{4, 16, 64} {
		graphs := max(b.options.graphs*gnn.PaperRollouts/k/4, 1)
		in, vectors := gnn.Workload(b.options.seed, graphs, b.options.dim, k)
		part, err := b.measure(ctx, graphs, func() error {
			_, err := m.Scores(in, vectors)
			return err
		})
		if err != nil {
			return err
		}
		b.result.Sizes = append(b.result.Sizes, benchSize{Rollouts: k, MS: 1e3 / part.PerSecond})
	}
	return nil
}

// measure runs f once to warm up, and then as often as is asked.
func (b *selectorBench) measure(ctx context.Context, graphs int, f func() error) (benchPart, error) {
	part := benchPart{Graphs: graphs}
	meter := b.device.Meter()
	for i := range b.options.repeats + 1 {
		if err := ctx.Err(); err != nil {
			return part, err
		}
		meter.Reset()
		start := time.Now()
		if err := f(); err != nil {
			return part, err
		}
		if i > 0 {
			b.add(&part, time.Since(start))
		}
	}
	return part, nil
}

// add counts a repeat, whose products the meter has.
func (b *selectorBench) add(p *benchPart, took time.Duration) {
	p.All = append(p.All, took.Seconds())
	if took.Seconds() > slices.Min(p.All) {
		return
	}
	meter := b.device.Meter()
	p.Seconds, p.PerSecond = took.Seconds(), float64(p.Graphs)/took.Seconds()
	p.GFLOP, p.Share = float64(meter.FLOP)/1e9, meter.Time.Seconds()/took.Seconds()
	p.Speed = p.GFLOP / meter.Time.Seconds()
	if b.result.Peak > 0 {
		p.OfPeak = p.Speed / b.result.Peak
	}
}

func (r *benchSelectorResult) write(w io.Writer) error {
	fmt.Fprintf(w, "%s, %d numbers a vector", r.Device, r.Dim)
	if r.Peak > 0 {
		fmt.Fprintf(w, "; multiply-add peak of the cores %.0f GFLOP/s", r.Peak)
	}
	part := func(p benchPart) string {
		s := fmt.Sprintf("%.0f %% of it in matrix products (%.1f GFLOP at %.0f GFLOP/s", 100*p.Share, p.GFLOP, p.Speed)
		if p.OfPeak > 0 {
			s += fmt.Sprintf(", %.0f %% of the peak", 100*p.OfPeak)
		}
		return s + ")"
	}
	fmt.Fprintf(w, "\ninference   %.0f graphs/s (%d in %.3f s), %s\n", r.Inference.PerSecond, r.Inference.Graphs, r.Inference.Seconds, part(r.Inference))
	fmt.Fprintf(w, "training    %.2f s a step of %d graphs, %s\n", r.Step.Seconds, r.Step.Graphs, part(r.Step))
	fmt.Fprint(w, "candidates ")
	for _, s := range r.Sizes {
		fmt.Fprintf(w, " K=%d: %.2f ms a graph;", s.Rollouts, s.MS)
	}
	fmt.Fprintf(w, "\n\nthe paper's work at this speed: %d pools / %.0f graphs/s = %.1f s; %d epochs × %.0f steps × %.2f s = %.0f min\n",
		paperPools, r.Inference.PerSecond, r.PoolsS, paperEpochs, math.Ceil(paperQuestions/float64(paperBatch)),
		r.Step.Seconds*paperBatch/float64(r.Step.Graphs), r.TrainingS/60)
	_, err := fmt.Fprintf(w, "beside it: %s\n", r.Baseline)
	return err
}
