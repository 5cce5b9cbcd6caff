package main

import (
	"strings"

	"github.com/spf13/cobra"
)

const rootHelp = `trawl runs parallel search rollouts: it takes a research question, or a data set of
them, starts K rollouts per question with diverse first queries, lets each search a
corpus with a language model, and chooses among their answers.

  trawl demo                               see the whole job offline
  trawl index corpus.jsonl --out IDX       make a corpus searchable
  trawl ask "..." --index IDX              one question
  trawl run --dataset hotpotqa:dev.json --index IDX --out RUN
  trawl score RUN                          pass@k and what it cost

Results go to stdout, everything else to stderr. Exit status: 0 done, 1 failed,
2 usage, 130 interrupted.`

// newRoot returns the command tree.
func newRoot(e env) *cobra.Command {
	root := &cobra.Command{
		Use:           "trawl",
		Short:         "Parallel search rollouts over a corpus",
		Long:          rootHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			return unknownCommand(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	root.AddCommand(
		newDemo(e), newIndex(e), newSearch(e), newAsk(e), newRun(e), newScore(e),
		newWeave(e), newSim(e), newDoctor(e), newBench(e), newVersion(e),
	)
	markUsage(root)
	return root
}

// unknownCommand turns stray words after trawl into an error that names the
// nearest command.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	msg := "unknown command " + strings.Join(args[:1], " ")
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		msg += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return errorString(msg)
}

type errorString string

func (s errorString) Error() string { return string(s) }

// markUsage makes every error about flags or arguments, of every command, a
// usageError.
func markUsage(cmd *cobra.Command) {
	cmd.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usageError{command: c.CommandPath(), err: err}
	})
	if check := cmd.Args; check != nil {
		cmd.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return usageError{command: c.CommandPath(), err: err}
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		markUsage(sub)
	}
}
