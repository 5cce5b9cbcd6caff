package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"trawl/corpus/dataset"
	"trawl/corpus/weave"
	"trawl/corpus/wiki"
	"trawl/eval"
	"trawl/internal/atomicfile"
	"trawl/internal/config"
	"trawl/rollout"
	"trawl/search/index"
	"trawl/selection/graph"
)

const demoHelp = `See the whole job offline, without a model server: weave a world, index it, start the
simulated model, run K rollouts per question with DivInit and with standard sampling,
score both, print the table and write the report.

The model is a program of rules. The figures show what trawl does, not what any
language model can do.`

// A demoOptions is the size of a demo.
type demoOptions struct {
	questions int
	rollouts  int
	entities  int
	seed      int64
	selector  string // checkpoint of the graph selector; "" for none
	out       string
	command   string // that makes the demo
	json      bool
}

func newDemo(e env) *cobra.Command {
	var o demoOptions
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See the whole job offline",
		Long:  demoHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.questions < 1 || o.rollouts < 1 || o.rollouts > mostDemoRollouts || o.entities < weave.MinEntities {
				return usageError{command: cmd.CommandPath(), err: fmt.Errorf("--questions %d --rollouts %d --entities %d: want 1 or more, 1 to %d, %d or more",
					o.questions, o.rollouts, o.entities, mostDemoRollouts, weave.MinEntities)}
			}
			o.command = typed(cmd, nil)
			return runDemo(cmd.Context(), e, o)
		},
	}
	fs := cmd.Flags()
	fs.IntVar(&o.questions, "questions", 60, "questions")
	fs.IntVar(&o.rollouts, "rollouts", 8, "rollouts per question")
	fs.IntVar(&o.entities, "entities", 2000, "articles of the world")
	fs.Int64Var(&o.seed, "seed", config.Default().Seed, "seed of world and rollouts")
	fs.StringVar(&o.selector, "selector-model", "", "`checkpoint` of a graph selector, made by trawl train, to choose with beside majority")
	fs.StringVar(&o.out, "out", "trawl-demo", "`folder` for world, index and runs")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

// mostDemoRollouts keeps the table readable: it has a row for each pass@k.
const mostDemoRollouts = 64

// demoMethods are what a demo compares.
var demoMethods = []string{"divinit", "standard"}

func runDemo(ctx context.Context, e env, o demoOptions) error {
	start := time.Now()
	if err := demoFolder(o); err != nil {
		return err
	}
	if err := demoWorld(e, o); err != nil {
		return err
	}
	if err := demoIndex(ctx, e, o); err != nil {
		return err
	}
	reports := map[string]*eval.Report{}
	chosen := map[string]map[int]*eval.Stat{}
	for _, method := range demoMethods {
		dir := filepath.Join(o.out, method)
		if err := demoRun(ctx, e, o, method, dir); err != nil {
			return err
		}
		r, err := scoreRuns(e, []string{dir}, scoreOptions{}, o.at())
		if err != nil {
			return err
		}
		reports[method] = r
		if chosen[method], err = demoSelect(ctx, e, o, dir); err != nil {
			return err
		}
	}
	result := map[string]any{"simulated": true, "seconds": time.Since(start).Seconds(), "runs": reports}
	if o.selector != "" {
		result["gnn_at"] = chosen
	}
	err := atomicfile.Write(o.report(), func(w io.Writer) error { return writeJSON(w, result) })
	if err != nil {
		return err
	}
	if err := demoPage(ctx, e, o, chosen); err != nil {
		return err
	}
	if o.json {
		return writeJSON(e.stdout, result)
	}
	return writeDemo(e.stdout, o, reports, chosen, time.Since(start))
}

// demoPage writes the report on the two methods: standard sampling is what DivInit
// is held against.
func demoPage(ctx context.Context, e env, o demoOptions, chosen map[string]map[int]*eval.Stat) error {
	o.step(e, "writing the report into %s", o.page())
	r := reportOptions{
		out: o.page(), title: "DivInit and standard sampling: a demo", baseline: 1, command: o.command,
	}
	if len(chosen[demoMethods[0]]) > 0 {
		r.model = o.selector
	}
	var runs []reportRun
	for _, method := range demoMethods {
		runs = append(runs, reportRun{dir: filepath.Join(o.out, method)})
	}
	e.stdout = io.Discard
	return makeReport(ctx, e, runs, r)
}

