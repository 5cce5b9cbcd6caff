package gnn

import (
	"errors"
	"fmt"
	"math"
)

// chunkGraphs is how many graphs go through the network together in [Model.Scores].
// More share the reading of the weights, fewer keep their states in the cache: from
// 8 to 64 the time for a graph of the paper's size differs by a twentieth.
const chunkGraphs = 32

// Scores returns, for each graph, a score for each of its candidates
// (Graph.Answers); where the model merges equal answers, they share one. It fails
// as [Model.Prepare] does, if the device does, and if a score is not finite.
// It is safe for concurrent use, though not beside training.
func (m *Model[T]) Scores(in []Input, f Features) ([][]T, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	scores := make([][]T, 0, len(in))
	for lo := 0; lo < len(in); lo += chunkGraphs {
		chunk := in[lo:min(lo+chunkGraphs, len(in))]
		b, err := m.Prepare(chunk, f)
		if of := (graphError{}); errors.As(err, &of) {
			return nil, graphError{lo + of.graph, of.err}
		}
		if err != nil {
			return nil, err
		}
		p := &m.pass
		p.batch, p.chance, p.keep = b, nil, false
		p.forward()
		if err := m.Err(); err != nil {
			return nil, err
		}
		for i := range chunk {
			of, err := b.spread(p.Logits, i, len(chunk[i].Graph.Answers))
			if err != nil {
				return nil, graphError{lo + i, err}
			}
			scores = append(scores, of)
		}
		b.Free()
	}
	return scores, nil
}

// spread returns the score of every candidate of graph i.
func (b *Batch[T]) spread(logits []T, i, candidates int) ([]T, error) {
	scores := make([]T, candidates)
	for j := b.Offsets[i]; j < b.Offsets[i+1]; j++ {
		if v := float64(logits[j]); math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("the score of candidate %d is %v: a vector or a parameter is not finite", b.Candidates[j][0], v)
		}
		for _, c := range b.Candidates[j] {
			scores[c] = logits[j]
		}
	}
	return scores, nil
}

// Best returns the index of the greatest score, the first of several; -1 without
// scores.
func Best[T float32 | float64](scores []T) int {
	best := -1
	for i, s := range scores {
		if best < 0 || s > scores[best] {
			best = i
		}
	}
	return best
}

// A graphError says which of several graphs an error is about.
type graphError struct {
	graph int
	err   error
}

func (e graphError) Error() string { return fmt.Sprintf("gnn: graph %d: %v", e.graph, e.err) }
func (e graphError) Unwrap() error { return e.err }
