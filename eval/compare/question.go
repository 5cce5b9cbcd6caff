package compare

import (
	"context"
	"fmt"

	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/selection"
	"trawl/trajectory"
)

// An outcome is what came of one question.
type outcome struct {
	scored                 bool // it has gold answers
	done, failed, unscored int  // rollouts
	sizes                  []size
	full                   []Decided // on all rollouts, until they are told
}

// A size is the figures of one question at one k, by contestant.
type size struct {
	results []result
	whole   []selection.Decision // where the subset is all there is
}

// A pool is a subset of a question's rollouts: those of it that are done.
type pool struct {
	group   selection.Group
	covered bool
}

// question compares the field on one question.
func (c *contest) question(ctx context.Context, ex dataset.Example) (*outcome, error) {
	lines, err := c.source(ex.ID)
	if err != nil {
		return nil, err
	}
	out := &outcome{scored: len(ex.Golds) > 0}
	slots, err := c.place(lines, out)
	if err != nil {
		return nil, err
	}
	m := marker{example: ex, known: map[string]eval.Marks{}}
	if out.scored {
		for _, k := range c.opts.At {
			s, err := c.atSize(ctx, &m, slots, k)
			if err != nil {
				return nil, err
			}
			out.sizes = append(out.sizes, s)
		}
	} else {
		out.unscored = out.done
	}
	out.full, err = c.whole(ctx, &m, slots, out.sizes)
	return out, err
}

// whole returns the decisions on all rollouts: those that were made already, if
// the subsets included that of all.
func (c *contest) whole(ctx context.Context, m *marker, slots []*trajectory.Trajectory, sizes []size) ([]Decided, error) {
	var made []selection.Decision
	for _, s := range sizes {
		if s.whole != nil {
			made = s.whole
		}
	}
	all := m.pools([][]int{upTo(len(slots))}, slots)
	rollouts := []int{}
	for _, t := range all[0].group.Trajectories {
		rollouts = append(rollouts, t.Rollout)
	}
	var out []Decided
	for i, contestant := range c.field {
		d := Decided{Name: contestant.Name, QuestionID: m.example.ID, Rollouts: rollouts}
		if made != nil {
			d.Decision = made[i]
		} else if decisions, err := c.decide(ctx, contestant, all); err != nil {
			return nil, err
		} else {
			d.Decision = decisions[0].Decision
		}
		out = append(out, d)
	}
	return out, nil
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

// atSize gives the subsets of k rollouts to every contestant.
func (c *contest) atSize(ctx context.Context, m *marker, slots []*trajectory.Trajectory, k int) (size, error) {
	s := size{results: make([]result, len(c.field))}
	if k == len(slots) {
		s.whole = make([]selection.Decision, len(c.field))
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
