package cpu

import "trawl/selection/internal/compute"

// An operand is the left side of a product, m×k, in any layout: element (i, k)
// is data[i·row + k·step].
type operand[T compute.Float] struct {
	data      []T
	row, step int
}

// rowsOf is x itself.
func rowsOf[T compute.Float](x compute.Matrix[T]) operand[T] {
	return operand[T]{data: x.Data, row: x.Stride, step: 1}
}

// columnsOf is yᵀ.
func columnsOf[T compute.Float](y compute.Matrix[T]) operand[T] {
	return operand[T]{data: y.Data, row: 1, step: y.Stride}
}

// tiles are the rows of a block of a, whole tiles of them: element (i, k) of the
// tile that begins with row r is data[r·pitch + i·row + k·step].
type tiles[T compute.Float] struct {
	operand[T]
	pitch int
}

// aliasing is the distance in elements at which rows fall on the same lines of a
// first-level cache: a page of float32s.
const aliasing = 1024

// many is the number of panels from which on a copy of columns pays.
const many = 4

// left returns the tiles of a block: a itself, or a copy where the last tile
// would reach beyond the rows, where a page lies between row and row, or where
// rows lie in columns and will be read for many panels.
func (p *product[T]) left(at block, panels int, s *scratch[T]) tiles[T] {
	height := p.height()
	from := p.a
	from.data = from.data[at.row*from.row+at.k*from.step:]
	last := at.rows % height
	whole := last == 0 || p.kernel.tile(last).rows == last
	if whole && (from.step == 1 && from.row%aliasing != 0 || from.step != 1 && panels < many) {
		return tiles[T]{from, from.row}
	}
	s.a = resize(s.a, ceil(at.rows, height)*height*at.depth)
	if from.step == 1 {
		for i := range at.rows {
			copy(s.a[i*at.depth:][:at.depth], from.data[i*from.row:])
		}
		clear(s.a[at.rows*at.depth:])
		return tiles[T]{operand[T]{data: s.a, row: at.depth, step: 1}, at.depth}
	}
	columns := compute.Matrix[T]{Rows: at.depth, Cols: at.rows, Stride: from.step, Data: from.data}
	packAlong(s.a, columns, height, p.kernel.columns)
	return tiles[T]{operand[T]{data: s.a, row: 1, step: height}, at.depth}
}
