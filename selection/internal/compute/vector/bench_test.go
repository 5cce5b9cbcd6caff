package vector

import (
	"testing"

	"trawl/internal/seed"
)

// BenchmarkRow runs over rows as long as the network's, in plain Go and in each
// assembly of this machine.
func BenchmarkRow(b *testing.B) {
	const n = 256
	chance := seed.Rand(42, "bench")
	x, y, w, z, dw, db := row(chance, n), row(chance, n), row(chance, n), row(chance, n), row(chance, n), row(chance, n)
	m, v := make([]float32, n), make([]float32, n)
	functions := []struct {
		name string
		do   func(f *fast)
	}{
		{"Add", func(f *fast) { add(f, z, x) }},
		{"AddScaled", func(f *fast) { addScaled(f, z, 0.5, x) }},
		{"Dot", func(f *fast) { dot(f, x, y) }},
		{"GELU", func(f *fast) { gelu(f, z, x) }},
		{"GELUGrad", func(f *fast) { geluGrad(f, z, y, x) }},
		{"Norm", func(f *fast) { norm(f, z, x, w, y) }},
		{"NormGrad", func(f *fast) { normGrad(f, z, y, x, w, 0, 1, dw, db) }},
		{"AdamW", func(f *fast) {
			adamW(f, w, y, m, v, Step{Number: 1, Rate: 1e-3, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8})
		}},
	}
	for _, function := range functions {
		for _, f := range append(assemblies(), nil) {
			name := "portable"
			if f != nil {
				name = f.name
			}
			b.Run(function.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					function.do(f)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/number")
			})
		}
	}
}
