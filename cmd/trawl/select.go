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
	"sync/atomic"

	"github.com/spf13/cobra"

	"trawl/agent"
	"trawl/agent/llm"
	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/eval/compare"
	"trawl/internal/config"
	"trawl/selection"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

const selectHelp = `Run selectors over stored rollouts and compare them, without a search. Each selector
decides on the same subsets of k of a question's rollouts; a figure is the mean over
subsets first and questions second, with a 95 % bootstrap interval over questions, and
with the paired difference to majority. So first at 1 is what one rollout is worth, and
first at all of them is the first that has an answer. Of a run with several rounds the
last one counts, and the answer is that of the state in which it ended.

Most decide without a model call. gnn has texts embedded by a server if --embedder names
one. solagg, summagg and aggagent have the model of models.aggregator write an answer: from
the rollouts' last replies, from a report on each, or by looking into the rollouts with
tools. It is the only model at --endpoint, or --set models.aggregator.name=NAME. They decide on few subsets
(selection.subsets), each decision is kept as it is made, and a comparison that was
interrupted goes on there; the server has to be up also if all of them are kept. --confidence asked asks that model how sure it is of each
finished rollout, for weighted and best-of-n.

Rollouts that failed, are missing or have no answer are no candidates; a subset without
one counts as wrong. The oracle is right whenever a right answer is among the k.

  trawl select RUN --selector first majority oracle
  trawl select RUN --selector first,majority --at 2,4,8 --subsets all
  trawl select RUN --selector majority,solagg,aggagent --endpoint http://127.0.0.1:8000/v1

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

	confidence string
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
	fs.StringSliceVar(&o.selectors, "selector", nil, "selectors to compare, each by `name` (default: all that call no model; gnn too with --model)")
	fs.StringVar(&at, "at", "", "`k` of the subsets, such as 2,4,8 (default: powers of two, and all)")
	fs.StringVar(&subsets, "subsets", strconv.Itoa(defaultSubsets), "subsets of k rollouts of a question beyond which so many are sampled: a `number`, or all")
	fs.StringVar(&o.dataset, "dataset", "", "questions with answers, as `NAME:PATH` (default: those of the run)")
	fs.StringVar(&o.model, "model", "", "`checkpoint` of the selector gnn, made by trawl train")
	fs.StringVar(&o.confidence, "confidence", config.Default().Selection.Confidence, "of weighted and best-of-n: stated by the rollouts, or asked of the aggregator")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	f.register(cmd, configGroup, endpointGroup, vectorsGroup)
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
		if _, err := os.Stat(arg); isSelector(arg) && err != nil && len(selectors) > 0 {
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
	if cmd.Flags().Changed("confidence") {
		s.Selection.Confidence = o.confidence
		if err := s.Check(); err != nil {
			return usageError{command: cmd.CommandPath(), err: err}
		}
	}
	dirs, names := namedSelectors(args, o.selectors)
	if len(dirs) == 0 {
		return usageError{command: cmd.CommandPath(), err: errors.New("RUN is missing")}
	}
	if o.selectors = names; len(names) == 0 {
		o.selectors = everySelector(s)
	}
	for _, name := range o.selectors {
		if !isSelector(name) {
			return usageError{command: cmd.CommandPath(), err: unknownSelector(name)}
		}
	}
	runs, err := openSelected(e, dirs, o.dataset)
	if err != nil {
		return err
	}
	x := newSelectors(e, s)
	r, err := runs.compare(cmd.Context(), e, o, x)
	if err = errors.Join(err, runs.close(), x.close()); err != nil {
		return runs.interrupted(err)
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
	case r.Undecided > 0:
		return fmt.Errorf("%d of %d questions could not be decided and are in no figure; the same command tries them again", r.Undecided, r.Questions)
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

// everySelector returns what is compared where nobody says: all that cost nothing.
func everySelector(s *config.Settings) []string {
	names := slices.Clone(plainSelectors)
	if s.Selection.Model != "" {
		names = append(names, "gnn")
	}
	return append(names, oracleName)
}

// A selected is a run folder whose rollouts are selected from.
type selected struct {
	scored
	lines     *store.Reader
	decisions *store.Selections // nil where they may not be written
	written   atomic.Int64      // decisions
}

// A selectedRuns is the folders of one run.
type selectedRuns struct {
	folders  []*selected
	examples []dataset.Example
	at       map[string]*selected // by id of the question
	byID     map[string]dataset.Example
	round    int               // the last one, which is decided on
	models   map[string]string // what stands for all that decides beside the rollouts, by name of the selector; see idOf
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
	r.round = max(r.round, lastRound(s.lines, s.settings))
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
	if err := tellDropped(e, s.dir, s.lines); err != nil {
		return err
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
func (r *selectedRuns) compare(ctx context.Context, e env, o selectOptions, x *selectors) (*compare.Report, error) {
	first := r.folders[0]
	count := first.settings.Rollout.Count
	if len(o.at) > 0 && slices.Max(o.at) > count {
		return nil, fmt.Errorf("--at %d: %s has %d rollouts a question", slices.Max(o.at), first.dir, count)
	}
	field, err := r.field(ctx, o, x)
	if err != nil {
		return nil, err
	}
	options := compare.Options{Rollouts: count, At: o.at, Subsets: o.subsets, Seed: first.manifest.Seed, Decided: r.keep}
	if x.models.backend != nil { // questions wait for a server, not for a core
		options.Workers = x.settings.Rollout.Concurrency
	}
	bar := newProgress(e, "questions", 0, len(r.examples))
	defer bar.close()
	options.Progress = func(done int) { bar.set(done, 0) }
	report, err := compare.Run(ctx, r.examples, r.rollouts, field, options)
	if err != nil {
		return nil, err
	}
	report.Simulated = first.settings.Simulated || x.models.simulated()
	return report, nil
}

// field makes the selectors, each once.
func (r *selectedRuns) field(ctx context.Context, o selectOptions, x *selectors) ([]compare.Contestant, error) {
	first := r.folders[0]
	dialect, err := dialectOf(first.dir, first.manifest)
	if err != nil {
		return nil, err
	}
	if dialect == agent.Native {
		x.models.tools = []llm.Tool{searchSpec()}
	}
	x.seed = first.manifest.Seed
	x.right = func(t *trajectory.Trajectory) bool { return eval.Mark(r.byID[t.QuestionID], t.Answer).EM }
	x.keep = func(name string, s modelSelector) selection.Selector { return keptSelector{s, name, r} }
	r.models = map[string]string{}
	var field []compare.Contestant
	for _, name := range o.selectors {
		s, name, err := x.make(ctx, name, "")
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(field, func(c compare.Contestant) bool { return c.Name == name }) {
			continue
		}
		c := compare.Contestant{Name: name, Selector: s}
		if slices.Contains(writingSelectors, name) {
			c.Subsets = min(o.subsets, x.settings.Selection.Subsets)
		}
		if p := x.settings.Selection.Price; p != (config.Price{}) {
			c.Price = &compare.Price{In: p.Prompt, Out: p.Completion}
		}
		field = append(field, c)
		r.models[name] = idOf(s)
	}
	return field, nil
}

// rollouts returns what the rollouts of a question came to.
func (r *selectedRuns) rollouts(id string) ([]*trajectory.Trajectory, error) {
	return outcomes(r.at[id].lines, id, r.round)
}

// keep writes a decision on all rollouts of a question.
func (r *selectedRuns) keep(d compare.Decided) error {
	if d.Name == oracleName {
		return nil
	}
	return r.put(d.Name, r.models[d.Name], d.QuestionID, d.Rollouts, d.Decision)
}

// put writes a decision into the folder that its question is of.
func (r *selectedRuns) put(name, model, questionID string, rollouts []int, d selection.Decision) error {
	line := store.Decision{
		QuestionID: questionID, Round: r.round, Selector: name, Model: model, Rollouts: rollouts, Rollout: -1,
		Answer: d.Answer, Scores: d.Scores, Note: d.Note,
	}
	if d.Index >= 0 {
		line.Rollout = rollouts[d.Index]
	}
	if line.Answer == "" && line.Note == "" {
		line.Note = selection.ErrEmpty.Error()
	}
	if d.Cost != (selection.Cost{}) {
		cost := store.Cost(d.Cost)
		line.Cost = &cost
	}
	s := r.at[questionID]
	if s.decisions == nil {
		return nil
	}
	added, err := s.decisions.Add(line)
	if added {
		s.written.Add(1)
	}
	return err
}

// find returns a decision that was made before.
func (r *selectedRuns) find(questionID, name, model string, rollouts []int) (selection.Decision, bool) {
	s := r.at[questionID]
	if s.decisions == nil {
		return selection.Decision{}, false
	}
	line, ok := s.decisions.Find(questionID, r.round, name, model, rollouts)
	if !ok {
		return selection.Decision{}, false
	}
	d := selection.Decision{Answer: line.Answer, Index: slices.Index(rollouts, line.Rollout), Note: line.Note}
	if len(line.Scores) > 0 {
		d.Scores = line.Scores
	}
	if line.Cost != nil {
		d.Cost = selection.Cost(*line.Cost)
	}
	return d, true
}

// interrupted says how to go on after a comparison that did not come to its end.
func (r *selectedRuns) interrupted(err error) error {
	kept := int64(0)
	for _, s := range r.folders {
		kept += s.written.Load()
	}
	switch {
	case kept == 0:
		return err
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%d decisions were made and are kept; the same command goes on from there", kept)
	}
	return fmt.Errorf("%w\n  %d decisions were made and are kept; the same command goes on from there", err, kept)
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
			fmt.Fprintf(e.stderr, "trawl: %s: %d decisions written\n", path, s.written.Load())
		}
	}
}
