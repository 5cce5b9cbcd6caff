package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trawl/corpus/dataset"
	"trawl/rollout"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

const runHelp = `Run K search rollouts for each question of a data set, into a run folder.

Running the same command again goes on where it stopped: finished rollouts are kept,
failed ones are tried again, and one that was killed half-way goes on at its last
whole turn. A folder that holds a different run is refused.

With --rounds R each rollout has R rounds (Re-TRAC): after each, its trajectory is
compressed into a state, in RUN/states.jsonl, and the next round starts from that state.
The preset retrac is close to the paper; recursion.mode=merged unites the states of the
K rollouts. More rounds may be asked for when a run with several goes on.

  trawl run --dataset hotpotqa:dev.json --index IDX --out RUN -c divinit -k 4
  trawl run --dataset flashrag:questions.jsonl --index IDX --out RUN --endpoint sim
  trawl run --dataset flashrag:questions.jsonl --index IDX --out RUN --rounds 4

Data sets: `

// A runOptions is what trawl run was asked to do.
type runOptions struct {
	dataset string
	out     string
	limit   int
	shard   string
	json    bool
}

func newRun(e env) *cobra.Command {
	var (
		o runOptions
		f settingsFlags
	)
	cmd := &cobra.Command{
		Use:   "run --dataset NAME:PATH --index DIR --out RUN",
		Short: "Run K rollouts per question of a data set",
		Long:  runHelp + strings.Join(dataset.Names(), ", ") + ".",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runRun(cmd, e, f, o)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&o.dataset, "dataset", "", "questions, as `NAME:PATH`")
	fs.StringVar(&o.out, "out", "", "run `folder`")
	fs.IntVar(&o.limit, "limit", 0, "only the first `N` questions; may grow when a run goes on")
	fs.StringVar(&o.shard, "shard", "", "only part `i/n` of the questions, each part into a folder of its own")
	fs.BoolVar(&o.json, "json", false, "print the summary as JSON")
	f.register(cmd, configGroup, modelGroup, retrievalGroup, rolloutGroup)
	required(cmd, "dataset", "out")
	return cmd
}

func runRun(cmd *cobra.Command, e env, f settingsFlags, o runOptions) error {
	ctx := cmd.Context()
	shard, err := parseShard(o.shard)
	if err == nil && o.limit < 0 {
		err = fmt.Errorf("--limit %d: want 1 or more, or 0 for all", o.limit)
	}
	if err != nil {
		return usageError{command: cmd.CommandPath(), err: err}
	}
	s, err := f.load(cmd, e)
	if err != nil {
		return err
	}
	set, err := dataset.Open(o.dataset)
	if err != nil {
		return err
	}
	if set.LeftOut > 0 && !e.isQuiet() {
		fmt.Fprintf(e.stderr, "trawl: %s: %d records are no questions of their own and are left out\n", set.Path, set.LeftOut)
	}
	known, err := knownDialect(o.out)
	if err != nil {
		return err
	}
	p, err := openPipeline(ctx, e, s, known)
	if err != nil {
		return err
	}
	j := runJob{
		settings: s, questions: questionsOf(set.Examples), out: o.out, limit: o.limit, shard: shard,
		dataset: datasetOf(set),
	}
	sum, err := execute(ctx, e, p, j)
	if err = errors.Join(err, p.close()); err != nil {
		return stopped(o.out, sum, err)
	}
	return printSummary(e, o, sum, p.simulated())
}

// datasetOf describes a data set for a manifest. The path is absolute, so that
// the run can be scored from any folder.
func datasetOf(set *dataset.Set) store.Dataset {
	path := set.Path
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return store.Dataset{Name: set.Name, Path: path, SHA256: set.SHA256}
}

// questionsOf returns what rollouts may know of examples.
func questionsOf(examples []dataset.Example) []trajectory.Question {
	questions := make([]trajectory.Question, len(examples))
	for i, ex := range examples {
		questions[i] = ex.Question
	}
	return questions
}

// stopped says how to go on after a run that did not come to its end.
func stopped(out string, sum rollout.Summary, err error) error {
	if sum.Planned == 0 {
		return err
	}
	kept := fmt.Sprintf("%d of %d rollouts are done and kept in %s; the same command goes on from there", sum.AlreadyDone+sum.Done, sum.Planned-sum.Skipped, out)
	if errors.Is(err, context.Canceled) {
		return errors.New(kept)
	}
	return fmt.Errorf("%w\n  %s", err, kept)
}

// printSummary prints what a run came to. Failed rollouts make it an error, so
// that a script notices.
func printSummary(e env, o runOptions, sum rollout.Summary, simulated bool) error {
	if o.json {
		err := writeJSON(e.stdout, map[string]any{
			"run": o.out, "planned": sum.Planned, "already_done": sum.AlreadyDone, "done": sum.Done,
			"failed": sum.Failed, "skipped": sum.Skipped, "elapsed_s": sum.Elapsed.Seconds(), "simulated": simulated,
		})
		if err != nil {
			return err
		}
	} else {
		skipped := ""
		if sum.Skipped > 0 {
			skipped = fmt.Sprintf(", %d of later rounds not begun", sum.Skipped)
		}
		fmt.Fprintf(e.stdout, "%s: %d rollouts done (%d in this run, %s), %d failed%s%s\n",
			o.out, sum.AlreadyDone+sum.Done, sum.Done, sum.Elapsed.Round(100*time.Millisecond), sum.Failed, skipped, simulatedNote(simulated))
		fmt.Fprintf(e.stdout, "next: trawl score %s\n", o.out)
	}
	if sum.Done > 0 && sum.Unanswered == sum.Done {
		return fmt.Errorf("none of the %d rollouts has an answer: does the model keep to the format? trawl doctor looks, and %s/rollouts.jsonl has its replies", sum.Done, o.out)
	}
	if sum.Failed > 0 {
		return fmt.Errorf("%d of %d rollouts failed; the same command tries them again", sum.Failed, sum.Planned-sum.Skipped)
	}
	return nil
}

// simulatedNote marks figures that say nothing about any real model.
func simulatedNote(simulated bool) string {
	if simulated {
		return " [simulated model]"
	}
	return ""
}

// parseShard reads "i/n"; "" is all.
func parseShard(s string) (rollout.Shard, error) {
	if s == "" {
		return rollout.Shard{I: 1, N: 1}, nil
	}
	i, n, ok := strings.Cut(s, "/")
	a, errA := strconv.Atoi(i)
	b, errB := strconv.Atoi(n)
	if !ok || errA != nil || errB != nil || a < 1 || a > b {
		return rollout.Shard{}, fmt.Errorf("--shard %s: want i/n with i from 1 to n, such as 2/4", s)
	}
	return rollout.Shard{I: a, N: b}, nil
}

// required makes flags that a command cannot do without a matter of usage.
func required(cmd *cobra.Command, names ...string) {
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		for _, n := range names {
			if f := cmd.Flags().Lookup(n); f.Value.String() == "" {
				_, usage := pflag.UnquoteUsage(f)
				return usageError{command: cmd.CommandPath(), err: fmt.Errorf("--%s is missing: %s", n, usage)}
			}
		}
		return nil
	}
}
