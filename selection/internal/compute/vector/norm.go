package vector

import (
	"math"

	"trawl/selection/internal/compute"
)

// normEpsilon is added to the variance, as in SEL's layer norms.
const normEpsilon = 1e-5

// Norm sets dst, which may be x, to the layer norm of x,
//
//	x̂·weight + bias,  x̂ = (x - mean)·rstd,  rstd = 1/√(variance + 1e-5),
//
// with the biased variance, and returns mean and rstd for [NormGrad]. The rows
// are not empty.
func Norm[T compute.Float](dst, x, weight, bias []T) (mean, rstd T) {
	return norm(machine, dst, x, weight, bias)
}

func norm[T compute.Float](f *fast, dst, x, weight, bias []T) (mean, rstd T) {
	if len(dst) != len(x) || len(weight) != len(x) || len(bias) != len(x) {
		panic(badLength)
	}
	mean, rstd = statistics(f, x)
	if n := whole[T](f, len(x)); n > 0 {
		f.normalize(head(dst, n), head(x, n), head(weight, n), head(bias, n), float32(mean), float32(rstd))
		dst, x, weight, bias = dst[n:], x[n:], weight[n:], bias[n:]
	}
	for i, v := range x {
		dst[i] = (v-mean)*rstd*weight[i] + bias[i]
	}
	return mean, rstd
}

// statistics returns those of [Norm].
func statistics[T compute.Float](f *fast, x []T) (mean, rstd T) {
	var sum, squares float64
	n := whole[T](f, len(x))
	if n > 0 {
		sum = f.sum(head(x, n))
	}
	for _, v := range x[n:] {
		sum += float64(v)
	}
	center := sum / float64(len(x))
	if n > 0 {
		squares = f.squares(head(x, n), center)
	}
	for _, v := range x[n:] {
		d := float64(v) - center
		squares += d * d
	}
	return T(center), T(1 / math.Sqrt(squares/float64(len(x))+normEpsilon))
}

// NormGrad carries dy, the gradient at the output of [Norm], back: it sets dx,
// which may be dy, and adds to dweight and dbias. With g = dy·weight,
//
//	dx = rstd·(g - avg(g) - x̂·avg(g·x̂)),  dweight += dy·x̂,  dbias += dy.
func NormGrad[T compute.Float](dx, dy, x, weight []T, mean, rstd T, dweight, dbias []T) {
	normGrad(machine, dx, dy, x, weight, mean, rstd, dweight, dbias)
}

func normGrad[T compute.Float](f *fast, dx, dy, x, weight []T, mean, rstd T, dweight, dbias []T) {
	if n := len(x); len(dx) != n || len(dy) != n || len(weight) != n || len(dweight) != n || len(dbias) != n {
		panic(badLength)
	}
	var sum, along float64
	n := whole[T](f, len(x))
	if n > 0 {
		sum, along = f.normSums(head(dy, n), head(x, n), head(weight, n), head(dweight, n), head(dbias, n),
			float32(mean), float32(rstd))
	}
	for i := n; i < len(x); i++ {
		unit, d := (x[i]-mean)*rstd, dy[i]
		g := float64(d * weight[i])
		sum += g
		along += g * float64(unit)
		dweight[i] += d * unit
		dbias[i] += d
	}
	shift, tilt := T(sum/float64(len(x))), T(along/float64(len(x)))
	if n > 0 {
		f.normBack(head(dx, n), head(dy, n), head(x, n), head(weight, n),
			float32(mean), float32(rstd), float32(shift), float32(tilt))
	}
	for i := n; i < len(x); i++ {
		unit := (x[i] - mean) * rstd
		dx[i] = rstd * (dy[i]*weight[i] - shift - unit*tilt)
	}
}
