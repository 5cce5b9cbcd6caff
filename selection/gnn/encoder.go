package gnn

import (
	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/vector"
)

// An encoder makes the first state of a text of its vector x,
//
//	φ(x) = GELU(LN(W·x + b))
//
// It works on the distinct texts of a batch; nodes gather their text's state.
type encoder[T compute.Float] struct {
	linear *linear[T]
	norm   *norm[T]
}

func (p *params[T]) encoder(name string, out, in int) *encoder[T] {
	return &encoder[T]{linear: p.linear(name+".linear", out, in, true), norm: p.norm(name+".norm", out)}
}

// An encoding is what an encoder made in a pass.
type encoding[T compute.Float] struct {
	linear, norm, out, grad, dLinear, sum buffer[T]

	z, n, y compute.Matrix[T] // texts×d: W·x + b, LN(z), GELU(n)
	moments []moment[T]
}

// forward encodes the rows of x, texts×D.
func (e *encoder[T]) forward(b compute.Backend[T], s *encoding[T], x compute.Matrix[T]) {
	d := e.linear.weight.Value.Rows
	s.z, s.n, s.y = s.linear.matrix(x.Rows, d), s.norm.matrix(x.Rows, d), s.out.matrix(x.Rows, d)
	s.moments = resize(s.moments, x.Rows)
	e.linear.product(b, s.z, x)
	b.Rows(x.Rows, rowGrain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			vector.Add(s.z.Row(i), e.linear.bias.Value.Data)
			s.moments[i] = e.norm.row(s.n.Row(i), s.z.Row(i))
			vector.GELU(s.y.Row(i), s.n.Row(i))
		}
	})
}

// backward adds the gradients of the parameters, given the derivative dy by the
// states of the texts x, which it overwrites.
func (e *encoder[T]) backward(b compute.Backend[T], s *encoding[T], dy, x compute.Matrix[T]) {
	d := dy.Cols
	dz := s.dLinear.matrix(dy.Rows, d)
	sum := s.sum.sumRows(b, 0, dy.Rows, 3*d, func(lo, hi int, sum []T) {
		for i := lo; i < hi; i++ {
			vector.GELUGrad(dy.Row(i), dy.Row(i), s.n.Row(i))
			e.norm.rowBackward(dz.Row(i), dy.Row(i), s.z.Row(i), s.moments[i], sum)
			vector.Add(sum[2*d:], dz.Row(i))
		}
	})
	e.norm.addSums(sum)
	addTo(e.linear.bias.Grad.Data, sum[2*d:])
	e.linear.backward(b, compute.Matrix[T]{}, dz, x, false)
}
