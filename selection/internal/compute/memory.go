package compute

import "unsafe"

// hugePage is the size of a large page of the common processors.
const hugePage = 2 << 20

// Make returns n zeros for numbers that many passes run over. Large ones lie in
// huge pages where the system has them: looking up the small pages of matrices
// whose rows are far apart takes longer than the arithmetic.
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

// A Slab hands out memory as [Make] does, for things that are too small for a
// huge page of their own and live about as long. The zero value is ready. One
// goroutine at a time uses it.
type Slab[T Float] struct{ rest []T }

// Make returns n zeros.
func (s *Slab[T]) Make(n int) []T {
	const line = 16 // numbers; what is handed out begins at a line of the cache
	if n > slabNumbers {
		return Make[T](n)
	}
	if len(s.rest) < n {
		s.rest = Make[T](slabNumbers)
	}
	made := s.rest[:n:n]
	s.rest = s.rest[min(len(s.rest), (n+line-1)/line*line):]
	return made
}

// slabNumbers is how many numbers a slab takes at once: a huge page of float32s.
const slabNumbers = hugePage / 4

// Matrix returns a matrix of zeros.
func (s *Slab[T]) Matrix(rows, cols int) Matrix[T] {
	return Matrix[T]{Rows: rows, Cols: cols, Stride: cols, Data: s.Make(rows * cols)}
}
