package cpu

import "trawl/selection/internal/compute"

// A kernel is an innermost loop: it multiplies tiles.
type kernel[T compute.Float] struct {
	name  Kernel
	cols  int       // width of a tile
	tiles []tile[T] // by falling number of rows
	peak  peakLoop  // the same work without memory

	// transpose packs wᵀ, w being cols×k, into one panel.
	transpose func(panel []T, w compute.Matrix[T])
	// panels packs rows of b into panels, columns those of yᵀ into the highest
	// tiles.
	panels, columns copier[T]
}

// A tile multiplies rows×k by k×cols, where cols is the kernel's:
//
//	c[i·cStride + j] (+)= Σ a[i·row + k·step] · b[k·cols + j]
//
// adding up in the order of k.
type tile[T compute.Float] struct {
	rows int
	mul  func(k int, a []T, row, step int, b, c []T, cStride int, add bool)
}

// tile returns the lowest tile of at least rows rows.
func (k *kernel[T]) tile(rows int) *tile[T] {
	for i := len(k.tiles) - 1; i > 0; i-- {
		if k.tiles[i].rows >= rows {
			return &k.tiles[i]
		}
	}
	return &k.tiles[0]
}

// portableKernel is the specification of the others.
func portableKernel[T compute.Float]() *kernel[T] {
	return &kernel[T]{
		name:      Portable,
		cols:      portableCols,
		tiles:     []tile[T]{{4, mul4x4[T]}, {1, mul1x4[T]}},
		transpose: func(panel []T, w compute.Matrix[T]) { transpose(panel, w, portableCols) },
		panels:    copyPieces[T](portableCols),
		columns:   copyPieces[T](4),
		peak:      peakLoop{16, func(n int) { sums(n) }},
	}
}

const portableCols = 4

// mul4x4 keeps sixteen sums in registers.
func mul4x4[T compute.Float](k int, a []T, row, step int, b, c []T, cStride int, add bool) {
	mul2x4(k, a, row, step, b, c, cStride, add)
	mul2x4(k, a[2*row:], row, step, b, c[2*cStride:], cStride, add)
}

// mul2x4 keeps eight sums in registers, as many as sixteen leave room for.
func mul2x4[T compute.Float](k int, a []T, row, step int, b, c []T, cStride int, add bool) {
	var c00, c01, c02, c03, c10, c11, c12, c13 T
	at := 0
	for ; k > 0; k-- {
		p := (*[portableCols]T)(b)
		b = b[portableCols:]
		x, y := a[at], a[at+row]
		at += step
		c00 += x * p[0]
		c01 += x * p[1]
		c02 += x * p[2]
		c03 += x * p[3]
		c10 += y * p[0]
		c11 += y * p[1]
		c12 += y * p[2]
		c13 += y * p[3]
	}
	store4(c, c00, c01, c02, c03, add)
	store4(c[cStride:], c10, c11, c12, c13, add)
}

// mul1x4 is for the last rows.
func mul1x4[T compute.Float](k int, a []T, _, step int, b, c []T, _ int, add bool) {
	var c0, c1, c2, c3 T
	at := 0
	for ; k > 0; k-- {
		p := (*[portableCols]T)(b)
		b = b[portableCols:]
		x := a[at]
		at += step
		c0 += x * p[0]
		c1 += x * p[1]
		c2 += x * p[2]
		c3 += x * p[3]
	}
	store4(c, c0, c1, c2, c3, add)
}

func store4[T compute.Float](c []T, v0, v1, v2, v3 T, add bool) {
	p := (*[portableCols]T)(c)
	if add {
		v0, v1, v2, v3 = p[0]+v0, p[1]+v1, p[2]+v2, p[3]+v3
	}
	p[0], p[1], p[2], p[3] = v0, v1, v2, v3
}
