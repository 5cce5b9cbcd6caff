package train

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"trawl/selection/gnn"
	"trawl/selection/internal/compute"
)

// A learner takes the loss of a model over batches.
type learner[T compute.Float] struct {
	model    *gnn.Model[T]
	features gnn.Features
	losses   Losses
	micro    int // graphs that pass through the network at once
}

// gradient leaves the gradient of a batch's loss in the parameters of the model
// and returns the loss. Dropout draws from chance; nil is no dropout. The batch
// passes in pieces of micro graphs, each with its share of the loss.
func (l *learner[T]) gradient(batch []Example, chance *rand.Rand) (Loss, error) {
	var counts Counts
	for _, e := range batch {
		l.losses.Count(&counts, e.Labels)
	}
	l.model.ZeroGrad()
	var loss Loss
	for lo := 0; lo < len(batch); lo += l.micro {
		piece := batch[lo:min(lo+l.micro, len(batch))]
		prepared, err := l.prepare(piece)
		if err != nil {
			return Loss{}, err
		}
		pass := l.model.Forward(prepared, chance)
		scores, slopes := widen(pass.Logits), make([]float64, len(pass.Logits))
		for i, e := range piece {
			lo, hi := prepared.Offsets[i], prepared.Offsets[i+1]
			loss = loss.Plus(l.losses.Graph(counts, scores[lo:hi], e.Labels, slopes[lo:hi]))
		}
		if isFinite(loss.Total()) { // if not, no step is taken, so no gradient is needed
			pass.Backward(narrow[T](slopes))
		}
		prepared.Free()
	}
	return loss, l.model.Err()
}

// scores calls use with the scores of each example's candidates, in order and
// without dropout; with none where there is nothing to score.
func (l *learner[T]) scores(ctx context.Context, examples []Example, use func(e Example, scores []float64)) error {
	for lo := 0; lo < len(examples); lo += l.micro {
		if err := ctx.Err(); err != nil {
			return err
		}
		piece := examples[lo:min(lo+l.micro, len(examples))]
		scores, err := l.piece(piece)
		if err != nil {
			return err
		}
		for i, e := range piece {
			use(e, scores[i])
		}
	}
	return nil
}

// piece returns the scores of one piece. If that fails, the error names the
// question.
func (l *learner[T]) piece(piece []Example) ([][]float64, error) {
	scores := make([][]float64, len(piece))
	var full []gnn.Input
	var at []int // of the full ones
	for i, e := range piece {
		if !e.empty() {
			full, at = append(full, e.Input), append(at, i)
		}
	}
	logits, err := l.model.Scores(full, l.features)
	for j, i := range at {
		if err == nil {
			scores[i] = widen(logits[j])
		} else if _, failed := l.model.Scores(full[j:j+1], l.features); failed != nil {
			return nil, fmt.Errorf("question %.60q: %w", piece[i].Question, failed)
		}
	}
	return scores, err
}

// score is how well the model selects among examples.
func (l *learner[T]) score(ctx context.Context, examples []Example) (Score, error) {
	sum := Score{Questions: len(examples)}
	err := l.scores(ctx, examples, func(e Example, scores []float64) {
		best := gnn.Best(scores)
		if best >= 0 {
			sum.Accuracy += e.Labels[best]
		}
		if best >= 0 && e.F1 != nil {
			sum.F1 += e.F1[best]
		}
	})
	n := float64(max(len(examples), 1))
	sum.Accuracy /= n
	sum.F1 /= n
	return sum, err
}

// prepare compiles a piece. If that fails, the error names the question.
func (l *learner[T]) prepare(piece []Example) (*gnn.Batch[T], error) {
	in := make([]gnn.Input, len(piece))
	for i, e := range piece {
		in[i] = e.Input
	}
	batch, err := l.model.Prepare(in, l.features)
	if err == nil {
		return batch, nil
	}
	for i, e := range piece {
		alone, failed := l.model.Prepare(in[i:i+1], l.features)
		if failed != nil {
			return nil, fmt.Errorf("question %.60q: %w", e.Question, failed)
		}
		alone.Free()
	}
	return nil, err
}

func widen[T compute.Float](x []T) []float64 {
	wide := make([]float64, len(x))
	for i, v := range x {
		wide[i] = float64(v)
	}
	return wide
}

func narrow[T compute.Float](x []float64) []T {
	rounded := make([]T, len(x))
	for i, v := range x {
		rounded[i] = T(v)
	}
	return rounded
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
