package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"trawl/agent"
	"trawl/agent/tool"
	"trawl/corpus/dataset"
	"trawl/eval/scaffold"
	"trawl/internal/atomicfile"
	"trawl/internal/config"
	"trawl/rollout"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

// A scaffolding is the rollouts with hints of one run.
type scaffolding struct {
	env      env
	opts     scaffoldOptions
	dataset  store.Dataset
	tasks    []*scaffold.Task
	oracle   string // SHA-256 of the file
	pipeline *pipeline
}

// openScaffolding makes the tasks of a run and the pipeline for their rollouts, which
// must be that of the run.
func openScaffolding(ctx context.Context, e env, o scaffoldOptions, dir string) (*scaffolding, error) {
	m, err := store.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	run := scored{dir: dir, manifest: m}
	if run.settings, err = settingsOf(m); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	known, err := dialectOf(dir, m)
	if err != nil {
		return nil, err
	}
	if known == "" {
		return nil, fmt.Errorf("%s holds rollouts of another program: there is no agent to give hints to; scaffold a run that trawl run made", dir)
	}
	s := &scaffolding{env: e, opts: o, dataset: m.Dataset}
	if run.examples, err = s.examples(run); err != nil {
		return nil, err
	}
	oracles, err := s.readOracles(&run)
	if err != nil {
		return nil, err
	}
	if err := s.openPipeline(ctx, run, known); err != nil {
		return nil, err
	}
	if s.tasks, err = tasksOf(run.examples, oracles, s.pipeline); err != nil {
		return nil, errors.Join(err, s.pipeline.close())
	}
	return s, nil
}

// examples returns the questions of a run, which may have moved; that they are the
// same still is seen with the rest of what the run was made with.
func (s *scaffolding) examples(run scored) ([]dataset.Example, error) {
	if s.opts.dataset == "" {
		return examplesOf(run.dir, run.manifest, "")
	}
	set, err := dataset.Open(s.opts.dataset)
	if err != nil {
		return nil, err
	}
	s.dataset = datasetOf(set)
	return set.Examples, nil
}

// openPipeline opens what the run was made with, makes sure that it is the same
// still, and changes what the protocol changes.
func (s *scaffolding) openPipeline(ctx context.Context, run scored, known agent.Dialect) (err error) {
	settings := *run.settings.Settings
	settings.Models.Agent.Name = run.manifest.Models["agent"]
	s.opts.override(&settings)
	if err := settings.Check(); err != nil {
		return fmt.Errorf("%s: %w", run.dir, err)
	}
	s.pipeline, err = openPipeline(ctx, s.env, &settings, known)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w\n  %s was made with an index at %s; if it has moved, say where with --index", err, run.dir, run.settings.Retrieval.Index)
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.pipeline.close())
		}
	}()
	same, err := s.pipeline.manifest(runJob{settings: &settings, dataset: s.dataset})
	if err != nil {
		return err
	}
	diff, err := store.Differences(run.manifest, same)
	if err != nil {
		return fmt.Errorf("%s: %w", run.dir, err)
	}
	if len(diff) > 0 {
		return fmt.Errorf("%s was made otherwise than rollouts would be now, so hints would not be all that differs: %s", run.dir, strings.Join(diff, "; "))
	}
	settings.Rollout.Count, settings.Rollout.FirstQuery = s.opts.Runs, "standard"
	s.pipeline.seeder = nil
	return s.pipeline.build(s.pipeline.index)
}

// readOracles reads the oracle trajectories of the questions of a run, and leaves the
// examples in it that have one, and gold answers.
func (s *scaffolding) readOracles(run *scored) (map[string][]scaffold.Step, error) {
	path := s.opts.oracle
	if path == "" {
		path = besideOracle(s.dataset.Path)
	}
	oracles, sum, err := hashedOracle(path, run.examples)
	if err != nil {
		return nil, err
	}
	s.oracle = sum
	var tasks []dataset.Example
	mine, golds := planned(run.examples, run.settings), 0
	for _, ex := range mine {
		if len(ex.Golds) > 0 {
			golds++
			if len(oracles[ex.ID]) > 0 {
				tasks = append(tasks, ex)
			}
		}
	}
	switch {
	case golds == 0:
		return nil, fmt.Errorf("%s: the questions have no gold answers: success cannot be told", s.dataset.Path)
	case len(tasks) == 0:
		return nil, fmt.Errorf("%s: %w", path, errForeign)
	case len(tasks) < len(mine):
		fmt.Fprintf(s.env.stderr, "trawl: left out %d of %d questions, without gold answers or a trajectory in %s\n", len(mine)-len(tasks), len(mine), path)
	}
	run.examples = limited(tasks, s.opts.limit)
	return oracles, nil
}

