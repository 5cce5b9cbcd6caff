package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"trawl/eval"
	"trawl/eval/utility"
	"trawl/internal/figures"
	sections "trawl/internal/report"
)

const reportHelp = `Make a report on runs: one HTML page that loads nothing from anywhere, with plots and
sortable tables, and beside it every plot as SVG and PNG and every table as CSV. No model
is asked: what needs one is taken from what the run folders keep, the verdicts of judges
and the decisions of selectors.

Several runs stand side by side. What differs between their manifests is said before
their figures are compared to those of the first, or of the one that --baseline names,
question by question, with paired bootstrap intervals. Runs over different data are
refused; --unpaired shows them without differences.

Folders that are shards of one run are one run here, as for trawl score.

  trawl report RUN --out DIR
  trawl report A B C --baseline B --out DIR
  trawl report RUN --selector majority,gnn --model sel.safetensors --out DIR`

// A reportRun is a run folder that a report shows.
type reportRun struct {
	name    string // in tables and legends; "": the folder's
	dir     string
	shards  []string // further folders, if dir is a shard of the run
	command string   // that made the run; "": nobody knows
}

// dirs returns all folders of the run.
func (r reportRun) dirs() []string { return append([]string{r.dir}, r.shards...) }

// A reportOptions is what a report is to show. The zero value selects the defaults.
type reportOptions struct {
	out       string            // folder
	title     string            // default: the names of the runs
	intro     []string          // paragraphs above all else
	dataset   string            // NAME:PATH; default: those of the runs
	baseline  int               // the run that the others are compared to
	unpaired  bool              // no run is compared to another, so that they may be over different data
	pairs     []eval.MetricPair // of figures with other names that every run is compared to the baseline by too
	selectors []string          // default: all that cost nothing, and those whose decisions are kept
	at        []int             // k of the selectors' comparison, as far as a run has so many rollouts; default: as of trawl select
	model     string            // checkpoint of gnn
	subsets   int               // of k rollouts of a question; default: as of trawl select
	oracle    string            // file of references; default: that beside the data set
	traps     string            // likewise
	weights   utility.Weights
	extra     []figures.Section // before the questions
	command   string            // that makes the report

	noEvaluate bool // without how answers were reached
	json       bool
}

func newReport(e env) *cobra.Command {
	var (
		o                 reportOptions
		weights           []string
		baseline, subsets string
	)
	cmd := &cobra.Command{
		Use:   "report RUN... --out DIR",
		Short: "One HTML page of runs: plots, tables, what differs between them",
		Long:  reportHelp,
		Args:  needs("RUN", 1, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.weights, err = parseWeights(weights); err == nil && subsets != "" {
				o.subsets, err = parseSubsets(subsets)
			}
			if err == nil {
				err = eachOnce(args)
			}
			if err != nil {
				return usageError{command: cmd.CommandPath(), err: err}
			}
			runs, err := joinShards(args)
			if err != nil {
				return err
			}
			if baseline != "" {
				if o.baseline, err = baselineOf(runs, baseline); err != nil {
					return usageError{command: cmd.CommandPath(), err: err}
				}
			}
			o.command = typed(cmd, args)
			return makeReport(cmd.Context(), e, runs, o)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&o.out, "out", "", "`folder` for the page and its figures")
	fs.StringVar(&o.title, "title", "", "of the page (default: the names of the runs)")
	fs.StringVar(&o.dataset, "dataset", "", "questions with answers, as `NAME:PATH` (default: those of each run)")
	fs.StringVar(&baseline, "baseline", "", "`RUN` that the others are compared to (default: the first)")
	fs.BoolVar(&o.unpaired, "unpaired", false, "show the runs side by side and compare none, also over different data")
	fs.StringSliceVar(&o.selectors, "selector", nil, "selectors to compare, each by `name` (default: all that call no model; gnn too with --model)")
	fs.StringVar(&o.model, "model", "", "`checkpoint` of the selector gnn, made by trawl train")
	fs.StringVar(&subsets, "subsets", "", "subsets of k rollouts of a question beyond which so many are sampled: a `number`, or all (default: as of trawl select)")
	fs.StringVar(&o.oracle, "oracle", "", "reference trajectories, a JSON lines `file` (default: oracle.jsonl beside the data set)")
	fs.StringVar(&o.traps, "traps", "", "misleading documents, a JSON lines `file` (default: traps.jsonl beside the data set)")
	fs.StringSliceVar(&weights, "weights", nil, "constants of the formulas of trawl evaluate, as `name=value`, several with commas")
	fs.BoolVar(&o.noEvaluate, "no-evaluate", false, "leave out how answers were reached, which takes longest")
	fs.BoolVar(&o.json, "json", false, "print where everything is as JSON")
	required(cmd, "out")
	return cmd
}

// makeReport writes a report on runs into o.out and says where it is. It asks no
// model and writes to no run folder.
func makeReport(ctx context.Context, e env, runs []reportRun, o reportOptions) (err error) {
	if len(runs) == 0 {
		return errors.New("there is no run to report on")
	}
	told := &fewLines{to: e.stderr, of: unreadLine}
	e.stderr = told
	defer told.close()
	o.command = withoutSecrets(o.command)
	x := &reporter{env: e, runs: nameRuns(runs), options: o}
	for i := range x.runs {
		x.runs[i].command = withoutSecrets(x.runs[i].command)
	}
	if err := x.checkOut(); err != nil {
		return err
	}
	if err := x.chooseSelectors(); err != nil {
		return err
	}
	if err := endWith(ctx, func() error { return x.read(ctx) }); err != nil {
		return err
	}
	page := x.page()
	if err := figures.WriteContext(ctx, o.out, page); err != nil {
		return err
	}
	return x.tell(page)
}

// graceful is how long work that is no longer wanted may take to end by itself.
const graceful = time.Second

// endWith does work that changes nothing on disk, and does not wait for it long once
// ctx has ended: scoring and the reading of a large run cannot be ended, and who
// interrupts a command waits for its prompt. What is left of it ends with the process.
func endWith(ctx context.Context, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(graceful):
		return ctx.Err()
	}
}

