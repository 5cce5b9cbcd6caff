package gnn

import (
	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/vector"
)

// A sparse matrix in compressed rows: row i has the weights weight[j] at the
// columns index[j], j from start[i] to start[i+1]-1. Without weights all are 1.
type sparse[T compute.Float] struct {
	start, index []int32
	weight       []T
}

func (s *sparse[T]) rows() int { return len(s.start) - 1 }

// reset makes s a matrix without rows, in the memory that it has.
func (s *sparse[T]) reset() {
	s.start = append(s.start[:0], 0)
	s.index = s.index[:0]
	s.weight = s.weight[:0]
}

// entry adds to the row under way, and end ends it.
func (s *sparse[T]) entry(column int32, w T) {
	s.index = append(s.index, column)
	s.weight = append(s.weight, w)
}

func (s *sparse[T]) end() { s.start = append(s.start, int32(len(s.index))) }

// set makes dst = s·src, row by row.
func (s *sparse[T]) set(b compute.Backend[T], dst, src compute.Matrix[T]) {
	b.Rows(s.rows(), rowGrain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			s.setRow(dst.Row(i), src, i)
		}
	})
}

// add makes dst += s·src.
func (s *sparse[T]) add(b compute.Backend[T], dst, src compute.Matrix[T]) {
	b.Rows(s.rows(), rowGrain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			s.addRow(dst.Row(i), src, i)
		}
	})
}

// setRow makes dst row i of s·src.
func (s *sparse[T]) setRow(dst []T, src compute.Matrix[T], i int) {
	lo, hi := s.start[i], s.start[i+1]
	if lo == hi {
		clear(dst)
		return
	}
	copy(dst, src.Row(int(s.index[lo])))
	if w := s.at(lo); w != 1 {
		vector.Scale(dst, w)
	}
	s.addEntries(dst, src, lo+1, hi)
}

// addRow adds row i of s·src to dst.
func (s *sparse[T]) addRow(dst []T, src compute.Matrix[T], i int) {
	s.addEntries(dst, src, s.start[i], s.start[i+1])
}

func (s *sparse[T]) addEntries(dst []T, src compute.Matrix[T], lo, hi int32) {
	for j := lo; j < hi; j++ {
		if w := s.at(j); w == 1 {
			vector.Add(dst, src.Row(int(s.index[j])))
		} else {
			vector.AddScaled(dst, w, src.Row(int(s.index[j])))
		}
	}
}

func (s *sparse[T]) at(j int32) T {
	if len(s.weight) == 0 {
		return 1
	}
	return s.weight[j]
}

// transpose makes t the transpose of s, which has the given number of columns.
// Entries of a row of t keep the order of the rows of s.
func (s *sparse[T]) transpose(t *sparse[T], columns int) {
	t.start = resize(t.start, columns+1)
	clear(t.start)
	for _, c := range s.index {
		t.start[c+1]++
	}
	for i := range columns {
		t.start[i+1] += t.start[i]
	}
	t.index = resize(t.index, len(s.index))
	t.weight = resize(t.weight, len(s.weight))
	for i := range s.rows() {
		for j := s.start[i]; j < s.start[i+1]; j++ {
			at := t.start[s.index[j]]
			t.start[s.index[j]]++
			t.index[at] = int32(i)
			if len(s.weight) > 0 {
				t.weight[at] = s.weight[j]
			}
		}
	}
	// Every start has moved to the next one's place.
	copy(t.start[1:], t.start)
	t.start[0] = 0
}

// resize returns a slice of n elements, in the memory of s if that is enough.
func resize[E any](s []E, n int) []E {
	if cap(s) < n {
		return make([]E, n+n/4)[:n]
	}
	return s[:n]
}
