package vector

import (
	"math"

	"trawl/selection/internal/compute"
)

// GELU sets dst, which may be x, to x·Φ(x), Φ being the distribution function of
// the normal distribution: Φ(x) = ½·(1 + erf(x/√2)) = ½·erfc(-x/√2). It is the
// exact form, not that of tanh: in float32 it is off by less than
// 2e-7·max(1, |x|).
func GELU[T compute.Float](dst, x []T) { gelu(machine, dst, x) }

func gelu[T compute.Float](f *fast, dst, x []T) {
	if len(dst) != len(x) {
		panic(badLength)
	}
	if n := whole[T](f, len(x)); n > 0 {
		f.gelu(head(dst, n), head(x, n))
		dst, x = dst[n:], x[n:]
	}
	for i, v := range x {
		dst[i] = T(float64(v) * normal(float64(v)))
	}
}

// GELUGrad sets dx, which may be dy or x, to dy·(Φ(x) + x·φ(x)), where φ is the
// density of the normal distribution, exp(-x²/2)/√(2π).
func GELUGrad[T compute.Float](dx, dy, x []T) { geluGrad(machine, dx, dy, x) }

func geluGrad[T compute.Float](f *fast, dx, dy, x []T) {
	if len(dx) != len(x) || len(dy) != len(x) {
		panic(badLength)
	}
	if n := whole[T](f, len(x)); n > 0 {
		f.geluGrad(head(dx, n), head(dy, n), head(x, n))
		dx, dy, x = dx[n:], dy[n:], x[n:]
	}
	for i, v := range x {
		x := float64(v)
		density := math.Exp(-x*x/2) / math.Sqrt(2*math.Pi)
		dx[i] = T(float64(dy[i]) * (normal(x) + x*density))
	}
}

// normal returns Φ(x).
func normal(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }
