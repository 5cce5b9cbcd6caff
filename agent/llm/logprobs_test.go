package llm_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"trawl/agent/llm"
)

func TestTokenEntropy(t *testing.T) {
	ln := math.Log
	var twenty []float64
	for i := range 20 {
		twenty = append(twenty, float64(-(i % 4)))
	}
	tests := []struct {
		name     string
		logprobs []float64
		want     float64
		ok       bool
	}{
		{"nothing", nil, 0, false},
		{"one alternative says nothing of the others", []float64{-0.1}, 0, false},
		{"two alike", []float64{ln(0.5), ln(0.5)}, ln(2), true},
		// .2 and .1 of the mass are 2/3 and 1/3: −2/3·ln(2/3) − 1/3·ln(1/3) = .6365142
		{"renormalised", []float64{ln(0.1), ln(0.2)}, 0.6365142, true},
		// vLLM writes −9999 for what cannot be: its share is 0, and so is 0·ln 0.
		{"impossible", []float64{0, -9999}, 0, true},
		// 20 alternatives, five each of 0, −1, −2 and −3. The 16 likeliest are five of 0, −1
		// and −2, and one of −3: Z = 5 + 5/e + 5/e² + 1/e³ = 7.5658607, Σ p·l = −(5/e + 2·5/e²
		// + 3/e³)/Z = −.4417358, H = ln Z − Σ p·l = 2.0236465 + .4417358 = 2.4653823.
		{"sixteen of twenty", twenty, 2.4653823, true},
		{"all impossible", []float64{math.Inf(-1), math.Inf(-1)}, 0, false},
		{"not a number", []float64{math.NaN(), math.NaN()}, 0, false},
		{"one of them is not a number", []float64{-0.5, math.NaN(), -1}, 0, false},
		{"probabilities in their place", []float64{0.7, 0.2}, 0, false},
		{"above 1 by rounding", []float64{1e-7, -9999}, 0, true},
		{"infinite", []float64{math.Inf(1), -1}, 0, false},
		{"huge", []float64{1e308, -1}, 0, false},
		{"hugely negative, all of them", []float64{-1e308, -1e308}, 0, false},
		{"impossible, all of them", []float64{-9999, -9999}, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := llm.TokenEntropy(tt.logprobs)
			if ok != tt.ok || math.Abs(got-tt.want) > 1e-6 {
				t.Errorf("TokenEntropy = %.7f, %v, want %.7f, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

// An entropy lies between 0 and ln k, and depends neither on the order of the
// alternatives nor on what all of them are multiplied by.
func TestTokenEntropyProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		k := 2 + r.IntN(15)
		l, moved := make([]float64, k), make([]float64, k)
		for i := range l {
			l[i] = -20 * r.Float64()
		}
		for i, j := range r.Perm(k) {
			moved[j] = l[i] - 3
		}
		h, ok := llm.TokenEntropy(l)
		again, _ := llm.TokenEntropy(moved)
		if !ok || h < 0 || h > math.Log(float64(k))+1e-12 || math.Abs(h-again) > 1e-9 {
			t.Fatalf("TokenEntropy(%v) = %v, %v; moved %v", l, h, ok, again)
		}
	}
}

func TestMeanEntropy(t *testing.T) {
	half := llm.Token{Top: []float64{-1, -1}}
	sure := llm.Token{Top: []float64{0, -9999}}
	if h, ok := llm.MeanEntropy([]llm.Token{half, sure}); !ok || math.Abs(h-math.Log(2)/2) > 1e-12 {
		t.Errorf("MeanEntropy = %v, %v, want half of ln 2", h, ok)
	}
	if _, ok := llm.MeanEntropy([]llm.Token{half, {}}); ok {
		t.Error("a mean over a token without alternatives")
	}
	if _, ok := llm.MeanEntropy(nil); ok {
		t.Error("a mean over nothing")
	}
}