// demoSelect returns how right the answers are that the graph selector chooses,
// by the rollouts to choose among; nothing if there is none or it does not fit.
func demoSelect(ctx context.Context, e env, o demoOptions, dir string) (_ map[int]*eval.Stat, err error) {
	if o.selector == "" {
		return nil, nil
	}
	s := config.Default()
	s.Selection.Model = o.selector
	x := newSelectors(e, s)
	defer func() { err = errors.Join(err, x.close()) }()
	if _, name, err := x.choose(ctx, graph.WebQA); err != nil || name != "gnn" {
		return nil, err
	}
	runs, err := openSelected(e, []string{dir}, "")
	if err != nil {
		return nil, err
	}
	r, err := runs.compare(ctx, e, selectOptions{selectors: []string{"gnn"}, at: o.choices(), subsets: demoSubsets}, x)
	if err = errors.Join(err, runs.close()); err != nil {
		return nil, err
	}
	at := map[int]*eval.Stat{}
	for k, rows := range r.At {
		at[k] = rows[0].Accuracy
	}
	return at, nil
}

// demoSubsets is of how many subsets of a question's rollouts a figure is at most.
const demoSubsets = 20

// choices returns the numbers of rollouts to choose among: powers of two.
func (o demoOptions) choices() []int {
	var at []int
	for k := 2; k <= o.rollouts; k *= 2 {
		at = append(at, k)
	}
	return at
}

// at returns the k of the table: all of them.
func (o demoOptions) at() []int {
	at := make([]int, o.rollouts)
	for i := range at {
		at[i] = i + 1
	}
	return at
}

// step tells what the demo is at.
func (o demoOptions) step(e env, format string, args ...any) {
	if !e.isQuiet() {
		fmt.Fprintf(e.stderr, "trawl: "+format+"\n", args...)
	}
}

func (o demoOptions) page() string   { return filepath.Join(o.out, "report") }
func (o demoOptions) world() string  { return filepath.Join(o.out, "world") }
func (o demoOptions) index() string  { return filepath.Join(o.out, "index") }
func (o demoOptions) report() string { return filepath.Join(o.out, "report.json") }

// demoFolder makes sure that the folder is empty or that of a demo.
func demoFolder(o demoOptions) error {
	entries, err := os.ReadDir(o.out)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(o.world()); err != nil {
		return fmt.Errorf("%s is not the folder of a demo: it holds %s; name another with --out", o.out, entries[0].Name())
	}
	return nil
}

// demoWorld weaves the world of the demo, unless it is there.
func demoWorld(e env, o demoOptions) error {
	if _, err := os.Stat(o.world()); err != nil {
		o.step(e, "weaving a world of %d articles and %d questions into %s", o.entities, o.questions, o.world())
	}
	w, err := weave.New(weave.Options{Seed: o.seed, Entities: o.entities, Questions: o.questions})
	if err != nil {
		return err
	}
	if err := w.Write(o.world()); err != nil {
		return fmt.Errorf("%w\n  the demo needs a folder of its own: name another with --out", err)
	}
	return nil
}

// demoIndex indexes the world, unless that is done.
func demoIndex(ctx context.Context, e env, o demoOptions) error {
	if entries, err := os.ReadDir(o.index()); err == nil && len(entries) > 0 {
		x, err := openKind(o.index())
		if err == nil {
			return x.Close()
		}
		if !errors.Is(err, index.ErrIncomplete) && !errors.Is(err, index.ErrDamaged) {
			return err
		}
	}
	o.step(e, "indexing it into %s", o.index())
	corpus := filepath.Join(o.world(), "corpus.jsonl")
	opts := newIndexOptions()
	opts.out = o.index()
	_, err := buildIndex(ctx, e, opts, &wiki.Reader{Format: wiki.SearchR1, Paths: []string{corpus}}, corpus)
	return err
}

