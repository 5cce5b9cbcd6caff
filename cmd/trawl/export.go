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
	"strings"

	"github.com/spf13/cobra"

	"trawl/corpus/dataset"
	"trawl/internal/atomicfile"
	"trawl/trajectory/exchange"
	"trawl/trajectory/store"
)

const exportHelp = `Write the rollouts of a run in a form that another program reads. The output is made whole
or not at all, and never over something that is there.

Formats:
%s
Of a run with several rounds, what the rollouts had come to in the last one is written.
Gold answers are written where the format has them: those of --dataset or, without one,
of the data set that the run was made from. What the format has no room for is counted
by name. Of the verdicts in the run those of one judge are written, who gave the most.`

// An exportOptions is what trawl export was asked to do.
type exportOptions struct {
	format  string
	out     string
	dataset string
	json    bool
}

func newExport(e env) *cobra.Command {
	var (
		o             exportOptions
		names, abouts []string
	)
	forms := exchange.OutForms()
	for _, f := range forms {
		names, abouts = append(names, f.Name), append(abouts, f.About)
	}
	cmd := &cobra.Command{
		Use:   "export RUN --format FORMAT --out PATH",
		Short: "Write a run's rollouts for other programs",
		Long:  fmt.Sprintf(exportHelp, formatsHelp(names, abouts)),
		Args:  needs("RUN", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			at := slices.Index(names, o.format)
			if at < 0 {
				return usageError{command: cmd.CommandPath(), err: fmt.Errorf("unknown format %q: want %s", o.format, strings.Join(names, ", "))}
			}
			return runExport(cmd.Context(), e, args[0], forms[at], o)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&o.format, "format", "", "`format` to write")
	fs.StringVar(&o.out, "out", "", "`path` of the file or folder to make")
	fs.StringVar(&o.dataset, "dataset", "", "questions with answers, as `NAME:PATH` (default: those of the run)")
	fs.BoolVar(&o.json, "json", false, "print the summary as JSON")
	required(cmd, "format")
	required(cmd, "out")
	return cmd
}

// An exported is an export under way.
type exported struct {
	dir   string
	form  exchange.OutForm
	lines *store.Reader
	round int
	golds map[string][]string // by question; nil: none are written

	simulated bool // the run's model

	verdicts verdictsOf
	planned  []string // questions that the run was to answer, as far as that is known
	perEach  int      // rollouts that it was to make of each

	rollouts, failed, missing int
	without                   []string // questions that there is no rollout of
	lost                      map[string]int
}

func runExport(ctx context.Context, e env, dir string, form exchange.OutForm, o exportOptions) (err error) {
	if _, err := os.Lstat(o.out); err == nil {
		return fmt.Errorf("%s is there already, and trawl export writes over nothing: name another --out, or take it away first", o.out)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	lines, err := store.OpenReader(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lines.Close()) }()
	settings, err := settingsOf(lines.Manifest())
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if err := tellDropped(e, dir, lines); err != nil {
		return err
	}
	x := &exported{dir: dir, form: form, lines: lines, round: lastRound(lines, settings), simulated: settings.Simulated, perEach: settings.Rollout.Count, lost: map[string]int{}}
	if len(lines.Questions()) == 0 {
		return fmt.Errorf("%s: there is no rollout to export", dir)
	}
	if err := x.readQuestions(e, settings, o.dataset); err != nil {
		return err
	}
	if err := x.readVerdicts(e); err != nil {
		return err
	}
	clearLeftovers(e, o.out)
	if err := x.write(ctx, o.out); err != nil {
		return err
	}
	return x.tell(e, o)
}

// readQuestions loads the questions that the run was to answer and, for the forms
// that have them, the gold answers. Where nobody named a data set and that of the
// run cannot be read, there are none.
func (x *exported) readQuestions(e env, s runSettings, spec string) error {
	if spec != "" && !x.form.Golds {
		return fmt.Errorf("--dataset %s: the format %s has no gold answers", spec, x.form.Name)
	}
	if spec == "" && x.lines.Manifest().Dataset.Name == askedDataset {
		return nil
	}
	examples, err := examplesOf(x.dir, x.lines.Manifest(), spec)
	if err != nil {
		if spec != "" {
			return err
		}
		if x.form.Golds {
			fmt.Fprintf(e.stderr, "trawl: without gold answers: %v\n", err)
		}
		return nil
	}
	for _, ex := range planned(examples, s) {
		x.planned = append(x.planned, ex.ID)
	}
	if x.form.Golds {
		x.golds = goldAnswers(examples)
	}
	return nil
}

// goldAnswers returns the gold answers of examples, by question.
func goldAnswers(examples []dataset.Example) map[string][]string {
	golds := make(map[string][]string, len(examples))
	for _, ex := range examples {
		golds[ex.ID] = ex.Golds
	}
	return golds
}

// write makes the output under another name beside it, and renames it.
func (x *exported) write(ctx context.Context, out string) (err error) {
	out = filepath.Clean(out)
	parent := filepath.Dir(out)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	if x.form.Table {
		return atomicfile.Write(out, func(w io.Writer) error {
			table := exchange.NewTable(w)
			return errors.Join(x.each(ctx, table.Add), table.Close())
		})
	}
	if !x.form.Folder {
		return atomicfile.Write(out, func(w io.Writer) error {
			if _, err := io.WriteString(w, x.form.Head); err != nil {
				return err
			}
			return x.pieces(ctx, func(p exchange.Piece) error {
				_, err := w.Write(p.Data)
				return err
			})
		})
	}
	temp, err := newTempFolder(out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, temp.close(out)) }()
	if err := x.pieces(ctx, func(p exchange.Piece) error {
		return appendTo(filepath.Join(temp.path, filepath.FromSlash(p.Path)), p.Data)
	}); err != nil {
		return err
	}
	return temp.finish(out)
}

