package gnn

import (
	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/vector"
)

// A linear is the layer y = W·x + b, or W·x if it has no bias.
type linear[T compute.Float] struct {
	weight *Param[T] // out×in
	bias   *Param[T] // out; nil if there is none
}

// linear makes the layer with the parameters name.weight and name.bias.
func (p *params[T]) linear(name string, out, in int, bias bool) *linear[T] {
	l := &linear[T]{weight: p.matrix(name+".weight", out, in)}
	if bias {
		l.bias = p.add(name+".bias", fanIn(in), out)
	}
	return l
}

// product sets y = x·Wᵀ; x is n×in, y n×out. The bias is for the pass that reads
// y next to add, so that y is not read twice.
func (l *linear[T]) product(b compute.Backend[T], y, x compute.Matrix[T]) {
	b.MulT(y, x, l.weight.weights, false)
}

// forward is product and the bias.
func (l *linear[T]) forward(b compute.Backend[T], y, x compute.Matrix[T]) {
	l.product(b, y, x)
	if l.bias == nil {
		return
	}
	b.Rows(y.Rows, rowGrain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			vector.Add(y.Row(i), l.bias.Value.Data)
		}
	})
}

// backward adds to the gradient of W what the rows x and the derivatives dy by
// their products say, and sets dx = dy·W, or adds it; dx may be empty if nobody
// needs it. The gradient of the bias is the sum of the rows of dy, which is for
// the pass that makes dy.
func (l *linear[T]) backward(b compute.Backend[T], dx, dy, x compute.Matrix[T], add bool) {
	b.AddOuter(l.weight.Grad, dy, x)
	if dx.Data != nil {
		b.Mul(dx, dy, l.weight.weights, add)
	}
}

// A norm is a layer norm: each row to mean 0 and variance 1, times weight, plus
// bias.
type norm[T compute.Float] struct {
	weight, bias *Param[T]
}

func (p *params[T]) norm(name string, n int) *norm[T] {
	return &norm[T]{weight: p.add(name+".weight", ones, n), bias: p.add(name+".bias", zeros, n)}
}

// A moment is what the backward pass needs of a normalised row.
type moment[T compute.Float] struct{ mean, rstd T }

func (n *norm[T]) row(y, x []T) moment[T] {
	mean, rstd := vector.Norm(y, x, n.weight.Value.Data, n.bias.Value.Data)
	return moment[T]{mean, rstd}
}

// rowBackward sets dx, and adds the gradients of weight and bias to the first and
// the second len(x) numbers of sum.
func (n *norm[T]) rowBackward(dx, dy, x []T, m moment[T], sum []T) {
	d := len(x)
	vector.NormGrad(dx, dy, x, n.weight.Value.Data, m.mean, m.rstd, sum[:d], sum[d:2*d])
}

// addSums adds what [norm.rowBackward] summed up to the gradients.
func (n *norm[T]) addSums(sum []T) {
	d := n.weight.Value.Cols
	addTo(n.weight.Grad.Data, sum[:d])
	addTo(n.bias.Grad.Data, sum[d:2*d])
}

func addTo[T compute.Float](dst, x []T) { vector.Add(dst, x) }
