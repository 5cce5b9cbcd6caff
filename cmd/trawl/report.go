package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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

  trawl report RUN --out DIR
  trawl report A B C --baseline B --out DIR
  trawl report RUN --selector majority,gnn --model sel.safetensors --out DIR`

// A reportRun is a run folder that a report shows.
type reportRun struct {
	name    string // in tables and legends; "": the folder's
	dir     string
	command string // that made the run; "": nobody knows
}

// A reportOptions is what a report is to show. The zero value selects the defaults.
type reportOptions struct {
	out       string   // folder
	title     string   // default: the names of the runs
	intro     []string // paragraphs above all else
	dataset   string   // NAME:PATH; default: those of the runs
	baseline  int      // the run that the others are compared to
	unpaired  bool     // no run is compared to another, so that they may be over different data
	selectors []string // default: all that cost nothing
	model     string   // checkpoint of gnn
	subsets   int      // of k rollouts of a question; default: as of trawl select
	oracle    string   // file of references; default: that beside the data set
	traps     string   // likewise
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
			var runs []reportRun
			for _, dir := range args {
				runs = append(runs, reportRun{dir: dir})
			}
			var err error
			if o.weights, err = parseWeights(weights); err == nil && subsets != "" {
				o.subsets, err = parseSubsets(subsets)
			}
			if err == nil && baseline != "" {
				o.baseline, err = baselineOf(args, baseline)
			}
			if err != nil {
				return usageError{command: cmd.CommandPath(), err: err}
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

// baselineOf returns the place of the run that --baseline names.
func baselineOf(args []string, name string) (int, error) {
	for i, dir := range args {
		if name == dir || name == filepath.Base(filepath.Clean(dir)) {
			return i, nil
		}
	}
	return 0, fmt.Errorf("--baseline %s: want one of %s", name, strings.Join(args, ", "))
}

// typed returns the command line, with its flags behind the arguments.
func typed(cmd *cobra.Command, args []string) string {
	parts := append([]string{cmd.CommandPath()}, args...)
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch value := f.Value.String(); {
		case f.Name == "json" || f.Name == "quiet":
		case f.Value.Type() == "bool":
			parts = append(parts, "--"+f.Name)
		default:
			parts = append(parts, "--"+f.Name, strings.Trim(value, "[]"))
		}
	})
	for i := range parts[1:] {
		parts[i+1] = quoted(parts[i+1])
	}
	return strings.Join(parts, " ")
}

// quoted returns a word as a shell takes it.
func quoted(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n'\"$`\\&;|<>()*?!#~[]{}") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// makeReport writes a report on runs into o.out and says where it is. It asks no
// model and writes to no run folder.
func makeReport(ctx context.Context, e env, runs []reportRun, o reportOptions) error {
	if len(runs) == 0 {
		return errors.New("there is no run to report on")
	}
	x := &reporter{env: e, runs: nameRuns(runs), options: o}
	if err := x.checkOut(); err != nil {
		return err
	}
	if err := x.read(ctx); err != nil {
		return err
	}
	page := x.page()
	if err := figures.Write(o.out, page); err != nil {
		return err
	}
	if err := x.everyQuestion(); err != nil {
		return err
	}
	return x.tell(page)
}

// page puts the sections together.
func (x *reporter) page() figures.Page {
	p := figures.Page{Title: x.options.title, Notes: x.notes}
	if p.Title == "" {
		var names []string
		for _, r := range x.shown {
			names = append(names, r.Name)
		}
		p.Title = "trawl report: " + strings.Join(names, ", ")
	}
	all := sections.Sections(x.shown, x.comparison)
	last := len(all)
	if last > 0 && all[last-1].ID == string(sections.Asked) {
		last--
	}
	if len(x.options.intro) > 0 {
		p.Sections = append(p.Sections, figures.Section{ID: "about", Title: "What is asked", Text: x.options.intro})
	}
	p.Sections = slices.Concat(p.Sections, all[:last], x.options.extra, all[last:])
	return p
}

// everyQuestion writes a page of its own on the questions, if they are too many.
func (x *reporter) everyQuestion() error {
	t := sections.EveryQuestion(x.shown)
	if len(t.Rows) <= sections.MostQuestions {
		return nil
	}
	s := figures.Section{ID: string(sections.Asked), Title: "Questions", Tables: []figures.Table{t}}
	return figures.Write(filepath.Join(x.options.out, "questions"), figures.Page{Title: "Every question", Notes: x.notes, Sections: []figures.Section{s}})
}

// tell says where the page is.
func (x *reporter) tell(p figures.Page) error {
	files, topics := []string{"index.html"}, []string{}
	for _, s := range p.Sections {
		topics = append(topics, s.ID)
		for _, plot := range s.Plots {
			files = append(files, plot.ID+".svg", plot.ID+".png")
		}
		for _, t := range s.Tables {
			files = append(files, t.ID+".csv")
		}
	}
	page := filepath.Join(x.options.out, files[0])
	if x.options.json {
		return writeJSON(x.env.stdout, map[string]any{"page": page, "files": files, "sections": topics, "notes": append([]string{}, p.Notes...)})
	}
	_, err := fmt.Fprintf(x.env.stdout, "%s  the report: open it in a browser\n%s  its plots as SVG and PNG, its tables as CSV: %d files\n", page, x.options.out, len(files)-1)
	return err
}
