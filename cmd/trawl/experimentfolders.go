package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"trawl/internal/atomicfile"
	"trawl/internal/experiment"
	"trawl/internal/text"
	"trawl/trajectory/store"
)

// markerFile says of a folder which experiments it is of.
const markerFile = "experiment.json"

// A residents is what stands in markerFile.
type residents struct {
	Experiments []resident `json:"experiments"` // by name
}

type resident struct {
	Name string   `json:"name"`
	Arms []string `json:"arms"`
}

// reportFolder is that of the report, one for each experiment in OUT.
func (t *trial) reportFolder() string {
	return filepath.Join(t.folder(experiment.ReportFolder), t.experiment.Name)
}

// checkFolders makes sure that everything can be written where it belongs, and that
// nothing of others is there.
func (t *trial) checkFolders() error {
	if err := t.checkOut(); err != nil {
		return err
	}
	for _, a := range t.arms {
		if err := freeOrRun(a.dir); err != nil {
			return fmt.Errorf("arm %s: %w", a.name, err)
		}
	}
	x := reporter{options: reportOptions{out: t.reportFolder()}}
	return x.checkOut()
}

// checkOut makes sure that OUT is new, empty, or of experiments.
func (t *trial) checkOut() error {
	out := t.options.out
	if isRunFolder(out) {
		return fmt.Errorf("--out %s is a run folder: name another, in which each arm has a folder of its own", out)
	}
	entries, err := os.ReadDir(out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	known, err := t.readMarker()
	if err != nil || known != nil {
		return err
	}
	ours := []string{experiment.ReportFolder, experiment.CrossFolder, experiment.ChoiceFolder, markerFile + atomicfile.TempSuffix}
	for _, a := range t.arms { // made by trawl run before
		ours = append(ours, a.name)
	}
	for _, e := range entries {
		if !slices.Contains(ours, e.Name()) {
			return fmt.Errorf("--out %s is not the folder of an experiment: it holds %s and no %s; nothing was changed, name another", out, e.Name(), markerFile)
		}
	}
	return nil
}

// readMarker returns the marker of OUT; nil if it has none.
func (t *trial) readMarker() (*residents, error) {
	path := t.folder(markerFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var m residents
	if err := text.JSONError(json.Unmarshal(data, &m)); err != nil {
		return nil, fmt.Errorf("%s: %w; it should name the experiments of the folder: without it the folder is taken by its content", path, err)
	}
	return &m, nil
}

// mark says in OUT that it is of this experiment too.
func (t *trial) mark() error {
	m, err := t.readMarker()
	if err != nil {
		return err
	}
	if m == nil {
		m = &residents{}
	}
	now := resident{Name: t.experiment.Name, Arms: []string{}}
	for _, a := range t.arms {
		now.Arms = append(now.Arms, a.name)
	}
	i, there := slices.BinarySearchFunc(m.Experiments, now.Name, func(old resident, name string) int { return strings.Compare(old.Name, name) })
	if there && slices.Equal(m.Experiments[i].Arms, now.Arms) {
		return nil
	}
	if there {
		m.Experiments[i] = now
	} else {
		m.Experiments = slices.Insert(m.Experiments, i, now)
	}
	if err := os.MkdirAll(t.options.out, 0o755); err != nil {
		return err
	}
	return atomicfile.Write(t.folder(markerFile), func(w io.Writer) error { return writeJSON(w, m) })
}

// freeOrRun makes sure that a folder holds a run, or nothing that would have a run
// refused.
func freeOrRun(dir string) error {
	_, err := store.ReadManifest(dir)
	if !errors.Is(err, store.ErrNoRun) {
		return err
	}
	entries, found := os.ReadDir(dir)
	if errors.Is(found, fs.ErrNotExist) {
		return nil
	}
	if found != nil {
		return found
	}
	for _, e := range entries {
		if begun := []string{"lock", "manifest.json" + atomicfile.TempSuffix}; !slices.Contains(begun, e.Name()) { // of a process that was killed as it began
			return fmt.Errorf("%w: it holds %s; nothing was changed, name another folder with --out", err, e.Name())
		}
	}
	return nil
}
