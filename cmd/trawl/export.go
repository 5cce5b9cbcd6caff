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
by name. Parquet is not written.`

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

	rollouts, failed int
	lost             map[string]int
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
	x := &exported{dir: dir, form: form, lines: lines, round: lastRound(lines, settings), simulated: settings.Simulated, lost: map[string]int{}}
	if len(lines.Questions()) == 0 {
		return fmt.Errorf("%s: there is no rollout to export", dir)
	}
	if form.Golds || o.dataset != "" {
		if err := x.readGolds(e, o.dataset); err != nil {
			return err
		}
	}
	if err := x.write(ctx, o.out); err != nil {
		return err
	}
	return x.tell(e, o)
}

// readGolds loads the gold answers. Where nobody named a data set and that of the
// run cannot be read, none are written.
func (x *exported) readGolds(e env, spec string) error {
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
		fmt.Fprintf(e.stderr, "trawl: without gold answers: %v\n", err)
		return nil
	}
	x.golds = goldAnswers(examples)
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
	temp, err := os.MkdirTemp(parent, filepath.Base(out)+atomicfile.TempSuffix+"-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(temp))
		}
	}()
	if err := x.pieces(ctx, func(p exchange.Piece) error { return appendTo(filepath.Join(temp, filepath.FromSlash(p.Path)), p.Data) }); err != nil {
		return err
	}
	if err := os.Chmod(temp, 0o755); err != nil {
		return err
	}
	if err := os.Rename(temp, out); err != nil {
		return err
	}
	return atomicfile.SyncFolder(parent)
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
	for _, id := range x.lines.Questions() {
		if err := ctx.Err(); err != nil {
			return err
		}
		all, err := outcomes(x.lines, id, x.round)
		if err != nil {
			return err
		}
		for _, t := range all {
			p, err := x.form.Render(exchange.Item{Trajectory: t, Golds: x.golds[id]})
			if err != nil {
				return err
			}
			if err := use(p); err != nil {
				return err
			}
			x.rollouts++
			if t.Error != "" {
				x.failed++
			}
			for key, n := range p.Lost {
				x.lost[key] += n
			}
		}
	}
	return nil
}

// tell says what was exported.
func (x *exported) tell(e env, o exportOptions) error {
	var lost []exchange.Loss
	for _, key := range slices.Sorted(maps.Keys(x.lost)) {
		lost = append(lost, exchange.Loss{Key: key, Count: x.lost[key]})
	}
	if o.json {
		return writeJSON(e.stdout, map[string]any{
			"out": o.out, "format": x.form.Name, "rollouts": x.rollouts, "failed": x.failed, "questions": len(x.lines.Questions()),
			"round": x.round, "earlier_rounds_left_out": x.round - 1, "gold_answers": x.golds != nil, "simulated": x.simulated, "not_carried_over": lostCounts(lost),
		})
	}
	fmt.Fprintf(e.stdout, "%s: exported %d rollouts of %d questions, %d of them failed\n", o.out, x.rollouts, len(x.lines.Questions()), x.failed)
	if x.simulated {
		fmt.Fprintln(e.stdout, "[simulated model]: no format says so, and trawl import cannot tell either")
	}
	if x.round > 1 {
		fmt.Fprintf(e.stdout, "rounds: what each rollout had come to at the end of round %d; earlier rounds and states are not carried over\n", x.round)
	}
	tellLost(e, lost)
	return nil
}
