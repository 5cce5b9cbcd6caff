package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"trawl/corpus/dataset"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

// An evaluated is the folders of one run, open for reading.
type evaluated struct {
	folders  []*selected
	examples []dataset.Example
	at       map[string]*selected // by id of the question
	order    map[string]int       // of the questions in the data set
	round    int                  // the last one, which is evaluated

	resampled *resampler // what else the model could have done; nil if nobody asks
}

// openEvaluated opens run folders that are one run or shards of one. It writes to
// none of them.
func openEvaluated(e env, dirs []string, spec string) (_ *evaluated, err error) {
	r := &evaluated{at: map[string]*selected{}, order: map[string]int{}, round: 1}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	for _, dir := range dirs {
		f := &selected{scored: scored{dir: dir}}
		if f.lines, err = store.OpenReader(dir); err != nil {
			return nil, err
		}
		r.folders = append(r.folders, f)
		if err := r.add(e, f, spec); err != nil {
			return nil, err
		}
	}
	r.sort()
	return r, nil
}

// sort puts the questions in the order of the data set, so that shards are evaluated,
// resampled too, as the whole run is.
func (r *evaluated) sort() {
	slices.SortStableFunc(r.examples, func(a, b dataset.Example) int { return cmp.Compare(r.order[a.ID], r.order[b.ID]) })
}

// add takes in the questions of a folder whose lines are open.
func (r *evaluated) add(e env, f *selected, spec string) (err error) {
	f.manifest = f.lines.Manifest()
	if f.settings, err = settingsOf(f.manifest); err != nil {
		return fmt.Errorf("%s: %w", f.dir, err)
	}
	for _, before := range r.folders[:len(r.folders)-1] {
		if err := belong(before.scored, f.scored); err != nil {
			return err
		}
	}
	all, err := examplesOf(f.dir, f.manifest, spec)
	if err != nil {
		return err
	}
	for i, ex := range all {
		r.order[ex.ID] = i
	}
	f.examples = planned(all, f.settings)
	for _, ex := range f.examples {
		r.at[ex.ID] = f
	}
	r.examples = append(r.examples, f.examples...)
	r.round = max(r.round, lastRound(f.lines, f.settings))
	return f.tellLeftOut(e, all)
}

// read returns what the rollouts of a question came to.
func (r *evaluated) read(id string) ([]*trajectory.Trajectory, error) {
	if r.resampled != nil {
		return r.resampled.read(id)
	}
	return wholeOutcomes(r.at[id].lines, id, r.round)
}

func (r *evaluated) close() error {
	var errs []error
	for _, f := range r.folders {
		errs = append(errs, f.lines.Close())
	}
	return errors.Join(errs...)
}
