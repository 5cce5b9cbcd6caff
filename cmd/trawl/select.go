package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/eval/compare"
	"trawl/internal/config"
	"trawl/selection"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

const selectHelp = `Run selectors over stored rollouts and compare them, without a search and without a
model call (with --embedder URL, gnn has texts embedded by that server). Each selector decides on the same subsets of k of a question's rollouts; a
figure is the mean over subsets first and questions second, with a 95 % bootstrap
interval over questions, and with the paired difference to majority. So first at 1 is
what one rollout is worth, and first at all of them is the first that has an answer.

Rollouts that failed, are missing or have no answer are no candidates; a subset without
one counts as wrong. The oracle is right whenever a right answer is among the k.

  trawl select RUN --selector first majority oracle
  trawl select RUN --selector first,majority --at 2,4,8 --subsets all

The decisions on all rollouts of a question go to RUN/selections.jsonl, except the
oracle's, which would give gold answers away. Deciding again writes nothing twice.
Several folders are compared together if they are shards of one run.

Selectors: `

// A selectOptions is what trawl select was asked to do.
type selectOptions struct {
	selectors []string
	at        []int
	subsets   int
	dataset   string
	model     string
	json      bool
}

func newSelect(e env) *cobra.Command {
	var (
		o           selectOptions
		f           settingsFlags
		at, subsets string
	)
	cmd := &cobra.Command{
		Use:   "select RUN... --selector NAME...",
		Short: "Compare ways to choose among the rollouts of a run",
		Long:  selectHelp + strings.Join(selectorNames, ", ") + ", " + oracleName + ".",
		Args:  needs("RUN", 1, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.at, err = parseAt(at); err == nil {
				o.subsets, err = parseSubsets(subsets)
			}
			if err != nil {
				return usageError{command: cmd.CommandPath(), err: err}
			}
			return runSelect(cmd, e, f, o, args)
		},
	}
	fs := cmd.Flags()
	fs.StringSliceVar(&o.selectors, "selector", nil, "selectors to compare, each by `name` (default: all that need no checkpoint; gnn too with --model)")
	fs.StringVar(&at, "at", "", "`k` of the subsets, such as 2,4,8 (default: powers of two, and all)")
	fs.StringVar(&subsets, "subsets", strconv.Itoa(defaultSubsets), "subsets of k rollouts of a question beyond which so many are sampled: a `number`, or all")
	fs.StringVar(&o.dataset, "dataset", "", "questions with answers, as `NAME:PATH` (default: those of the run)")
	fs.StringVar(&o.model, "model", "", "`checkpoint` of the selector gnn, made by trawl train")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	f.register(cmd, configGroup, vectorsGroup)
	return cmd
}

// defaultSubsets is enough for intervals that questions alone make wide.
const defaultSubsets = 100

// parseSubsets reads "all" or a number.
func parseSubsets(s string) (int, error) {
	if s == "all" {
		return compare.All, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("--subsets %s: want all, or a number from 1", s)
	}
	return n, nil
}

// namedSelectors takes the names of selectors out of what stands behind
// --selector: "--selector first majority" is how people write it, and a folder of
// such a name can be written ./first.
func namedSelectors(args, selectors []string) (dirs, names []string) {
	names = selectors
	for _, arg := range args {
		known := slices.Contains(selectorNames, arg) || arg == oracleName || arg == "auto" || strings.HasPrefix(arg, "gnn:")
		if _, err := os.Stat(arg); known && err != nil && len(selectors) > 0 {
			names = append(names, arg)
		} else {
			dirs = append(dirs, arg)
		}
	}
	return dirs, names
}

