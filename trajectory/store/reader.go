package store

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"trawl/trajectory"
)

// A Reader reads the rollouts and states of a run folder question by question, in any order:
// it holds in memory where they stand, and they may stand anywhere in the file,
// as each was written when it was done. Its methods are safe for concurrent use,
// so that what costs, decoding lines, is done by as many cores as ask. It knows
// the lines that were there when it was opened.
type Reader struct {
	manifest  Manifest
	counts    Counts
	f         *os.File // nil if there is no line
	questions map[string][]span
	round     int
	states    stateReader
}

// OpenReader opens the run folder dir for reading, also while a process writes it.
func OpenReader(dir string) (*Reader, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	type placed struct {
		span
		failed bool
	}
	newest := map[trajectory.Key]placed{}
	r := &Reader{manifest: m, questions: map[string][]span{}}
	r.counts, err = eachRollout(dir, func(t *trajectory.Trajectory, where span) {
		failed := t.Error != ""
		if old, ok := newest[t.Key()]; !ok || supersedes(failed, old.failed) {
			newest[t.Key()] = placed{where, failed}
		}
	})
	if err != nil {
		return nil, err
	}
	for _, key := range slices.SortedFunc(maps.Keys(newest), trajectory.Key.Compare) {
		r.questions[key.QuestionID] = append(r.questions[key.QuestionID], newest[key].span)
		r.round = max(r.round, key.Round)
	}
	r.f, err = os.Open(filepath.Join(dir, rolloutsName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("store: %w", err)
	}
	// A state is written before the rollout that it comes of, so whoever looks for
	// rollouts first finds the states of all of them.
	if r.states, err = openStateReader(dir, m.Config); err != nil {
		return nil, fmt.Errorf("store: %w", errors.Join(err, r.Close()))
	}
	return r, nil
}

// Manifest returns the manifest of the folder.
func (r *Reader) Manifest() Manifest { return r.manifest }

// Counts says how many lines there are, and which of them cannot be read.
func (r *Reader) Counts() Counts { return r.counts }

// Round returns the last round that a line is of; 0 if there are no lines.
func (r *Reader) Round() int { return r.round }

// Questions returns the ids of the questions that have a line, sorted.
func (r *Reader) Questions() []string { return slices.Sorted(maps.Keys(r.questions)) }

// Rollouts returns the rollouts of a question, done and failed, each the newest
// of its key, sorted by key; none for a question without a line.
func (r *Reader) Rollouts(questionID string) ([]*trajectory.Trajectory, error) {
	var out []*trajectory.Trajectory
	for _, where := range r.questions[questionID] {
		t, err := readLine(r.f, where, decode)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// readLine reads again a line of f that was there before.
func readLine[T any](f *os.File, where span, decode func(line []byte) (T, error)) (T, error) {
	var none T
	line := make([]byte, where.size)
	if _, err := f.ReadAt(line, where.at); err != nil {
		return none, fmt.Errorf("store: %w", err)
	}
	v, err := decode(line)
	if err != nil {
		return none, fmt.Errorf("store: %s changed while it was read: %w", f.Name(), err)
	}
	return v, nil
}

// Close lets go of the files.
func (r *Reader) Close() error {
	var errs []error
	for _, f := range []*os.File{r.f, r.states.f} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}
