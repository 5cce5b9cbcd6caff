package main

import (
	"context"
	"errors"
	"fmt"

	"trawl/eval"
	sections "trawl/internal/report"
	"trawl/internal/text"
	"trawl/trajectory/store"
)

// compareManifests says what differs between the runs, before anything is scored,
// and refuses those that cannot be compared.
func (x *reporter) compareManifests() error {
	if len(x.runs) < 2 {
		return nil
	}
	base := x.runs[x.options.baseline]
	x.comparison = &sections.Comparison{
		Baseline: base.name, Settings: differingSettings(x.manifests), Command: x.commands(base).Report,
	}
	if x.options.unpaired {
		x.comparison.Unpaired = "The runs stand side by side and are not compared question by question (--unpaired): a difference between them may be one of their data."
		return nil
	}
	if x.options.dataset != "" { // all are scored against the same
		return nil
	}
	first := x.manifests[x.options.baseline].Dataset
	for i, m := range x.manifests {
		if m.Dataset.SHA256 != first.SHA256 {
			return fmt.Errorf("%s and %s are over different data: %s with the SHA-256 %s, and %s with %s%s",
				base.dir, x.runs[i].dir, first.Name, short(first.SHA256), m.Dataset.Name, short(m.Dataset.SHA256), unpairedWay)
		}
	}
	return nil
}

// sameQuestions makes sure that the runs asked what the data set has that --dataset
// names: another one may well have the same ids.
func (x *reporter) sameQuestions(ctx context.Context) error {
	if x.options.dataset == "" {
		return nil
	}
	for _, run := range x.runs {
		for _, dir := range run.dirs() {
			if err := x.asked(ctx, dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// asked makes sure that the rollouts in a folder are of the questions of --dataset.
func (x *reporter) asked(ctx context.Context, dir string) error {
	m, err := store.ReadManifest(dir)
	if err != nil {
		return err
	}
	examples, err := examplesOf(dir, m, x.options.dataset)
	if err != nil {
		return err
	}
	texts := make(map[string]string, len(examples))
	for _, ex := range examples {
		texts[ex.ID] = ex.Text
	}
	for t, err := range store.Scan(dir) {
		var bad *store.LineError
		switch {
		case errors.As(err, &bad): // told where it is scored
			continue
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
		has, known := texts[t.QuestionID]
		if known && t.Question != "" && text.Normal(t.Question) != text.Normal(has) {
			return fmt.Errorf("%s is not of the data set %s: under the id %q the run asked %q, and the data set has %q\n  nothing was written; leave --dataset out to take the run's own data set",
				dir, x.options.dataset, t.QuestionID, text.FirstChars(t.Question, longestFact), text.FirstChars(has, longestFact))
		}
	}
	return nil
}

// unpairedWay says how runs over different data are shown all the same.
const unpairedWay = "\n  no difference between them would be one of the runs, and nothing was written; --dataset NAME:PATH scores all against one data set, --unpaired shows them side by side"

// pair compares a run to the baseline.
func (x *reporter) pair(base, other *reported) error {
	if x.options.unpaired {
		return nil
	}
	c, err := eval.Contrast(base.side(), other.side(), eval.ContrastOptions{Seed: base.manifest.Seed, Pairs: x.options.pairs})
	if errors.Is(err, eval.ErrOtherData) {
		return fmt.Errorf("%w%s", err, unpairedWay)
	}
	if err != nil {
		return err
	}
	x.comparison.Pairs = append(x.comparison.Pairs, sections.Pair{Name: other.name, Contrasted: c})
	return nil
}

// side returns the run as one of two that are held against each other.
func (r *reported) side() eval.Side {
	return eval.Side{
		Name: r.name, Examples: r.examples, Runs: r.lines, States: r.states, Rollouts: r.settings.Rollout.Count, Round: r.round, Jury: r.jury,
	}
}
