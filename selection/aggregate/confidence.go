package aggregate

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"trawl/agent/llm"
	"trawl/agent/llm/reply"
	"trawl/internal/text"
	"trawl/selection"
	"trawl/trajectory"
)

// Confidence asks a model how sure the answer of one rollout is, from the
// rollout's own conversation and no reference. (SEL A.2)
type Confidence struct{ method }

// NewConfidence returns a Confidence that asks client, usually the model that
// made the rollouts.
func NewConfidence(client llm.Client, o Options) *Confidence {
	return &Confidence{newMethod(confidence, client, o)}
}

// Select implements [selection.Selector] for groups of one trajectory: the
// decision is its answer, with what the model states, 0 to 1, as the score. If
// it states nothing, there are no scores and a note.
func (c *Confidence) Select(ctx context.Context, g selection.Group) (selection.Decision, error) {
	if len(g.Trajectories) > 1 {
		return selection.Decision{}, c.fail(fmt.Errorf("a group of %d trajectories, want 1", len(g.Trajectories)))
	}
	if len(g.Trajectories) == 0 || !answers(g.Trajectories[0]) {
		return selection.Decision{}, selection.ErrEmpty
	}
	t := g.Trajectories[0]
	d := c.begin(g)
	stated, err := d.confidence(ctx, t)
	if err != nil {
		return selection.Decision{}, c.fail(err)
	}
	decision := selection.Decision{Answer: t.Answer, Cost: d.spent()}
	if stated == nil {
		decision.Note = joinNotes("the model states no confidence", d.unread())
		return decision, nil
	}
	decision.Scores = []float64{*stated}
	return decision, nil
}

// confidence asks, with as much of the conversation as fits; nil if nothing is
// stated.
func (d *deciding) confidence(ctx context.Context, t *trajectory.Trajectory) (*float64, error) {
	var stated *float64
	read := func(resp *llm.Response) bool {
		stated = confidenceOf(said(resp))
		return stated != nil
	}
	question := render("confidence", struct{ Answer string }{text.Collapse(t.Answer)})
	c := d.conversation()
	for ms := range shorter(messagesOf(t)) {
		req := ask(d.recordOf(ms) + "\n\n" + question)
		if len(t.Messages) > 0 {
			req = llm.Request{Messages: withUser(ms, question), Tools: d.opts.Tools, NoTools: len(d.opts.Tools) > 0}
		}
		_, err := c.until(ctx, req, read)
		if !errors.Is(err, llm.ErrContextLength) {
			return stated, err
		}
	}
	return nil, nil
}

// recordOf tells of a rollout that was recorded without its conversation.
func (d *deciding) recordOf(ms []llm.Message) string {
	return render("confidence-record", struct{ Question, Record string }{d.question.Text, record(ms)})
}

// withUser adds a message of the user's, to the last one if that is the user's
// too.
func withUser(ms []llm.Message, content string) []llm.Message {
	ms = slices.Clone(ms)
	if n := len(ms); n > 0 && ms[n-1].Role == llm.User {
		ms[n-1].Content += "\n\n" + content
		return ms
	}
	return append(ms, llm.Message{Role: llm.User, Content: content})
}

var bareNumber = regexp.MustCompile(`^[\s*_]*([0-9]+(?:\.[0-9]+)?\s*%?)[\s*_.]*$`)

// confidenceOf reads a stated confidence, or a reply that is a number and nothing
// else.
func confidenceOf(s string) *float64 {
	if tags := tagged(s, "answer"); len(tags) > 0 && reply.Confidence(s) == nil {
		s = tags[0]
	}
	if m := bareNumber.FindStringSubmatch(s); m != nil {
		s = "Confidence: " + m[1]
	}
	return reply.Confidence(s)
}

// Asked asks for the confidence of each rollout and lets Inner decide on copies
// of the rollouts that state what was asked, and nothing that they stated
// themselves.
type Asked struct {
	Confidence selection.Selector // of a group of one trajectory, usually a *[Confidence]
	Inner      selection.Selector // usually one of the weighted votes of package baseline
}

// Identity returns the identities of both parts, as far as they have one.
func (a Asked) Identity() string {
	var parts []string
	for _, s := range []selection.Selector{a.Confidence, a.Inner} {
		if named, ok := s.(interface{ Identity() string }); ok {
			parts = append(parts, named.Identity())
		}
	}
	return strings.Join(parts, "\n")
}

// Select implements [selection.Selector]. The costs of both parts add up, but of
// the times of the confidences, which are asked for in parallel and may come from
// an earlier decision, the longest alone counts. The note says how many rollouts
// stated none.
func (a Asked) Select(ctx context.Context, g selection.Group) (selection.Decision, error) {
	stating, err := a.ask(ctx, g)
	if err != nil {
		return selection.Decision{}, err
	}
	var cost selection.Cost
	longest := int64(0)
	silent, asked := 0, 0
	copies := selection.Group{Question: g.Question}
	for _, s := range stating {
		copies.Trajectories = append(copies.Trajectories, s.trajectory)
		if !answers(s.trajectory) {
			continue
		}
		asked++
		cost.Add(s.cost)
		longest = max(longest, s.cost.Millis)
		if s.trajectory.Confidence == nil {
			silent++
		}
	}
	cost.Millis = longest
	d, err := a.Inner.Select(ctx, copies)
	if err != nil {
		return selection.Decision{}, err
	}
	d.Cost.Add(cost)
	if silent > 0 {
		d.Note = joinNotes(d.Note, fmt.Sprintf("%d of %d rollouts stated no confidence when asked", silent, asked))
	}
	return d, nil
}

// A statement is a copy of a trajectory that states what it was asked, and what
// asking cost.
type statement struct {
	trajectory *trajectory.Trajectory
	cost       selection.Cost
}

// ask asks all rollouts in parallel.
func (a Asked) ask(ctx context.Context, g selection.Group) ([]statement, error) {
	out := make([]statement, len(g.Trajectories))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxParallel)
	for i, t := range g.Trajectories {
		own := *t
		own.Confidence = nil
		out[i].trajectory = &own
		if !answers(t) {
			continue
		}
		group.Go(func() error {
			d, err := a.Confidence.Select(ctx, selection.Group{Question: g.Question, Trajectories: []*trajectory.Trajectory{t}})
			if err != nil {
				return err
			}
			out[i].cost = d.Cost
			if len(d.Scores) > 0 {
				own.Confidence = &d.Scores[0]
			}
			return nil
		})
	}
	return out, group.Wait()
}
