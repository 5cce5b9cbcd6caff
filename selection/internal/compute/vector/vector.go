// Package vector is the arithmetic of the graph network that is no product of
// matrices: sums, the activation, layer norm, softmax and the optimizer's step,
// each over one row. Functions of float32 run in assembly where the processor
// has AVX-512 or AVX2; the plain Go beside them is the specification, and what
// float64 and other processors use.
//
// A result depends on the operands and the processor alone: the order of
// additions is fixed by the length of a row. Statistics are added up in float64.
// Rows of different lengths are a bug of the caller and panic. A destination may
// be an operand of the same call where that is said; otherwise they must not
// overlap. Calls that write to different rows may run at once.
package vector

import (
	"math"

	"trawl/selection/internal/compute"
)

const badLength = "vector: lengths differ"

// Add adds x to dst, which may be x.
func Add[T compute.Float](dst, x []T) { add(machine, dst, x) }

func add[T compute.Float](f *fast, dst, x []T) {
	if len(dst) != len(x) {
		panic(badLength)
	}
	if n := whole[T](f, len(x)); n > 0 {
		f.add(head(dst, n), head(x, n))
		dst, x = dst[n:], x[n:]
	}
	for i, v := range x {
		dst[i] += v
	}
}

// AddScaled adds a·x to dst, which may be x.
func AddScaled[T compute.Float](dst []T, a T, x []T) { addScaled(machine, dst, a, x) }

func addScaled[T compute.Float](f *fast, dst []T, a T, x []T) {
	if len(dst) != len(x) {
		panic(badLength)
	}
	if n := whole[T](f, len(x)); n > 0 {
		f.addScaled(head(dst, n), float32(a), head(x, n))
		dst, x = dst[n:], x[n:]
	}
	for i, v := range x {
		dst[i] += a * v
	}
}

// Scale multiplies dst by a.
func Scale[T compute.Float](dst []T, a T) { scale(machine, dst, a) }

func scale[T compute.Float](f *fast, dst []T, a T) {
	if n := whole[T](f, len(dst)); n > 0 {
		f.scale(head(dst, n), float32(a))
		dst = dst[n:]
	}
	for i := range dst {
		dst[i] *= a
	}
}

// Dot returns Σ x·y.
func Dot[T compute.Float](x, y []T) T { return dot(machine, x, y) }

func dot[T compute.Float](f *fast, x, y []T) T {
	if len(x) != len(y) {
		panic(badLength)
	}
	var sum float64
	if n := whole[T](f, len(x)); n > 0 {
		sum = float64(f.dot(head(x, n), head(y, n)))
		x, y = x[n:], y[n:]
	}
	for i, v := range x {
		sum += float64(v) * float64(y[i])
	}
	return T(sum)
}

// Softmax replaces x by exp(x - max x) / Σ exp(x - max x). An empty row stays.
func Softmax[T compute.Float](x []T) {
	if len(x) == 0 {
		return
	}
	top := x[0]
	for _, v := range x {
		top = max(top, v)
	}
	var sum float64
	for i, v := range x {
		e := math.Exp(float64(v - top))
		x[i] = T(e)
		sum += e
	}
	for i, e := range x {
		x[i] = T(float64(e) / sum)
	}
}
