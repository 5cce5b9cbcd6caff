package recursion

import (
	"cmp"
	"slices"
	"strings"

	"trawl/internal/text"
	"trawl/trajectory"
)

// Merge unites the states of several rollouts of a question after a round into
// one; there must be at least one, and they are best given by rollout. What says
// the same is kept once:
//
//   - facts of the same claim and source, at their strongest verification, in the
//     order of verification, of how many states have them, and of appearance;
//     their ids are given anew and conclusions follow them;
//   - sources of the same address, with all that is said of them;
//   - lines of sections 4 to 7 of the same tokens. A lead is not open any more if
//     a rollout that does not have it as open carried out its search (see
//     [text.Follows]);
//   - the answer that most states have, the first of several.
//
// What the states say against each other stands in Conflicts. Raw is the result
// in the form of a summary, of at most 24,000 characters: facts are left out of it
// from the end and counted, and other lines where that is not enough; the
// sections themselves lose nothing. The merged state takes part of Spent and
// Queries from each; Stopped is left to the caller. Merging makes no model call.
func Merge(states []trajectory.State, v Variant) trajectory.State {
	first := states[0]
	m := trajectory.State{
		V: trajectory.StateVersion, QuestionID: first.QuestionID, Round: first.Round, Rollout: trajectory.MergedRollout, Config: first.Config,
		Origin: trajectory.StateMerged,
	}
	for _, s := range states {
		if s.Rollout == trajectory.MergedRollout {
			m.From = append(m.From, s.From...)
		} else {
			m.From = append(m.From, s.Rollout)
		}
		m.Spent.Tokens += s.Spent.Tokens
		m.Spent.Millis += s.Spent.Millis
		if s.Started.After(m.Started) {
			m.Started = s.Started
		}
	}
	slices.Sort(m.From)
	m.From = slices.Compact(m.From)
	facts := uniteFacts(states)
	m.Facts = facts.list()
	m.Conclusions = uniteConclusions(states, facts)
	m.Sources = uniteSources(states)
	m.CurrentAnswer = commonAnswer(states)
	m.Uncertainties = unite(states, func(s *trajectory.State) []string { return s.Uncertainties }, tokenKey)
	m.Failed = unite(states, func(s *trajectory.State) []string { return s.Failed }, tokenKey)
	m.Discarded = unite(states, func(s *trajectory.State) []string { return s.Discarded }, tokenKey)
	m.Queries = unite(states, func(s *trajectory.State) []string { return s.Queries }, claimKey)
	m.Uncompleted = openLeads(states)
	m.Conflicts = conflicts(states, facts)
	m.Raw = renderMerged(&m, v)
	return m
}

// claimKey is the form in which claims are compared: text normal form, lower
// case, without final punctuation.
func claimKey(s string) string {
	return strings.TrimRight(text.Lower(text.Normal(s)), " .!?;:,。！？；：，")
}

// tokenKey is the form in which lines are compared: their tokens, sorted; the
// claim where there are none.
func tokenKey(s string) string {
	set := text.Tokens(s)
	if len(set) == 0 {
		return claimKey(s)
	}
	tokens := make([]string, 0, len(set))
	for t := range set {
		tokens = append(tokens, t)
	}
	slices.Sort(tokens)
	return strings.Join(tokens, " ")
}

// unite returns the lines of all states, the first of each key.
func unite(states []trajectory.State, lines func(*trajectory.State) []string, key func(string) string) []string {
	out := []string{}
	seen := map[string]bool{}
	for i := range states {
		for _, line := range lines(&states[i]) {
			if k := key(line); !seen[k] {
				seen[k] = true
				out = append(out, line)
			}
		}
	}
	return out
}

