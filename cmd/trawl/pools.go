package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/selection"
	"trawl/selection/gnn"
	"trawl/selection/graph"
	"trawl/selection/train"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

// A labelling is where the labels of candidates come from.
type labelling string

// The labellings.
const (
	byMatch labelling = "em"    // exact match with the gold answers
	byJudge labelling = "judge" // the verdicts in the run folder
)

// A pools is stored rollouts as a selector is trained on them.
type pools struct {
	questions, rollouts int
	examples            []train.Example // of the questions that have labels
	unlabelled          int             // questions without gold answers or verdicts
	empty               int             // questions without a candidate
	simulated           bool
}

// A poolReader reads runs as pools.
type poolReader struct {
	env     env
	options graph.Options
	labels  labelling
	vectors *vectors
}

// read reads all runs. The order of the examples is that of the runs and of
// their questions.
func (r poolReader) read(ctx context.Context, dirs []string) (*pools, error) {
	all := &pools{}
	for _, dir := range dirs {
		if err := r.readRun(ctx, dir, all); err != nil {
			return nil, err
		}
	}
	if len(all.examples) == 0 {
		return nil, fmt.Errorf("%s: no question has both rollouts and %s: there is nothing to learn from", strings.Join(dirs, " "), r.labels.wants())
	}
	return all, nil
}

func (l labelling) wants() string {
	if l == byJudge {
		return "verdicts of a judge"
	}
	return "gold answers"
}

// readRun adds the pools of one run folder.
func (r poolReader) readRun(ctx context.Context, dir string, all *pools) (err error) {
	lines, err := store.OpenReader(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lines.Close()) }()
	for _, bad := range lines.Counts().Dropped {
		fmt.Fprintf(r.env.stderr, "trawl: %s: skipped a line that cannot be read: %v\n", dir, bad)
	}
	settings, err := settingsOf(lines.Manifest())
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	examples, err := examplesOf(dir, lines.Manifest(), "")
	if err != nil {
		return err
	}
	examples = planned(examples, settings)
	mark, err := r.marker(dir)
	if err != nil {
		return err
	}
	all.simulated = all.simulated || settings.Simulated
	made, err := r.make(ctx, lines, examples, mark)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	for _, p := range made {
		all.questions++
		all.rollouts += p.rollouts
		switch {
		case p.example == nil:
			all.unlabelled++
			continue
		case p.example.Input.Graph == nil:
			all.empty++
		}
		all.examples = append(all.examples, *p.example)
	}
	return nil
}

// A pool is what came of one question; example is nil if it has no labels.
type pool struct {
	rollouts int
	example  *train.Example
}

// make makes the pools of the questions, in their order, on all cores.
func (r poolReader) make(ctx context.Context, lines *store.Reader, examples []dataset.Example, mark marker) ([]pool, error) {
	made := make([]pool, len(examples))
	show := newProgress(r.env, "questions read", 0, len(examples))
	defer show.close()
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, ex := range examples {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			runs, err := lines.Rollouts(ex.ID)
			if err == nil {
				made[i], err = r.pool(ctx, ex, runs, mark)
			}
			show.add()
			return err
		})
	}
	return made, g.Wait()
}

// pool makes the pool of one question.
func (r poolReader) pool(ctx context.Context, ex dataset.Example, runs []*trajectory.Trajectory, mark marker) (pool, error) {
	runs = lastRound(runs)
	p := pool{rollouts: len(runs)}
	own := make([]float64, len(runs)) // of each rollout, by its own answer
	for i, t := range runs {
		m, ok := mark(ex, t.Answer)
		if !ok && t.Error == "" && t.Answer != "" {
			return p, nil
		}
		own[i] = m.label
	}
	p.example = &train.Example{Question: ex.Text}
	g, err := graph.Build(selection.Group{Question: ex.Question, Trajectories: runs}, r.options)
	if errors.Is(err, graph.ErrEmpty) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	rows, err := r.vectors.Rows(ctx, g.Texts)
	if err != nil {
		return p, err
	}
	e := p.example
	for _, a := range g.Answers {
		m, ok := mark(ex, g.Texts[a.Text])
		if !ok { // the words of an equal answer, which a judge may not have seen
			m.label = own[a.Rollouts[0]]
		}
		e.Labels, e.F1 = append(e.Labels, m.label), append(e.F1, m.f1)
	}
	e.Trainable = graph.Trainable(g, own)
	for i, t := range g.Texts { // their vectors stand for them from here on, and a hash in what training is known by
		g.Texts[i] = store.Hash(t)
	}
	e.Input = gnn.Input{Graph: g, Rows: rows}
	return p, nil
}

// lastRound returns the rollouts of the last round that any is of: those among
// which an answer is chosen.
func lastRound(runs []*trajectory.Trajectory) []*trajectory.Trajectory {
	last := 0
	for _, t := range runs {
		last = max(last, t.Round)
	}
	return slices.DeleteFunc(runs, func(t *trajectory.Trajectory) bool { return t.Round != last })
}

// A mark is what an answer is worth.
type mark struct{ label, f1 float64 }

// A marker marks an answer to a question; ok is false if nobody knows.
type marker func(ex dataset.Example, answer string) (m mark, ok bool)

// marker returns the marker for the run folder dir.
func (r poolReader) marker(dir string) (marker, error) {
	if r.labels == byMatch {
		return func(ex dataset.Example, answer string) (mark, bool) {
			got := eval.Mark(ex, answer)
			return mark{label: truth(got.EM), f1: got.F1}, len(ex.Golds) > 0
		}, nil
	}
	verdicts, counts, err := store.ReadVerdicts(dir)
	if err != nil {
		return nil, err
	}
	for _, bad := range counts.Dropped {
		fmt.Fprintf(r.env.stderr, "trawl: %s: skipped a verdict that cannot be read: %v\n", dir, bad)
	}
	if len(verdicts) == 0 {
		return nil, fmt.Errorf("%s has no verdicts of a judge, such as trawl import --verdicts keeps: label by exact match instead, with --labels em", dir)
	}
	right := map[[2]string]bool{}
	for _, v := range verdicts {
		right[[2]string{v.QuestionID, strings.TrimSpace(v.Answer)}] = v.Correct
	}
	return func(ex dataset.Example, answer string) (mark, bool) {
		correct, ok := right[[2]string{ex.ID, strings.TrimSpace(answer)}]
		return mark{label: truth(correct), f1: eval.Mark(ex, answer).F1}, ok
	}, nil
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
