package main

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"trawl/internal/text"
	"trawl/trajectory"
)

// An evidence is a document that rollouts with the chosen answer retrieved.
type evidence struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	URL      string `json:"url,omitempty"`
	Rollouts []int  `json:"rollouts"`      // that retrieved it
	Says     bool   `json:"states_answer"` // it has the answer's words
	Text     string `json:"text"`          // an excerpt, around the answer if it is there
	best     int    // rank
}

// Of the evidence for an answer people are shown at most so many documents that
// state it, or, if none does, so many of the others.
const (
	mostStating = 5
	mostOthers  = 2
)

// evidenceFor returns the documents behind an answer, the best first: those
// that state it, then those that more rollouts found, then the higher ranks.
func evidenceFor(answer string, runs []*trajectory.Trajectory) []evidence {
	key := text.AnswerKey(answer)
	found := map[string]*evidence{}
	for _, t := range runs {
		if text.AnswerKey(t.Answer) != key {
			continue
		}
		for _, s := range t.Steps {
			for _, r := range s.Results {
				collect(found, t.Rollout, r, answer)
			}
		}
	}
	list := make([]evidence, 0, len(found))
	for _, ev := range found {
		list = append(list, *ev)
	}
	slices.SortFunc(list, func(a, b evidence) int {
		return cmp.Or(compareBool(b.Says, a.Says), cmp.Compare(len(b.Rollouts), len(a.Rollouts)),
			cmp.Compare(a.best, b.best), strings.Compare(a.ID, b.ID))
	})
	stating := 0
	for stating < len(list) && list[stating].Says {
		stating++
	}
	if stating == 0 {
		return list[:min(mostOthers, len(list))]
	}
	return list[:min(stating, mostStating)]
}

func collect(found map[string]*evidence, rollout int, r trajectory.Result, answer string) {
	ev, ok := found[r.ID]
	if !ok {
		at, says := locate(r.Text, answer)
		ev = &evidence{ID: r.ID, Title: r.Title, URL: r.URL, Says: says, Text: excerpt(r.Text[at:], shownText), best: r.Rank}
		found[r.ID] = ev
	}
	ev.best = min(ev.best, r.Rank)
	if !slices.Contains(ev.Rollouts, rollout) {
		ev.Rollouts = append(ev.Rollouts, rollout)
	}
}

// locate returns where in a document an excerpt about the answer begins: at the
// sentence that has its words, or at 0.
func locate(doc, answer string) (at int, says bool) {
	lower, want := text.Lower(doc), text.Lower(strings.TrimSpace(answer))
	i := wordIndex(lower, want)
	if i < 0 {
		return 0, false
	}
	if len(lower) != len(doc) { // some letter changed its length, so i is not a place in doc
		return 0, true
	}
	if dot := strings.LastIndex(doc[:i], ". "); dot >= 0 {
		return dot + 2, true
	}
	return 0, true
}

// wordIndex returns the place of want in s where it is not part of a longer
// word or number, or -1.
func wordIndex(s, want string) int {
	for from := 0; want != ""; {
		i := strings.Index(s[from:], want)
		if i < 0 {
			break
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+len(want):])
		if !text.IsWord(before) && !text.IsWord(after) {
			return i
		}
		from = i + len(want)
	}
	return -1
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
