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

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
