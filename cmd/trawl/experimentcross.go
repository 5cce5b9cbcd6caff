package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"trawl/eval"
	"trawl/internal/atomicfile"
	"trawl/internal/experiment"
	"trawl/internal/figures"
	"trawl/selection/gnn"
	"trawl/selection/graph"
	"trawl/selection/train"
	"trawl/trajectory/store"
)

// ablations cross-validates the graph selector on the run of an arm, whole and with
// parts taken away; nil if the experiment does not. What cannot be trained is said in
// the section and makes the exit status 1, so that the rest is there all the same.
func (t *trial) ablations(ctx context.Context) (*figures.Section, error) {
	c := t.experiment.CrossValidate
	if c == nil || len(t.arms) == 0 {
		return nil, nil
	}
	a := t.arms[slices.IndexFunc(t.arms, func(a *arm) bool { return a.name == c.Arm })]
	x, err := newAblating(t, a)
	if err != nil {
		return nil, err
	}
	defer func() { x.close() }()
	s := &figures.Section{ID: "ablations", Title: "Parts of the graph selector, by cross-validation"}
	results := map[string]*ablated{}
	for _, name := range c.Ablate {
		r, err := x.result(ctx, name)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			err = fmt.Errorf("cross-validation of %s without %s: %w", a.name, name, err)
			s.Text, t.errs = append(s.Text, err.Error()), append(t.errs, err)
			return s, nil
		}
		results[name] = r
	}
	s.Text = append(s.Text, fmt.Sprintf("Each row is trained on the run of the arm %s, %d folds, and chooses on the questions that it was not trained on: the last of 3 epochs, exact match. "+
		"First and majority are of the rollouts that are candidates: those with an answer and evidence.", a.name, c.Folds))
	s.Tables = []figures.Table{x.table(c.Ablate, results)}
	return s, nil
}

// An ablated is what came of one cross-validation, as it is kept on disk.
type ablated struct {
	Key        string               `json:"key"` // stands for all that decides
	Questions  int                  `json:"questions"`
	Unlabelled int                  `json:"unlabelled"`
	Values     map[string][]float64 `json:"values"` // by selector, one for each question
}

// An ablating makes the cross-validations of an arm. What they are trained on is
// read for the first that is not kept.
type ablating struct {
	trial   *trial
	arm     *arm
	folder  string
	rows    string // hash of the rollouts
	device  *gnn.Device
	vectors *vectors
	data    *pools
}

func newAblating(t *trial, a *arm) (*ablating, error) {
	rows, err := hashOfRun(a.dir)
	return &ablating{trial: t, arm: a, folder: t.folder(experiment.CrossFolder), rows: rows}, err
}

// options are those of trawl train, with what a name takes from the model.
func (x *ablating) options(name string) trainOptions {
	o := trainOptions{
		variant: string(graph.WebQA), labels: string(byMatch), folds: int(x.trial.experiment.CrossValidate.Folds),
		config: gnn.Config{Variant: graph.WebQA, Hidden: gnn.DefaultHidden, Layers: gnn.DefaultLayers, Heads: gnn.DefaultHeads, Ranks: gnn.DefaultRanks},
		train:  train.Options{Epochs: 3, LearningRate: 3e-4, Seed: x.arm.settings.Seed},
	}
	for _, a := range ablations {
		if a.name == name {
			a.set(&o)
		}
	}
	return o
}

// result returns what is kept of a cross-validation, or carries it out and keeps it.
func (x *ablating) result(ctx context.Context, name string) (*ablated, error) {
	key := store.Hash([]any{x.rows, name, x.trial.experiment.CrossValidate.Folds, x.arm.settings.Seed, x.arm.settings.Models.Embedder, version()})
	stem := filepath.Join(x.folder, name+"-"+short(key[len("sha256:"):]))
	var kept ablated
	if data, err := os.ReadFile(stem + ".json"); err == nil && json.Unmarshal(data, &kept) == nil && kept.Key == key {
		return &kept, nil
	}
	if err := x.read(ctx); err != nil {
		return nil, err
	}
	o := x.options(name)
	o.config.Embedding, o.config.Embedder = x.vectors.Dims(), x.vectors.Name()
	o.train.Batch = batchFor(o, len(x.data.examples))
	o.train.State = stem
	x.trial.step("cross-validating on %s: %s", x.arm.name, name)
	scores, err := x.cross(ctx, o)
	if err != nil {
		return nil, err
	}
	r := &ablated{Key: key, Questions: len(x.data.examples), Unlabelled: x.data.unlabelled, Values: map[string][]float64{}}
	for i, ex := range x.data.examples {
		row := unlearnt(ex)
		if row["gnn"] = 0; ex.Input.Graph != nil {
			row["gnn"] = ex.Labels[gnn.Best(scores[i])]
		}
		for who, v := range row {
			r.Values[who] = append(r.Values[who], v)
		}
	}
	return r, x.keep(r, stem, o.folds)
}

