//go:build device

package cublas_test

import (
	"fmt"
	"testing"

	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/computetest"
	"trawl/selection/internal/compute/cublas"
)

// TestDevice is the suite on the real libraries and a real device, and fails where
// there is none. The tolerance is that of float32: with TF32, which keeps 10 of
// its 23 bits, products would be off a hundred times as far.
func TestDevice(t *testing.T) {
	device := openDevice(t)
	t.Log(device.Name())
	if err := device.Close(); err != nil {
		t.Fatal(err)
	}
	computetest.Run(t, func() compute.Backend[float32] { return openDevice(t) }, 2e-6)
}

// BenchmarkDevice multiplies what the graph network does: texts into the hidden
// size, and rows of the hidden size; the time is with the way there and back.
func BenchmarkDevice(b *testing.B) {
	device := openDevice(b)
	defer device.Close()
	for _, s := range []struct{ n, in, out int }{{6000, 4096, 256}, {30000, 256, 256}, {500, 256, 256}} {
		x, y := compute.NewMatrix[float32](s.n, s.in), compute.NewMatrix[float32](s.n, s.out)
		w := compute.NewMatrix[float32](s.out, s.in)
		weights := device.Weights(w)
		products := map[string]func(){
			"MulT":     func() { device.MulT(y, x, weights, false) },
			"Mul":      func() { device.Mul(x, y, weights, true) },
			"AddOuter": func() { device.AddOuter(w, y, x) },
		}
		for _, name := range []string{"MulT", "Mul", "AddOuter"} {
			b.Run(fmt.Sprintf("%s/%dx%dx%d", name, s.n, s.in, s.out), func(b *testing.B) {
				for b.Loop() {
					products[name]()
				}
				flop := 2 * float64(s.n) * float64(s.in) * float64(s.out)
				b.ReportMetric(flop*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
				b.SetBytes(4 * int64(s.n) * int64(s.in+s.out)) // what travels
			})
		}
		weights.Free()
	}
	if err := device.Err(); err != nil {
		b.Error(err)
	}
}

func openDevice(t testing.TB) compute.Backend[float32] {
	t.Helper()
	device, err := cublas.Open()
	if err != nil {
		t.Fatal(err)
	}
	return device
}
