package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"trawl/eval"
	"trawl/eval/compare"
	"trawl/internal/config"
	sections "trawl/internal/report"
	"trawl/selection"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

// chooseSelectors says what is compared: what asks no model is carried out, and of what
// asks one there are the decisions that are kept.
func (x *reporter) chooseSelectors() error {
	s := config.Default()
	s.Selection.Model = x.options.model
	if len(x.options.selectors) == 0 {
		x.choosers = everySelector(s)
		return nil
	}
	x.choosers, x.wanted = []string{}, []string{}
	for _, name := range x.options.selectors {
		into := &x.choosers
		if slices.Contains(writingSelectors, name) {
			into = &x.wanted
		}
		switch {
		case !isSelector(name):
			return unknownSelector(name)
		case !slices.Contains(*into, name):
			*into = append(*into, name)
		}
	}
	return x.anyKept()
}

// anyKept makes sure that decisions of each selector that is wanted are kept somewhere.
func (x *reporter) anyKept() error {
	if len(x.wanted) == 0 {
		return nil
	}
	known := map[string]bool{}
	var dirs []string
	for _, run := range x.runs {
		for _, dir := range run.dirs() {
			decisions, _, err := store.ReadSelections(dir)
			if err != nil {
				return err
			}
			for _, d := range decisions {
				known[d.Selector] = true
			}
			dirs = append(dirs, quoted(dir))
		}
	}
	for _, name := range x.wanted {
		if !known[name] {
			return fmt.Errorf("selector %s asks a model, and a report asks none: it shows the decisions that are kept, and of %s there are none\n  trawl select %s --selector %s makes and keeps them", name, name, dirs[0], name)
		}
	}
	return nil
}

// compare compares the selectors that ask no model, as trawl select does.
func (m *reportedMore) compare(ctx context.Context) (err error) {
	s := config.Default()
	s.Selection.Model = m.options.model
	x := newSelectors(m.env, s)
	defer func() { err = errors.Join(err, x.close()) }()
	byID := map[string]int{}
	for i, ex := range m.folder.examples {
		byID[ex.ID] = i
	}
	x.seed = m.seed()
	x.right = func(t *trajectory.Trajectory) bool {
		return eval.Mark(m.folder.examples[byID[t.QuestionID]], t.Answer).EM
	}
	var field []compare.Contestant
	for _, name := range m.choosers {
		made, name, err := x.make(ctx, name, "")
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(field, func(c compare.Contestant) bool { return c.Name == name }) {
			field = append(field, compare.Contestant{Name: name, Selector: made})
		}
	}
	if len(field) == 0 {
		return nil
	}
	m.shown.Selection, err = m.held(ctx, field, compare.Options{At: m.at()})
	return err
}

// at returns the k that are asked for, as far as the run has so many rollouts; nil for
// those that trawl select takes.
func (m *reportedMore) at() []int {
	at := slices.DeleteFunc(slices.Clone(m.options.at), func(k int) bool { return k > m.rollouts() })
	slices.Sort(at)
	return slices.Compact(at)
}

// held compares a field on the run's rollouts.
func (m *reportedMore) held(ctx context.Context, field []compare.Contestant, o compare.Options) (*compare.Report, error) {
	o.Rollouts, o.Seed, o.Subsets = m.rollouts(), m.seed(), m.options.subsets
	if o.Subsets == 0 {
		o.Subsets = defaultSubsets
	}
	return compare.Run(ctx, m.folder.examples, m.outcomes, field, o)
}