func runSelect(cmd *cobra.Command, e env, f settingsFlags, o selectOptions, args []string) error {
	f.selector = config.Default().Selection.Selector // --selector names several here, and is not that setting
	s, err := f.load(cmd, e)
	if err != nil {
		return err
	}
	if o.model != "" {
		s.Selection.Model = o.model
	}
	dirs, names := namedSelectors(args, o.selectors)
	if len(dirs) == 0 {
		return usageError{command: cmd.CommandPath(), err: errors.New("RUN is missing")}
	}
	if o.selectors = names; len(names) == 0 {
		o.selectors = everySelector(s)
	}
	runs, err := openSelected(e, dirs, o.dataset)
	if err != nil {
		return err
	}
	g := newGraphSelectors(e, s)
	r, err := runs.compare(cmd.Context(), e, o, g)
	if err = errors.Join(err, runs.close(), g.close()); err != nil {
		return err
	}
	runs.tell(e)
	if o.json {
		err = writeJSON(e.stdout, r)
	} else {
		err = writeComparison(e.stdout, strings.Join(dirs, " "), r)
	}
	switch {
	case err != nil:
		return err
	case r.Complete == 0:
		return fmt.Errorf("nothing was decided: %d rollouts failed, %d are missing", r.Failed, r.Missing)
	case !scoredAtAll(r):
		return errors.New("the data set has no gold answers: the decisions are kept, but nothing says which are right; --dataset names one that has")
	}
	return nil
}

// scoredAtAll reports whether there is a figure in a comparison.
func scoredAtAll(r *compare.Report) bool {
	for _, rows := range r.At {
		return rows[0].Accuracy != nil
	}
	return false
}

// everySelector returns what is compared where nobody says.
func everySelector(s *config.Settings) []string {
	names := append(slices.Clone(selectorNames), oracleName)
	if s.Selection.Model == "" {
		names = slices.DeleteFunc(names, func(n string) bool { return n == "gnn" })
	}
	return names
}

// A selected is a run folder whose rollouts are selected from.
type selected struct {
	scored
	lines     *store.Reader
	decisions *store.Selections // nil where they may not be written
	written   int               // decisions
}

// A selectedRuns is the folders of one run.
type selectedRuns struct {
	folders  []*selected
	examples []dataset.Example
	at       map[string]*selected // by id of the question
	byID     map[string]dataset.Example
	round    int               // the last one, which is decided on
	models   map[string]string // hash of the checkpoint behind a selector, by its name
}

