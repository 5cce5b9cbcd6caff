package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/eval/judge"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

const scoreHelp = `Score the rollouts of a run against the gold answers of its data set: exact match, F1,
contains, pass@k, majority@k, the diversity of the rollouts, recall of the supporting
documents, and cost. Every figure stands beside how many rollouts failed or are missing.

Of a run with several rounds the last one counts, and the answer of a rollout is that of
the state in which the round ended; what each round was worth and cost stands below:
RT, the accuracy of its answers, AP, that of the best of all answers so far, and the
branches that its states left open.

Whether an answer is right is also asked of a model with --judge, which shows it the
question, the gold answers and the answer. STYLE says in which form it rules: browsecomp
(which is also that of a bare --judge), hle, divinit, tongyi or simpleqa. The model is that
of models.judge, by default the one at --endpoint, at temperature 0. Each distinct answer
to a question is judged once and kept in RUN/verdicts.jsonl as it is judged; the same
command asks only for what is not there. A reply without a verdict leaves the answer
unscored, which is counted and never wrong. Two judges ask no model: stored takes the
verdicts that are in the folder, such as imported ones (stored:NAME those of one judge), gaia
is the scorer of GAIA.

Several folders are scored together if they are shards of one run.`

// A scoreOptions is what trawl score was asked to do.
type scoreOptions struct {
	dataset  string
	at       string
	judge    string // as --judge has it; "" for none
	allPairs bool
	json     bool
	rule     ruler // of the judge; nil for none
}

// A ruler has a judge rule on answers to the questions of runs.
type ruler func(runs []scored, answers []eval.Answered) (*ruled, error)

