package recursion

import (
	"cmp"
	"slices"

	"trawl/internal/text"
	"trawl/recursion/internal/summary"
	"trawl/trajectory"
)

// A united fact is one that one or several states have.
type united struct {
	fact   trajectory.Fact
	first  int          // of the states that have it
	states map[int]bool // that have it
	yes    map[int]bool // that have it as verified
	no     map[int]bool // that have it as not verified
}

// facts are united facts, ordered.
type facts struct {
	all   []*united
	names []renaming // by state
}

// disputed reports whether one state has a fact as verified and another does not.
func (u *united) disputed() bool {
	for i := range u.yes {
		for j := range u.no {
			if i != j {
				return true
			}
		}
	}
	return false
}

func (f facts) list() []trajectory.Fact {
	out := make([]trajectory.Fact, len(f.all))
	for i, u := range f.all {
		out[i] = u.fact
	}
	return out
}

// strength orders statuses.
func strength(s trajectory.Status) int {
	return slices.Index([]trajectory.Status{"", trajectory.Unverified, trajectory.Partial, trajectory.Verified}, s)
}

// uniteFacts unites facts by claim and source.
func uniteFacts(states []trajectory.State) facts {
	var f facts
	byKey := map[string]*united{}
	from := make([]map[string]*united, len(states))
	for i, s := range states {
		from[i] = map[string]*united{}
		for _, fact := range s.Facts {
			k := claimKey(fact.Text) + "\x00" + text.Normal(cmp.Or(fact.SourceURI, fact.SourceTool))
			u := byKey[k]
			if u == nil {
				u = &united{fact: fact, first: i, states: map[int]bool{}, yes: map[int]bool{}, no: map[int]bool{}}
				byKey[k] = u
				f.all = append(f.all, u)
			}
			from[i][fact.ID] = u
			u.states[i] = true
			switch fact.Verified {
			case trajectory.Verified:
				u.yes[i] = true
			case trajectory.Unverified:
				u.no[i] = true
			}
			if strength(fact.Verified) > strength(u.fact.Verified) {
				u.fact.Verified = fact.Verified
			}
		}
	}
	slices.SortStableFunc(f.all, func(a, b *united) int {
		return cmp.Or(cmp.Compare(strength(b.fact.Verified), strength(a.fact.Verified)), cmp.Compare(len(b.states), len(a.states)))
	})
	f.number(from)
	return f
}

// number gives the facts their ids; from says which of them each state calls what.
func (f *facts) number(from []map[string]*united) {
	for n, u := range f.all {
		u.fact.ID = summary.FactID(n + 1)
	}
	for _, old := range from {
		ids := make(map[string]string, len(old))
		for id, u := range old {
			ids[id] = u.fact.ID
		}
		f.names = append(f.names, renaming{ids, len(f.all)})
	}
	for _, u := range f.all {
		u.fact.Text = f.names[u.first].claim(u.fact.Text)
	}
}

// renamed returns the states with what they say of facts by the new ids.
func (f *facts) renamed(states []trajectory.State) []trajectory.State {
	out := make([]trajectory.State, len(states))
	for i, s := range states {
		out[i] = f.names[i].state(s)
	}
	return out
}