// demoRun does the rollouts of one method.
func demoRun(ctx context.Context, e env, o demoOptions, method, dir string) error {
	s, err := config.Load("demo", nil, e.getenv)
	if err != nil {
		return err
	}
	s.Seed, s.Rollout.Count, s.Rollout.FirstQuery, s.Retrieval.Index = o.seed, o.rollouts, method, o.index()
	if err := s.Check(); err != nil {
		return err
	}
	set, err := dataset.Open("woven:" + filepath.Join(o.world(), "questions.jsonl"))
	if err != nil {
		return err
	}
	o.step(e, "%d questions × %d rollouts, first queries: %s, model: simulated (%s)", len(set.Examples), o.rollouts, method, s.Models.Agent.Name)
	p, err := openPipeline(ctx, e, s, "")
	if err != nil {
		return err
	}
	sum, err := execute(ctx, e, p, runJob{
		settings: s, questions: questionsOf(set.Examples), out: dir, shard: rollout.Shard{I: 1, N: 1},
		dataset: datasetOf(set),
	})
	if err = errors.Join(err, p.close()); err != nil {
		return stopped(dir, sum, err)
	}
	return nil
}

// writeDemo prints the two methods side by side.
func writeDemo(w io.Writer, o demoOptions, reports map[string]*eval.Report, chosen map[string]map[int]*eval.Stat, took time.Duration) error {
	first := reports[demoMethods[0]]
	fmt.Fprintf(w, "SIMULATED MODEL: these figures say nothing about language models.\n")
	fmt.Fprintf(w, "%d questions × %d rollouts, seed %d, %s\n\n", first.Questions, first.Rollouts, o.seed, took.Round(100*time.Millisecond))
	tw := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(tw, "\tDivInit\t\tstandard sampling")
	row := func(label string, of func(*eval.Report) string) {
		fmt.Fprintf(tw, "%s\t%s\t\t%s\n", label, of(reports["divinit"]), of(reports["standard"]))
	}
	for _, k := range slices.Sorted(maps.Keys(first.PassAt)) {
		row(fmt.Sprintf("pass@%d", k), func(r *eval.Report) string { return statOf(r.PassAt[k]) })
	}
	for _, k := range o.choices() {
		row(fmt.Sprintf("majority@%d", k), func(r *eval.Report) string { return statOf(r.MajorityAt[k]) })
	}
	for _, k := range slices.Sorted(maps.Keys(chosen["divinit"])) {
		fmt.Fprintf(tw, "graph selector@%d\t%s\t\t%s\n", k, statOf(chosen["divinit"][k]), statOf(chosen["standard"][k]))
	}
	row("first-query distance (QPD)", func(r *eval.Report) string { return number(r.Diversity.QPD) })
	row("query distance across rollouts (ATD)", func(r *eval.Report) string { return number(r.Diversity.ATD) })
	row("document overlap", func(r *eval.Report) string { return number(r.Diversity.Overlap) })
	row("supporting documents found by all rollouts", func(r *eval.Report) string { return fmt.Sprintf("%.2f", r.Retrieval.RecallPooledAt[10]) })
	row("model calls", func(r *eval.Report) string { return fmt.Sprint(r.Cost.LLMCalls) })
	row("searches", func(r *eval.Report) string { return fmt.Sprint(r.Cost.Searches) })
	if err := tw.Flush(); err != nil {
		return err
	}
	if o.selector == "" {
		fmt.Fprintln(w, "\nAnswers are chosen by majority; trawl train makes a graph selector, and --selector-model shows it here.")
	}
	fmt.Fprintf(w, "\nIntervals are 95 %% bootstrap over questions. Everything is kept in %s:\n", o.out)
	fmt.Fprintf(w, "  trawl score %s\n  %s  the report: open it in a browser\n  %s  the figures, all of them\n  %s  one rollout a line\n",
		filepath.Join(o.out, "divinit"), filepath.Join(o.page(), "index.html"), o.report(), filepath.Join(o.out, "divinit", "rollouts.jsonl"))
	return nil
}

// statOf returns a mean with its interval.
func statOf(s *eval.Stat) string {
	if s == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f (%.2f–%.2f)", s.Mean, s.CI95[0], s.CI95[1])
}
