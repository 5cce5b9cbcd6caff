package aggregate

import (
	"context"

	"trawl/agent/llm"
	"trawl/selection"
)

// SolAgg lets a model decide between the final messages of the rollouts, in one
// call.
type SolAgg struct{ method }

// NewSolAgg returns a SolAgg that asks client.
func NewSolAgg(client llm.Client, o Options) *SolAgg {
	return &SolAgg{newMethod(solAgg, client, o)}
}

// Select implements [selection.Selector]. Rollouts without an answer give no
// report.
func (s *SolAgg) Select(ctx context.Context, g selection.Group) (selection.Decision, error) {
	var reports []string
	for _, t := range g.Trajectories {
		if answers(t) {
			reports = append(reports, prediction(t))
		}
	}
	if len(reports) == 0 {
		return selection.Decision{}, selection.ErrEmpty
	}
	d := s.begin(g)
	decision, err := d.integrate(ctx, reports, taggedAnswer)
	if err != nil {
		return selection.Decision{}, s.fail(err)
	}
	return decision, nil
}
