package main

import (
	"path/filepath"
	"slices"

	"trawl/trajectory"
	"trawl/trajectory/store"
)

// verdictsOf are the verdicts of one judge, by question and answer.
type verdictsOf map[[2]string]store.Verdict

// readVerdicts reads the verdicts of one judge: no format has room for more than one.
// What the others said, and what a judge said beside its verdict, is counted.
func (x *exported) readVerdicts(e env) error {
	all, counts, err := store.ReadVerdicts(x.dir)
	if err != nil {
		return err
	}
	tellCounts(e, filepath.Join(x.dir, "verdicts.jsonl"), counts)
	of, others := ofOneJudge(all)
	if others > 0 {
		x.lost["verdicts of other judges"] = others
	}
	x.verdicts = verdictsOf{}
	for _, v := range of {
		if v.Reason != "" || v.Extracted != "" || v.Confidence != nil {
			x.lost["reasons of verdicts"]++
		}
		x.verdicts[[2]string{v.QuestionID, v.Answer}] = v
	}
	return nil
}

// ofOneJudge returns the verdicts of the judge that gave the most, the first of several
// that gave as many, and how many the others gave.
func ofOneJudge(all []store.Verdict) (of []store.Verdict, others int) {
	by, most := map[[2]string][]store.Verdict{}, [2]string{}
	for _, v := range all {
		judge := [2]string{v.Judge, v.Model}
		by[judge] = append(by[judge], v)
	}
	for _, v := range all {
		if judge := [2]string{v.Judge, v.Model}; len(by[judge]) > len(by[most]) {
			most = judge
		}
	}
	return by[most], len(all) - len(by[most])
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
