package main

import (
	"errors"
	"fmt"

	"trawl/eval"
	sections "trawl/internal/report"
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

// unpairedWay says how runs over different data are shown all the same.
const unpairedWay = "\n  no difference between them would be one of the runs, and nothing was written; --dataset NAME:PATH scores all against one data set, --unpaired shows them side by side"

// pair compares a run to the baseline.
func (x *reporter) pair(base, other *reported) error {
	if x.options.unpaired {
		return nil
	}
	c, err := eval.Contrast(base.side(), other.side(), eval.ContrastOptions{Seed: base.manifest.Seed})
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
