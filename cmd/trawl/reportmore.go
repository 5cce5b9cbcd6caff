package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	candidates "trawl/eval/pool"
	sections "trawl/internal/report"
	"trawl/selection/graph"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

// more adds to the runs, one by one, what is read question by question: selectors,
// pools, and how answers were reached. What the folders lack was told before.
func (x *reporter) more(ctx context.Context) error {
	for i, run := range x.runs {
		if !x.env.isQuiet() {
			fmt.Fprintf(x.env.stderr, "trawl: %s: selectors, pools, how answers were reached\n", run.name)
		}
		m := &reportedMore{reporter: x, run: run, shown: x.shown[i], env: x.env}
		m.env.stderr = io.Discard
		if err := m.read(ctx); err != nil {
			return fmt.Errorf("%s: %w", run.dir, err)
		}
	}
	return nil
}

// A reportedMore is a run of a report, read question by question.
type reportedMore struct {
	*reporter
	run    reportRun
	shown  *sections.Run
	env    env
	folder *evaluated
}

func (m *reportedMore) read(ctx context.Context) (err error) {
	if m.folder, err = openEvaluated(m.env, m.run.dirs(), m.options.dataset); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.folder.close()) }()
	if err := m.noteDropped(); err != nil {
		return err
	}
	switch {
	case m.shown.Score.Complete == 0:
		return nil
	case m.shown.Score.EM == nil:
		m.shown.Lacking[sections.Selectors] = "no question has a gold answer, so nothing says which choices are right."
	case m.rollouts() < 2:
		m.shown.Lacking[sections.Selectors] = "a question has one rollout, so there is nothing to choose."
	default:
		if err := m.compare(ctx); err != nil {
			return err
		}
		if err := m.kept(ctx); err != nil {
			return err
		}
	}
	if err := m.pools(ctx); err != nil {
		return err
	}
	return m.evaluate(ctx)
}

func (m *reportedMore) seed() int64 { return m.folder.folders[0].manifest.Seed }

func (m *reportedMore) rollouts() int { return m.folder.folders[0].settings.Rollout.Count }

// noteDropped notes which lines cannot be read.
func (m *reportedMore) noteDropped() error {
	var all []store.Counts
	for _, f := range m.folder.folders {
		states, err := f.lines.StateCounts()
		if err != nil {
			return err
		}
		_, decisions, err := store.ReadSelections(f.dir)
		if err != nil {
			return err
		}
		_, verdicts, err := store.ReadVerdicts(f.dir)
		if err != nil {
			return err
		}
		all = append(all, f.lines.Counts(), states, decisions, verdicts)
	}
	if said := unread(all); said != "" {
		m.notes = append(m.notes, m.run.name+": "+said)
	}
	return nil
}

// outcomes returns what the rollouts of a question came to.
func (m *reportedMore) outcomes(id string) ([]*trajectory.Trajectory, error) {
	f := m.folder.at[id]
	if f == nil {
		return nil, nil
	}
	return outcomes(f.lines, id, m.folder.round)
}

// pools describes what selectors choose from.
func (m *reportedMore) pools(ctx context.Context) error {
	o := candidates.Options{Rollouts: m.rollouts(), Seed: m.seed()}
	if m.shown.Score.Cost.Opens > 0 {
		o.Variant = graph.LongHorizon
	}
	r, err := candidates.Of(ctx, m.folder.examples, m.outcomes, o)
	if err != nil {
		return err
	}
	m.shown.Pool = r
	return nil
}

// evaluate evaluates how answers were reached, by words.
func (m *reportedMore) evaluate(ctx context.Context) error {
	if m.options.noEvaluate {
		m.shown.Lacking[sections.Reached] = "left out (--no-evaluate)."
		return nil
	}
	r, err := m.utility(ctx)
	if err != nil {
		return err
	}
	r.Details = nil
	m.shown.Utility = r
	if _, err := os.Stat(filepath.Join(m.run.dir, "entailments.jsonl")); err == nil {
		m.say(sections.Reached, "a model's verdicts on claims are kept; trawl evaluate --entailment endpoint takes those, and here claims are judged by words.")
	}
	return nil
}
