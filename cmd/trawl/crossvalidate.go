package main

import (
	"context"
	"errors"
	"fmt"

	"trawl/eval"
	"trawl/selection/gnn"
	"trawl/selection/train"
)

// crossValidate trains and scores fold by fold, and prints how the selected
// answers do.
func (t *trainer) crossValidate(ctx context.Context) error {
	show := &trainDisplay{env: t.env}
	o := t.options.train
	o.Progress = show.tell
	t.tell(len(t.data.examples), 0)
	scores, err := train.CrossValidate(ctx, t.data.examples, t.vectors, train.Crossing{
		Folds: t.options.folds, Model: func(int) (*gnn.Model[float32], error) { return t.model() },
	}, o)
	show.close()
	if err = errors.Join(err, t.vectors.Err()); err != nil {
		return err
	}
	report := crossed(t.data.examples, scores, t.options)
	report.Simulated, report.Unlabelled = t.data.simulated, t.data.unlabelled
	if t.options.json {
		return writeJSON(t.env.stdout, report)
	}
	report.write(t.env)
	return nil
}

// A crossReport is how a selector does on questions that it was not trained on.
type crossReport struct {
	Questions  int                   `json:"questions"`
	Unlabelled int                   `json:"unlabelled"`
	Folds      int                   `json:"folds"`
	Accuracy   map[string]*eval.Stat `json:"accuracy"`        // by selector
	Gain       *eval.Stat            `json:"gnn_vs_majority"` // paired
	Simulated  bool                  `json:"simulated,omitempty"`
}

// crossed compares the selected answers with those that need no model.
func crossed(examples []train.Example, scores [][]float64, o trainOptions) crossReport {
	got := map[string][]float64{}
	var gain []float64
	for i, ex := range examples {
		row := unlearnt(ex)
		row["gnn"] = 0
		if ex.Input.Graph != nil {
			row["gnn"] = ex.Labels[gnn.Best(scores[i])]
		}
		for name, v := range row {
			got[name] = append(got[name], v)
		}
		gain = append(gain, row["gnn"]-row["majority"])
	}
	r := crossReport{Questions: len(examples), Folds: o.folds, Accuracy: map[string]*eval.Stat{}}
	for name, values := range got {
		r.Accuracy[name] = eval.Estimate(values, eval.DefaultResamples, o.train.Seed)
	}
	r.Gain = eval.Estimate(gain, eval.DefaultResamples, o.train.Seed)
	return r
}

// unlearnt returns what the selectors that need no model come to on a pool: what
// the first candidate is worth, the one with the most votes, and the best.
func unlearnt(ex train.Example) map[string]float64 {
	row := map[string]float64{"first": 0, "majority": 0, "oracle": 0}
	if ex.Input.Graph == nil {
		return row
	}
	votes := make([]float64, len(ex.Labels))
	for i, a := range ex.Input.Graph.Answers {
		votes[i] = float64(a.Votes)
		row["oracle"] = max(row["oracle"], ex.Labels[i])
	}
	row["first"], row["majority"] = ex.Labels[0], ex.Labels[gnn.Best(votes)]
	return row
}

func (r crossReport) write(e env) {
	fmt.Fprintf(e.stdout, "%d questions, %d without labels left out, %d folds%s\n\n", r.Questions, r.Unlabelled, r.Folds, simulatedNote(r.Simulated))
	fmt.Fprintln(e.stdout, "selector   accuracy   95 % interval")
	for _, name := range []string{"first", "majority", "gnn", "oracle"} {
		s := r.Accuracy[name]
		fmt.Fprintf(e.stdout, "%-10s %.3f      %.3f–%.3f\n", name, s.Mean, s.CI95[0], s.CI95[1])
	}
	fmt.Fprintf(e.stdout, "\ngnn less majority, paired: %+.3f (%+.3f to %+.3f)\n", r.Gain.Mean, r.Gain.CI95[0], r.Gain.CI95[1])
	fmt.Fprintln(e.stdout, "First and majority are of the rollouts that are candidates: those with an answer and evidence.")
}
