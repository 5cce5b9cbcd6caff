package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"trawl/internal/atomicfile"
	"trawl/trajectory"
)

// A Finished is a run that was made elsewhere. An error that Rollouts yields ends
// its making. A rollout without a config is given that of the manifest.
type Finished struct {
	Manifest Manifest
	Rollouts iter.Seq2[*trajectory.Trajectory, error]
	Verdicts []Verdict         // none: no file
	Files    map[string][]byte // further files of the folder, by name
}

// Create makes the run folder dir of a finished run, whole or not at all: it
// appears under its name when all of it is on disk. If the folder holds that very
// run, it is left as it is, and Create reports false; another run, or other
// content, is refused as [Open] does. A process that is killed in it leaves a
// folder beside dir whose name says that it is not whole, and nothing else.
func Create(dir string, f Finished) (made bool, err error) {
	if made, err = create(dir, f); err != nil {
		err = fmt.Errorf("store: %w", err)
	}
	return made, err
}

func create(dir string, f Finished) (made bool, err error) {
	dir = filepath.Clean(dir)
	if err := f.Manifest.complete(); err != nil {
		return false, err
	}
	there, err := holds(dir, f.Manifest)
	if err != nil || there {
		return false, err
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return false, err
	}
	temp, err := os.MkdirTemp(parent, filepath.Base(dir)+atomicfile.TempSuffix+"-")
	if err != nil {
		return false, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(temp))
		}
	}()
	if err := fill(temp, f); err != nil {
		return false, err
	}
	if err := os.Chmod(temp, 0o755); err != nil {
		return false, err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) { // an empty folder, which not every system renames over
		return false, err
	}
	if err := os.Rename(temp, dir); err != nil {
		return false, err
	}
	return true, atomicfile.SyncFolder(parent)
}

// holds reports whether dir holds the run that m describes, and refuses a folder
// that holds anything else.
func holds(dir string, m Manifest) (bool, error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0:
		return false, nil
	case err != nil:
		return false, err
	}
	old, err := manifestOf(dir)
	if err != nil {
		return false, err
	}
	diff, err := Differences(old, m)
	if err == nil && len(diff) > 0 {
		err = fmt.Errorf("%s %w: %s", dir, ErrOtherRun, strings.Join(diff, "; "))
	}
	return true, err
}

// fill writes a run into the empty folder dir.
func fill(dir string, f Finished) (err error) {
	s, err := open(dir, f.Manifest)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	for t, err := range f.Rollouts {
		if err != nil {
			return err
		}
		if t.Config == "" {
			t.Config = s.config
		}
		if err := s.put(t); err != nil {
			return err
		}
	}
	if err := s.rollouts.sync(); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(f.Files)) {
		err := atomicfile.Write(filepath.Join(dir, name), func(w io.Writer) error {
			_, err := w.Write(f.Files[name])
			return err
		})
		if err != nil {
			return err
		}
	}
	return writeVerdicts(dir, f.Verdicts)
}
