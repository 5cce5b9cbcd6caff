package trajectory

import "slices"

// Explicit returns t with every list that is nil made an empty one, so that in
// its JSON form each key of a step has a value of its type. It shares the rest
// with t, which it does not change.
func (t *Trajectory) Explicit() *Trajectory {
	c := *t
	c.Steps = orEmpty(slices.Clone(t.Steps))
	for i := range c.Steps {
		c.Steps[i].Results = orEmpty(c.Steps[i].Results)
		c.Steps[i].Repairs = orEmpty(c.Steps[i].Repairs)
	}
	c.Messages = orEmpty(c.Messages)
	return &c
}

// Explicit is for a state what it is for a trajectory. Lists whose key is left
// out where they are empty stay as they are.
func (s *State) Explicit() *State {
	c := *s
	c.Facts = orEmpty(s.Facts)
	c.Conclusions = orEmpty(slices.Clone(s.Conclusions))
	for i := range c.Conclusions {
		c.Conclusions[i].Evidence = orEmpty(c.Conclusions[i].Evidence)
	}
	c.Sources = orEmpty(s.Sources)
	for _, list := range []*[]string{&c.Uncertainties, &c.Failed, &c.Uncompleted, &c.Discarded, &c.Queries} {
		*list = orEmpty(*list)
	}
	return &c
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
