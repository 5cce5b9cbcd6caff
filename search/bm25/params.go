package bm25

import (
	"fmt"
	"math"
)

// Params are BM25's two numbers. They are taken literally: zero is legal, and
// b = 0 means that length does not matter.
type Params struct {
	K1 float64 `json:"k1"` // how soon a term's repetitions stop counting; ≥ 0
	B  float64 `json:"b"`  // how much length matters, from 0 to 1
}

// DefaultParams returns k1 = 0.9 and b = 0.4, the values of Anserini, Pyserini
// and Search-R1.
func DefaultParams() Params { return Params{K1: 0.9, B: 0.4} }

// Validate reports parameters that the formula does not admit.
func (p Params) Validate() error {
	switch {
	case !(p.K1 >= 0 && p.K1 <= math.MaxFloat32):
		return fmt.Errorf("k1 is %v, not a number from 0", p.K1)
	case !(p.B >= 0 && p.B <= 1):
		return fmt.Errorf("b is %v, not a number from 0 to 1", p.B)
	}
	return nil
}

// idf returns the inverse document frequency of a term found in df of n
// documents,
//
//	ln(1 + (n − df + 0.5) / (df + 0.5))
//
// which, unlike the original weight of Robertson and Spärck Jones, is positive
// even for a term that all documents have.
func idf(n, df int) float64 {
	return math.Log1p((float64(n-df) + 0.5) / (float64(df) + 0.5))
}

// knownNorms is up to which length norms are looked up.
const knownNorms = 1 << 12

// norms knows k1·(1 − b + b·dl/avgdl) for every length dl of a document.
type norms struct {
	params Params
	avgdl  float64
	known  [knownNorms]float64
}

// newNorms returns the norms among n documents of the total length.
func newNorms(p Params, total uint64, n int) *norms {
	s := &norms{params: p, avgdl: float64(total) / float64(max(n, 1))}
	for dl := range s.known {
		s.known[dl] = s.compute(uint32(dl))
	}
	return s
}

// compute keeps compilers from fusing operations by its conversions, which would
// make the last bit differ between machines.
func (s *norms) compute(dl uint32) float64 {
	length := float64(s.params.B * float64(dl) / s.avgdl)
	return float64(s.params.K1 * (1 - s.params.B + length))
}

func (s *norms) of(dl uint32) float64 {
	if dl < knownNorms {
		return s.known[dl]
	}
	return s.compute(dl)
}

// saturation returns tf / (tf + k1·(1 − b + b·dl/avgdl)), the part of a term's
// score that grows with tf, towards 1. tf is at least 1.
func (s *norms) saturation(tf, dl uint32) float64 {
	return float64(tf) / (float64(tf) + s.of(dl))
}

// roundUp returns the smallest float32 that is not less than x.
func roundUp(x float64) float32 {
	f := float32(x)
	if float64(f) < x {
		f = math.Nextafter32(f, float32(math.Inf(1)))
	}
	return f
}
