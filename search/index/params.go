package index

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

// Norm returns k1·(1 − b + b·dl/avgdl), the tf at which a document of length dl
// has half of what its term can add to a score:
//
//	tf / (tf + k1·(1 − b + b·dl/avgdl))
//
// The conversions keep compilers from fusing operations, which would make the
// last bit differ between machines.
func (p Params) Norm(dl uint64, avgdl float64) float64 {
	length := float64(p.B * float64(dl) / avgdl)
	return float64(p.K1 * (1 - p.B + length))
}

// IDF returns the inverse document frequency of a term found in df of n
// documents,
//
//	ln(1 + (n − df + 0.5) / (df + 0.5))
//
// which, unlike the original weight of Robertson and Spärck Jones, is positive
// even for a term that all documents have.
func IDF(n, df int) float64 {
	return math.Log1p((float64(n-df) + 0.5) / (float64(df) + 0.5))
}