// appendTo adds data to the end of a file, which is made if there is none.
func appendTo(path string, data []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = f.Write(data)
	return err
}

// pieces renders every rollout, by question and number.
func (x *exported) pieces(ctx context.Context, use func(exchange.Piece) error) error {
	return x.each(ctx, func(it exchange.Item) (map[string]int, error) {
		p, err := x.form.Render(it)
		if err == nil {
			err = use(p)
		}
		return p.Lost, err
	})
}

// each writes every rollout, by question and number; write returns what it loses.
func (x *exported) each(ctx context.Context, write func(exchange.Item) (map[string]int, error)) error {
	for _, id := range x.questions() {
		if err := ctx.Err(); err != nil {
			return err
		}
		all, err := outcomes(x.lines, id, x.round)
		if err != nil {
			return err
		}
		x.missing += max(0, x.perEach-len(all))
		if len(all) == 0 {
			x.without = append(x.without, id)
		}
		for _, t := range all {
			verdict, judge := x.verdicts.on(t)
			lost, err := write(exchange.Item{Trajectory: t, Golds: x.golds[id], Verdict: verdict, Judge: judge})
			if err != nil {
				return err
			}
			x.rollouts++
			if t.Error != "" {
				x.failed++
			}
			for key, n := range lost {
				x.lost[key] += n
			}
		}
	}
	return nil
}

// questions returns the ids of the questions that were to have a line, in the order
// of the data set, and of those that have one beside.
func (x *exported) questions() []string {
	ids, seen := []string{}, map[string]bool{}
	for _, id := range slices.Concat(x.planned, x.lines.Questions()) {
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

// tell says what was exported.
func (x *exported) tell(e env, o exportOptions) error {
	questions := len(x.questions()) - len(x.without)
	var lost []exchange.Loss
	for _, key := range slices.Sorted(maps.Keys(x.lost)) {
		lost = append(lost, exchange.Loss{Key: key, Count: x.lost[key]})
	}
	if o.json {
		return writeJSON(e.stdout, map[string]any{
			"out": o.out, "format": x.form.Name, "rollouts": x.rollouts, "failed": x.failed, "questions": questions,
			"missing": x.missing, "questions_left_out": append([]string{}, x.without...),
			"round": x.round, "earlier_rounds_left_out": x.round - 1, "gold_answers": x.golds != nil, "simulated": x.simulated, "not_carried_over": lostCounts(lost),
		})
	}
	fmt.Fprintf(e.stdout, "%s: exported %d rollouts of %d questions, %d of them failed\n", o.out, x.rollouts, questions, x.failed)
	if x.missing > 0 {
		fmt.Fprintf(e.stderr, "trawl: %d rollouts that the run was to make are not there, and so not in %s\n", x.missing, o.out)
	}
	if len(x.without) > 0 {
		fmt.Fprintf(e.stderr, "trawl: %d questions have no rollout, and are not in %s: %s\n", len(x.without), o.out, theFirst(x.without))
	}
	if x.simulated {
		fmt.Fprintln(e.stdout, "[simulated model]: no format says so, and trawl import cannot tell either")
	}
	if x.round > 1 {
		fmt.Fprintf(e.stdout, "rounds: what each rollout had come to at the end of round %d; earlier rounds and states are not carried over\n", x.round)
	}
	tellLost(e, lost)
	return nil
}
