package compute

// A Matrix is a view of rows of numbers, the elements of a row side by side and
// the rows Stride apart.
type Matrix[T Float] struct {
	Rows, Cols, Stride int
	Data               []T
}

// NewMatrix returns a matrix of zeros.
func NewMatrix[T Float](rows, cols int) Matrix[T] {
	return Matrix[T]{Rows: rows, Cols: cols, Stride: cols, Data: Make[T](rows * cols)}
}

// Row returns row i; it can be written to.
func (m Matrix[T]) Row(i int) []T { return m.Data[i*m.Stride:][:m.Cols:m.Cols] }

// RowRange returns the view of rows lo to hi-1.
func (m Matrix[T]) RowRange(lo, hi int) Matrix[T] {
	view := Matrix[T]{Rows: hi - lo, Cols: m.Cols, Stride: m.Stride}
	if hi > lo {
		view.Data = m.Data[lo*m.Stride : (hi-1)*m.Stride+m.Cols]
	}
	return view
}

// ColRange returns the view of columns lo to hi-1.
func (m Matrix[T]) ColRange(lo, hi int) Matrix[T] {
	view := Matrix[T]{Rows: m.Rows, Cols: hi - lo, Stride: m.Stride}
	if m.Rows > 0 {
		view.Data = m.Data[lo : (m.Rows-1)*m.Stride+hi]
	}
	return view
}
