package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"trawl/corpus/weave"
	"trawl/internal/config"
	"trawl/search"
	"trawl/search/index"
	"trawl/search/live"
)

const weaveHelp = `Weave a world: a seeded synthetic encyclopaedia with multi-hop questions, their proved
answers and the searches that lead to them. The same seed and sizes make the same bytes.

The folder gets corpus.jsonl (for trawl index), questions.jsonl (for --dataset woven:…),
oracle.jsonl, qrels.txt and a manifest.

With --traps some questions have a trap: a document that says something false where the
oracle searches, listed in traps.jsonl. A suite is a benchmark of a given size, mean
complexity and share of traps:

  core         500 questions, mean complexity 3.5, traps for 20 %
  robustness   100 questions, mean complexity 4.2, traps for all
  scaffolding   50 questions, mean complexity 5.8, traps for 40 %

Questions with traps and of suites are checked against the BM25 index of their corpus:
one answer that the question does not hold, every search of the oracle and the trap among
the first ten hits, and the document that contradicts the trap. What fails is replaced.`

// A weaveOptions is what trawl weave was asked to do.
type weaveOptions struct {
	weave.Options
	out  string
	json bool
}

func newWeave(e env) *cobra.Command {
	var o weaveOptions
	cmd := &cobra.Command{
		Use:   "weave --out DIR",
		Short: "Weave a synthetic corpus with questions",
		Long:  weaveHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.settle(cmd.Flags().Changed); err != nil {
				return usageError{command: cmd.CommandPath(), err: err}
			}
			return runWeave(cmd.Context(), e, o)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&o.out, "out", "", "`folder` to write")
	fs.Int64Var(&o.Seed, "seed", config.Default().Seed, "seed of the world")
	fs.IntVar(&o.Entities, "entities", 1000, "articles; a suite has a default of its own")
	fs.IntVar(&o.Questions, "questions", 100, "questions")
	fs.Float64Var(&o.Traps, "traps", 0, "share of the questions that have a trap, 0 to 1")
	fs.StringVar(&o.Suite, "suite", "", "core, robustness or scaffolding")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	required(cmd, "out")
	return cmd
}

// settle checks the flags, of which changed says whether one was given.
func (o *weaveOptions) settle(changed func(string) bool) error {
	if o.Suite != "" {
		if _, err := weave.SuiteOf(o.Suite); err != nil {
			return err
		}
		if changed("questions") || changed("traps") {
			return fmt.Errorf("--suite %s has its own --questions and --traps", o.Suite)
		}
		o.Questions = 0
		if !changed("entities") {
			o.Entities = 0
			return nil
		}
	}
	if o.Entities < weave.MinEntities || o.Questions < 0 {
		return fmt.Errorf("--entities %d --questions %d: want %d entities or more, 0 questions or more", o.Entities, o.Questions, weave.MinEntities)
	}
	if !(o.Traps >= 0 && o.Traps <= 1) {
		return fmt.Errorf("--traps %v: want a share from 0 to 1", o.Traps)
	}
	return nil
}

func runWeave(ctx context.Context, e env, o weaveOptions) error {
	w, report, err := weaveWorld(ctx, o.Options)
	if err != nil {
		return err
	}
	if err := w.Write(o.out); err != nil {
		return err
	}
	if o.json {
		summary := map[string]any{"out": o.out, "documents": w.Len(), "questions": len(w.Questions())}
		if report != nil {
			summary["proof"] = report
		}
		return writeJSON(e.stdout, summary)
	}
	fmt.Fprintf(e.stdout, "%s: %d documents, %d questions\n", o.out, w.Len(), len(w.Questions()))
	if report != nil {
		tellReport(e, report)
	}
	_, err = fmt.Fprintf(e.stdout, "next: trawl index %s/corpus.jsonl --out IDX\n      trawl run --dataset woven:%s/questions.jsonl --index IDX --out RUN\n", o.out, o.out)
	return err
}

func tellReport(e env, r *weave.Report) {
	fmt.Fprintf(e.stdout, "mean complexity %.3f, %d with a trap", r.MeanC, r.Trapped)
	kinds := make([]weave.TrapKind, 0, len(r.Kinds))
	for k := range r.Kinds {
		kinds = append(kinds, k)
	}
	slices.Sort(kinds)
	for _, k := range kinds {
		fmt.Fprintf(e.stdout, ", %d %s", r.Kinds[k], k)
	}
	fmt.Fprintln(e.stdout)
	replaced := 0
	for _, n := range r.Replaced {
		replaced += n
	}
	fmt.Fprintf(e.stdout, "%d questions failed a check and were replaced, in %d rounds; a guess by frequency is right for %.0f %%\n", replaced, r.Rounds, 100*r.Guess)
}

// weaveWorld weaves what o asks for; a report comes with what was proved by an
// index.
func weaveWorld(ctx context.Context, o weave.Options) (*weave.World, *weave.Report, error) {
	if o.Suite == "" && o.Traps == 0 {
		w, err := weave.New(o)
		return w, nil, err
	}
	return weave.Prove(ctx, o, indexBriefly)
}

// indexBriefly indexes documents in a folder that lasts until end.
func indexBriefly(ctx context.Context, docs iter.Seq[search.Document]) (engine search.Engine, end func() error, err error) {
	dir, err := os.MkdirTemp("", "trawl-weave-*")
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	faultless := func(yield func(search.Document, error) bool) {
		for d := range docs {
			if !yield(d, nil) {
				return
			}
		}
	}
	if _, err := live.Build(ctx, dir, faultless, live.BuildOptions{Params: index.DefaultParams()}); err != nil {
		return nil, nil, err
	}
	x, err := live.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	return x, func() error { return errors.Join(x.Close(), os.RemoveAll(dir)) }, nil
}