// tasksOf makes the tasks of examples, with observations as the tool of the pipeline
// shows them.
func tasksOf(examples []dataset.Example, oracles map[string][]scaffold.Step, p *pipeline) ([]*scaffold.Task, error) {
	if p.index.get == nil {
		return nil, fmt.Errorf("the index %s gives no documents by id, which hints are made of: name the index's folder with --index", config.RedactURL(p.settings.Retrieval.Index))
	}
	observe := func(ids []string) (string, error) {
		var r tool.Result
		for _, id := range ids {
			d, ok, err := p.index.get(id)
			if err == nil && !ok {
				err = fmt.Errorf("the index %s has no document %s", p.settings.Retrieval.Index, id)
			}
			if err != nil {
				return "", err
			}
			r.Hits = append(r.Hits, trajectory.Result{ID: d.ID, Title: d.Title, URL: d.URL, Text: d.Text})
		}
		return r.Show(p.settings.Retrieval.ObservationChars), nil
	}
	var tasks []*scaffold.Task
	for _, ex := range examples {
		t, err := scaffold.NewTask(ex, oracles[ex.ID], observe)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, t)
	}
	return tasks, nil
}

// folder returns the run folder of a λ.
func (s *scaffolding) folder(lambda float64) string {
	return filepath.Join(s.opts.out, lambdaName(lambda))
}

// execute does what is not done yet of the rollouts of every λ, the least first.
func (s *scaffolding) execute(ctx context.Context) error {
	questions := make([]trajectory.Question, len(s.tasks))
	for i, t := range s.tasks {
		questions[i] = t.Example.Question
	}
	for i, lambda := range s.opts.Grid {
		if !s.env.isQuiet() {
			fmt.Fprintf(s.env.stderr, "trawl: λ %s, %d of %d: %d tasks × %d rollouts\n", lambdaName(lambda), i+1, len(s.opts.Grid), len(s.tasks), s.opts.Runs)
		}
		s.pipeline.hints = hintsAt(s.tasks, lambda, s.oracle)
		job := runJob{
			settings: s.pipeline.settings, questions: questions, dataset: s.dataset, out: s.folder(lambda),
			limit: s.opts.limit, shard: rollout.Shard{I: 1, N: 1},
		}
		if sum, err := execute(ctx, s.env, s.pipeline, job); err != nil {
			return stopped(job.out, sum, err)
		}
	}
	return nil
}

// report makes the report of the rollouts and keeps it beside them.
func (s *scaffolding) report() (*scaffold.Report, error) {
	tallies := make([][]scaffold.Tally, len(s.tasks))
	for _, lambda := range s.opts.Grid {
		if err := s.tally(tallies, lambda); err != nil {
			return nil, err
		}
	}
	opts := s.opts.Options
	opts.Seed = s.pipeline.settings.Seed
	r, err := scaffold.Measure(s.tasks, tallies, opts)
	if err != nil {
		return nil, err
	}
	r.Model, r.Simulated = s.pipeline.backend.model, s.pipeline.simulated()
	return r, atomicfile.Write(filepath.Join(s.opts.out, reportFile), func(w io.Writer) error { return writeJSON(w, r) })
}

// tally appends to each task's tallies that of its rollouts at lambda.
func (s *scaffolding) tally(tallies [][]scaffold.Tally, lambda float64) (err error) {
	lines, err := store.OpenReader(s.folder(lambda))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lines.Close()) }()
	for i, t := range s.tasks {
		all, err := outcomes(lines, t.Example.ID, s.pipeline.settings.Recursion.Rounds)
		if err != nil {
			return err
		}
		tallies[i] = append(tallies[i], scaffold.Count(t.Example, all, s.opts.Runs))
	}
	return nil
}
