package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"trawl/corpus/weave"
	"trawl/internal/config"
)

const weaveHelp = `Weave a world: a seeded synthetic encyclopaedia with multi-hop questions, their proved
answers and the searches that lead to them. The same seed and sizes make the same bytes.

The folder gets corpus.jsonl (for trawl index), questions.jsonl (for --dataset woven:…),
oracle.jsonl, qrels.txt and a manifest.`

func newWeave(e env) *cobra.Command {
	var (
		o      weave.Options
		out    string
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "weave --out DIR",
		Short: "Weave a synthetic corpus with questions",
		Long:  weaveHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Entities < weave.MinEntities || o.Questions < 0 {
				return usageError{command: cmd.CommandPath(), err: fmt.Errorf("--entities %d --questions %d: want %d entities or more, 0 questions or more", o.Entities, o.Questions, weave.MinEntities)}
			}
			w, err := weave.New(o)
			if err != nil {
				return err
			}
			if err := w.Write(out); err != nil {
				return err
			}
			if asJSON {
				return writeJSON(e.stdout, map[string]any{"out": out, "documents": w.Len(), "questions": len(w.Questions())})
			}
			_, err = fmt.Fprintf(e.stdout, "%s: %d documents, %d questions\nnext: trawl index %s/corpus.jsonl --out IDX\n      trawl run --dataset woven:%s/questions.jsonl --index IDX --out RUN\n", out, w.Len(), len(w.Questions()), out, out)
			return err
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&out, "out", "", "`folder` to write")
	fs.Int64Var(&o.Seed, "seed", config.Default().Seed, "seed of the world")
	fs.IntVar(&o.Entities, "entities", 1000, "articles")
	fs.IntVar(&o.Questions, "questions", 100, "questions")
	fs.BoolVar(&asJSON, "json", false, "print JSON")
	required(cmd, "out")
	return cmd
}
