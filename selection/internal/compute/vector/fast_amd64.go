package vector

import "golang.org/x/sys/cpu"

// assemblies are those that this processor runs, the fastest first.
func assemblies() []*fast {
	var known []*fast
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ {
		known = append(known, avx512())
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		known = append(known, avx2())
	}
	return known
}

func avx512() *fast {
	return &fast{
		name: "avx512", lanes: 16,
		add: avx512Add, addScaled: avx512AddScaled, scale: avx512Scale, dot: avx512Dot,
		gelu: avx512GELU, geluGrad: avx512GELUGrad,
		sum: avx512Sum, squares: avx512Squares, normalize: avx512Normalize,
		normSums: avx512NormSums, normBack: avx512NormBack,
		adamW: avx512AdamW,
	}
}

func avx2() *fast {
	return &fast{
		name: "avx2", lanes: 8,
		add: avx2Add, addScaled: avx2AddScaled, scale: avx2Scale, dot: avx2Dot,
		gelu: avx2GELU, geluGrad: avx2GELUGrad,
		sum: avx2Sum, squares: avx2Squares, normalize: avx2Normalize,
		normSums: avx2NormSums, normBack: avx2NormBack,
		adamW: avx2AdamW,
	}
}

//go:noescape
func avx512Add(dst, x []float32)

//go:noescape
func avx512AddScaled(dst []float32, a float32, x []float32)

//go:noescape
func avx512Scale(dst []float32, a float32)

//go:noescape
func avx512Dot(x, y []float32) float32

//go:noescape
func avx512GELU(dst, x []float32)

//go:noescape
func avx512GELUGrad(dx, dy, x []float32)

//go:noescape
func avx512Sum(x []float32) float64

//go:noescape
func avx512Squares(x []float32, center float64) float64

//go:noescape
func avx512Normalize(dst, x, weight, bias []float32, mean, rstd float32)

//go:noescape
func avx512NormSums(dy, x, weight, dweight, dbias []float32, mean, rstd float32) (sum, along float64)

//go:noescape
func avx512NormBack(dx, dy, x, weight []float32, mean, rstd, shift, tilt float32)

//go:noescape
func avx512AdamW(p, g, m, v []float32, c coefficients[float32])

//go:noescape
func avx2Add(dst, x []float32)

//go:noescape
func avx2AddScaled(dst []float32, a float32, x []float32)

//go:noescape
func avx2Scale(dst []float32, a float32)

//go:noescape
func avx2Dot(x, y []float32) float32

//go:noescape
func avx2GELU(dst, x []float32)

//go:noescape
func avx2GELUGrad(dx, dy, x []float32)

//go:noescape
func avx2Sum(x []float32) float64

//go:noescape
func avx2Squares(x []float32, center float64) float64

//go:noescape
func avx2Normalize(dst, x, weight, bias []float32, mean, rstd float32)

//go:noescape
func avx2NormSums(dy, x, weight, dweight, dbias []float32, mean, rstd float32) (sum, along float64)

//go:noescape
func avx2NormBack(dx, dy, x, weight []float32, mean, rstd, shift, tilt float32)

//go:noescape
func avx2AdamW(p, g, m, v []float32, c coefficients[float32])
