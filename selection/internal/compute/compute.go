// Package compute is the arithmetic of the graph network: a [Matrix] and the
// three dense products of a linear layer, behind one [Backend] interface.
// [trawl/selection/internal/compute/cpu] is the specification; a device runs the
// same suite, [trawl/selection/internal/compute/computetest]. What is no product
// of matrices runs on the host, with the kernels of
// [trawl/selection/internal/compute/vector], on all of its [Cores].
//
// Everything is generic in the kind of number: float32 is what runs, float64 is
// what derivatives are checked in.
//
// A product has no error result, so that a pass over a network reads as
// mathematics: a fault of a device is kept, later products do nothing, and
// [Backend.Err] says so once a pass. Shapes that do not fit are a bug of the
// caller and panic.
package compute

// A Float is a kind of number.
type Float interface{ float32 | float64 }

// A Weights is a matrix of a [Backend] that many products share: packed for the
// processor, or resident on a device.
type Weights[T Float] interface {
	// Changed says that the numbers of the matrix have been written to; the next
	// product reads them anew.
	Changed()
	// Free gives back what the backend holds for it. It is not used again.
	Free()
}

// A Backend multiplies. Its methods are called by one goroutine at a time; it
// uses the cores of the machine itself. The same operands give the same bits
// whatever the number of cores.
type Backend[T Float] interface {
	// Name says what multiplies, for people: "cpu (avx512, 2 cores)".
	Name() string
	// Weights keeps w, out×in, ready for products. It refers to w's numbers.
	Weights(w Matrix[T]) Weights[T]
	// MulT sets y = x·wᵀ, or y += x·wᵀ. x is n×in, y n×out.
	MulT(y, x Matrix[T], w Weights[T], add bool)
	// Mul sets y = x·w, or y += x·w. x is n×out, y n×in.
	Mul(y, x Matrix[T], w Weights[T], add bool)
	// AddOuter adds yᵀ·x to w. y is n×out, x n×in, w out×in.
	AddOuter(w, y, x Matrix[T])
	// Rows shares work of the host among its cores, as [Cores.Rows] does. It is safe
	// for concurrent use.
	Rows(n, grain int, f func(lo, hi int))
	// Err returns the first fault of the device, if there was one.
	Err() error
	// Close gives the device back. No method is called after it.
	Close() error
}
