package index_test

import (
	"math"
	"testing"

	"trawl/search/index"
)

func TestIDF(t *testing.T) {
	// idf: ln(1 + (N − df + 0.5)/(df + 0.5))
	for _, tt := range []struct {
		n, df int
		want  float64
	}{
		{10, 1, math.Log(1 + 9.5/1.5)},
		{10, 10, math.Log(1 + 0.5/10.5)}, // all documents: small, still positive
		{1, 1, math.Log(1 + 0.5/1.5)},
	} {
		if got := index.IDF(tt.n, tt.df); math.Abs(got-tt.want) > 1e-12 || got <= 0 {
			t.Errorf("IDF(%d, %d) = %v, want %v", tt.n, tt.df, got, tt.want)
		}
	}
}

// TestNorm checks tf / (tf + Norm), which is what the norm is for.
func TestNorm(t *testing.T) {
	for _, tt := range []struct {
		p      index.Params
		tf, dl uint64
		avgdl  float64
		want   float64
	}{
		{index.DefaultParams(), 1, 10, 10, 1 / 1.9},                 // average length: k1
		{index.DefaultParams(), 3, 20, 10, 3 / (3 + 0.9*1.4)},       // twice the average: 1 − 0.4 + 0.8
		{index.DefaultParams(), 2, 5, 10, 2 / (2 + 0.9*0.8)},        // half of it: 1 − 0.4 + 0.2
		{index.Params{K1: 1.2, B: 0}, 2, 1000, 10, 2 / 3.2},         // b = 0: length is nothing
		{index.Params{K1: 1.2, B: 1}, 2, 30, 10, 2 / (2 + 1.2*3.0)}, // b = 1: length is all
		{index.Params{}, 7, 3, 10, 1},                               // k1 = 0: presence is all
	} {
		if got := float64(tt.tf) / (float64(tt.tf) + tt.p.Norm(tt.dl, tt.avgdl)); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%+v: the part of tf %d in length %d of %v is %v, want %v", tt.p, tt.tf, tt.dl, tt.avgdl, got, tt.want)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		p  index.Params
		ok bool
	}{
		{index.DefaultParams(), true}, {index.Params{}, true}, {index.Params{K1: 100, B: 1}, true},
		{index.Params{K1: -0.1}, false}, {index.Params{B: -0.1}, false}, {index.Params{B: 1.1}, false},
		{index.Params{K1: math.NaN()}, false}, {index.Params{B: math.NaN()}, false}, {index.Params{K1: math.Inf(1)}, false},
	} {
		if err := tt.p.Validate(); (err == nil) != tt.ok {
			t.Errorf("%+v.Validate() = %v", tt.p, err)
		}
	}
}
