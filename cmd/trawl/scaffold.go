package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"trawl/eval/scaffold"
	"trawl/internal/config"
)

const scaffoldHelp = `Measure λ_min, the least share of an oracle trajectory that an agent must be told to
succeed. The first λ-part of the oracle's steps, with its documents and conclusions, is
put behind the question as work that is already done, and M rollouts go on from there,
for each task and each λ of a grid. The idea is that of EVAL (arXiv:2602.21230); the
protocol is this project's reconstruction, which the report tells apart.

Model, settings, seed, index and questions are those of the run, and must still be what
they were. The rollouts choose their own first queries, whatever those of the run did:
first queries that are chosen without the hint would begin from nothing. Seeds do not
depend on λ. Each λ has a run folder of its own below RUN/scaffold, which trawl score
reads like any other; the report is RUN/scaffold/report.json. The same command goes on
where it stopped, and tries failed rollouts again.

The oracle trajectories are those of oracle.jsonl beside the data set, as trawl weave
makes it, or of the file that --oracle names: one JSON object a line with id and oracle,
a list of {action, args, obs_doc_ids, subconclusion}. No hint before λ = 1 has a step
whose action or conclusion states a gold answer.

  trawl weave --suite scaffolding --out WORLD
  trawl index WORLD/corpus.jsonl --out IDX
  trawl run --dataset woven:WORLD/questions.jsonl --index IDX --turns 12 --out RUN
  trawl scaffold RUN --limit 5`

// reportFile is the report in the folder of a scaffolding.
const reportFile = "report.json"

// A scaffoldOptions is what trawl scaffold was asked to do.
type scaffoldOptions struct {
	scaffold.Options
	oracle  string
	dataset string
	out     string
	limit   int
	json    bool

	override func(*config.Settings) // puts the flags over the settings of the run
}

func newScaffold(e env) *cobra.Command {
	var (
		o    scaffoldOptions
		f    settingsFlags
		grid string
	)
	cmd := &cobra.Command{
		Use:   "scaffold RUN",
		Short: "How much of an oracle trajectory an agent must be told to succeed",
		Long:  scaffoldHelp,
		Args:  needs("RUN", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.Grid, err = parseGrid(grid); err == nil && o.limit < 0 {
				err = fmt.Errorf("--limit %d: want 1 or more, or 0 for all", o.limit)
			}
			if err == nil && (o.Runs < 1 || o.Runs > scaffold.MaxRuns || !(o.Theta > 0 && o.Theta <= 1)) {
				err = fmt.Errorf("--runs %d, --theta %v: want 1 to %d, and more than 0 up to 1", o.Runs, o.Theta, scaffold.MaxRuns)
			}
			if err == nil {
				o.Options, err = o.Settled()
			}
			o.override = f.overRun(cmd)
			if err == nil { // what is wrong with a flag is so whatever the run's settings are
				s := config.Default()
				o.override(s)
				err = s.Check()
			}
			if err != nil {
				return usageError{command: cmd.CommandPath(), err: err}
			}
			if o.out == "" {
				o.out = filepath.Join(args[0], "scaffold")
			}
			return runScaffold(cmd.Context(), e, o, args[0])
		},
	}
	fs := cmd.Flags()
	fs.IntVar(&o.Runs, "runs", scaffold.DefaultRuns, "`M`, rollouts of a task at each λ; fewer than 10 are for a quick look")
	fs.StringVar(&grid, "grid", "", "values of λ from 0 to 1, with commas (default: 0,0.1,…,1)")
	fs.Float64Var(&o.Theta, "theta", scaffold.DefaultTheta, "θ, the success that is enough")
	fs.IntVar(&o.limit, "limit", 0, "only the first `N` tasks; may grow when it goes on")
	fs.StringVar(&o.oracle, "oracle", "", "oracle trajectories, a JSON lines `file` (default: oracle.jsonl beside the data set)")
	fs.StringVar(&o.dataset, "dataset", "", "where the questions of the run are now, as `NAME:PATH`")
	fs.StringVar(&o.out, "out", "", "`folder` of the rollouts and the report (default RUN/scaffold)")
	fs.BoolVar(&o.json, "json", false, "print JSON, with the details of every task")
	f.register(cmd, endpointGroup, retrievalGroup)
	fs.IntVar(&f.concurrency, "concurrency", 0, "rollouts under way at once (default: that of the run)")
	return cmd
}

// overRun returns what puts the flags that were given over the settings of a run:
// those that cannot change a result.
func (f *settingsFlags) overRun(cmd *cobra.Command) func(*config.Settings) {
	return func(s *config.Settings) {
		given := cmd.Flags().Changed
		if given("endpoint") {
			s.Models.Agent.Endpoints = f.endpoints
		}
		if given("index") {
			s.Retrieval.Index = f.index
		}
		if given("concurrency") {
			s.Rollout.Concurrency = f.concurrency
		}
	}
}

// parseGrid reads "0,0.25,1"; "" is the default. No two values may share a folder.
func parseGrid(s string) ([]float64, error) {
	if s == "" {
		return nil, nil
	}
	var grid []float64
	folders := map[string]bool{}
	for _, part := range strings.Split(s, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil {
			return nil, fmt.Errorf("--grid %s: want numbers from 0 to 1 with commas, such as 0,0.25,0.5,1", s)
		}
		if v == 0 {
			v = 0 // and not −0, whose name is another
		}
		if folders[lambdaName(v)] {
			return nil, fmt.Errorf("--grid %s: %s stands twice; values are told apart by two decimals", s, lambdaName(v))
		}
		folders[lambdaName(v)] = true
		grid = append(grid, v)
	}
	return grid, nil
}

// lambdaName names the folder of a λ.
func lambdaName(lambda float64) string { return strconv.FormatFloat(lambda, 'f', 2, 64) }

// runScaffold does the rollouts that are not done yet, and prints what they come to.
func runScaffold(ctx context.Context, e env, o scaffoldOptions, dir string) (err error) {
	s, err := openScaffolding(ctx, e, o, dir)
	if err != nil {
		return err
	}
	err = s.execute(ctx)
	if err = errors.Join(err, s.pipeline.close()); err != nil {
		return err
	}
	r, err := s.report()
	if err != nil {
		return err
	}
	if o.json {
		err = writeJSON(e.stdout, r)
	} else {
		err = writeScaffold(e.stdout, dir, r)
	}
	switch {
	case err != nil:
		return err
	case r.Measured == 0:
		return fmt.Errorf("λ_min is measured for no task: %d rollouts failed, %d are missing; the same command tries them again", r.Failed, r.Missing)
	case r.Failed+r.Missing > 0:
		return fmt.Errorf("%d rollouts failed and %d are missing, and are in no figure; the same command tries them again", r.Failed, r.Missing)
	}
	return nil
}
