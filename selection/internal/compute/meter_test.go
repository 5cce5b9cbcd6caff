package compute_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/computetest"
	"trawl/selection/internal/compute/cpu"
)

func TestMeteredMultiplies(t *testing.T) {
	computetest.Run(t, func() compute.Backend[float64] {
		return compute.Metered(cpu.NewPortable[float64]())
	}, 1e-14)
}

// TestMetered counts the layer 3×2 (in×out) of five rows: 2·5·3·2 = 60 for each
// of its three products.
func TestMetered(t *testing.T) {
	m := compute.Metered(cpu.NewPortable[float64]())
	x, y, w := compute.NewMatrix[float64](5, 3), compute.NewMatrix[float64](5, 2), compute.NewMatrix[float64](2, 3)
	weights := m.Weights(w)
	m.MulT(y, x, weights, false)
	m.Mul(x, y, weights, true)
	m.AddOuter(w, y, x)
	if diff := cmp.Diff([2]int64{3, 180}, [2]int64{int64(m.Products), m.FLOP}); diff != "" {
		t.Errorf("products, FLOP mismatch (-want +got):\n%s", diff)
	}
	if m.Time <= 0 {
		t.Errorf("Time = %v, want more than nothing", m.Time)
	}
	m.Reset()
	if m.Products != 0 || m.FLOP != 0 || m.Time != 0 {
		t.Errorf("after Reset: %d products, %d FLOP, %v, want none", m.Products, m.FLOP, m.Time)
	}
}
