package feature

import "sync/atomic"

// slabRows is how many vectors share one piece of memory: what exists is never
// moved when more come.
const slabRows = 1024

// slabs holds vectors in memory. One goroutine at a time appends, any may read
// rows that it was told of.
type slabs struct {
	size int // bytes of a vector
	n    int
	list atomic.Pointer[[][]byte]
}

func (s *slabs) len() int { return s.n }

// append adds vectors of size bytes each and returns the number of the first.
func (s *slabs) append(packed []byte, size int) (first int) {
	first, s.size = s.n, size
	var list [][]byte
	if old := s.list.Load(); old != nil {
		list = *old
	}
	for ; len(packed) > 0; packed = packed[size:] {
		at := s.n % slabRows
		if at == 0 {
			list = append(list, make([]byte, slabRows*size))
		}
		copy(list[len(list)-1][at*size:], packed[:size])
		s.n++
	}
	s.list.Store(&list)
	return first
}

// read sets dst to vector i.
func (s *slabs) read(i int, dst []float32) {
	list := s.list.Load()
	if list == nil || i < 0 || i >= slabRows*len(*list) {
		panic(badRow)
	}
	size := len((*list)[0]) / slabRows
	if size != 2*len(dst) {
		panic(badRow)
	}
	widen(dst, (*list)[i/slabRows][i%slabRows*size:][:size])
}
