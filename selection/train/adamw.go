package train

import (
	"trawl/selection/gnn"
	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/vector"
)

// The constants of AdamW that are no setting (SEL A.4: the defaults of torch).
const (
	beta1   = 0.9
	beta2   = 0.999
	epsilon = 1e-8
)

// AdamW moves parameters against their gradients (Loshchilov and Hutter,
// arXiv:1711.05101). For step t of a tensor with gradient g, first p ← p·(1 −
// rate·decay), then
//
//	m ← β₁·m + (1−β₁)·g        v ← β₂·v + (1−β₂)·g²
//	p ← p − rate · (m / (1−β₁ᵗ)) / (√(v / (1−β₂ᵗ)) + ε)
//
// All tensors are one group, so biases, norms and single numbers decay as well. A
// tensor that no backward pass reached is left alone, decay and t included; one
// that was reached with a gradient of 0 is stepped.
type AdamW[T compute.Float] struct {
	rate, decay float64
	moments     []moments[T] // by parameter
	pieces      []piece[T]   // of one step
	cores       compute.Cores
}

// moments are what AdamW remembers of one tensor.
type moments[T compute.Float] struct {
	param  *gnn.Param[T]
	m, v   []T
	steps  int
	frozen bool
}

// NewAdamW returns an AdamW for parameters. Zeros are taken literally.
func NewAdamW[T compute.Float](params []*gnn.Param[T], rate, decay float64) *AdamW[T] {
	o := &AdamW[T]{rate: rate, decay: decay, moments: make([]moments[T], len(params))}
	var memory compute.Slab[T]
	for i, p := range params {
		n := len(p.Value.Data)
		o.moments[i] = moments[T]{param: p, m: memory.Make(n), v: memory.Make(n)}
	}
	return o
}

// Step moves all parameters that the last backward pass reached. The model must
// be told that they changed.
func (o *AdamW[T]) Step() {
	o.pieces = o.pieces[:0]
	for i := range o.moments {
		t := &o.moments[i]
		if !t.param.Reached || t.frozen {
			continue
		}
		t.steps++
		for lo := 0; lo < len(t.m); lo += grain {
			o.pieces = append(o.pieces, piece[T]{t, lo, min(lo+grain, len(t.m))})
		}
	}
	o.cores.Rows(len(o.pieces), 1, func(lo, hi int) {
		for _, p := range o.pieces[lo:hi] {
			p.step(o)
		}
	})
}

// A piece is the numbers lo to hi-1 of a tensor. Pieces begin at multiples of a
// constant, so that how a kernel rounds at the end of one does not depend on the
// number of cores.
type piece[T compute.Float] struct {
	*moments[T]
	lo, hi int
}

func (p piece[T]) step(o *AdamW[T]) {
	value, grad := p.param.Value.Data[p.lo:p.hi], p.param.Grad.Data[p.lo:p.hi]
	vector.AdamW(value, grad, p.m[p.lo:p.hi], p.v[p.lo:p.hi],
		vector.Step{Number: p.steps, Rate: o.rate, Decay: o.decay, Beta1: beta1, Beta2: beta2, Epsilon: epsilon})
}

// grain is the length of a piece: what a core steps in some ten microseconds.
const grain = 1 << 14
