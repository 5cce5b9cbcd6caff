package compare

import (
	"context"
	"errors"
	"fmt"
	"time"

	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/internal/seed"
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
	subsets  int
	coverage float64 // share of the subsets with a right candidate
	results  []result
	whole    []selection.Decision // by contestant, where the subset is all there is
}

// A result is what one contestant made of the subsets.
type result struct {
	right   float64 // share of the subsets
	f1      float64 // mean
	covered float64 // share of the subsets that have a right candidate of which the contestant chose one
	empty   int     // subsets without a decision
	noted   int     // subsets whose decision has a note
	took    time.Duration
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
	for i, contestant := range c.field[:c.shown] {
		d := Decided{Name: contestant.Name, QuestionID: m.example.ID, Rollouts: rollouts}
		if made != nil {
			d.Decision = made[i]
		} else if decisions, err := decide(ctx, contestant, all); err != nil {
			return nil, err
		} else {
			d.Decision = decisions[0]
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

// chunk is how many subsets are decided at a time: enough to fill a batch.
const chunk = 512

// atSize gives the subsets of k rollouts to every contestant.
func (c *contest) atSize(ctx context.Context, m *marker, slots []*trajectory.Trajectory, k int) (size, error) {
	s := size{results: make([]result, len(c.field))}
	flush := func(subsets [][]int) error {
		pools := m.pools(subsets, slots)
		for _, p := range pools {
			s.coverage += number(p.covered)
		}
		s.subsets += len(pools)
		for i, contestant := range c.field {
			decisions, took, err := c.timed(ctx, contestant, pools)
			if err != nil {
				return err
			}
			s.results[i].took += took
			s.results[i].add(m, pools, decisions)
			if k == len(slots) {
				s.whole = append(s.whole, decisions[0])
			}
		}
		return nil
	}
	var subsets [][]int
	chance := seed.Rand(c.opts.Seed, "subsets", m.example.ID, k)
	for subset := range eval.Subsets(len(slots), k, c.opts.Subsets, chance) {
		subsets = append(subsets, append([]int(nil), subset...))
		if len(subsets) == chunk {
			if err := flush(subsets); err != nil {
				return s, err
			}
			subsets = subsets[:0]
		}
	}
	if err := flush(subsets); err != nil {
		return s, err
	}
	n := float64(s.subsets)
	s.coverage /= n
	for i := range s.results {
		r := &s.results[i]
		r.right, r.f1, r.covered = r.right/n, r.f1/n, r.covered/n
	}
	return s, nil
}

// timed decides and says how long it took. Batchers, which use the cores by
// themselves, take turns, so that nobody's time is spent waiting for another.
func (c *contest) timed(ctx context.Context, contestant Contestant, pools []pool) ([]selection.Decision, time.Duration, error) {
	if _, ok := contestant.Selector.(selection.Batcher); ok {
		c.turn.Lock()
		defer c.turn.Unlock()
	}
	began := time.Now()
	decisions, err := decide(ctx, contestant, pools)
	return decisions, time.Since(began), err
}

// add adds the marks of decisions.
func (r *result) add(m *marker, pools []pool, decisions []selection.Decision) {
	for i, d := range decisions {
		if d.Answer == "" {
			r.empty++
			continue
		}
		if d.Note != "" {
			r.noted++
		}
		mark := m.mark(d.Answer)
		r.right += number(mark.EM)
		r.f1 += mark.F1
		r.covered += number(mark.EM && pools[i].covered)
	}
}

// decide returns a contestant's decision on each pool.
func decide(ctx context.Context, c Contestant, pools []pool) ([]selection.Decision, error) {
	decisions := make([]selection.Decision, len(pools))
	var groups []selection.Group // of pools that are not empty
	var at []int
	for i, p := range pools {
		decisions[i] = selection.None()
		if len(p.group.Trajectories) > 0 {
			groups, at = append(groups, p.group), append(at, i)
		}
	}
	if len(groups) == 0 {
		return decisions, ctx.Err()
	}
	made, err := selectAll(ctx, c.Selector, groups)
	if err == nil && len(made) != len(groups) {
		err = fmt.Errorf("%d decisions on %d groups", len(made), len(groups))
	}
	if err != nil {
		return nil, fmt.Errorf("selector %s: %w", c.Name, err)
	}
	for i, d := range made {
		if n := len(groups[i].Trajectories); d.Index < -1 || d.Index >= n {
			return nil, fmt.Errorf("selector %s: it chose the rollout at %d of %d", c.Name, d.Index, n)
		}
		decisions[at[i]] = d
	}
	return decisions, nil
}

// selectAll decides groups together where the selector can.
func selectAll(ctx context.Context, s selection.Selector, groups []selection.Group) ([]selection.Decision, error) {
	if b, ok := s.(selection.Batcher); ok {
		return b.SelectAll(ctx, groups)
	}
	decisions := make([]selection.Decision, len(groups))
	for i, g := range groups {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d, err := s.Select(ctx, g)
		if errors.Is(err, selection.ErrEmpty) {
			d, err = selection.None(), nil
		}
		if err != nil {
			return nil, err
		}
		decisions[i] = d
	}
	return decisions, nil
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
