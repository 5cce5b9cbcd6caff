package train

import (
	"fmt"
	"testing"
	"time"

	"trawl/internal/seed"
	"trawl/selection/gnn"
	"trawl/selection/graph"
	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/cpu"
)

// BenchmarkStep is one step on 256 graphs of the paper's sizes: forward, backward
// and AdamW.
func BenchmarkStep(b *testing.B) {
	const graphs = 256
	in, vectors := gnn.Workload(1, graphs, 4096, gnn.PaperRollouts)
	examples := make([]Example, graphs)
	for i := range in {
		examples[i] = Example{Input: in[i], Labels: make([]float64, len(in[i].Graph.Answers))}
		for j := range examples[i].Labels {
			examples[i].Labels[j] = float64((i + j) % 2)
		}
	}
	for _, micro := range []int{16, 32, 64} {
		b.Run(fmt.Sprintf("micro=%d", micro), func(b *testing.B) {
			meter := compute.Metered(cpu.New())
			m, err := gnn.New(gnn.Config{Variant: graph.WebQA, Embedding: 4096}, 1, meter)
			if err != nil {
				b.Fatal(err)
			}
			l := &learner[float32]{model: m, features: vectors, losses: Losses{Variant: graph.WebQA, PosWeight: 1}, micro: micro}
			o := NewAdamW(m.Params(), 3e-4, 1e-4)
			var stepping time.Duration
			step := func() {
				if _, err := l.gradient(examples, seed.Rand(1)); err != nil {
					b.Fatal(err)
				}
				begun := time.Now()
				o.Step()
				m.Changed()
				stepping += time.Since(begun)
			}
			step() // makes the buffers
			meter.Reset()
			stepping = 0
			b.ReportAllocs()
			for b.Loop() {
				step()
			}
			seconds := b.Elapsed().Seconds()
			b.ReportMetric(seconds/float64(b.N), "s/step")
			b.ReportMetric(stepping.Seconds()/float64(b.N), "s/adamw")
			b.ReportMetric(meter.Time.Seconds()/seconds, "products")
			b.ReportMetric(float64(meter.FLOP)/meter.Time.Seconds()/1e9, "GFLOP/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}
