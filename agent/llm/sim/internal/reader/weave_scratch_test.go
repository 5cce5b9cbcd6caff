package reader

import (
	"fmt"
	"os"
	"testing"

	"trawl/corpus/weave"
	anstext "trawl/internal/text"
	"trawl/search"
)

func TestWeaveScratch(t *testing.T) {
	w, err := weave.New(weave.Options{Seed: 7, Entities: 2000, Questions: 600})
	if err != nil {
		t.Fatal(err)
	}
	docs := map[string]search.Document{}
	var all []search.Document
	for d := range w.Documents() {
		docs[d.ID] = d
		all = append(all, d)
	}
	for _, d := range all[:3] {
		fmt.Println(d.Title, "|", d.Text)
	}
	type st struct{ n, planned, done, ok int }
	stats := map[string]*st{}
	for i, d := range w.Questions() {
		key := fmt.Sprint(d.Type, d.Complexity.Hops)
		s := stats[key]
		if s == nil {
			s = &st{}
			stats[key] = s
		}
		s.n++
		var ps []Passage
		for j := range 10 {
			x := all[(i*37+j*11)%len(all)]
			ps = append(ps, Passage{x.Title, x.Text})
		}
		for _, id := range d.Supporting {
			ps = append(ps, Passage{docs[id].Title, docs[id].Text})
		}
		shelf := NewShelf(ps)
		q := Understand(d.Text)
		sol := q.Solve(shelf, func(g Goal, c []Claim) string { return Strongest(c) })
		if q.Root != nil {
			s.planned++
		}
		ok := false
		if sol.Done {
			s.done++
			for _, a := range d.Answers {
				ok = ok || anstext.Answer(a) == anstext.Answer(sol.Answer)
			}
		}
		if ok {
			s.ok++
		} else if os.Getenv("SHOW") != "" {
			var f string
			for _, x := range sol.Facts {
				f += x.Sentence() + " "
			}
			fmt.Printf("%s %s\n   %s\n   got %q want %v done=%v open=%s facts %s\n", key, d.Text, show(q.Root), sol.Answer, d.Answers, sol.Done, showOpen(sol.Open), f)
		}
	}
	for k, s := range stats {
		fmt.Printf("%-24s %+v\n", k, *s)
	}
}
