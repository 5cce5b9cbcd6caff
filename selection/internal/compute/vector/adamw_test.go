package vector

import (
	"encoding/json"
	"os"
	"testing"

	"trawl/internal/seed"
	"trawl/internal/testutil"
)

// TestAdamWByHand: at the first step both moments are unbiased to g and g², so p
// moves by the rate, against the sign of g: with rate 0.1 and decay 0.5,
// p = 2·(1 - 0.05) - 0.1·3/(3 + ε). Then m = 0.1·3 and v = 0.001·9.
func TestAdamWByHand(t *testing.T) {
	p, m, v := []float64{2}, []float64{0}, []float64{0}
	AdamW(p, []float64{3}, m, v, Step{Number: 1, Rate: 0.1, Decay: 0.5, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8})
	near(t, "p, m, v", []float64{p[0], m[0], v[0]}, []float64{1.8, 0.3, 0.009}, 1e-9)
}

// TestAdamWGolden follows two numbers step by step.
func TestAdamWGolden(t *testing.T) {
	data, err := os.ReadFile(testutil.SharedGolden(t, "selector/adamw.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Cases []struct {
			Name      string      `json:"name"`
			Rate      float64     `json:"lr"`
			Decay     float64     `json:"weight_decay"`
			Betas     [2]float64  `json:"betas"`
			Epsilon   float64     `json:"eps"`
			Start     []float64   `json:"start"`
			Gradients [][]float64 `json:"gradients"`
			After     [][]float64 `json:"after"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	for _, c := range golden.Cases {
		t.Run(c.Name, func(t *testing.T) {
			m, v := make([]float64, len(c.Start)), make([]float64, len(c.Start))
			for i, g := range c.Gradients {
				AdamW(c.Start, g, m, v, Step{
					Number: i + 1, Rate: c.Rate, Decay: c.Decay,
					Beta1: c.Betas[0], Beta2: c.Betas[1], Epsilon: c.Epsilon,
				})
				near(t, "p", c.Start, c.After[i], 1e-8)
			}
		})
	}
}

// TestAdamW compares every length with float64 over three steps.
func TestAdamW(t *testing.T) {
	each(t, func(t *testing.T, f *fast) {
		chance := seed.Rand(42, "adamw")
		for _, n := range lengths() {
			p, m, v := row(chance, n), row(chance, n), row(chance, n)
			for i := range v {
				v[i] *= v[i] // a mean of squares
			}
			wantP, wantM, wantV := wide(p), wide(m), wide(v)
			for i := range 3 {
				g := row(chance, n)
				step := Step{Number: i + 1, Rate: 0.01, Decay: 0.1, Beta1: 0.9, Beta2: 0.99, Epsilon: 1e-8}
				adamW(f, p, g, m, v, step)
				adamW(nil, wantP, wide(g), wantM, wantV, step)
			}
			near(t, "p", p, wantP, 1e-5)
			near(t, "m", m, wantM, 1e-6)
			near(t, "v", v, wantV, 1e-6)
			checkGuards(t, p, m, v)
		}
	})
}