// openLeads returns the uncompleted proposals that no rollout settles which does
// not have them itself.
func openLeads(states []trajectory.State) []string {
	holders := map[string]map[int]bool{} // by key, the indices of states
	for i, s := range states {
		for _, lead := range s.Uncompleted {
			k := tokenKey(lead)
			if holders[k] == nil {
				holders[k] = map[int]bool{}
			}
			holders[k][i] = true
		}
	}
	all := unite(states, func(s *trajectory.State) []string { return s.Uncompleted }, tokenKey)
	return slices.DeleteFunc(all, func(lead string) bool {
		held := holders[tokenKey(lead)]
		for i, s := range states {
			if !held[i] && slices.ContainsFunc(s.Queries, func(q string) bool { return text.Follows(lead, q) }) {
				return true
			}
		}
		return false
	})
}

// uniteSources unites sources by address. Which of two statuses is the stronger
// cannot be told from their words, so both stand.
func uniteSources(states []trajectory.State) []trajectory.Source {
	out := []trajectory.Source{}
	at := map[string]int{}
	said := map[string]bool{}
	for _, s := range states {
		for _, src := range s.Sources {
			uri := text.Normal(src.URI)
			i, known := at[uri]
			if !known {
				at[uri] = len(out)
				out = append(out, trajectory.Source{URI: src.URI})
				i = len(out) - 1
			}
			if status := claimKey(src.Status); status != "" && !said[uri+"\x00"+status] {
				said[uri+"\x00"+status] = true
				if out[i].Status != "" {
					out[i].Status += "; "
				}
				out[i].Status += src.Status
			}
		}
	}
	return out
}

// commonAnswer returns the answer that most states have, nil if none has one.
func commonAnswer(states []trajectory.State) *string {
	keys := make([]string, len(states))
	for i, s := range states {
		if s.CurrentAnswer != nil {
			keys[i] = text.AnswerKey(*s.CurrentAnswer)
		}
	}
	i := text.Plurality(keys)
	if i < 0 {
		return nil
	}
	return states[i].CurrentAnswer
}

// A united fact is one that one or several states have.
type united struct {
	fact   trajectory.Fact
	states map[int]bool // that have it
	yes    bool         // one has it as verified
	no     bool         // one has it as not verified
}

// facts are united facts, ordered.
type facts struct {
	all []*united
	ids []map[string]string // by state: the new id of an old one
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
				u = &united{fact: fact, states: map[int]bool{}}
				byKey[k] = u
				f.all = append(f.all, u)
			}
			from[i][fact.ID] = u
			u.states[i] = true
			u.yes = u.yes || fact.Verified == trajectory.Verified
			u.no = u.no || fact.Verified == trajectory.Unverified
			if strength(fact.Verified) > strength(u.fact.Verified) {
				u.fact.Verified = fact.Verified
			}
		}
	}
	slices.SortStableFunc(f.all, func(a, b *united) int {
		return cmp.Or(cmp.Compare(strength(b.fact.Verified), strength(a.fact.Verified)), cmp.Compare(len(b.states), len(a.states)))
	})
	for n, u := range f.all {
		u.fact.ID = factNumber(n + 1)
	}
	for _, old := range from {
		ids := make(map[string]string, len(old))
		for id, u := range old {
			ids[id] = u.fact.ID
		}
		f.ids = append(f.ids, ids)
	}
	return f
}

// uniteConclusions unites conclusions by what they say. What one state has from
// documents is no inference, whatever others call it.
func uniteConclusions(states []trajectory.State, f facts) []trajectory.Conclusion {
	out := []trajectory.Conclusion{}
	at := map[string]int{}
	evidence := map[string]bool{}
	for i, s := range states {
		for _, c := range s.Conclusions {
			k := claimKey(c.Text)
			n, known := at[k]
			if !known {
				n = len(out)
				at[k] = n
				out = append(out, trajectory.Conclusion{Text: c.Text, Evidence: []string{}, Inference: true})
			}
			out[n].Inference = out[n].Inference && c.Inference
			for _, old := range c.Evidence {
				if id := f.ids[i][old]; id != "" && !evidence[k+"\x00"+id] {
					evidence[k+"\x00"+id] = true
					out[n].Evidence = append(out[n].Evidence, id)
				}
			}
		}
	}
	for _, c := range out {
		slices.SortFunc(c.Evidence, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	}
	return out
}
