package recursion

import (
	"sort"
	"unicode/utf8"

	"trawl/trajectory"
)

// maxMerged is how many characters the text of a merged state has at most: about
// 6,000 tokens, a few times what a model writes as a summary.
const maxMerged = 24_000

// A rendering is what the prompt of a merged state is filled with: the state's
// lines that have room, and how many of each section have none.
type rendering struct {
	*trajectory.State
	Full   bool
	Answer string

	FactsLeft, ConclusionsLeft, SourcesLeft, UncertaintiesLeft, ConflictsLeft, FailedLeft, UncompletedLeft, DiscardedLeft int
}

// GapsLeft is how many lines of section 4 have no room.
func (r *rendering) GapsLeft() int { return r.UncertaintiesLeft + r.ConflictsLeft }

// renderMerged returns the text of a merged state. Where it has no room for all,
// lines are left out from the end of a section: of the facts first, then of the
// other sections in the order of how little the next round would miss them.
func renderMerged(m *trajectory.State, v Variant) string {
	s := *m
	r := &rendering{State: &s, Full: v == Full}
	if m.CurrentAnswer != nil {
		r.Answer = *m.CurrentAnswer
	}
	shrink(r, &s.Facts, &r.FactsLeft)
	shrink(r, &s.Sources, &r.SourcesLeft)
	shrink(r, &s.Failed, &r.FailedLeft)
	shrink(r, &s.Discarded, &r.DiscardedLeft)
	shrink(r, &s.Conclusions, &r.ConclusionsLeft)
	shrink(r, &s.Uncompleted, &r.UncompletedLeft)
	shrink(r, &s.Uncertainties, &r.UncertaintiesLeft)
	shrink(r, &s.Conflicts, &r.ConflictsLeft)
	return render("merged", r)
}

func (r *rendering) fits() bool { return utf8.RuneCountInString(render("merged", r)) <= maxMerged }

// shrink leaves out as few of the last lines of a section as makes r fit, or all.
func shrink[T any](r *rendering, lines *[]T, left *int) {
	if r.fits() {
		return
	}
	all := *lines
	*left = sort.Search(len(all), func(n int) bool {
		*lines, *left = all[:len(all)-n], n
		return r.fits()
	})
	*lines = all[:len(all)-*left]
}
