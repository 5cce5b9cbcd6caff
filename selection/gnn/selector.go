package gnn

import (
	"context"
	"errors"
	"fmt"

	"trawl/selection"
	"trawl/selection/baseline"
	"trawl/selection/graph"
)

// NotRetained is the score, in a decision, of a trajectory that is no candidate.
// No candidate's is as low: a score is at most 100 either way.
const NotRetained = -1000

// A Table makes the vectors of texts and keeps them. The usual one is the table
// of package [trawl/selection/feature].
type Table interface {
	Features
	Rows(ctx context.Context, texts []string) ([]int32, error) // one for each text
}

// A Selector returns the candidate that a model scores highest, the first of
// several. A trajectory's score in the decision is that of its candidate, or
// [NotRetained]. If there is but one candidate, it is returned without a look.
//
// Where no rollout has evidence, there is nothing for the model to read, and the
// most frequent answer is returned; the decision's note says so.
type Selector struct {
	Name  string // of the model, for errors; default "gnn"
	Model *Model[float32]
	Table Table
}

var _ selection.Batcher = Selector{}

// Select implements [selection.Selector].
func (s Selector) Select(ctx context.Context, g selection.Group) (selection.Decision, error) {
	all, err := s.SelectAll(ctx, []selection.Group{g})
	if err != nil {
		return selection.Decision{}, err
	}
	if all[0].Index < 0 {
		return selection.Decision{}, selection.ErrEmpty
	}
	return all[0], nil
}

// SelectAll implements [selection.Batcher]: the texts of all groups are embedded
// together.
func (s Selector) SelectAll(ctx context.Context, groups []selection.Group) ([]selection.Decision, error) {
	decisions := make([]selection.Decision, len(groups))
	var open []int // groups that the model decides
	var in []Input
	for i, g := range groups {
		c := s.Model.config
		made, err := graph.Build(g, graph.Options{Variant: c.Variant, Ranks: c.Ranks})
		switch {
		case err != nil && !errors.Is(err, graph.ErrEmpty):
			return nil, s.fault(g, err)
		case err != nil || len(made.Evidence) == 0:
			if decisions[i], err = plurality(ctx, g); err != nil {
				return nil, s.fault(g, err)
			}
		case len(made.Answers) == 1:
			decisions[i] = decision(g, made, []float32{0})
		default:
			open, in = append(open, i), append(in, Input{Graph: made})
		}
	}
	if len(open) == 0 {
		return decisions, nil
	}
	scores, at, err := s.scores(ctx, in)
	if err != nil {
		return nil, s.fault(groups[open[at]], err)
	}
	for j, i := range open {
		decisions[i] = decision(groups[i], in[j].Graph, scores[j])
	}
	return decisions, nil
}

// scores embeds the texts of graphs and scores them. With an error it returns
// which graph it is about, the first if it is about none or all.
func (s Selector) scores(ctx context.Context, in []Input) (scores [][]float32, at int, err error) {
	var texts []string
	for _, each := range in {
		texts = append(texts, each.Graph.Texts...)
	}
	rows, err := s.Table.Rows(ctx, texts)
	if err != nil {
		return nil, 0, err
	}
	for i := range in {
		n := len(in[i].Graph.Texts)
		in[i].Rows, rows = rows[:n], rows[n:]
	}
	scores, err = s.Model.Scores(in, s.Table)
	var of graphError
	if errors.As(err, &of) {
		return nil, of.graph, of.err
	}
	return scores, 0, err
}

// fault wraps an error with the names of the model and the question.
func (s Selector) fault(g selection.Group, err error) error {
	name := s.Name
	if name == "" {
		name = "gnn"
	}
	return fmt.Errorf("gnn: model %s, question %q: %w", name, g.Question.ID, err)
}

// decision chooses the best candidate.
func decision(g selection.Group, made *graph.Graph, scores []float32) selection.Decision {
	best := made.Answers[Best(scores)].Rollouts[0]
	d := selection.Decision{Answer: g.Trajectories[best].Answer, Index: best, Scores: make([]float64, len(g.Trajectories))}
	for i := range d.Scores {
		d.Scores[i] = NotRetained
	}
	for i, a := range made.Answers {
		for _, r := range a.Rollouts {
			d.Scores[r] = float64(scores[i])
		}
	}
	return d
}

const noEvidence = "no rollout has evidence for the model to read: this is the most frequent answer"

// plurality decides by majority.
func plurality(ctx context.Context, g selection.Group) (selection.Decision, error) {
	d, err := baseline.Majority{}.Select(ctx, g)
	if errors.Is(err, selection.ErrEmpty) {
		return selection.None(), nil
	}
	return selection.Decision{Answer: d.Answer, Index: d.Index, Note: noEvidence}, err
}
