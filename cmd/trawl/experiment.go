package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trawl/eval"
	"trawl/internal/experiment"
	"trawl/internal/figures"
)

const experimentHelp = `Carry out an experiment: every arm as a run of its own into OUT/ARM, then a report on all
of them, OUT/report/NAME/index.html, and a short table. Without NAME, list what there is.

The same command goes on where it stopped: arms that are done are not run again, and if all
are no model is opened. Several experiments may share OUT, which names them in
OUT/experiment.json: each has a report of its own, and arms that are the same runs are taken
over. All settings and folders are checked before the first rollout.

NAME is one that is built in, or a YAML file; configs/README.md says how it is written. What
it sets for all arms stands below -c, --set and flags, so that these may change it; what an
arm sets stands above -c, and a flag or --set for it is refused: it is what is compared.

  trawl experiment
  trawl experiment divinit-subset --dataset hotpotqa:dev.json --index IDX --out EXP -c divinit
  trawl experiment selectors --dataset hotpotqa:dev.json --index IDX --out EXP --selector-model MODEL
  trawl experiment voting-gap --out EXP                    simulation alone

Built in: `

// An experimentOptions is what trawl experiment was asked to do.
type experimentOptions struct {
	dataset   string
	out       string
	limit     int
	selectors []string
	list      bool
	json      bool
}

func newExperiment(e env) *cobra.Command {
	var (
		o experimentOptions
		f settingsFlags
	)
	cmd := &cobra.Command{
		Use:   "experiment [NAME] --dataset NAME:PATH --index DIR --out OUT",
		Short: "Several runs that are compared, as one command",
		Long:  experimentHelp + wrapped(experiment.Names()) + ".",
		Args:  needs("experiment", 0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || o.list {
				return listExperiments(e)
			}
			return runExperiment(cmd, e, f, o, args[0])
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&o.dataset, "dataset", "", "questions with answers, as `NAME:PATH`")
	fs.StringVar(&o.out, "out", "", "`folder` for the runs and the report")
	fs.IntVar(&o.limit, "limit", 0, "only the first `N` questions; may grow when an experiment goes on")
	fs.StringSliceVar(&o.selectors, "selector", nil, "selectors to compare, each by `name`, in the place of the experiment's")
	fs.BoolVar(&o.list, "list", false, "list the experiments that are built in")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	f.register(cmd, configGroup, modelGroup, retrievalGroup, rolloutGroup, vectorsGroup)
	fs.StringVar(&f.checkpoint, "selector-model", "", "`checkpoint` of the selector gnn, made by trawl train")
	return cmd
}

// listExperiments prints a line for each experiment that is built in.
func listExperiments(e env) error {
	tw := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	for _, name := range experiment.Names() {
		x, err := experiment.BuiltIn(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(tw, "%s\t%s\n", name, x.Title)
	}
	return tw.Flush()
}

func runExperiment(cmd *cobra.Command, e env, f settingsFlags, o experimentOptions, name string) error {
	ctx := cmd.Context()
	usage := func(err error) error { return usageError{command: cmd.CommandPath(), err: err} }
	x, err := experiment.Open(name)
	if err != nil {
		return err
	}
	switch {
	case o.out == "":
		return usage(errors.New("--out is missing: folder for the runs and the report"))
	case o.limit < 0:
		return usage(fmt.Errorf("--limit %d: want 1 or more, or 0 for all", o.limit))
	case o.dataset == "" && x.Simulate == nil:
		return usage(errors.New("--dataset is missing: questions with answers, as NAME:PATH"))
	case o.dataset == "" && ofRuns(cmd) != "":
		return usage(fmt.Errorf("--%s is of runs, and without --dataset nothing is run: name questions with answers, as NAME:PATH", ofRuns(cmd)))
	case o.dataset != "" && len(x.Arms) == 0:
		return usage(fmt.Errorf("--dataset %s: %s only simulates, and runs nothing", o.dataset, x.Name))
	}
	if err := chooseSelectors(x, o.selectors); err != nil {
		return usage(err)
	}
	t := &trial{env: e, experiment: x, options: o, flags: f, cmd: cmd}
	if o.dataset != "" {
		if t.arms, err = t.settle(); err != nil {
			return err
		}
	}
	if err := t.checkFolders(); err != nil {
		return err
	}
	if len(t.arms) > 0 {
		err = t.run(ctx)
	} else {
		err = t.mark()
	}
	if err != nil {
		return t.interrupted(err)
	}
	if err := t.report(ctx); err != nil {
		return t.interrupted(err)
	}
	return t.tell()
}

// ofRuns returns a flag that was given and means nothing where nothing is run.
func ofRuns(cmd *cobra.Command) (name string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains([]string{"out", "json", "quiet"}, f.Name) && name == "" {
			name = f.Name
		}
	})
	return name
}

