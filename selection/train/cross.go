package train

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"trawl/selection/gnn"
)

// A Crossing says how to cross-validate.
type Crossing struct {
	Folds int                                         // default 5
	Model func(fold int) (*gnn.Model[float32], error) // makes an untrained model, for a fold from 0; it is closed when the fold is done
}

// CrossValidate scores the candidates of every example with a model that was
// trained on other questions: the questions are dealt into folds by their hash,
// see [Folds], and each fold is scored by a model trained on all others. It is for
// data too small to lay some aside. It returns the scores of each example's
// candidates, none where there are none.
//
// No example is for validation, since that would choose an epoch by a few
// questions: the last epoch is taken. Where Options.State names a folder, each
// fold keeps its state in a folder of its own there.
func CrossValidate(ctx context.Context, examples []Example, features gnn.Features, c Crossing, o Options) ([][]float64, error) {
	c.Folds = cmp.Or(c.Folds, 5)
	if c.Folds < 2 {
		return nil, fmt.Errorf("train: cross-validation: %d folds, at least 2 are needed", c.Folds)
	}
	questions := make([]string, len(examples))
	for i, e := range examples {
		questions[i] = e.Question
	}
	dealt := Folds(questions, c.Folds)
	scores := make([][]float64, len(examples))
	for k := range c.Folds {
		s := sides{features: features}
		var at []int // of the held ones
		for i, e := range examples {
			if dealt[i] == k {
				s.held, at = append(s.held, e), append(at, i)
			} else {
				s.rest = append(s.rest, e)
			}
		}
		if len(at) == 0 {
			continue // there are fewer questions than folds
		}
		out, err := c.fold(ctx, k, s, o.forFold(k, c.Folds))
		if err != nil {
			return nil, fmt.Errorf("train: cross-validation: fold %d of %d: %w", k+1, c.Folds, err)
		}
		for j, i := range at {
			scores[i] = out[j]
		}
	}
	return scores, nil
}

// sides are the examples of a fold and all others.
type sides struct {
	held, rest []Example
	features   gnn.Features
}

// fold returns the scores of what is held back of fold k.
func (c Crossing) fold(ctx context.Context, k int, s sides, o Options) ([][]float64, error) {
	model, err := c.Model(k)
	if err != nil {
		return nil, err
	}
	defer model.Close()
	if _, err := run(ctx, model, s.rest, nil, s.features, o); err != nil {
		return nil, err
	}
	return scoresOf(ctx, model, s.held, s.features)
}

// forFold returns the options of fold k.
func (o Options) forFold(k, folds int) Options {
	if o.State != "" {
		o.State = filepath.Join(o.State, fmt.Sprintf("fold-%d-of-%d", k+1, folds))
	}
	if report := o.Progress; report != nil {
		o.Progress = func(p Progress) {
			p.Fold, p.Folds = k+1, folds
			report(p)
		}
	}
	return o
}

// Scores returns the scores of each example's candidates, without dropout; none
// where there is nothing to score.
func Scores(ctx context.Context, model *gnn.Model[float32], examples []Example, features gnn.Features) ([][]float64, error) {
	scores, err := scoresOf(ctx, model, examples, features)
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	return scores, nil
}

func scoresOf(ctx context.Context, model *gnn.Model[float32], examples []Example, features gnn.Features) ([][]float64, error) {
	if err := checkAll(examples, model.Config().Variant); err != nil {
		return nil, err
	}
	l := learner[float32]{model: model, features: features, micro: defaultMicro}
	all := make([][]float64, 0, len(examples))
	err := l.scores(ctx, examples, func(_ Example, scores []float64) { all = append(all, scores) })
	return all, err
}
