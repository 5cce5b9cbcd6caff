package main

import (
	"strings"

	"github.com/spf13/cobra"
)

const rootHelp = `trawl takes a research question, or a data set of them, starts K rollouts per question
with diverse first queries, and chooses among their answers. A rollout is one run of a
language model over the question: it searches a corpus, reads, and answers.

  trawl demo                               see the whole job offline
  trawl doctor                             what your model server can do
  trawl index corpus.jsonl --out IDX       make a corpus searchable
  trawl ask "..." --index IDX              one question
  trawl run --dataset hotpotqa:dev.json --index IDX --out RUN
  trawl experiment NAME                    several runs that are compared, with a report
  trawl score RUN                          pass@k and what it cost
  trawl evaluate RUN                       how the answers were reached
  trawl report RUN... --out DIR            all of it as one HTML page
  trawl train RUN --out MODEL              a network that chooses among rollouts
  trawl select RUN                         ways to choose an answer, compared
  trawl import FORMAT FILE --out RUN       rollouts of other programs
  trawl export RUN --format F --out PATH   rollouts for other programs
  trawl serve-index --index IDX            an index for other programs, over HTTP
  trawl weave --out WORLD                  a synthetic corpus with questions

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
		Args:          unknownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	e.quiet = root.PersistentFlags().Bool("quiet", false, "no progress")
	root.AddCommand(
		newDemo(e), newIndex(e), newSearch(e), newAsk(e), newRun(e), newExperiment(e), newScore(e), newEvaluate(e), newScaffold(e), newSelect(e), newReport(e), newTrain(e), newImport(e), newExport(e),
		newWeave(e), newSim(e), newServeIndex(e), newDoctor(e), newBench(e), newVersion(e),
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

// flagError words an error about a flag for people: without the name of the
// function that could not read it, and with a hint for what begins with a minus.
func flagError(err error) error {
	msg, _, found := strings.Cut(err.Error(), ": strconv.")
	if found {
		return errorString(msg)
	}
	if strings.HasPrefix(msg, "unknown shorthand flag: '") && msg[25] >= '0' && msg[25] <= '9' {
		return errorString(msg + "; what begins with a minus and is no flag goes behind --")
	}
	return err
}

type errorString string

func (s errorString) Error() string { return string(s) }

// needs makes sure that a command has at least, and if max is not 0 at most, so
// many arguments; what names them as the usage line does.
func needs(what string, min, max int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < min:
			return errorString(what + " is missing")
		case max > 0 && len(args) > max:
			return errorString("one " + what + " is wanted, these are several: put it in quotes")
		}
		return nil
	}
}

// markUsage makes every error about flags or arguments, of every command, a
// usageError.
func markUsage(cmd *cobra.Command) {
	cmd.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usageError{command: c.CommandPath(), err: flagError(err)}
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
