package compute

import "unsafe"

// hugePage is the size of a huge page of the common processors, in bytes.
const hugePage = 2 << 20

// Make returns n zeros for numbers that are used again and again. From an eighth
// of a huge page on they lie in huge pages, where the system has them, and begin
// with one: to look up the small pages of matrices whose rows are far apart takes
// about as long as the arithmetic, in a virtual machine at least.
func Make[T Float](n int) []T {
	size := int(unsafe.Sizeof(T(0)))
	if n*size < hugePage/8 {
		return make([]T, n)
	}
	page := hugePage / size
	whole := (n + page - 1) / page * page
	data := make([]T, whole+page)
	if skip := int(uintptr(unsafe.Pointer(&data[0])) % hugePage); skip > 0 {
		data = data[(hugePage-skip)/size:]
	}
	preferHuge(unsafe.Slice((*byte)(unsafe.Pointer(&data[0])), whole*size))
	return data[:n:whole]
}

// A Slab hands out memory as [Make] does, for numbers that are too few for huge
// pages of their own and live about as long as each other. The zero value is
// ready. One goroutine at a time uses it.
type Slab[T Float] struct {
	rest []T
	size int // of the latest piece that rest is what is left of
}

// Make returns n zeros, which begin with a line of the cache if the slab does.
func (s *Slab[T]) Make(n int) []T {
	const (
		line  = 16 // numbers
		least = 1 << 12
		most  = hugePage / 4 // a huge page of float32s
	)
	if n >= most {
		return Make[T](n)
	}
	if len(s.rest) < n {
		s.size = max(n, min(most, max(least, 2*s.size)))
		s.rest = Make[T](s.size)
	}
	made := s.rest[:n:n]
	s.rest = s.rest[min(len(s.rest), (n+line-1)/line*line):]
	return made
}

// Matrix returns a matrix of zeros.
func (s *Slab[T]) Matrix(rows, cols int) Matrix[T] {
	return Matrix[T]{Rows: rows, Cols: cols, Stride: cols, Data: s.Make(rows * cols)}
}
