package recursion

import (
	"cmp"
	"slices"
	"strings"

	"trawl/internal/text"
	"trawl/trajectory"
)

// Merge unites the states of several rollouts of a question after a round into
// one; there must be at least one, none of them merged, and they are best given
// by rollout. What says
// the same is kept once:
//
//   - facts of the same claim and source, at their strongest verification, in the
//     order of verification, of how many states have them, and of appearance;
//     their ids are given anew, and what cites or mentions them follows;
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
		m.From = append(m.From, s.Rollout)
		m.Spent.Tokens += s.Spent.Tokens
		m.Spent.Millis += s.Spent.Millis
		if s.Started.After(m.Started) {
			m.Started = s.Started
		}
	}
	slices.Sort(m.From)
	facts := uniteFacts(states)
	m.Facts = facts.list()
	states = facts.renamed(states)
	m.Conclusions = uniteConclusions(states, facts.names)
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
	return strings.TrimRight(text.Fold(s), " .!?;:,。！？；：，")
}

// tokenKey is the form in which lines are compared: their tokens; the claim where
// there are none.
func tokenKey(s string) string { return cmp.Or(text.TokenKey(s), claimKey(s)) }

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

// uniteConclusions unites conclusions by what they say. What one state has from
// documents is no inference, whatever others call it.
func uniteConclusions(states []trajectory.State, names []renaming) []trajectory.Conclusion {
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
				if id := names[i].ids[old]; id != "" && !evidence[k+"\x00"+id] {
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
