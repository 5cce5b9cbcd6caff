package eval

import (
	"fmt"
	"slices"

	"trawl/corpus/dataset"
	"trawl/internal/seed"
	"trawl/internal/text"
	"trawl/trajectory"
)

// A group is a question, its rollouts, and every figure of this one question,
// so that sums over any set of questions need no second look at the rollouts.
type group struct {
	example dataset.Example
	lines   []*trajectory.Trajectory // of all rounds up to the scored one, by round and rollout
	states  []trajectory.State       // likewise
	done    []*trajectory.Trajectory // outcomes of the scored round that are completed, in order of rollout
	failed  []*trajectory.Trajectory // the others
	whole   []*trajectory.Trajectory // those of done with the steps of all their rounds

	em, f1, contains float64         // means over done; only if scored
	pass, majority   map[int]float64 // by k, for k up to the number of done; only if scored
	verdicts         verdicts
	spread           spread
	found            found
}

// scored reports whether the question has both gold answers and answers.
func (g *group) scored() bool { return len(g.example.Golds) > 0 && len(g.done) > 0 }

// groupRuns is gather, and works out each question's figures.
func groupRuns(examples []dataset.Example, runs []*trajectory.Trajectory, opts Options) ([]*group, error) {
	groups, err := gather(examples, runs, opts)
	for _, g := range groups {
		g.mark(opts)
		g.judge(opts)
		g.whole = trajectory.Whole(g.done, g.lines)
		g.spread = spreadOf(g.whole, opts.AllPairs)
		g.found = foundBy(g, opts.Cuts)
	}
	return groups, err
}

// gather puts the lines and states up to the scored round under their questions,
// in the order of the examples, with the outcomes that they come to.
func gather(examples []dataset.Example, runs []*trajectory.Trajectory, opts Options) ([]*group, error) {
	groups := make([]*group, len(examples))
	byID := make(map[string]*group, len(examples))
	for i, e := range examples {
		if _, ok := byID[e.ID]; ok {
			return nil, fmt.Errorf("eval: question %q stands twice in the data set", e.ID)
		}
		groups[i] = &group{example: e}
		byID[e.ID] = groups[i]
	}
	groupOf := func(k trajectory.Key) (*group, error) {
		g, ok := byID[k.QuestionID]
		if !ok {
			return nil, fmt.Errorf("eval: question %q of the run is not among the %d of the data set", k.QuestionID, len(examples))
		}
		if len(runs) > 0 && k.Config != runs[0].Config {
			return nil, fmt.Errorf("eval: lines of different settings, %s and %s", runs[0].Config, k.Config)
		}
		return g, nil
	}
	counts := func(k trajectory.Key) bool { return k.Round <= opts.Round && k.Rollout < opts.Rollouts }
	for _, t := range newest(runs) {
		g, err := groupOf(t.Key())
		if err != nil {
			return nil, err
		}
		if counts(t.Key()) {
			g.lines = append(g.lines, t)
		}
	}
	for _, s := range newestStates(opts.States) {
		g, err := groupOf(s.Key())
		if err != nil {
			return nil, err
		}
		if counts(s.Key()) {
			g.states = append(g.states, s)
		}
	}
	for _, g := range groups {
		g.close(opts.Round)
	}
	return groups, nil
}

// close finds the outcomes of g once its lines and states are in it.
func (g *group) close(round int) {
	slices.SortFunc(g.lines, func(a, b *trajectory.Trajectory) int { return a.Key().Compare(b.Key()) })
	slices.SortFunc(g.states, func(a, b trajectory.State) int { return a.Key().Compare(b.Key()) })
	for _, t := range trajectory.Outcomes(g.lines, g.states, round) {
		if t.Error != "" {
			g.failed = append(g.failed, t)
		} else {
			g.done = append(g.done, t)
		}
	}
}

// newest returns one line for each key: the last success, or else the last.
func newest(runs []*trajectory.Trajectory) []*trajectory.Trajectory {
	at := make(map[trajectory.Key]int)
	var out []*trajectory.Trajectory
	for _, t := range runs {
		i, ok := at[t.Key()]
		switch {
		case !ok:
			at[t.Key()] = len(out)
			out = append(out, t)
		case t.Error == "" || out[i].Error != "":
			out[i] = t
		}
	}
	return out
}

// newestStates returns the last state of each key.
func newestStates(states []trajectory.State) []trajectory.State {
	at := make(map[trajectory.Key]int, len(states))
	var out []trajectory.State
	for _, s := range states {
		if i, ok := at[s.Key()]; ok {
			out[i] = s
		} else {
			at[s.Key()] = len(out)
			out = append(out, s)
		}
	}
	return out
}

// mark works out the answer scores of g.
func (g *group) mark(opts Options) {
	if !g.scored() {
		return
	}
	answers := make([]string, len(g.done))
	right := make([]bool, len(g.done))
	var em, f1, contains running
	for i, t := range g.done {
		m := Mark(g.example, t.Answer)
		answers[i], right[i] = t.Answer, m.EM
		em.add(number(m.EM))
		f1.add(m.F1)
		contains.add(number(m.Contains))
	}
	g.em, _ = em.mean()
	g.f1, _ = f1.mean()
	g.contains, _ = contains.mean()
	g.pass, g.majority = make(map[int]float64), make(map[int]float64)
	for _, k := range opts.At {
		if k <= len(g.done) {
			g.pass[k] = PassAt(len(g.done), int(em.sum), k)
			voted := MajorityAt(answers, right, k, opts.Subsets, seed.Rand(opts.Seed, "majority", g.example.ID, k))
			g.majority[k] = min(voted, g.pass[k]) // which sampled subsets or rounding may exceed
		}
	}
}

// reworded counts the completed rollouts whose question is not worded as in the
// data set. Records from elsewhere may hold no question.
func (g *group) reworded() int {
	want, n := text.Normal(g.example.Text), 0
	for _, t := range g.done {
		if t.Question != "" && text.Normal(t.Question) != want {
			n++
		}
	}
	return n
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
