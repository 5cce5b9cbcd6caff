package store

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"trawl/trajectory"
)

// A Run is what a run folder holds. Trajectories are the rollouts that are
// done, Failed those that only ever failed, each the newest of its key, both
// sorted by key.
type Run struct {
	Manifest     Manifest
	Trajectories []*trajectory.Trajectory
	Failed       []*trajectory.Trajectory
	Counts       Counts
}

// Read reads the run folder dir, also while a process writes it.
func Read(dir string) (*Run, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	newest := map[trajectory.Key]*trajectory.Trajectory{}
	counts, err := eachRollout(dir, func(t *trajectory.Trajectory, _ span) {
		if old, ok := newest[t.Key()]; !ok || supersedes(t.Error != "", old.Error != "") {
			newest[t.Key()] = t
		}
	})
	if err != nil {
		return nil, err
	}
	run := &Run{Manifest: m, Counts: counts}
	for _, key := range slices.SortedFunc(maps.Keys(newest), trajectory.Key.Compare) {
		if t := newest[key]; t.Error == "" {
			run.Trajectories = append(run.Trajectories, t)
		} else {
			run.Failed = append(run.Failed, t)
		}
	}
	return run, nil
}

// Scan yields what [Read] returns, done and failed rollouts sorted by key, with
// one rollout at a time in memory. A line that cannot be read is yielded before
// them as a [*LineError] with no trajectory, after which the scan goes on; any
// other error ends it.
func Scan(dir string) iter.Seq2[*trajectory.Trajectory, error] {
	return func(yield func(*trajectory.Trajectory, error) bool) {
		if err := scan(dir, yield); err != nil {
			yield(nil, err)
		}
	}
}

func scan(dir string, yield func(*trajectory.Trajectory, error) bool) (err error) {
	r, err := OpenReader(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for _, bad := range r.Counts().Dropped {
		if !yield(nil, bad) {
			return nil
		}
	}
	for _, id := range r.Questions() {
		for _, where := range r.questions[id] {
			t, err := readLine(r.f, where, decode)
			if err != nil {
				return err
			}
			if !yield(t, nil) {
				return nil
			}
		}
	}
	return nil
}

// supersedes reports whether a newer line takes the place of an older one with
// the same key: always, except that a failure does not undo a success.
func supersedes(newFailed, oldFailed bool) bool { return !newFailed || oldFailed }

// ReadManifest returns the manifest of the run folder dir. The error matches
// [ErrNoRun] if dir is none, and [ErrDamaged] if only the manifest is to blame.
func ReadManifest(dir string) (Manifest, error) {
	m, err := manifestOf(dir)
	if err != nil {
		return m, fmt.Errorf("store: %w", err)
	}
	return m, nil
}

// manifestOf is ReadManifest for errors that say the package's name later.
func manifestOf(dir string) (Manifest, error) {
	m, err := readManifest(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && hasRollouts(dir):
		return m, lostManifest(dir, rolloutsName)
	case errors.Is(err, fs.ErrNotExist):
		return m, fmt.Errorf("%s %w: it has no %s", dir, ErrNoRun, manifestName)
	}
	return m, err
}

// eachRollout gives every readable line of rollouts.jsonl to keep.
func eachRollout(dir string, keep func(t *trajectory.Trajectory, where span)) (Counts, error) {
	f, err := os.Open(filepath.Join(dir, rolloutsName))
	if errors.Is(err, fs.ErrNotExist) { // killed before it was made
		return Counts{}, nil
	}
	if err != nil {
		return Counts{}, fmt.Errorf("store: %w", err)
	}
	defer f.Close()
	counts, _, _, err := eachLine(f, rolloutsName, func(line []byte, at int64) error {
		t, err := decode(line)
		if err == nil {
			keep(t, span{at, len(line)})
		}
		return err
	})
	if err != nil {
		return counts, fmt.Errorf("store: %w", err)
	}
	return counts, nil
}
