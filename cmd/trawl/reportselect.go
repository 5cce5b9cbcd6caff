package main

import (
	"context"
	"errors"
	"fmt"
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

// selectors returns what is compared.
func (x *reporter) selectors() ([]string, error) {
	s := config.Default()
	s.Selection.Model = x.options.model
	if len(x.options.selectors) == 0 {
		return everySelector(s), nil
	}
	for _, name := range x.options.selectors {
		switch {
		case !isSelector(name):
			return nil, unknownSelector(name)
		case slices.Contains(writingSelectors, name):
			return nil, fmt.Errorf("selector %s asks a model, and a report asks none: trawl select keeps its decisions, and a report shows those that are kept", name)
		}
	}
	return x.options.selectors, nil
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
	x.seed = m.lines().Manifest().Seed
	x.right = func(t *trajectory.Trajectory) bool {
		return eval.Mark(m.folder.examples[byID[t.QuestionID]], t.Answer).EM
	}
	var field []compare.Contestant
	for _, name := range m.selectors {
		made, name, err := x.make(ctx, name, "")
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(field, func(c compare.Contestant) bool { return c.Name == name }) {
			field = append(field, compare.Contestant{Name: name, Selector: made})
		}
	}
	m.shown.Selection, err = m.held(ctx, field, compare.Options{})
	return err
}

// held compares a field on the run's rollouts.
func (m *reportedMore) held(ctx context.Context, field []compare.Contestant, o compare.Options) (*compare.Report, error) {
	o.Rollouts, o.Seed, o.Subsets = m.rollouts(), m.lines().Manifest().Seed, m.options.subsets
	if o.Subsets == 0 {
		o.Subsets = defaultSubsets
	}
	return compare.Run(ctx, m.folder.examples, m.outcomes, field, o)
}

// kept adds the selectors that asked a model, where their decisions on all rollouts
// of every question are kept.
func (m *reportedMore) kept(ctx context.Context) error {
	decisions, _, err := store.ReadSelections(m.run.dir)
	if err != nil {
		return err
	}
	by := map[who]keptDecisions{}
	for _, d := range decisions {
		w := who{d.Selector, d.Model}
		if d.Round != m.folder.round || slices.Contains(m.selectors, d.Selector) || d.Selector == confidenceName {
			continue
		}
		if by[w] == nil {
			by[w] = keptDecisions{}
		}
		by[w][keyOfDecision(d.QuestionID, d.Rollouts)] = d
	}
	var field []compare.Contestant
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
	}
	if len(field) == 0 {
		return nil
	}
	slices.SortFunc(field, func(a, b compare.Contestant) int { return strings.Compare(a.Name, b.Name) })
	m.shown.Kept, err = m.held(ctx, field, compare.Options{At: []int{m.rollouts()}})
	return err
}

// missing counts the questions whose decision on all rollouts is not kept.
func (m *reportedMore) missing(ctx context.Context, kept keptDecisions) (n int, err error) {
	for _, id := range m.lines().Questions() {
		if m.folder.at[id] == nil {
			continue
		}
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
