package cpu_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"trawl/internal/seed"
	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/computetest"
	"trawl/selection/internal/compute/cpu"
)

// open returns a backend, or skips the test on a machine that lacks the kernel.
func open(t testing.TB, o cpu.Options) compute.Backend[float32] {
	t.Helper()
	b, err := cpu.Open(o)
	if err != nil {
		t.Skip(err)
	}
	return b
}

var kernels = []cpu.Kernel{cpu.Portable, cpu.AVX2, cpu.AVX512}

func TestKernels(t *testing.T) {
	for _, k := range kernels {
		t.Run(string(k), func(t *testing.T) {
			open(t, cpu.Options{Kernel: k}) // or skip
			computetest.Run(t, func() compute.Backend[float32] { return open(t, cpu.Options{Kernel: k}) }, 1e-6)
		})
	}
}

func TestPortableFloat64(t *testing.T) {
	computetest.Run(t, cpu.NewPortable[float64], 1e-14)
}

func TestName(t *testing.T) {
	tests := []struct {
		backend compute.Backend[float32]
		want    string
	}{
		{open(t, cpu.Options{Kernel: cpu.Portable, Workers: 1}), "cpu (portable, 1 core)"},
		{open(t, cpu.Options{Kernel: cpu.Portable, Workers: 3}), "cpu (portable, 3 cores)"},
	}
	for _, tt := range tests {
		if got := tt.backend.Name(); got != tt.want {
			t.Errorf("Name() = %q, want %q", got, tt.want)
		}
	}
	if got := cpu.New().Name(); !strings.HasPrefix(got, "cpu (") {
		t.Errorf("New().Name() = %q, want that of a kernel", got)
	}
}

func TestUnknownKernel(t *testing.T) {
	_, err := cpu.Open(cpu.Options{Kernel: "abacus"})
	if err == nil {
		t.Fatal("Open has a kernel abacus")
	}
	for _, want := range []string{`"abacus"`, `"portable"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %s", err, want)
		}
	}
}

// products returns what the three products of a layer give.
func products(b compute.Backend[float32], n, in, out int) map[string][]float32 {
	chance := seed.Rand(42, "cpu products")
	x, y, w := random(chance, n, in), random(chance, n, out), random(chance, out, in)
	weights := b.Weights(w)
	defer weights.Free()
	r := map[string][]float32{}
	c := compute.NewMatrix[float32](n, out)
	b.MulT(c, x, weights, false)
	r["MulT"] = c.Data
	c = compute.NewMatrix[float32](n, in)
	b.Mul(c, y, weights, false)
	r["Mul"] = c.Data
	b.AddOuter(w, y, x)
	r["AddOuter"] = w.Data
	return r
}

// TestWorkers: any number of workers gives the same bits, for shapes that are
// cut in all ways.
func TestWorkers(t *testing.T) {
	for _, k := range kernels {
		t.Run(string(k), func(t *testing.T) {
			for _, s := range [][3]int{{200, 300, 64}, {500, 33, 150}, {20, 600, 130}, {2000, 40, 40}, {64, 1024, 64}} {
				want := products(open(t, cpu.Options{Kernel: k, Workers: 1}), s[0], s[1], s[2])
				for _, workers := range []int{2, 3, 8} {
					got := products(open(t, cpu.Options{Kernel: k, Workers: workers}), s[0], s[1], s[2])
					for name, want := range want {
						if !slices.Equal(want, got[name]) {
							t.Errorf("%s %v: %d workers give other bits than one", name, s, workers)
						}
					}
				}
			}
		})
	}
}

// TestRowAlone: a row comes out the same whatever rows are around it, so that
// batching changes no score.
func TestRowAlone(t *testing.T) {
	for _, k := range kernels {
		t.Run(string(k), func(t *testing.T) {
			b := open(t, cpu.Options{Kernel: k})
			chance := seed.Rand(42, "cpu rows")
			x, w := random(chance, 40, 300), random(chance, 50, 300)
			weights := b.Weights(w)
			want, got := compute.NewMatrix[float32](40, 50), compute.NewMatrix[float32](40, 50)
			b.MulT(want, x, weights, false)
			for i := range x.Rows {
				b.MulT(got.RowRange(i, i+1), x.RowRange(i, i+1), weights, false)
			}
			if !slices.Equal(want.Data, got.Data) {
				t.Error("rows alone give other bits than rows together")
			}
		})
	}
}

// TestKernelsAgree: all kernels add up the same terms.
func TestKernelsAgree(t *testing.T) {
	const n, in, out = 150, 520, 96
	want := products(open(t, cpu.Options{Kernel: cpu.Portable}), n, in, out)
	for _, k := range kernels[1:] {
		t.Run(string(k), func(t *testing.T) {
			got := products(open(t, cpu.Options{Kernel: k}), n, in, out)
			for name, want := range want {
				for i, v := range want {
					if d := math.Abs(float64(got[name][i] - v)); !(d < 1e-4) {
						t.Fatalf("%s: element %d = %v, want %v as of %s", name, i, got[name][i], v, cpu.Portable)
					}
				}
			}
		})
	}
}

func TestPeak(t *testing.T) {
	if got := cpu.Peak(); !(got > 0.1 && got < 1e6) {
		t.Errorf("Peak() = %v GFLOP/s, want what a processor does", got)
	}
}