func newScore(e env) *cobra.Command {
	var (
		f settingsFlags
		o scoreOptions
	)
	cmd := &cobra.Command{
		Use:   "score RUN...",
		Short: "Answer metrics, pass@k, diversity and cost of a run",
		Long:  scoreHelp,
		Args:  needs("RUN", 1, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := parseAt(o.at)
			if err == nil {
				args, err = judgeFlag(cmd, &o, args)
			}
			if err != nil {
				return usageError{command: cmd.CommandPath(), err: err}
			}
			s, err := f.load(cmd, e)
			if err != nil {
				return err
			}
			if o.judge != "" {
				o.rule = func(runs []scored, answers []eval.Answered) (*ruled, error) {
					return newJudging(e, s, o.judge, runs).rule(cmd.Context(), answers)
				}
			}
			return runScore(e, args, o, at)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&o.dataset, "dataset", "", "questions with answers, as `NAME:PATH` (default: those of the run)")
	fs.StringVar(&o.at, "at", "", "`k` of pass@k and majority@k, such as 1,2,4 (default: powers of two)")
	fs.BoolVar(&o.allPairs, "all-pairs", false, "distance across rollouts over all pairs of turns, not only equal ones")
	fs.StringVar(&o.judge, "judge", "", "also score by a judge, in this `STYLE`: "+judgeNames())
	fs.Lookup("judge").NoOptDefVal = string(judge.BrowseComp)
	fs.BoolVar(&o.json, "json", false, "print JSON")
	f.register(cmd, configGroup, endpointGroup)
	return cmd
}

// runScore scores run folders and prints the report.
func runScore(e env, dirs []string, o scoreOptions, at []int) error {
	r, err := scoreRuns(e, dirs, o, at)
	if err != nil {
		return err
	}
	if o.json {
		err = writeJSON(e.stdout, r)
	} else {
		err = writeReport(e.stdout, strings.Join(dirs, " "), r)
		for _, warning := range r.Warnings {
			fmt.Fprintln(e.stderr, "trawl: warning:", warning)
		}
	}
	switch {
	case err != nil:
		return err
	case r.Complete == 0:
		return fmt.Errorf("nothing is scored: %d rollouts failed, %d are missing", r.Failed, r.Missing)
	case r.Judged != nil && r.Judged.Unscored > 0 && r.Judged.Rollouts == r.Judged.WithoutAnswer:
		return fmt.Errorf("the judge ruled on no answer: all %d are unscored", r.Judged.Unscored)
	}
	return nil
}

// parseAt reads "1,2,4".
func parseAt(s string) ([]int, error) {
	if s == "" {
		return nil, nil
	}
	var out []int
	for _, part := range strings.Split(s, ",") {
		k, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || k < 1 {
			return nil, fmt.Errorf("--at %s: want numbers from 1, such as 1,2,4", s)
		}
		out = append(out, k)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// A scored is a run folder that is to be scored.
type scored struct {
	dir      string
	manifest store.Manifest
	settings runSettings
	lines    []*trajectory.Trajectory
	states   []trajectory.State
	examples []dataset.Example // that it was to answer
	order    map[string]int    // place of each question in the data set
}

// scoreRuns scores run folders that are one run or shards of one.
func scoreRuns(e env, dirs []string, o scoreOptions, at []int) (*eval.Report, error) {
	var (
		runs   []scored
		lines  []*trajectory.Trajectory
		states []trajectory.State
	)
	for _, dir := range dirs {
		r, err := readScored(e, dir, o.dataset)
		if err != nil {
			return nil, err
		}
		for _, before := range runs {
			if err := belong(before, r); err != nil {
				return nil, err
			}
		}
		runs = append(runs, r)
		lines = append(lines, r.lines...)
		states = append(states, r.states...)
	}
	first, examples := runs[0], joined(runs)
	options := eval.Options{
		Rollouts: first.settings.Rollout.Count, Round: roundOf(runs), States: states, At: at, Seed: first.manifest.Seed,
		AllPairs: o.allPairs, Simulated: first.settings.Simulated,
	}
	if o.rule == nil {
		return eval.Score(examples, lines, options)
	}
	return scoreJudged(runs, examples, lines, options, o.rule)
}

// scoreJudged scores with what a judge rules on the answers.
func scoreJudged(runs []scored, examples []dataset.Example, lines []*trajectory.Trajectory, options eval.Options, rule ruler) (*eval.Report, error) {
	answers, err := eval.Answers(examples, lines, options)
	if err != nil {
		return nil, err
	}
	rulings, err := rule(runs, answers)
	if err != nil {
		return nil, err
	}
	options.Jury = &rulings.Jury
	options.Simulated = options.Simulated || rulings.simulated
	r, err := eval.Score(examples, lines, options)
	if err == nil && rulings.unscored != "" {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s left %d rollouts unscored, which are in no figure of the judge: %s", rulings.Name, r.Judged.Unscored, rulings.unscored))
	}
	return r, err
}

// joined returns the examples of shards of one run in the order of their data set:
// what is drawn of them by chance is then as of the whole run.
func joined(runs []scored) []dataset.Example {
	var examples []dataset.Example
	for _, r := range runs {
		examples = append(examples, r.examples...)
	}
	order := runs[0].order
	slices.SortStableFunc(examples, func(a, b dataset.Example) int { return cmp.Compare(order[a.ID], order[b.ID]) })
	return examples
}

// roundOf returns the round that shards of a run are scored at: the last one that
// they have lines of, and none beyond those that they were given last.
func roundOf(runs []scored) int {
	last := 1
	for _, r := range runs {
		for _, t := range r.lines {
			last = max(last, min(t.Round, r.settings.Recursion.Rounds))
		}
	}
	return last
}

// belong makes sure that two folders are different shards of one run.
func belong(a, b scored) error {
	diff, err := store.Differences(a.manifest, b.manifest)
	if err != nil {
		return err
	}
	if len(diff) > 0 {
		return fmt.Errorf("%s and %s are different runs (%s): score them one by one", a.dir, b.dir, strings.Join(diff, "; "))
	}
	x, y := a.settings.Shard, b.settings.Shard
	if x.N != y.N || x.I == y.I {
		return fmt.Errorf("%s is part %d/%d and %s part %d/%d: only different parts of one run are scored together", a.dir, x.I, x.N, b.dir, y.I, y.N)
	}
	return nil
}

// readScored reads one run folder and the examples that it was to answer.
func readScored(e env, dir, spec string) (scored, error) {
	m, err := store.ReadManifest(dir)
	if err != nil {
		return scored{}, err
	}
	r := scored{dir: dir, manifest: m}
	if r.settings, err = settingsOf(m); err != nil {
		return scored{}, fmt.Errorf("%s: %w", dir, err)
	}
	all, err := examplesOf(dir, m, spec)
	if err != nil {
		return scored{}, err
	}
	r.examples, r.order = planned(all, r.settings), make(map[string]int, len(all))
	for i, ex := range all {
		r.order[ex.ID] = i
	}
	left, others := leftOut(all, r.examples), 0
	for t, err := range store.Scan(dir) {
		var bad *store.LineError
		switch {
		case errors.As(err, &bad):
			fmt.Fprintf(e.stderr, "trawl: %s: skipped a line that cannot be read: %v\n", dir, bad)
		case err != nil:
			return scored{}, err
		case left[t.QuestionID]:
			others++
		default:
			r.lines = append(r.lines, slim(t))
		}
	}
	if err := r.readStates(e, left); err != nil {
		return scored{}, err
	}
	if others > 0 {
		fmt.Fprintf(e.stderr, "trawl: %s: left out %d rollouts of questions beyond the limit of %d that the run was given last\n", dir, others, r.settings.Limit)
	}
	return r, nil
}

// readStates reads the states of the folder without their texts, which scoring
// does not read.
func (r *scored) readStates(e env, left map[string]bool) error {
	states, counts, err := store.ReadStates(r.dir)
	if err != nil {
		return err
	}
	tellCounts(e, filepath.Join(r.dir, "states.jsonl"), counts)
	for _, s := range states {
		if !left[s.QuestionID] {
			s.Raw = ""
			r.states = append(r.states, s)
		}
	}
	return nil
}

// examplesOf loads the data set of a run, or the one that spec names.
func examplesOf(dir string, m store.Manifest, spec string) ([]dataset.Example, error) {
	own := spec == ""
	if own && m.Dataset.Name == askedDataset {
		return nil, fmt.Errorf("%s holds a question that was asked: there are no gold answers to score it against", dir)
	}
	if own {
		spec = m.Dataset.Name + ":" + m.Dataset.Path
	}
	set, err := dataset.Open(spec)
	if err != nil {
		return nil, fmt.Errorf("%w\n  %s was made from it; if it has moved, say where with --dataset", err, dir)
	}
	if own && set.SHA256 != m.Dataset.SHA256 {
		return nil, fmt.Errorf("%s has changed since %s was made: its SHA-256 was %s and is %s; --dataset %s scores against it all the same",
			m.Dataset.Path, dir, short(m.Dataset.SHA256), short(set.SHA256), spec)
	}
	return set.Examples, nil
}

func short(hash string) string { return hash[:min(len(hash), 12)] }

// planned returns the examples that a run with these settings was to answer.
func planned(examples []dataset.Example, s runSettings) []dataset.Example {
	var mine []dataset.Example
	for i, ex := range limited(examples, s.Limit) {
		if s.Shard.Holds(i) {
			mine = append(mine, ex)
		}
	}
	return mine
}

// leftOut returns the ids of all that are not among the planned. A run whose
// limit was lowered has lines of such questions.
func leftOut(all, planned []dataset.Example) map[string]bool {
	ids := make(map[string]bool, len(all))
	for _, ex := range all {
		ids[ex.ID] = true
	}
	for _, ex := range planned {
		delete(ids, ex.ID)
	}
	return ids
}

// slim drops what scoring does not read, most of a rollout's size.
func slim(t *trajectory.Trajectory) *trajectory.Trajectory {
	t.Messages = nil
	for i := range t.Steps {
		s := &t.Steps[i]
		s.Shown, s.Thought = "", ""
		for j := range s.Results {
			s.Results[j].Text = ""
		}
	}
	return t
}
