package gnn

import (
	"math"
	"math/rand/v2"

	"trawl/internal/seed"
	"trawl/selection/internal/compute"
)

// A Param is one tensor of a model. Value and Grad have Shape's numbers row by
// row: a vector is one row, a scalar a row of one.
type Param[T compute.Float] struct {
	Name    string
	Shape   []int
	Value   compute.Matrix[T]
	Grad    compute.Matrix[T] // allocated by the first [Model.ZeroGrad]
	Reached bool              // the last backward pass had a path to it; if not, an optimizer leaves it alone, decay included

	dead    bool               // no loss has a path to it
	weights compute.Weights[T] // of a matrix that is multiplied as a whole
}

// An initial says which numbers a parameter begins with.
type initial float64

// The other values are the bound of a uniform distribution around 0.
const (
	zeros initial = 0
	ones  initial = -1
)

// fanIn is the bound of a linear layer that reads n numbers, 1/√n, for its matrix
// and its bias alike (methods.md A.5).
func fanIn(n int) initial { return initial(1 / math.Sqrt(float64(n))) }

// params collects the parameters of a model while it is built.
type params[T compute.Float] struct {
	seed    *int64 // nil: all zero, for a file to fill
	backend compute.Backend[T]
	memory  compute.Slab[T]
	all     []*Param[T]
}

// add makes a parameter. Its numbers depend on the seed and its name alone, so
// that models which differ in one part begin alike in all others.
func (p *params[T]) add(name string, begin initial, shape ...int) *Param[T] {
	rows, cols := 1, 1
	switch len(shape) {
	case 1:
		cols = shape[0]
	case 2:
		rows, cols = shape[0], shape[1]
	}
	q := &Param[T]{Name: name, Shape: shape, Value: p.memory.Matrix(rows, cols)}
	if p.seed != nil {
		fill(q.Value.Data, begin, func() *rand.Rand { return seed.Rand(*p.seed, "parameter", name) })
	}
	p.all = append(p.all, q)
	return q
}

// matrix is add for a matrix that products read as a whole.
func (p *params[T]) matrix(name string, out, in int) *Param[T] {
	q := p.add(name, fanIn(in), out, in)
	q.weights = p.backend.Weights(q.Value)
	return q
}

// fill writes the first numbers, rounded to float32 whatever T is, so that a
// model in float64 begins as the one that runs.
func fill[T compute.Float](dst []T, begin initial, chance func() *rand.Rand) {
	switch begin {
	case zeros:
	case ones:
		for i := range dst {
			dst[i] = 1
		}
	default:
		r := chance()
		for i := range dst {
			dst[i] = T(float32(float64(begin) * (2*r.Float64() - 1)))
		}
	}
}