// chooseSelectors puts the user's selectors in the place of the experiment's, and
// makes sure that there are such.
func chooseSelectors(x *experiment.Experiment, chosen []string) error {
	if len(chosen) > 0 {
		if x.Select == nil {
			return fmt.Errorf("--selector %s: %s compares no selectors", strings.Join(chosen, ","), x.Name)
		}
		x.Select.Selectors = chosen
	}
	if x.Select != nil {
		for _, name := range x.Select.Selectors {
			if !isSelector(name) {
				return unknownSelector(name)
			}
		}
	}
	if x.CrossValidate != nil {
		for _, name := range x.CrossValidate.Ablate {
			if name != experiment.Whole && !slices.Contains(ablationNames(), name) {
				return fmt.Errorf("%s: crossvalidate.ablate: %s: want %s, %s", x.From, name, experiment.Whole, strings.Join(ablationNames(), ", "))
			}
		}
	}
	return nil
}

// A trial is an experiment that is being carried out.
type trial struct {
	env        env
	experiment *experiment.Experiment
	options    experimentOptions
	flags      settingsFlags
	cmd        *cobra.Command
	arms       []*arm // none where it only simulates

	scores []*eval.Report // of the arms, for the table
	drawn  []drawnVotes   // what is simulated
	failed int            // rollouts
	errs   []error        // what makes the exit status 1 though the report is there
}

// folder returns a folder below OUT.
func (t *trial) folder(name string) string { return filepath.Join(t.options.out, name) }

// step tells what the experiment is at.
func (t *trial) step(format string, args ...any) {
	if !t.env.isQuiet() {
		fmt.Fprintf(t.env.stderr, "trawl: "+format+"\n", args...)
	}
}

// interrupted says how to go on after an experiment that did not come to its end.
func (t *trial) interrupted(err error) error {
	begun := 0
	for _, a := range t.arms {
		if a.ran {
			begun++
		}
	}
	switch {
	case begun == 0:
		return err
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%d of %d arms are done and kept in %s; the same command goes on from there", t.done(), len(t.arms), t.options.out)
	}
	return fmt.Errorf("%w\n  %d of %d arms are done and kept in %s; the same command goes on from there", err, t.done(), len(t.arms), t.options.out)
}

// done counts the arms without a rollout that is left to do.
func (t *trial) done() int {
	n := 0
	for _, a := range t.arms {
		if a.finished {
			n++
		}
	}
	return n
}

// report writes the page on all arms, with what the experiment makes of them, and
// scores the arms for the table.
func (t *trial) report(ctx context.Context) error {
	x := t.experiment
	var extra []figures.Section
	for _, more := range []func(context.Context) (*figures.Section, error){t.choosing, t.ablations, t.simulation} {
		section, err := more(ctx)
		if err != nil {
			return err
		}
		if section != nil {
			extra = append(extra, *section)
		}
	}
	o := reportOptions{
		out: t.reportFolder(), title: x.Title, intro: []string{x.Asks}, extra: extra, command: t.command(),
	}
	if x.Select != nil {
		var err error
		if o.selectors = t.plainSelectors(); x.Select.Subsets != "" {
			o.subsets, err = parseSubsets(string(x.Select.Subsets))
		}
		for _, a := range t.arms {
			if a.several() {
				o.at = append(o.at, x.Select.At.Of(a.settings.Rollout.Count)...)
			}
		}
		slices.Sort(o.at)
		o.at = slices.Compact(o.at)
		if err != nil {
			return err
		}
	}
	if len(t.arms) == 0 {
		asks := figures.Section{ID: "asks", Title: "What is asked", Text: o.intro}
		return figures.WriteContext(ctx, o.out, figures.Page{Title: o.title, Sections: append([]figures.Section{asks}, extra...)})
	}
	for _, p := range x.Pairs {
		o.pairs = append(o.pairs, eval.MetricPair{A: p.Baseline, B: p.Arm})
	}
	var runs []reportRun
	for i, a := range t.arms {
		runs = append(runs, reportRun{name: a.name, dir: a.dir, command: a.command})
		if a.name == x.Baseline {
			o.baseline = i
		}
		r, err := scoreRuns(t.env, []string{a.dir}, scoreOptions{}, nil)
		if err != nil {
			return err
		}
		t.scores = append(t.scores, r)
	}
	e := t.env
	e.stdout = io.Discard // the table below says where the report is
	return makeReport(ctx, e, runs, o)
}
