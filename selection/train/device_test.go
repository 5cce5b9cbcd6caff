//go:build device

package train

import (
	"math"
	"testing"

	"trawl/internal/seed"
	"trawl/selection/gnn"
	"trawl/selection/graph"
	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/computetest"
	"trawl/selection/internal/compute/cpu"
	"trawl/selection/internal/compute/cublas"
)

// openDevice opens the GPU; a machine without one fails, since the build tag asks
// for it.
func openDevice(t testing.TB) compute.Backend[float32] {
	t.Helper()
	device, err := cublas.Open()
	if err != nil {
		t.Fatal(err)
	}
	return device
}

// TestDeviceConformance is the shared suite on the real libraries.
func TestDeviceConformance(t *testing.T) {
	device := openDevice(t)
	t.Log(device.Name())
	if err := device.Close(); err != nil {
		t.Fatal(err)
	}
	computetest.Run(t, func() compute.Backend[float32] { return openDevice(t) }, 2e-6)
}

// A deviceStep is the gradient of a training step, before AdamW divides it by its
// own size and makes noise of what is nearly zero.
type deviceStep struct {
	scores [][]float32
	loss   Loss
	params []*gnn.Param[float32]
}

func stepOn(t *testing.T, b compute.Backend[float32]) deviceStep {
	t.Helper()
	in, vectors := gnn.Workload(3, 24, 512, gnn.PaperRollouts)
	m, err := gnn.New(gnn.Config{Variant: graph.WebQA, Embedding: 512}, 1, b)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := m.Scores(in, vectors)
	if err != nil {
		t.Fatal(err)
	}
	l := &learner[float32]{model: m, features: vectors, losses: Losses{Variant: graph.WebQA, PosWeight: 1}, micro: 16}
	loss, err := l.gradient(halfRight(in), seed.Rand(1))
	if err != nil {
		t.Fatal(err)
	}
	return deviceStep{scores, loss, m.Params()}
}

// halfRight labels every other candidate.
func halfRight(in []gnn.Input) []Example {
	examples := make([]Example, len(in))
	for i := range in {
		examples[i] = Example{Input: in[i], Labels: make([]float64, len(in[i].Graph.Answers))}
		for j := range examples[i].Labels {
			examples[i].Labels[j] = float64((i + j) % 2)
		}
	}
	return examples
}

// TestDeviceAgreement holds the GPU to the processor: scores, loss and gradients of
// one step at the paper's width.
func TestDeviceAgreement(t *testing.T) {
	device := openDevice(t)
	defer device.Close()
	want, got := stepOn(t, cpu.New()), stepOn(t, device)
	for i := range want.scores {
		for j, w := range want.scores[i] {
			if d := math.Abs(float64(got.scores[i][j] - w)); d > max(2e-5, 1e-4*math.Abs(float64(w))) {
				t.Errorf("graph %d: score %d is %v, on the processor %v", i, j, got.scores[i][j], w)
			}
		}
	}
	if d := math.Abs(got.loss.Total() - want.loss.Total()); d > 1e-4 {
		t.Errorf("loss %v, on the processor %v", got.loss.Total(), want.loss.Total())
	}
	worst := 0.0
	for i, p := range want.params {
		largest, off := 1e-3, 0.0
		for j, w := range p.Grad.Data {
			largest = max(largest, math.Abs(float64(w)))
			off = max(off, math.Abs(float64(got.params[i].Grad.Data[j]-w)))
		}
		worst = max(worst, off/largest)
		if off > 1e-4*largest {
			t.Errorf("gradient of %s is off by %g, its largest is %g", p.Name, off, largest)
		}
	}
	t.Logf("largest difference of a gradient: %.2g of the tensor's largest", worst)
}

// BenchmarkDevice is trawl bench selector's work on the GPU: graphs a second of
// inference, and seconds of a step of 256 graphs.
func BenchmarkDevice(b *testing.B) {
	const graphs = 256
	in, vectors := gnn.Workload(1, graphs, 4096, gnn.PaperRollouts)
	device := compute.Metered(openDevice(b))
	defer device.Close()
	m, err := gnn.New(gnn.Config{Variant: graph.WebQA, Embedding: 4096}, 1, device)
	if err != nil {
		b.Fatal(err)
	}
	report := func(b *testing.B) {
		seconds := b.Elapsed().Seconds() / float64(b.N)
		b.ReportMetric(graphs/seconds, "graphs/s")
		b.ReportMetric(seconds, "s/op")
		b.ReportMetric(device.Time.Seconds()/b.Elapsed().Seconds(), "products")
		b.ReportMetric(0, "ns/op")
	}
	b.Run("scores", func(b *testing.B) {
		device.Reset()
		for b.Loop() {
			if _, err := m.Scores(in, vectors); err != nil {
				b.Fatal(err)
			}
		}
		report(b)
	})
	l := &learner[float32]{model: m, features: vectors, losses: Losses{Variant: graph.WebQA, PosWeight: 1}, micro: defaultMicro}
	o := NewAdamW(m.Params(), 3e-4, 1e-4)
	examples := halfRight(in)
	b.Run("step", func(b *testing.B) {
		device.Reset()
		for b.Loop() {
			if _, err := l.gradient(examples, seed.Rand(1)); err != nil {
				b.Fatal(err)
			}
			o.Step()
			m.Changed()
		}
		report(b)
	})
}
