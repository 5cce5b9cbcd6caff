package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"golang.org/x/sync/errgroup"

	"trawl/eval/utility"
	"trawl/internal/config"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

// The places where entropies come from.
const (
	fromLogprobs = "logprobs"
	fromImport   = "imported"
)

// entropies has what E_A is made of set in opts: where the entropies of the steps of
// runs come from, and how many alternatives were asked for, or else it has them
// resampled.
func (o evaluateOptions) entropies(ctx context.Context, e env, s *config.Settings, runs *evaluated, opts *utility.Options) (err error) {
	if o.resample > 0 {
		opts.EntropiesFrom = fmt.Sprintf("resampled %d", o.resample)
		runs.resampled, err = resample(ctx, e, s, runs, o.resample)
		return err
	}
	first := runs.folders[0]
	dialect, err := dialectOf(first.dir, first.manifest)
	if dialect == "" {
		opts.EntropiesFrom = fromImport
		return err
	}
	opts.EntropiesFrom, opts.Logprobs = fromLogprobs, first.settings.Models.Agent.Logprobs
	return err
}

// A turnKey names a turn of a rollout.
type turnKey struct {
	question             string
	round, rollout, turn int
}

// A resampler has the model of a run asked again what to do in each turn, and keeps in
// the run folder what it did. What is there already is not asked for.
type resampler struct {
	*asker
	runs *evaluated

	mu         sync.Mutex
	entropies  map[turnKey]*float64
	unreadable int
	done       int
	bar        *progress
}

// resample finds the entropies of the turns of runs by asking their model times
// times in the place of each.
func resample(ctx context.Context, e env, s *config.Settings, runs *evaluated, times int) (_ *resampler, err error) {
	a, err := newAsker(e, s, runs.folders[0], times)
	if err != nil {
		return nil, err
	}
	r := &resampler{asker: a, runs: runs, entropies: map[turnKey]*float64{}}
	defer func() { err = errors.Join(err, r.roles.close()) }()
	r.bar = newProgress(e, "turns resampled", 0, 0)
	defer r.bar.close()
	for _, f := range runs.folders {
		if err := r.folder(ctx, e, f, s.Rollout.Concurrency); err != nil {
			return nil, fmt.Errorf("--resample: %w\n  what was resampled is kept in %s: the same command goes on from there", err, filepath.Join(f.dir, "entropies.jsonl"))
		}
	}
	return r, nil
}

// folder resamples the rollouts in one folder.
func (r *resampler) folder(ctx context.Context, e env, f *selected, atOnce int) (err error) {
	kept, err := store.OpenEntropies(f.dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	tellCounts(e, filepath.Join(f.dir, "entropies.jsonl"), kept.Counts())
	g, going := errgroup.WithContext(ctx)
	g.SetLimit(max(1, atOnce))
	for _, ex := range f.examples {
		if going.Err() != nil {
			break
		}
		all, err := f.lines.Rollouts(ex.ID)
		if err != nil {
			return errors.Join(err, g.Wait())
		}
		for _, t := range all {
			if t.Error != "" || t.Round > r.runs.round || t.Rollout >= f.settings.Rollout.Count {
				continue
			}
			for _, c := range chosenTurns(t) {
				g.Go(func() error { return r.turn(going, kept, t, c) })
			}
		}
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// turn finds the entropy of one turn.
func (r *resampler) turn(ctx context.Context, kept *store.Entropies, t *trajectory.Trajectory, c chosenTurn) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	key := store.EntropyKey{
		Model: r.identity, Prompt: store.Hash([]any{c.messages, c.final}),
		QuestionID: t.QuestionID, Round: t.Round, Rollout: t.Rollout, Turn: c.number,
	}
	found, ok := kept.Find(key)
	if !ok {
		client, err := r.open(ctx)
		if err != nil {
			return err
		}
		if found, err = r.ask(ctx, client, key, c); err != nil {
			return err
		}
		if err := kept.Add(found); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entropies[turnKey{t.QuestionID, t.Round, t.Rollout, c.number}] = found.Entropy
	r.unreadable += found.Unreadable
	r.done++
	r.bar.set(r.done, 0)
	return nil
}

// read returns what the rollouts of a question came to, with the entropies that were
// resampled in the place of any that they have.
func (r *resampler) read(id string) ([]*trajectory.Trajectory, error) {
	all, states, err := recordsOf(r.runs.at[id].lines, id)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		last := 0
		for i := range t.Steps {
			s := &t.Steps[i]
			s.Entropy = nil
			if s.Turn != last {
				s.Entropy = r.entropies[turnKey{id, t.Round, t.Rollout, s.Turn}]
			}
			last = s.Turn
		}
	}
	return apart(trajectory.Outcomes(all, states, r.runs.round), all), nil
}
