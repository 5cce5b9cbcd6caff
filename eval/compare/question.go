package compare

import (
	"context"
	"fmt"
	"maps"

	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/selection"
	"trawl/trajectory"
)

// An outcome is what came of one question.
type outcome struct {
	id                     string
	scored                 bool // it has gold answers
	done, failed, unscored int  // rollouts
	sizes                  []size
	full                   []Decided // on all rollouts, until they are told
	failure                *failure  // the first one; nil if the question was decided
}

// A size is the figures of one question at one k, by contestant.
type size struct {
	results []result
	whole   map[int]selection.Decision // by contestant, where the subset is all there is
}

// A pool is a subset of a question's rollouts: those of it that are done.
type pool struct {
	group   selection.Group
	covered bool
}

// question compares the field on one question. A contestant that fails is no error
// but in the outcome.
func (c *contest) question(ctx context.Context, ex dataset.Example) (*outcome, error) {
	lines, err := c.source(ex.ID)
	if err != nil {
		return nil, err
	}
	out := &outcome{id: ex.ID, scored: len(ex.Golds) > 0}
	slots, err := c.place(lines, out)
	if err != nil {
		return nil, err
	}
	m := marker{example: ex, known: map[string]eval.Marks{}}
	if !out.scored {
		out.unscored = out.done
	}
	for _, k := range c.opts.At {
		if !out.scored || out.failure != nil {
			break
		}
		s, err := c.atSize(ctx, &m, slots, k)
		if err := out.keep(ctx, err); err != nil {
			return nil, err
		}
		out.sizes = append(out.sizes, s)
	}
	return out, c.whole(ctx, &m, slots, out)
}

// whole adds the decisions on all rollouts: those that were made already, if the
// subsets included that of all. Of a contestant that failed there is none.
func (c *contest) whole(ctx context.Context, m *marker, slots []*trajectory.Trajectory, out *outcome) error {
	made := map[int]selection.Decision{}
	for _, s := range out.sizes {
		maps.Copy(made, s.whole)
	}
	all := m.pools([][]int{upTo(len(slots))}, slots)
	rollouts := []int{}
	for _, t := range all[0].group.Trajectories {
		rollouts = append(rollouts, t.Rollout)
	}
	for i, contestant := range c.field {
		if _, known := made[i]; known || out.failure != nil && out.failure.selector == contestant.Name {
			continue
		}
		decisions, err := c.decide(ctx, contestant, all)
		if err := out.keep(ctx, err); err != nil {
			return err
		}
		if len(decisions) > 0 {
			made[i] = decisions[0].Decision
		}
	}
	for i, contestant := range c.field {
		if d, ok := made[i]; ok {
			out.full = append(out.full, Decided{Name: contestant.Name, QuestionID: out.id, Rollouts: rollouts, Decision: d})
		}
	}
	return nil
}

// place puts the rollouts that are done into their places among the K.
func (c *contest) place(lines []*trajectory.Trajectory, out *outcome) ([]*trajectory.Trajectory, error) {
	slots := make([]*trajectory.Trajectory, c.opts.Rollouts)
	seen := make([]bool, c.opts.Rollouts)
	for _, t := range lines {
		switch {
		case t.Rollout >= len(slots):
			continue
		case seen[t.Rollout]:
			return nil, fmt.Errorf("rollout %d stands twice, with the settings %s and others", t.Rollout, t.Config)
		case t.Error != "":
			out.failed++
		default:
			out.done++
			slots[t.Rollout] = t
		}
		seen[t.Rollout] = true
	}
	return slots, nil
}

// atSize gives the subsets of k rollouts to every contestant. With an error it
// returns what was decided before.
func (c *contest) atSize(ctx context.Context, m *marker, slots []*trajectory.Trajectory, k int) (size, error) {
	s := size{results: make([]result, len(c.field))}
	if k == len(slots) {
		s.whole = map[int]selection.Decision{}
	}
	for _, h := range c.heats(k) {
		if err := c.run(ctx, m, slots, h, &s); err != nil {
			return s, err
		}
	}
	return s, nil
}

// A marker marks the answers of one question, each distinct one once.
type marker struct {
	example dataset.Example
	known   map[string]eval.Marks
}

func (m *marker) mark(answer string) eval.Marks {
	mark, ok := m.known[answer]
	if !ok {
		mark = eval.Mark(m.example, answer)
		m.known[answer] = mark
	}
	return mark
}

// pools returns what of each subset is done.
func (m *marker) pools(subsets [][]int, slots []*trajectory.Trajectory) []pool {
	pools := make([]pool, len(subsets))
	for i, subset := range subsets {
		p := pool{group: selection.Group{Question: m.example.Question}}
		for _, slot := range subset {
			if t := slots[slot]; t != nil {
				p.group.Trajectories = append(p.group.Trajectories, t)
				p.covered = p.covered || m.mark(t.Answer).EM
			}
		}
		pools[i] = p
	}
	return pools
}

// upTo returns 0, 1, … n−1.
func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
