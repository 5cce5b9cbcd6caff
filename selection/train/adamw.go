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
	for i, p := range params {
		n := len(p.Value.Data)
		o.moments[i] = moments[T]{param: p, m: make([]T, n), v: make([]T, n)}
	}
	return o
}

// Step moves all parameters that the last backward pass reached. The model must
// be told that they changed.
func (o *AdamW[T]) Step() {
	for i := range o.moments {
		t := &o.moments[i]
		if !t.param.Reached || t.frozen {
			continue
		}
		t.steps++
		step := vector.Step{Number: t.steps, Rate: o.rate, Decay: o.decay, Beta1: beta1, Beta2: beta2, Epsilon: epsilon}
		// Ranges begin at multiples of a constant, so that how a kernel rounds at
		// the end of one does not depend on the number of cores.
		n := len(t.m)
		compute.Rows((n+grain-1)/grain, 1, func(lo, hi int) {
			for at := lo * grain; at < min(hi*grain, n); at += grain {
				end := min(at+grain, n)
				vector.AdamW(t.param.Value.Data[at:end], t.param.Grad.Data[at:end], t.m[at:end], t.v[at:end], step)
			}
		})
	}
}

// grain is how many numbers a core steps at a time.
const grain = 1 << 14
