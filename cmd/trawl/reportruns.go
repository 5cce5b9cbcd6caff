package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"trawl/internal/figures"
	"trawl/trajectory/store"
)

// eachOnce makes sure that no folder is named twice, in whichever words.
func eachOnce(args []string) error {
	seen := map[string]string{}
	for _, dir := range args {
		at := resolved(dir)
		if before, ok := seen[at]; ok {
			return fmt.Errorf("%s and %s are one folder: name each run once", before, dir)
		}
		seen[at] = dir
	}
	return nil
}

// resolved returns the path of a folder without links, as far as there is one.
func resolved(dir string) string {
	at, err := filepath.Abs(dir)
	if err != nil {
		return filepath.Clean(dir)
	}
	rest := ""
	for {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if filepath.Dir(at) == at {
			return filepath.Join(at, rest)
		}
		at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest)
	}
}

// joinShards returns the runs in folders, those that are shards of one run as one, in
// the place of its first.
func joinShards(args []string) ([]reportRun, error) {
	var runs []reportRun
	var parts [][]scored
	for _, dir := range args {
		m, err := store.ReadManifest(dir)
		if err != nil {
			return nil, err
		}
		s := scored{dir: dir, manifest: m}
		if s.settings, err = settingsOf(m); err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		i := slices.IndexFunc(parts, func(of []scored) bool {
			return !slices.ContainsFunc(of, func(before scored) bool { return belong(before, s) != nil })
		})
		if i < 0 {
			runs, parts = append(runs, reportRun{dir: dir}), append(parts, []scored{s})
			continue
		}
		runs[i].shards, parts[i] = append(runs[i].shards, dir), append(parts[i], s)
	}
	return runs, nil
}

// baselineOf returns the place of the run that --baseline names, by its path or, where
// only one has it, by its folder's name.
func baselineOf(runs []reportRun, name string) (int, error) {
	var named []int
	var all, fits []string
	for i, r := range runs {
		for _, dir := range r.dirs() {
			if resolved(name) == resolved(dir) {
				return i, nil
			}
			if name == filepath.Base(filepath.Clean(dir)) {
				named, fits = append(named, i), append(fits, dir)
			}
			all = append(all, dir)
		}
	}
	switch len(slices.Compact(named)) {
	case 0:
		return 0, fmt.Errorf("--baseline %s: want one of %s", name, strings.Join(all, ", "))
	case 1:
		return named[0], nil
	}
	return 0, fmt.Errorf("--baseline %s: %s are of that name: say which by its path", name, strings.Join(fits, " and "))
}

// nameRuns gives every run a name of its own: the one that it came with, or the
// folder's, or its path where another run goes by that.
func nameRuns(runs []reportRun) []reportRun {
	out := slices.Clone(runs)
	used := map[string]int{}
	for i, r := range out {
		out[i].name = cmp.Or(r.name, r.shardNames(func(dir string) string { return filepath.Base(filepath.Clean(dir)) }))
		used[out[i].name]++
	}
	for i, r := range runs {
		if r.name == "" && used[out[i].name] > 1 {
			out[i].name = r.shardNames(func(dir string) string { return dir })
		}
	}
	return out
}

// mostShards is how many shards a name of a run has.
const mostShards = 3

func (r reportRun) shardNames(name func(dir string) string) string {
	dirs := r.dirs()
	if n := len(dirs); n > mostShards {
		return fmt.Sprintf("%s and %d more shards", name(r.dir), n-1)
	}
	var names []string
	for _, dir := range dirs {
		names = append(names, name(dir))
	}
	return strings.Join(names, " + ")
}

// checkOut makes sure, before anything is read, that the report can be written: into a
// folder that is empty or that of a report, and no part of a run.
func (x *reporter) checkOut() error {
	for at := resolved(x.options.out); ; at = filepath.Dir(at) {
		if isRunFolder(at) {
			return fmt.Errorf("--out %s is in the run folder %s, which a report leaves as it is: name another folder", x.options.out, at)
		}
		if filepath.Dir(at) == at {
			break
		}
	}
	return figures.CheckFolder(x.options.out)
}

// isRunFolder reports whether a folder holds a run, be it damaged.
func isRunFolder(dir string) bool {
	if _, err := store.ReadManifest(dir); err == nil {
		return true
	}
	for _, name := range []string{"manifest.json", "rollouts.jsonl"} {
		if _, err := os.Stat(filepath.Join(dir, name)); errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return true
}
