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

// A Reader reads the rollouts of a run folder question by question, in any order:
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
		t, err := r.read(where)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func (r *Reader) read(where span) (*trajectory.Trajectory, error) {
	line := make([]byte, where.size)
	if _, err := r.f.ReadAt(line, where.at); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	t, err := decode(line)
	if err != nil {
		return nil, fmt.Errorf("store: %s changed while it was read: %w", r.f.Name(), err)
	}
	return t, nil
}

// Close lets go of the file.
func (r *Reader) Close() error {
	if r.f == nil {
		return nil
	}
	return r.f.Close()
}
