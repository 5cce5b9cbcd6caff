package vector

import (
	"math"
	"testing"

	"trawl/internal/seed"
)

// TestGELUByHand has Φ from a table: Φ(1) = 0.8413447461, Φ(2) = 0.9772498681;
// φ(1) = 0.2419707245, φ(2) = 0.0539909665.
func TestGELUByHand(t *testing.T) {
	x := []float64{0, 1, -1, 2, -2}
	want := []float64{0, 0.8413447461, -0.1586552539, 1.9544997361, -0.0455002639}
	got := make([]float64, len(x))
	GELU(got, x)
	near(t, "GELU", got, want, 1e-9)
	// Φ(x) + x·φ(x), times dy = 2
	want = []float64{1, 2 * 1.0833154706, 2 * -0.0833154706, 2 * 1.0852318011, 2 * -0.0852318011}
	GELUGrad(got, []float64{2, 2, 2, 2, 2}, x)
	near(t, "GELUGrad", got, want, 1e-9)
}

// interesting are float32s of every size: each few hundredth number between the
// last ones for which GELU is x/2 and the first for which it is 0 or x, and some
// of those beyond.
func interesting() []float32 {
	var all []float32
	for bits := math.Float32bits(1e-5); bits < math.Float32bits(16); bits += 809 {
		x := math.Float32frombits(bits)
		all = append(all, x, -x)
	}
	for _, x := range []float32{0, 1e-45, 1e-38, 1e-20, 12.99, 13, 13.01, 20, 100, 1e10, math.MaxFloat32} {
		all = append(all, x, -x)
	}
	return all
}

// TestGELUError measures against math.Erfc in float64.
func TestGELUError(t *testing.T) {
	x := interesting()
	for len(x)%16 != 0 {
		x = append(x, 0)
	}
	ones := make([]float32, len(x))
	for i := range ones {
		ones[i] = 1
	}
	each(t, func(t *testing.T, f *fast) {
		got, slopes := make([]float32, len(x)), make([]float32, len(x))
		gelu(f, got, x)
		geluGrad(f, slopes, ones, x)
		var worst, worstSlope float64
		for i, v := range x {
			v := float64(v)
			want := []float64{0}
			gelu(nil, want, []float64{v})
			worst = max(worst, math.Abs(float64(got[i])-want[0])/max(1, math.Abs(v)))
			geluGrad(nil, want, []float64{1}, []float64{v})
			worstSlope = max(worstSlope, math.Abs(float64(slopes[i])-want[0]))
		}
		t.Logf("%d numbers: off by at most %.2g·max(1, |x|), the slope by %.2g", len(x), worst, worstSlope)
		if !(worst <= 2e-7) {
			t.Errorf("GELU is off by %.3g·max(1, |x|), want at most 2e-7", worst)
		}
		if !(worstSlope <= 3e-7) {
			t.Errorf("GELUGrad is off by %.3g, want at most 3e-7", worstSlope)
		}
	})
}

// TestGELULengths compares every length with float64, in place as well.
func TestGELULengths(t *testing.T) {
	each(t, func(t *testing.T, f *fast) {
		chance := seed.Rand(42, "gelu")
		for _, n := range lengths() {
			x, dy := row(chance, n), row(chance, n)
			got, want := clone(x), wide(x)
			gelu(f, got, x)
			gelu(nil, want, wide(x))
			near(t, "GELU", got, want, 2e-7)
			checkGuards(t, got)
			geluGrad(nil, want, wide(dy), wide(x))
			geluGrad(f, got, dy, x)
			near(t, "GELUGrad", got, want, 1e-6)
			geluGrad(f, dy, dy, x)
			near(t, "GELUGrad in place", dy, want, 1e-6)
			checkGuards(t, got, dy)
		}
	})
}

// TestGELUOddNumbers: a NaN stays one, and what is infinite has its limit.
func TestGELUOddNumbers(t *testing.T) {
	each(t, func(t *testing.T, f *fast) {
		inf, nan := float32(math.Inf(1)), float32(math.NaN())
		x := make([]float32, 16)
		x[0], x[1], x[15] = nan, inf, nan
		got := make([]float32, 16)
		gelu(f, got, x)
		if got[0] == got[0] || got[15] == got[15] {
			t.Errorf("GELU(NaN) = %v, %v, want NaN", got[0], got[15])
		}
		if got[1] != inf {
			t.Errorf("GELU(+Inf) = %v, want +Inf", got[1])
		}
	})
}
