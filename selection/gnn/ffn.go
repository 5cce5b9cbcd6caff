package gnn

import (
	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/vector"
)

// A feedForward is the second half of the readout,
//
//	h* = LN( x + Dropout( W2·Dropout(GELU(W1·x + b1)) + b2 ) )
//
// W1 is 4d×d, W2 d×4d.
type feedForward[T compute.Float] struct {
	dropout float64
	in, out *linear[T]
	norm    *norm[T]
}

func (p *params[T]) feedForward(c Config) *feedForward[T] {
	return &feedForward[T]{
		dropout: c.Dropout,
		in:      p.linear("ffn.in", 4*c.Hidden, c.Hidden, true),
		out:     p.linear("ffn.out", c.Hidden, 4*c.Hidden, true),
		norm:    p.norm("ffn.norm", c.Hidden),
	}
}

// feeding is what a feedForward made in a pass.
type feeding[T compute.Float] struct {
	innerBuf, activeBuf, outBuf, stateBuf, dInnerBuf, dOutBuf buffer[T]

	x       compute.Matrix[T] // rows×d, its input
	inner   compute.Matrix[T] // rows×4d: W1·x + b1
	active  compute.Matrix[T] // rows×4d: Dropout(GELU(inner))
	sum     compute.Matrix[T] // rows×d: what is normalised
	state   compute.Matrix[T] // rows×d: h*
	moments []moment[T]

	innerMasks, outMasks masks
}

// forward returns h* of the rows of x, which it keeps.
func (f *feedForward[T]) forward(p *Pass[T], s *feeding[T], x compute.Matrix[T]) compute.Matrix[T] {
	n, d, b := x.Rows, x.Cols, p.model.backend
	s.x = x
	s.inner, s.active = s.innerBuf.matrix(n, 4*d), s.activeBuf.matrix(n, 4*d)
	s.innerMasks.begin(newDropout(f.dropout, p.chance), n, 4*d)
	s.outMasks.begin(newDropout(f.dropout, p.chance), n, d)
	f.in.product(b, s.inner, x)
	b.Rows(n, rowGrain/4, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			vector.Add(s.inner.Row(i), f.in.bias.Value.Data)
			vector.GELU(s.active.Row(i), s.inner.Row(i))
			drop(&s.innerMasks, s.active.Row(i), i)
		}
	})
	s.sum, s.state = s.outBuf.matrix(n, d), s.stateBuf.matrix(n, d)
	s.moments = resize(s.moments, n)
	f.out.product(b, s.sum, s.active)
	b.Rows(n, rowGrain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := s.sum.Row(i)
			vector.Add(row, f.out.bias.Value.Data)
			drop(&s.outMasks, row, i)
			vector.Add(row, x.Row(i))
			s.moments[i] = f.norm.row(s.state.Row(i), row)
		}
	})
	return s.state
}

// backward adds the gradients of the parameters and returns the derivative by x,
// given that by h*, which it overwrites.
func (f *feedForward[T]) backward(p *Pass[T], s *feeding[T], dState compute.Matrix[T]) compute.Matrix[T] {
	n, d, b := dState.Rows, dState.Cols, p.model.backend
	dOut, dInner := s.dOutBuf.matrix(n, d), s.dInnerBuf.matrix(n, 4*d)
	sum := p.sum.zeros(1, 3*d).Data
	for i := range n {
		dx, dy := dState.Row(i), dOut.Row(i)
		f.norm.rowBackward(dx, dx, s.sum.Row(i), s.moments[i], sum)
		copy(dy, dx)
		dropAgain(&s.outMasks, dy, i)
		vector.Add(sum[2*d:], dy)
	}
	f.norm.addSums(sum)
	addTo(f.out.bias.Grad.Data, sum[2*d:])
	f.out.backward(b, dInner, dOut, s.active, false)
	sum = p.sum.sumRows(b, 0, n, 4*d, func(lo, hi int, sum []T) {
		for i := lo; i < hi; i++ {
			row := dInner.Row(i)
			dropAgain(&s.innerMasks, row, i)
			vector.GELUGrad(row, row, s.inner.Row(i))
			vector.Add(sum, row)
		}
	})
	addTo(f.in.bias.Grad.Data, sum)
	f.in.backward(b, dState, dInner, s.x, true) // on top of what passes by
	return dState
}
