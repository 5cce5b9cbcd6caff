package main

import (
	"context"
	"errors"

	"trawl/agent/llm"
	"trawl/eval/utility"
	"trawl/internal/config"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

// evaluateReport evaluates the run in the folders, which are one run or shards of
// one, and writes nothing to stdout. The zero value of an option is its default.
func evaluateReport(ctx context.Context, e env, s *config.Settings, o evaluateOptions, dirs []string) (_ *utility.Report, err error) {
	o.fill()
	runs, err := openEvaluated(e, dirs, o.dataset)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, runs.close()) }()
	first := runs.folders[0]
	opts := utility.Options{Weights: o.weights, Rollouts: first.settings.Rollout.Count, Seed: first.manifest.Seed}
	if err := readBeside(e, &opts, o, runs); err != nil {
		return nil, err
	}
	v, err := openVectors(ctx, e, s.Models.Embedder)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.close()) }()
	opts.Embedder = tableEmbedder{v}
	if err := o.entropies(ctx, e, s, runs, &opts); err != nil {
		return nil, err
	}
	if len(dirs) == 1 { // hints are given to one run, not to a part of one
		hinted, err := readScaffold(dirs[0])
		if err != nil {
			return nil, err
		}
		if hinted != nil {
			opts.LambdaMin = hinted.LambdaMin
		}
	}
	r, err := o.judged(ctx, e, s, runs, opts)
	if err != nil {
		return nil, err
	}
	r.Embedder, r.Simulated = v.Name(), r.Simulated || first.settings.Simulated
	if runs.resampled != nil {
		r.Entropies.Unreadable = runs.resampled.unreadable
	}
	return r, v.Err()
}

// judged evaluates with a model as a judge, where one is asked for.
func (o evaluateOptions) judged(ctx context.Context, e env, s *config.Settings, runs *evaluated, opts utility.Options) (_ *utility.Report, err error) {
	roles := newRoles(e, s.Rollout.Concurrency)
	defer func() { err = errors.Join(err, roles.close()) }()
	var judge *claimJudge
	if o.entailment == endpointEntailment || o.claims == endpointClaims {
		if judge, err = openClaimJudge(ctx, roles, s, o, runs); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, judge.close()) }()
		opts.JudgesOf, opts.Workers = judge.of, s.Rollout.Concurrency
	}
	bar := newProgress(e, "questions", 0, len(runs.examples))
	defer bar.close()
	opts.Progress = func(done int) { bar.set(done, 0) }
	r, err := utility.Run(ctx, runs.examples, runs.read, opts)
	switch {
	case err != nil && judge != nil:
		return nil, judge.interrupted(ctx, err)
	case err != nil:
		return nil, err
	}
	r.Entailment, r.ClaimsBy = o.entailment, o.claims
	if judge != nil {
		r.Judge, r.Simulated = judge.name, judge.simulated
		judge.tell()
	}
	return r, nil
}

// wholeOutcomes returns what the rollouts of a question had come to at the end of a
// round, with the steps of all rounds up to it.
func wholeOutcomes(lines *store.Reader, questionID string, round int) ([]*trajectory.Trajectory, error) {
	all, states, err := recordsOf(lines, questionID)
	if err != nil {
		return nil, err
	}
	return apart(trajectory.Outcomes(all, states, round), all), nil
}

// apart is [trajectory.Whole] with one more turn of room between two rounds, so that
// the first of one does not look as if it followed the last of another.
func apart(outcomes, lines []*trajectory.Trajectory) []*trajectory.Trajectory {
	joined, longest, rounds := trajectory.Whole(outcomes, lines), 1, 1
	for _, t := range lines {
		rounds = max(rounds, t.Round)
		for _, s := range t.Steps {
			longest = max(longest, s.Turn)
		}
	}
	if rounds == 1 {
		return joined
	}
	for _, t := range joined { // copies, with steps of their own
		for i := range t.Steps {
			t.Steps[i].Turn += (t.Steps[i].Turn - 1) / longest
		}
	}
	return joined
}

// A tableEmbedder is a table of vectors as an embedder, so that a text is embedded
// once.
type tableEmbedder struct{ *vectors }

// Embed implements [llm.Embedder].
func (t tableEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	rows, err := t.Rows(ctx, texts)
	if err != nil {
		return nil, err
	}
	out := make([][]float32, len(rows))
	for i, row := range rows {
		out[i] = make([]float32, t.Dims())
		t.Read(row, out[i])
	}
	return out, t.Err()
}

var _ llm.Embedder = tableEmbedder{}
