package vector

import "trawl/selection/internal/compute"

// fast is the float32 functions in assembly. Each does what the exported one of
// its name does, for lengths that are multiples of lanes; plain Go does the
// rest of a row. Those of [Norm] and [NormGrad] are parts of them.
type fast struct {
	name      string
	lanes     int
	add       func(dst, x []float32)
	addScaled func(dst []float32, a float32, x []float32)
	scale     func(dst []float32, a float32)
	dot       func(x, y []float32) float32
	gelu      func(dst, x []float32)
	geluGrad  func(dx, dy, x []float32)
	sum       func(x []float32) float64
	squares   func(x []float32, center float64) float64
	normalize func(dst, x, weight, bias []float32, mean, rstd float32)
	normSums  func(dy, x, weight, dweight, dbias []float32, mean, rstd float32) (sum, along float64)
	normBack  func(dx, dy, x, weight []float32, mean, rstd, shift, tilt float32)
	adamW     func(p, g, m, v []float32, c coefficients[float32])
}

// machine is the best that this processor runs, nil where plain Go is.
var machine = append(assemblies(), nil)[0]

// whole returns how many of n numbers of a kind f can do: none if there is no f.
func whole[T compute.Float](f *fast, n int) int {
	if _, ok := any(T(0)).(float32); !ok || f == nil {
		return 0
	}
	return n - n%f.lanes
}

// head returns the first n numbers of x, which are float32s: [whole] said so.
func head[T compute.Float](x []T, n int) []float32 { return any(x).([]float32)[:n] }
