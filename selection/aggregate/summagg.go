package aggregate

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"trawl/agent/llm"
	"trawl/agent/llm/reply"
	"trawl/selection"
	"trawl/trajectory"
)

// SummAgg lets a model report on each rollout, and then decide between the
// reports: K + 1 calls for K rollouts.
type SummAgg struct{ method }

// NewSummAgg returns a SummAgg that asks client.
func NewSummAgg(client llm.Client, o Options) *SummAgg {
	return &SummAgg{newMethod(summAgg, client, o)}
}

// Select implements [selection.Selector]. Rollouts without an answer are
// reported on too, since what they found may count; a report that cannot be had
// is left out, which the note says.
func (s *SummAgg) Select(ctx context.Context, g selection.Group) (selection.Decision, error) {
	trajectories, err := candidates(g)
	if err != nil {
		return selection.Decision{}, err
	}
	d := s.begin(g)
	reports, err := d.reports(ctx, trajectories)
	if err != nil {
		return selection.Decision{}, s.fail(err)
	}
	if len(reports) == 0 {
		return d.none(fmt.Sprintf("none of %d reports could be had", len(trajectories))), nil
	}
	decision, err := d.integrate(ctx, reports, statedAnswer)
	if err != nil {
		return selection.Decision{}, s.fail(err)
	}
	if missing := len(trajectories) - len(reports); missing > 0 {
		decision.Note = joinNotes(fmt.Sprintf("%d of %d reports could not be had", missing, len(trajectories)), decision.Note)
	}
	return decision, nil
}

// reports asks for a report on each trajectory, in parallel, and returns those
// that could be had, in order.
func (d *deciding) reports(ctx context.Context, trajectories []*trajectory.Trajectory) ([]string, error) {
	all := make([]string, len(trajectories))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxParallel)
	for i, t := range trajectories {
		group.Go(func() (err error) {
			all[i], err = d.report(ctx, d.conversation("report", i), t)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var reports []string
	for _, r := range all {
		if r != "" {
			reports = append(reports, r)
		}
	}
	return reports, nil
}

// report asks for the report on one trajectory; "" if it cannot be had.
func (d *deciding) report(ctx context.Context, c *conversation, t *trajectory.Trajectory) (string, error) {
	report := ""
	read := func(resp *llm.Response) bool {
		report = reportOf(reported(resp))
		return report != ""
	}
	for ms := range shorter(messagesOf(t)) {
		prompt := render("report", struct{ Question, Record string }{d.question.Text, record(ms)})
		_, err := c.until(ctx, ask(prompt), read)
		if !errors.Is(err, llm.ErrContextLength) {
			return report, err
		}
	}
	return "", nil
}

// reported returns what a reply says; if that is nothing, the report that the
// server took for reasoning.
func reported(resp *llm.Response) string {
	r := reply.Parse(resp, reply.Native)
	if r.Full == "" && reportTag.MatchString(r.Reasoning) {
		return r.Reasoning
	}
	return r.Full
}