// page puts the sections together.
func (x *reporter) page() figures.Page {
	all := sections.Sections(x.shown, x.comparison)
	end := slices.IndexFunc(all, func(s figures.Section) bool {
		return s.ID == string(sections.Asked) || s.ID == string(sections.Settings)
	})
	if end < 0 {
		end = len(all)
	}
	p := figures.Page{Title: x.title(), Notes: x.notes}
	if said := x.simulatedRuns(); said != "" {
		p.Notes = append([]string{simulatedWarning + said}, p.Notes...)
	}
	if len(x.options.intro) > 0 {
		p.Sections = append(p.Sections, figures.Section{ID: "about", Title: "What is asked", Text: x.options.intro})
	}
	p.Sections = slices.Concat(p.Sections, all[:end], x.options.extra, all[end:])
	x.mark(p.Sections)
	p.Below = sections.Below(p.Sections, p.Notes)
	return p
}

// mostNamed is how many runs a title names.
const mostNamed = 4

func (x *reporter) title() string {
	if x.options.title != "" {
		return x.options.title
	}
	if len(x.runs) > mostNamed {
		return fmt.Sprintf("trawl report: %d runs", len(x.runs))
	}
	var names []string
	for _, r := range x.runs {
		names = append(names, r.name)
	}
	return "trawl report: " + strings.Join(names, ", ")
}

// simulatedRuns says which runs are of a simulated model; "" if none is.
func (x *reporter) simulatedRuns() string {
	var names []string
	for _, r := range x.shown {
		if r.Score != nil && r.Score.Simulated {
			names = append(names, r.Name)
		}
	}
	switch n := len(names); {
	case n > 1 && n == len(x.shown):
		return "all runs"
	case n > mostNamed:
		return fmt.Sprintf("%s and %d more of %d runs", strings.Join(names[:mostNamed], ", "), n-mostNamed, len(x.shown))
	default:
		return strings.Join(names, ", ")
	}
}

// mark says in every picture and table that figures are of a simulated model, if they
// are: the files are used without the page.
func (x *reporter) mark(all []figures.Section) {
	said := x.simulatedRuns()
	if said == "" {
		return
	}
	mark := "simulated model"
	if said != "all runs" && len(x.shown) > 1 {
		mark += ": " + said
	}
	for i := range all {
		all[i].Plots, all[i].Tables = slices.Clone(all[i].Plots), slices.Clone(all[i].Tables)
		for j := range all[i].Plots {
			all[i].Plots[j].Mark = mark
		}
		for j := range all[i].Tables {
			all[i].Tables[j].Mark = mark
		}
	}
}

// tell says where the page is.
func (x *reporter) tell(p figures.Page) error {
	files, topics := figures.Files(p), []string{}
	for _, s := range p.Sections {
		topics = append(topics, s.ID)
	}
	page := filepath.Join(x.options.out, files[0])
	if x.options.json {
		return writeJSON(x.env.stdout, map[string]any{"page": page, "files": files, "sections": topics, "notes": append([]string{}, p.Notes...)})
	}
	_, err := fmt.Fprintf(x.env.stdout, "%s  the report: open it in a browser\n%s  its plots as SVG and PNG, its tables as CSV: %d files\n", page, x.options.out, len(files)-1)
	return err
}
