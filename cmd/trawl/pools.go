package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/internal/text"
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
	byJudge labelling = "judge" // the verdicts in the run folder, of one judge
)

// A pools is stored rollouts as a selector is trained on them.
type pools struct {
	questions, rollouts int
	examples            []train.Example // of the questions that have labels
	unlabelled          int             // questions without gold answers or verdicts
	empty               int             // questions without a candidate
	simulated           bool
	graphs              graph.Totals
}

// A poolReader reads runs as pools.
type poolReader struct {
	env     env
	options graph.Options
	labels  labelling
	vectors *vectors
	dataset string // questions with answers, as NAME:PATH; "" for those of each run
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
	if r.options.Variant == graph.LongHorizon && !all.haveEvidence() {
		return nil, fmt.Errorf("%s: no rollout has opened a page, or found something in one: train on them with --variant webqa", strings.Join(dirs, " "))
	}
	if len(all.examples) > 0 && all.empty == len(all.examples) {
		return nil, fmt.Errorf("%s: no rollout has both an answer and a search that found something: there is nothing to choose among", strings.Join(dirs, " "))
	}
	if len(all.examples) == 0 {
		return nil, fmt.Errorf("%s: no question has both rollouts and %s: there is nothing to learn from", strings.Join(dirs, " "), r.labels.wants())
	}
	return all, nil
}

// lacks says in words what a question without labels lacks.
func (l labelling) lacks() string {
	if l == byJudge {
		return "with an answer that no verdict covers, left out"
	}
	return "without gold answers"
}

// haveEvidence reports whether there is evidence in any pool.
func (p *pools) haveEvidence() bool {
	return slices.ContainsFunc(p.examples, func(e train.Example) bool { return e.Input.Graph != nil && len(e.Input.Graph.Evidence) > 0 })
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
	settings, err := settingsOf(lines.Manifest())
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	every, err := examplesOf(dir, lines.Manifest(), r.dataset)
	if err != nil {
		return err
	}
	examples := planned(every, settings)
	run := selected{scored: scored{dir: dir, settings: settings, examples: examples}, lines: lines}
	if err := run.tellLeftOut(r.env, every); err != nil {
		return err
	}
	mark, err := r.marker(dir)
	if err != nil {
		return err
	}
	all.simulated = all.simulated || settings.Simulated
	made, err := r.make(ctx, lines, lastRound(lines, settings), examples, mark)
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
		if p.statistics != nil {
			all.graphs.Add(*p.statistics)
		}
		all.examples = append(all.examples, *p.example)
	}
	return nil
}

// A pool is what came of one question; example is nil if it has no labels.
type pool struct {
	rollouts   int
	example    *train.Example
	statistics *graph.Statistics // of its graph; nil if there is none
}

// make makes the pools of the questions at a round, in their order, on all cores.
func (r poolReader) make(ctx context.Context, lines *store.Reader, round int, examples []dataset.Example, mark marker) ([]pool, error) {
	made := make([]pool, len(examples))
	show := newProgress(r.env, "questions read", 0, len(examples))
	defer show.close()
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, ex := range examples {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			runs, err := outcomes(lines, ex.ID, round)
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
	p := pool{rollouts: len(runs)}
	if r.labels == byMatch && len(ex.Golds) == 0 {
		return p, nil
	}
	own := make([]float64, len(runs)) // of each rollout, by its own answer
	for i, t := range runs {
		m, ok := mark(ex, t.Answer, t.Rollout)
		if !ok && t.Error == "" && !text.Blank(t.Answer) {
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
		m, ok := mark(ex, g.Texts[a.Text], noRollout)
		if !ok { // the words of an equal answer, which a judge may not have seen
			m.label = own[a.Rollouts[0]]
		}
		e.Labels, e.F1 = append(e.Labels, m.label), append(e.F1, m.f1)
	}
	e.Trainable = graph.Trainable(g, own)
	statistics := graph.StatsOf(g)
	p.statistics = &statistics
	shorten(g)
	e.Input = gnn.Input{Graph: g, Rows: rows}
	return p, nil
}

// shorten puts hashes in place of the texts of a graph, for which their vectors
// stand from here on. Those of answers stay: equal ones are told by their words.
func shorten(g *graph.Graph) {
	answers := map[int]bool{}
	for _, a := range g.Answers {
		answers[a.Text] = true
	}
	for i, t := range g.Texts {
		if !answers[i] {
			g.Texts[i] = store.Hash(t)
		}
	}
}

// A mark is what an answer is worth.
type mark struct{ label, f1 float64 }

// A marker marks an answer to a question, as a rollout gave it; ok is false if
// nobody knows.
type marker func(ex dataset.Example, answer string, rollout int) (m mark, ok bool)

// noRollout marks an answer apart from the rollouts that gave it.
const noRollout = -1

// marker returns the marker for the run folder dir.
func (r poolReader) marker(dir string) (marker, error) {
	if r.labels == byMatch {
		return func(ex dataset.Example, answer string, _ int) (mark, bool) {
			return matched(ex, answer), len(ex.Golds) > 0
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
	of, others := ofOneJudge(verdicts)
	if others > 0 {
		fmt.Fprintf(r.env.stderr, "trawl: %s: labels are the %d verdicts of %s, who gave the most; %d of other judges are left out\n", dir, len(of), cmp.Or(of[0].Judge, "one judge"), others)
	}
	given := map[[2]string]store.Verdict{}
	for _, v := range of {
		given[[2]string{v.QuestionID, strings.TrimSpace(v.Answer)}] = v
	}
	return func(ex dataset.Example, answer string, rollout int) (mark, bool) {
		v, ok := given[[2]string{ex.ID, strings.TrimSpace(answer)}]
		correct := v.Correct != slices.Contains(v.Except, rollout)
		return mark{label: truth(correct), f1: matched(ex, answer).f1}, ok
	}, nil
}

// matched marks an answer by its words. One that normalises to nothing is never
// right for training, as in the paper, though scoring compares it like any other.
func matched(ex dataset.Example, answer string) mark {
	if text.Answer(answer) == "" {
		return mark{}
	}
	got := eval.Mark(ex, answer)
	return mark{label: truth(got.EM), f1: got.F1}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
