package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"trawl/internal/atomicfile"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

// verdictsOf are the verdicts of one judge, by question and answer.
type verdictsOf map[[2]string]store.Verdict

// readVerdicts chooses the judge that gave the most verdicts, the first of several
// that gave as many: no format has room for more than one. What the others said,
// and what a judge said beside its verdict, is counted.
func (x *exported) readVerdicts(e env) error {
	all, counts, err := store.ReadVerdicts(x.dir)
	if err != nil {
		return err
	}
	tellCounts(e, filepath.Join(x.dir, "verdicts.jsonl"), counts)
	given, most := map[[2]string]int{}, [2]string{}
	for _, v := range all {
		given[[2]string{v.Judge, v.Model}]++
	}
	for _, v := range all {
		if judge := [2]string{v.Judge, v.Model}; given[judge] > given[most] {
			most = judge
		}
	}
	x.verdicts = verdictsOf{}
	for _, v := range all {
		switch {
		case [2]string{v.Judge, v.Model} != most:
			x.lost["verdicts of other judges"]++
			continue
		case v.Reason != "" || v.Extracted != "" || v.Confidence != nil:
			x.lost["reasons of verdicts"]++
		}
		x.verdicts[[2]string{v.QuestionID, v.Answer}] = v
	}
	return nil
}

// on returns what the judge said of a rollout; nil for nothing.
func (v verdictsOf) on(t *trajectory.Trajectory) (correct *bool, judge string) {
	said, ok := v[[2]string{t.QuestionID, t.Answer}]
	if !ok || t.Answer == "" {
		return nil, ""
	}
	is := said.Correct != slices.Contains(said.Except, t.Rollout)
	return &is, said.Judge
}

// tellLeftovers says what a process that was killed while it made out has left
// beside it. It is not taken away: another process may be at it.
func tellLeftovers(e env, out string) {
	out = filepath.Clean(out)
	entries, err := os.ReadDir(filepath.Dir(out))
	if err != nil {
		return // there is no such folder yet
	}
	for _, entry := range entries {
		if isLeftover(entry, filepath.Base(out)) {
			fmt.Fprintf(e.stderr, "trawl: %s is of an import or export that was killed, or is under way: take it away if none is\n", filepath.Join(filepath.Dir(out), entry.Name()))
		}
	}
}

// isLeftover reports whether a name is that of an output that was not finished: a
// folder with a number behind it. An unfinished file is written over.
func isLeftover(entry fs.DirEntry, out string) bool {
	number, ok := strings.CutPrefix(entry.Name(), out+atomicfile.TempSuffix+"-")
	return ok && entry.IsDir() && number != "" && strings.Trim(number, "0123456789") == ""
}
