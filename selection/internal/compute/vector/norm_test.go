package vector

import (
	"math"
	"testing"

	"trawl/internal/seed"
)

// TestNormByHand: x = 1 3 has mean 2 and variance 1, so rstd = 1/√1.00001 = s and
// x̂ = -s, s. With weight 2 3 and bias 10 20 the norm is 10-2s, 20+3s.
//
// Back from dy = 1 1: g = 2 3, avg(g) = 2.5, avg(g·x̂) = s/2, so
// dx = s·(2 - 2.5 + s²/2), s·(3 - 2.5 - s²/2); dweight = -s, s; dbias = 1 1.
func TestNormByHand(t *testing.T) {
	s := 1 / math.Sqrt(1.00001)
	x, weight := []float64{1, 3}, []float64{2, 3}
	got := make([]float64, 2)
	mean, rstd := Norm(got, x, weight, []float64{10, 20})
	near(t, "Norm", got, []float64{10 - 2*s, 20 + 3*s}, 1e-12)
	near(t, "mean, rstd", []float64{mean, rstd}, []float64{2, s}, 1e-12)

	dweight, dbias := []float64{100, 100}, []float64{200, 200}
	NormGrad(got, []float64{1, 1}, x, weight, mean, rstd, dweight, dbias)
	near(t, "dx", got, []float64{s * (s*s/2 - 0.5), s * (0.5 - s*s/2)}, 1e-12)
	near(t, "dweight", dweight, []float64{100 - s, 100 + s}, 1e-12)
	near(t, "dbias", dbias, []float64{201, 201}, 1e-12)
}

// TestNorm compares every length with float64, in place as well.
func TestNorm(t *testing.T) {
	each(t, func(t *testing.T, f *fast) {
		chance := seed.Rand(42, "norm")
		for _, n := range lengths()[1:] {
			x, weight, bias := row(chance, n), row(chance, n), row(chance, n)
			for i := range x {
				x[i] += 100 // a mean that cancels
			}
			want := make([]float64, n)
			wantMean, wantRstd := norm(nil, want, wide(x), wide(weight), wide(bias))
			got := clone(x)
			mean, rstd := norm(f, got, x, weight, bias)
			near(t, "mean, rstd", []float32{mean, rstd}, []float64{wantMean, wantRstd}, 1e-6)
			near(t, "Norm", got, want, 1e-4)
			checkGuards(t, got)
			same := clone(x)
			norm(f, same, same, weight, bias)
			near(t, "Norm in place", same, wide(got), 0)
		}
	})
}

// TestNormGrad compares every length with float64, in place as well.
func TestNormGrad(t *testing.T) {
	each(t, func(t *testing.T, f *fast) {
		chance := seed.Rand(42, "norm grad")
		for _, n := range lengths()[1:] {
			x, weight, dy := row(chance, n), row(chance, n), row(chance, n)
			dweight, dbias := row(chance, n), row(chance, n)
			mean, rstd := statistics(f, x)
			want, wantWeight, wantBias := make([]float64, n), wide(dweight), wide(dbias)
			normGrad(nil, want, wide(dy), wide(x), wide(weight), float64(mean), float64(rstd), wantWeight, wantBias)
			got := clone(x)
			normGrad(f, got, dy, x, weight, mean, rstd, dweight, dbias)
			near(t, "dx", got, want, 2e-5)
			near(t, "dweight", dweight, wantWeight, 1e-5)
			near(t, "dbias", dbias, wantBias, 1e-6)
			normGrad(f, dy, dy, x, weight, mean, rstd, dweight, dbias)
			near(t, "dx in place", dy, wide(got), 0)
			checkGuards(t, got, dy, dweight, dbias)
		}
	})
}

// TestNormGradIsSlope compares with central differences, as float64.
func TestNormGradIsSlope(t *testing.T) {
	chance := seed.Rand(42, "norm slope")
	const n = 7
	x, weight, bias, dy := wide(row(chance, n)), wide(row(chance, n)), wide(row(chance, n)), wide(row(chance, n))
	y, dx := make([]float64, n), make([]float64, n)
	loss := func() float64 {
		Norm(y, x, weight, bias)
		return Dot(y, dy)
	}
	mean, rstd := Norm(y, x, weight, bias)
	dweight, dbias := make([]float64, n), make([]float64, n)
	NormGrad(dx, dy, x, weight, mean, rstd, dweight, dbias)
	for _, p := range []struct {
		name         string
		value, slope []float64
	}{{"dx", x, dx}, {"dweight", weight, dweight}, {"dbias", bias, dbias}} {
		want := make([]float64, n)
		for i := range want {
			const h = 1e-5
			old := p.value[i]
			p.value[i] = old + h
			up := loss()
			p.value[i] = old - h
			want[i] = (up - loss()) / (2 * h)
			p.value[i] = old
		}
		near(t, p.name, p.slope, want, 1e-7)
	}
}
