package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"trawl/eval/utility"
	"trawl/internal/config"
	"trawl/trajectory/store"
)

// utility evaluates the open run by words, with what trawl scaffold and resampling left
// in its folders.
func (m *reportedMore) utility(ctx context.Context) (_ *utility.Report, err error) {
	s, first := config.Default(), m.folder.folders[0]
	o := evaluateOptions{dataset: m.options.dataset, oracle: m.options.oracle, traps: m.options.traps, weights: m.options.weights}
	o.fill()
	opts := utility.Options{Weights: o.weights, Rollouts: m.rollouts(), Seed: m.seed()}
	if err := readBeside(m.env, &opts, o, m.folder); err != nil {
		return nil, err
	}
	v, err := openVectors(ctx, m.env, s.Models.Embedder)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.close()) }()
	opts.Embedder = tableEmbedder{v}
	if err := o.entropies(ctx, m.env, s, m.folder, &opts); err != nil {
		return nil, err
	}
	if err := m.keptEntropies(ctx, &opts); err != nil {
		return nil, err
	}
	if err := m.scaffold(&opts); err != nil {
		return nil, err
	}
	r, err := o.judged(ctx, m.env, s, m.folder, opts)
	if err != nil {
		return nil, err
	}
	r.Embedder, r.Simulated = v.Name(), r.Simulated || first.settings.Simulated
	if m.folder.resampled != nil {
		r.Entropies.Unreadable = m.folder.resampled.unreadable
	}
	return r, v.Err()
}

// scaffold adds the minimum hint rate, where trawl scaffold measured it: hints are given
// to one run, not to a part of one.
func (m *reportedMore) scaffold(opts *utility.Options) error {
	if len(m.run.shards) > 0 {
		return nil
	}
	r, err := readScaffold(m.run.dir)
	if err != nil || r == nil {
		return err
	}
	r.Details = nil
	m.shown.Scaffold, opts.LambdaMin = r, r.LambdaMin
	return nil
}

// keptEntropies has E_A made of the entropies that were resampled and are kept, where
// rollouts recorded none themselves. Of several ways to resample, each with a number of
// times and settings, the one counts that most turns have.
func (m *reportedMore) keptEntropies(ctx context.Context, opts *utility.Options) error {
	kept, most, err := m.readEntropies()
	if err != nil || len(kept) == 0 {
		return err
	}
	x := &resampler{runs: m.folder, entropies: map[turnKey]*float64{}}
	times := 0
	for _, ex := range m.folder.examples {
		all, err := m.folder.at[ex.ID].lines.Rollouts(ex.ID)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		for _, t := range all {
			for _, step := range t.Steps {
				if step.Entropy != nil {
					return nil // trawl evaluate takes what was recorded
				}
			}
			if t.Error != "" || t.Round > m.folder.round {
				continue
			}
			for _, c := range chosenTurns(t) {
				e, ok := kept[store.EntropyKey{
					Model: most, Prompt: store.Hash([]any{c.messages, c.final}), QuestionID: t.QuestionID, Round: t.Round, Rollout: t.Rollout, Turn: c.number,
				}]
				if ok {
					x.entropies[turnKey{t.QuestionID, t.Round, t.Rollout, c.number}] = e.Entropy
					x.unreadable += e.Unreadable
					times = e.Resampled
				}
			}
		}
	}
	if len(x.entropies) == 0 { // they are of other rollouts
		return nil
	}
	m.folder.resampled, opts.EntropiesFrom, opts.Logprobs = x, fmt.Sprintf("resampled %d", times), 0
	m.shown.Commands.Evaluate += fmt.Sprintf(" --resample %d", times)
	return nil
}

// readEntropies reads the entropies in the folders of the run, and says in which way
// most turns were resampled.
func (m *reportedMore) readEntropies() (kept map[store.EntropyKey]store.Entropy, most string, err error) {
	kept = map[store.EntropyKey]store.Entropy{}
	turns := map[string]int{}
	var ways []string // in the order of the files
	for _, f := range m.folder.folders {
		all, counts, err := store.ReadEntropies(f.dir)
		if err != nil {
			return nil, "", err
		}
		if said := unread([]store.Counts{counts}); said != "" {
			m.notes = append(m.notes, m.run.name+": "+said)
		}
		for _, e := range all {
			if turns[e.Model]++; turns[e.Model] == 1 {
				ways = append(ways, e.Model)
			}
			kept[e.EntropyKey] = e
		}
	}
	if len(ways) > 0 {
		most = slices.MaxFunc(ways, func(a, b string) int { return turns[a] - turns[b] })
	}
	return kept, most, nil
}