// kept adds the selectors that asked a model, where their decisions on all rollouts
// of every question are kept.
func (m *reportedMore) kept(ctx context.Context) error {
	by := map[who]keptDecisions{}
	for _, dir := range m.run.dirs() {
		decisions, _, err := store.ReadSelections(dir)
		if err != nil {
			return err
		}
		for _, d := range decisions {
			w := who{d.Selector, d.Model}
			if d.Round != m.folder.round || !m.shows(d.Selector) {
				continue
			}
			if by[w] == nil {
				by[w] = keptDecisions{}
			}
			by[w][keyOfDecision(d.QuestionID, d.Rollouts)] = d
		}
	}
	var field []compare.Contestant
	names := []string{}
	for w, kept := range by {
		missing, err := m.missing(ctx, kept)
		if err != nil {
			return err
		}
		if missing > 0 {
			m.say(sections.Selectors, fmt.Sprintf("of %v the decisions on all rollouts of %d questions are not kept, so it is left out.", w, missing))
			continue
		}
		field = append(field, compare.Contestant{Name: w.String(), Selector: kept})
		names = append(names, w.judge)
	}
	for _, name := range m.wanted {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(by)), func(w who) bool { return w.judge == name }) {
			m.say(sections.Selectors, fmt.Sprintf("no decision of %s is kept.", name))
		}
	}
	if len(field) == 0 {
		return nil
	}
	slices.Sort(names)
	m.shown.Commands.Kept = m.selectKept(slices.Compact(names))
	slices.SortFunc(field, func(a, b compare.Contestant) int { return strings.Compare(a.Name, b.Name) })
	held, err := m.held(ctx, field, compare.Options{At: []int{m.rollouts()}})
	m.shown.Kept = held
	return err
}

// shows reports whether the kept decisions of a selector are shown: of one that asks a
// model, or takes what this report does not have, and that is wanted.
func (m *reportedMore) shows(selector string) bool {
	if m.wanted != nil {
		return slices.Contains(m.wanted, selector)
	}
	return !slices.Contains(m.choosers, selector) && selector != confidenceName
}

// selectKept is the command that makes the kept decisions of selectors.
func (m *reportedMore) selectKept(names []string) string {
	parts := []string{"trawl", "select"}
	for _, dir := range m.run.dirs() {
		parts = append(parts, quoted(dir))
	}
	if m.options.dataset != "" {
		parts = append(parts, "--dataset", quoted(m.options.dataset))
	}
	return strings.Join(append(parts, "--selector", strings.Join(names, ","), "--at", fmt.Sprint(m.rollouts())), " ")
}

// missing counts the questions whose decision on all rollouts is not kept.
func (m *reportedMore) missing(ctx context.Context, kept keptDecisions) (n int, err error) {
	for _, ex := range m.folder.examples {
		id := ex.ID
		all, err := m.outcomes(id)
		if err != nil {
			return 0, err
		}
		g := selection.Group{Question: trajectory.Question{ID: id}}
		for _, t := range all {
			if t.Error == "" && t.Rollout < m.rollouts() {
				g.Trajectories = append(g.Trajectories, t)
			}
		}
		if _, err := kept.Select(ctx, g); err != nil && len(g.Trajectories) > 0 && !errors.Is(err, selection.ErrEmpty) {
			n++
		}
	}
	return n, nil
}

// say adds why a topic has nothing, or less, of the run.
func (m *reportedMore) say(t sections.Topic, why string) {
	m.shown.Lacking[t] = strings.TrimSpace(m.shown.Lacking[t] + " " + why)
}

// keptDecisions is a selector that decides as it did before, by question and rollouts.
type keptDecisions map[string]store.Decision

func keyOfDecision(questionID string, rollouts []int) string {
	return fmt.Sprint(rollouts, questionID)
}

// Select implements [selection.Selector].
func (k keptDecisions) Select(_ context.Context, g selection.Group) (selection.Decision, error) {
	rollouts := make([]int, len(g.Trajectories))
	for i, t := range g.Trajectories {
		rollouts[i] = t.Rollout
	}
	line, ok := k[keyOfDecision(g.Question.ID, rollouts)]
	switch {
	case !ok && len(rollouts) == 0:
		return selection.None(), selection.ErrEmpty
	case !ok:
		return selection.None(), fmt.Errorf("no decision on rollouts %v is kept", rollouts)
	}
	d := selection.Decision{Answer: line.Answer, Index: slices.Index(rollouts, line.Rollout), Note: line.Note}
	if line.Cost != nil {
		d.Cost = selection.Cost(*line.Cost)
	}
	return d, nil
}