// cross trains and scores fold by fold.
func (x *ablating) cross(ctx context.Context, o trainOptions) ([][]float64, error) {
	t := trainer{env: x.trial.env, device: x.device, vectors: x.vectors, data: x.data, options: o}
	epochs, stages := 0, 1
	if o.train.TwoStage {
		stages = 2
	}
	bar := newProgress(x.trial.env, "epochs", 0, o.folds*o.train.Epochs*stages)
	defer bar.close()
	o.train.Progress = func(p train.Progress) {
		if p.Validation != nil { // else it is a step
			epochs++
			bar.set(epochs, 0)
		}
	}
	scores, err := train.CrossValidate(ctx, x.data.examples, x.vectors, train.Crossing{
		Folds: o.folds, Model: func(int) (*gnn.Model[float32], error) { return t.model() },
	}, o.train)
	return scores, errors.Join(err, x.vectors.Err())
}

// keep writes a result, for which the states of its folds are no longer needed.
func (x *ablating) keep(r *ablated, stem string, folds int) error {
	err := atomicfile.Write(stem+".json", func(w io.Writer) error { return writeJSON(w, r) })
	for k := range folds {
		if err == nil {
			err = train.Discard(filepath.Join(stem, fmt.Sprintf("fold-%d-of-%d", k+1, folds)))
		}
	}
	if err == nil {
		err = train.Discard(stem)
	}
	return err
}

// read reads the run as what a selector is trained on, once.
func (x *ablating) read(ctx context.Context) (err error) {
	if x.data != nil {
		return nil
	}
	s := x.arm.settings
	if x.device, err = gnn.OpenDevice(s.Selection.Device); err != nil {
		return err
	}
	if x.vectors, err = openVectors(ctx, x.trial.env, s.Models.Embedder); err != nil {
		return err
	}
	o := x.options(experiment.Whole)
	x.data, err = poolReader{
		env: x.trial.env, options: graph.Options{Variant: o.config.Variant, Ranks: o.config.Ranks}, labels: byMatch, vectors: x.vectors,
	}.read(ctx, []string{x.arm.dir})
	return err
}

func (x *ablating) close() {
	if x.vectors != nil {
		x.vectors.close()
	}
	if x.device != nil {
		x.device.Close()
	}
}

// table shows the cross-validations, and what needs none.
func (x *ablating) table(names []string, results map[string]*ablated) figures.Table {
	first := results[names[0]]
	t := figures.Table{ID: "ablations-crossed", Title: "Exact match of the chosen answer", Source: x.trial.source(fmt.Sprintf("%d questions, %d without labels left out", first.Questions, first.Unlabelled)),
		Columns: []string{"taken from the model", "exact match", "less the whole model, paired", "less majority, paired"}}
	estimate := func(values, less []float64) figures.Cell {
		if less == nil {
			return dash
		}
		differences := make([]float64, len(values))
		for i := range values {
			differences[i] = values[i] - less[i]
		}
		return statOrDash(eval.Estimate(differences, eval.DefaultResamples, x.arm.settings.Seed))
	}
	var full []float64
	if r := results[experiment.Whole]; r != nil {
		full = r.Values["gnn"]
	}
	row := func(name string, values []float64) {
		t.Rows = append(t.Rows, []figures.Cell{{Text: name}, estimate(values, make([]float64, len(values))), estimate(values, full), estimate(values, first.Values["majority"])})
	}
	for _, name := range names {
		if name == experiment.Whole {
			t.Rows = append(t.Rows, []figures.Cell{{Text: "nothing: the whole model"}, estimate(full, make([]float64, len(full))), dash, estimate(full, first.Values["majority"])})
			continue
		}
		row(name, results[name].Values["gnn"])
	}
	for _, name := range []string{"first", "majority", "oracle"} {
		row("without a network: "+name, first.Values[name])
	}
	return t
}

// hashes returns the hashes of the settings of the arms' runs.
func (t *trial) hashes() []string {
	var out []string
	for _, a := range t.arms {
		if m, err := store.ReadManifest(a.dir); err == nil {
			out = append(out, m.Config)
		}
	}
	return out
}