// openSelected opens run folders that are one run or shards of one.
func openSelected(e env, dirs []string, spec string) (_ *selectedRuns, err error) {
	r := &selectedRuns{at: map[string]*selected{}, byID: map[string]dataset.Example{}, round: 1}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	for _, dir := range dirs {
		s := &selected{scored: scored{dir: dir}}
		if s.lines, err = store.OpenReader(dir); err != nil {
			return nil, err
		}
		r.folders = append(r.folders, s)
		if err := r.add(e, s, spec); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// add takes in the questions of a folder whose lines are open.
func (r *selectedRuns) add(e env, s *selected, spec string) (err error) {
	s.manifest = s.lines.Manifest()
	if s.settings, err = settingsOf(s.manifest); err != nil {
		return fmt.Errorf("%s: %w", s.dir, err)
	}
	for _, before := range r.folders[:len(r.folders)-1] {
		if err := belong(before.scored, s.scored); err != nil {
			return err
		}
	}
	all, err := examplesOf(s.dir, s.manifest, spec)
	if err != nil {
		return err
	}
	s.examples = planned(all, s.settings)
	for _, ex := range s.examples {
		r.at[ex.ID], r.byID[ex.ID] = s, ex
	}
	r.examples = append(r.examples, s.examples...)
	r.round = max(r.round, s.lines.Round())
	if err := s.tellLeftOut(e, all); err != nil {
		return err
	}
	if s.decisions, err = store.OpenSelections(s.dir); errors.Is(err, fs.ErrPermission) {
		fmt.Fprintf(e.stderr, "trawl: %v: the decisions are compared and not kept\n", err)
		return nil
	}
	return err
}

// tellLeftOut says what of the folder is not decided on. A question that is not
// in the data set is an error: then it is not that of the run.
func (s *selected) tellLeftOut(e env, all []dataset.Example) error {
	for _, bad := range s.lines.Counts().Dropped {
		fmt.Fprintf(e.stderr, "trawl: %s: skipped a line that cannot be read: %v\n", s.dir, bad)
	}
	left, mine, others := leftOut(all, s.examples), map[string]bool{}, 0
	for _, ex := range s.examples {
		mine[ex.ID] = true
	}
	for _, id := range s.lines.Questions() {
		switch {
		case left[id]:
			others++
		case !mine[id]:
			return fmt.Errorf("%s: question %q of the run is not among the %d of the data set", s.dir, id, len(all))
		}
	}
	if others > 0 {
		fmt.Fprintf(e.stderr, "trawl: %s: left out the rollouts of %d questions beyond the limit of %d that the run was given last\n", s.dir, others, s.settings.Limit)
	}
	return nil
}

// close lets go of the folders and puts their decisions on disk.
func (r *selectedRuns) close() error {
	var errs []error
	for _, s := range r.folders {
		errs = append(errs, s.lines.Close())
		if s.decisions != nil {
			errs = append(errs, s.decisions.Close())
		}
	}
	return errors.Join(errs...)
}

// compare decides and compares.
func (r *selectedRuns) compare(ctx context.Context, e env, o selectOptions, graphs *graphSelectors) (*compare.Report, error) {
	first := r.folders[0]
	count := first.settings.Rollout.Count
	if len(o.at) > 0 && slices.Max(o.at) > count {
		return nil, fmt.Errorf("--at %d: %s has %d rollouts a question", slices.Max(o.at), first.dir, count)
	}
	field, err := r.field(ctx, o.selectors, graphs)
	if err != nil {
		return nil, err
	}
	bar := newProgress(e, "questions", 0, len(r.examples))
	defer bar.close()
	report, err := compare.Run(ctx, r.examples, r.rollouts, field, compare.Options{
		Rollouts: count, At: o.at, Subsets: o.subsets, Seed: first.manifest.Seed,
		Decided: r.keep, Progress: func(done int) { bar.set(done, 0) },
	})
	if err != nil {
		return nil, err
	}
	report.Simulated = first.settings.Simulated
	return report, nil
}

// field makes the selectors, each once.
func (r *selectedRuns) field(ctx context.Context, names []string, graphs *graphSelectors) ([]compare.Contestant, error) {
	o := selectorOptions{
		seed:   r.folders[0].manifest.Seed,
		right:  func(t *trajectory.Trajectory) bool { return eval.Mark(r.byID[t.QuestionID], t.Answer).EM },
		graphs: func(checkpoint string) (selection.Selector, error) { return graphs.open(ctx, checkpoint, "") },
	}
	r.models = map[string]string{}
	var field []compare.Contestant
	for _, name := range names {
		var (
			s   selection.Selector
			err error
		)
		if name == "auto" {
			s, name, err = graphs.choose(ctx, "")
		} else {
			s, name, err = newSelector(name, o)
		}
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(field, func(c compare.Contestant) bool { return c.Name == name }) {
			field = append(field, compare.Contestant{Name: name, Selector: s})
			r.models[name] = checkpointOf(s)
		}
	}
	return field, nil
}

// rollouts returns the rollouts of a question in the last round.
func (r *selectedRuns) rollouts(id string) ([]*trajectory.Trajectory, error) {
	lines, err := r.at[id].lines.Rollouts(id)
	return slices.DeleteFunc(lines, func(t *trajectory.Trajectory) bool { return t.Round != r.round }), err
}

// keep writes a decision into the folder that its question is of.
func (r *selectedRuns) keep(d compare.Decided) error {
	if d.Name == oracleName {
		return nil
	}
	line := store.Decision{
		QuestionID: d.QuestionID, Round: r.round, Selector: d.Name, Model: r.models[d.Name], Rollouts: d.Rollouts, Rollout: -1,
		Answer: d.Decision.Answer, Scores: d.Decision.Scores, Note: d.Decision.Note,
	}
	if d.Decision.Index >= 0 {
		line.Rollout = d.Rollouts[d.Decision.Index]
	}
	if line.Answer == "" {
		line.Note = selection.ErrEmpty.Error()
	}
	s := r.at[d.QuestionID]
	if s.decisions == nil {
		return nil
	}
	written, err := s.decisions.Add(line)
	if written {
		s.written++
	}
	return err
}

// tell says where the decisions are.
func (r *selectedRuns) tell(e env) {
	for _, s := range r.folders {
		if s.decisions == nil {
			continue
		}
		path := filepath.Join(s.dir, "selections.jsonl")
		tellCounts(e, path, s.decisions.Counts())
		if !e.isQuiet() {
			fmt.Fprintf(e.stderr, "trawl: %s: %d decisions written\n", path, s.written)
		}
	}
}
