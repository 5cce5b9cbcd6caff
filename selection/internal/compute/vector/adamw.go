package vector

import (
	"math"

	"trawl/selection/internal/compute"
)

// A Step is one step of AdamW; every field is taken literally. SEL trains with
// rate 3e-4, decay 1e-4, β = (0.9, 0.999) and ε = 1e-8.
type Step struct {
	Number       int // from 1
	Rate, Decay  float64
	Beta1, Beta2 float64
	Epsilon      float64
}

// AdamW moves the parameters p by the gradient g, keeping its moments in m and
// v (Loshchilov and Hutter 2019, with decoupled decay, bias correction and ε
// outside the root, as torch has it):
//
//	p ← p·(1 - rate·decay)
//	m ← m + (1-β₁)·(g - m)
//	v ← β₂·v + (1-β₂)·g²
//	p ← p - rate/(1-β₁ᵗ) · m / (√v/√(1-β₂ᵗ) + ε)
func AdamW[T compute.Float](p, g, m, v []T, step Step) { adamW(machine, p, g, m, v, step) }

func adamW[T compute.Float](f *fast, p, g, m, v []T, step Step) {
	if n := len(p); len(g) != n || len(m) != n || len(v) != n {
		panic(badLength)
	}
	if n := whole[T](f, len(p)); n > 0 {
		f.adamW(head(p, n), head(g, n), head(m, n), head(v, n), coefficientsOf[float32](step))
		p, g, m, v = p[n:], g[n:], m[n:], v[n:]
	}
	c := coefficientsOf[T](step)
	for i, d := range g {
		first := m[i] + c.first*(d-m[i])
		second := c.keep*v[i] + c.second*d*d
		m[i], v[i] = first, second
		root := T(math.Sqrt(float64(second)))
		p[i] = p[i]*c.shrink - c.rate*first/(root*c.unbias+c.epsilon)
	}
}

// coefficients are the constants of one step in the kind of number it runs in.
type coefficients[T compute.Float] struct {
	shrink        T // 1 - rate·decay
	first         T // 1 - β₁
	keep, second  T // β₂, 1 - β₂
	unbias        T // 1/√(1-β₂ᵗ)
	rate, epsilon T // rate/(1-β₁ᵗ), ε
}

func coefficientsOf[T compute.Float](s Step) coefficients[T] {
	t := float64(s.Number)
	return coefficients[T]{
		shrink:  T(1 - s.Rate*s.Decay),
		first:   T(1 - s.Beta1),
		keep:    T(s.Beta2),
		second:  T(1 - s.Beta2),
		unbias:  T(1 / math.Sqrt(1-math.Pow(s.Beta2, t))),
		rate:    T(s.Rate / (1 - math.Pow(s.Beta1, t))),
		epsilon: T(s.Epsilon),
	}
}
