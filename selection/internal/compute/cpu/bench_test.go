package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"trawl/internal/seed"
	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/cpu"
)

// layers are those of the graph network: encoders of 4096 dimensions, relations
// and attention of 256, the two halves of the feed-forward part.
var layers = []struct{ n, in, out int }{
	{300, 4096, 256}, {3000, 4096, 256},
	{300, 256, 256}, {3000, 256, 256}, {30000, 256, 256},
	{1000, 256, 1024}, {1000, 1024, 256},
}

// BenchmarkProducts reports GFLOP/s, and the share of the peak that the best
// product reached: other work on the machine only makes products slower.
func BenchmarkProducts(b *testing.B) {
	peak := cpu.Peak()
	for _, l := range layers {
		for _, op := range []string{"MulT", "Mul", "AddOuter"} {
			b.Run(fmt.Sprintf("%s/n=%d,in=%d,out=%d", op, l.n, l.in, l.out), func(b *testing.B) {
				benchmark(b, op, l.n, l.in, l.out, peak)
			})
		}
	}
}

func benchmark(b *testing.B, op string, n, in, out int, peak float64) {
	backend := cpu.New()
	chance := seed.Rand(42, "bench")
	x, y, w := random(chance, n, in), random(chance, n, out), random(chance, out, in)
	weights := backend.Weights(w)
	do := map[string]func(){
		"MulT":     func() { backend.MulT(y, x, weights, false) },
		"Mul":      func() { backend.Mul(x, y, weights, false) },
		"AddOuter": func() { backend.AddOuter(w, y, x) },
	}[op]
	do()
	flop := 2 * float64(n) * float64(in) * float64(out)
	best := 0.0
	for b.Loop() {
		start := time.Now()
		do()
		best = max(best, flop/float64(time.Since(start).Nanoseconds()))
	}
	b.ReportMetric(flop*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
	b.ReportMetric(best/peak, "best/peak")
}

// BenchmarkChanged packs all of a layer's weights anew, for both products.
func BenchmarkChanged(b *testing.B) {
	backend := cpu.New()
	w := random(seed.Rand(42, "bench"), 256, 4096)
	weights := backend.Weights(w)
	x, y := compute.NewMatrix[float32](1, 4096), compute.NewMatrix[float32](1, 256)
	b.SetBytes(int64(len(w.Data)) * 4 * 2)
	for b.Loop() {
		weights.Changed()
		backend.MulT(y, x, weights, false)
		backend.Mul(x, y, weights, false)
	}
}

func random(chance *rand.Rand, rows, cols int) compute.Matrix[float32] {
	m := compute.NewMatrix[float32](rows, cols)
	for i := range m.Data {
		m.Data[i] = chance.Float32()*2 - 1
	}
	return m
}
