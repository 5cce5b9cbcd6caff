package eval

import (
	"maps"
	"slices"

	"trawl/internal/text"
	"trawl/trajectory"
)

// A path is one question on its way through the rounds, which it takes in order.
type path struct {
	g      *group
	lines  map[[2]int]*trajectory.Trajectory // completed, by round and rollout
	states map[[2]int]*trajectory.State      // likewise

	right map[int]bool // by rollout that has come to an outcome: one so far was right
	asked queryLog
}

func newPath(g *group) *path {
	p := &path{
		g: g, right: make(map[int]bool), asked: make(queryLog),
		lines:  make(map[[2]int]*trajectory.Trajectory, len(g.lines)),
		states: make(map[[2]int]*trajectory.State, len(g.states)),
	}
	for _, t := range g.lines {
		if t.Error == "" {
			p.lines[[2]int{t.Round, t.Rollout}] = t
		}
	}
	for i := range g.states {
		s := &g.states[i]
		p.states[[2]int{s.Round, s.Rollout}] = s
	}
	return p
}

// own returns the state in which the round of t ended; nil if there is none.
func (p *path) own(t *trajectory.Trajectory) *trajectory.State {
	return p.states[[2]int{t.Round, t.Rollout}]
}

// of returns the completed lines of a round, by rollout.
func (p *path) of(round int) []*trajectory.Trajectory {
	var lines []*trajectory.Trajectory
	for _, t := range p.g.lines {
		if t.Round == round && t.Error == "" {
			lines = append(lines, t)
		}
	}
	return lines
}

// A stage is what one question stood at after a round. What is not defined for it
// is nil.
type stage struct {
	complete, failed, stopped   int
	rt, ap, pass, majority, own *float64

	restated, duplicates, across share
}

// step returns the stage after round n, which follows the one of the last step.
func (p *path) step(n int) stage {
	var s stage
	var answers []string
	var right []bool
	var rt, own running
	for _, t := range trajectory.Outcomes(p.g.lines, p.g.states, n) {
		switch {
		case t.Error != "":
			s.failed++
			continue
		case t.Round < n:
			s.stopped++
		default:
			s.complete++
		}
		before := p.lines[[2]int{t.Round, t.Rollout}].Answer
		em := Mark(p.g.example, t.Answer).EM
		answers, right = append(answers, t.Answer), append(right, em)
		rt.add(number(em))
		own.add(number(Mark(p.g.example, before).EM))
		s.restated.add(text.AnswerKey(t.Answer) != text.AnswerKey(before))
		p.right[t.Rollout] = p.right[t.Rollout] || em
	}
	s.duplicates, s.across = p.asked.round(p.of(n))
	if len(p.g.example.Golds) == 0 {
		return s
	}
	var ap running
	for _, r := range slices.Sorted(maps.Keys(p.right)) {
		ap.add(number(p.right[r]))
	}
	s.rt, s.own, s.ap = pointer(rt.mean()), pointer(own.mean()), pointer(ap.mean())
	if k := len(answers); k > 0 {
		s.pass = pointer(number(slices.Contains(right, true)), true)
		s.majority = pointer(MajorityAt(answers, right, k, 1, nil), true) // of k there is one subset of k
	}
	return s
}

// branches returns what became of the leads with which round n began.
func (p *path) branches(n int) Branches {
	lines := p.of(n)
	if merged := p.states[[2]int{n - 1, trajectory.MergedRollout}]; merged != nil && len(lines) > 0 {
		var queries []string
		for _, t := range lines {
			queries = append(queries, searched(t)...)
		}
		return followed(leads(merged), queries)
	}
	var b Branches
	for _, t := range lines {
		if s := p.states[[2]int{n - 1, t.Rollout}]; s != nil {
			b.add(followed(leads(s), searched(t)))
		}
	}
	return b
}

// open counts the leads of the states in which the rollouts have ended.
func (p *path) open() int {
	n := 0
	for _, t := range p.g.done {
		if s := p.own(t); s != nil {
			n += len(leads(s))
		}
	}
	return n
}

// leads returns the branches of s, the first of those with the same tokens, and
// none that has no tokens.
func leads(s *trajectory.State) []string {
	var out []string
	seen := map[string]bool{"": true}
	for _, b := range s.Branches() {
		key := text.TokenKey(b)
		if !seen[key] {
			seen[key] = true
			out = append(out, b)
		}
	}
	return out
}

// followed says which of the leads any of the queries follows.
func followed(leads, queries []string) Branches {
	b := Branches{Planned: len(leads)}
	for _, lead := range leads {
		if slices.ContainsFunc(queries, func(q string) bool { return text.Follows(lead, q) }) {
			b.Executed++
		}
	}
	b.Left = b.Planned - b.Executed
	return b
}

func (b *Branches) add(o Branches) {
	b.Planned += o.Planned
	b.Executed += o.Executed
	b.Left += o.Left
}
