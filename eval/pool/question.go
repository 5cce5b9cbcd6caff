package pool

import (
	"errors"

	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/internal/text"
	"trawl/selection"
	"trawl/selection/graph"
	"trawl/trajectory"
)

// A pool is what is counted of one question.
type pool struct {
	last                                 int // number of its last rollout, -1 if it has none
	complete, failed, retained, noAnswer int

	scored      bool // it has gold answers
	right, kept int  // completed rollouts that are right, and those of them that are retained

	statistics *graph.Statistics // of its graph; nil if nothing is retained
	edges      int               // between evidence and documents
}

// read reads the pool of a question.
func read(ex dataset.Example, source Source, o Options) (pool, error) {
	p := pool{last: -1, scored: len(ex.Golds) > 0}
	lines, err := source(ex.ID)
	if err != nil {
		return p, err
	}
	var done []*trajectory.Trajectory
	for _, t := range lines {
		if o.Rollouts > 0 && t.Rollout >= o.Rollouts {
			continue
		}
		p.last = max(p.last, t.Rollout)
		if t.Error != "" {
			p.failed++
			continue
		}
		done = append(done, t)
	}
	g, err := graph.Build(selection.Group{Question: ex.Question, Trajectories: done}, graph.Options{Variant: o.Variant})
	if errors.Is(err, graph.ErrEmpty) {
		g, err = nil, nil
	}
	if err != nil {
		return p, err
	}
	p.filter(ex, done, retained(g))
	if g != nil {
		s := graph.StatsOf(g)
		p.statistics = &s
		p.edges = len(g.Edges[graph.BelongsTo]) + len(g.Edges[graph.Contains])
	}
	return p, nil
}

// retained returns which rollouts are candidates of g; none if there is no graph.
func retained(g *graph.Graph) map[int]bool {
	kept := map[int]bool{}
	if g == nil {
		return kept
	}
	for _, a := range g.Answers {
		for _, i := range a.Rollouts {
			kept[i] = true
		}
	}
	return kept
}

// filter counts what the filter does to the completed rollouts.
func (p *pool) filter(ex dataset.Example, done []*trajectory.Trajectory, kept map[int]bool) {
	p.complete = len(done)
	for i, t := range done {
		right := p.scored && eval.Mark(ex, t.Answer).EM
		if right {
			p.right++
		}
		switch {
		case kept[i]:
			p.retained++
			if right {
				p.kept++
			}
		case text.Blank(t.Answer):
			p.noAnswer++
		}
	}
}
