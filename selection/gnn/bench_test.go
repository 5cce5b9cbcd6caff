package gnn_test

import (
	"fmt"
	"testing"

	"trawl/selection/gnn"
	"trawl/selection/graph"
	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/cpu"
)

// benchGraphs is how many graphs of the workload the benchmarks take.
const benchGraphs = 64

func benchModel(b *testing.B) (*gnn.Model[float32], *compute.Meter[float32], []gnn.Input, gnn.Vectors) {
	meter := compute.Metered(cpu.New())
	m, err := gnn.New(gnn.Config{Variant: graph.WebQA, Embedding: 4096}, 1, meter)
	if err != nil {
		b.Fatal(err)
	}
	in, vectors := gnn.Workload(1, benchGraphs, 4096, gnn.PaperRollouts)
	return m, meter, in, vectors
}

// report gives rates: graphs a second, the share of the time that products took,
// their speed, and its share of what the cores can do, measured at the same time.
func report(b *testing.B, meter *compute.Meter[float32]) {
	seconds := b.Elapsed().Seconds()
	b.ReportMetric(benchGraphs*float64(b.N)/seconds, "graphs/s")
	b.ReportMetric(meter.Time.Seconds()/seconds, "products")
	speed := float64(meter.FLOP) / meter.Time.Seconds() / 1e9
	b.ReportMetric(speed, "GFLOP/s")
	b.ReportMetric(speed/cpu.Peak(), "of-peak")
	b.ReportMetric(float64(meter.FLOP)/1e6/benchGraphs/float64(b.N), "MFLOP/graph")
	b.ReportMetric(0, "ns/op")
}

func BenchmarkScores(b *testing.B) {
	m, meter, in, vectors := benchModel(b)
	if _, err := m.Scores(in, vectors); err != nil { // packs the weights, makes the buffers
		b.Fatal(err)
	}
	meter.Reset()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Scores(in, vectors); err != nil {
			b.Fatal(err)
		}
	}
	report(b, meter)
}

// BenchmarkStep is a training step without the optimizer.
func BenchmarkStep(b *testing.B) {
	for _, micro := range []int{8, 16, 32, 64} {
		b.Run(fmt.Sprintf("micro=%d", micro), func(b *testing.B) {
			m, meter, in, vectors := benchModel(b)
			chance := newRand(1)
			step := func() {
				m.ZeroGrad()
				for lo := 0; lo < len(in); lo += micro {
					batch, err := m.Prepare(in[lo:min(lo+micro, len(in))], vectors)
					if err != nil {
						b.Fatal(err)
					}
					p := m.Forward(batch, chance)
					slopes := make([]float32, len(p.Logits))
					for i := range slopes {
						slopes[i] = float32(i%3) - 1
					}
					p.Backward(slopes)
					batch.Free()
				}
				m.Changed()
			}
			step()
			meter.Reset()
			b.ReportAllocs()
			for b.Loop() {
				step()
			}
			report(b, meter)
		})
	}
}
