package reader_test

import (
	"testing"

	"trawl/agent/llm/sim/internal/reader"
	"trawl/corpus/weave"
	"trawl/internal/text"
)

// TestWoven reads the questions of a woven world from the articles that state
// their facts, among others. Both packages write the same English; where this
// falls, one of them has new wordings.
func TestWoven(t *testing.T) {
	world, err := weave.New(weave.Options{Seed: 7, Entities: 1000, Questions: 200})
	if err != nil {
		t.Fatal(err)
	}
	var all []reader.Passage
	byID := map[string]reader.Passage{}
	for d := range world.Documents() {
		p := reader.Passage{Title: d.Title, Text: d.Text}
		all, byID[d.ID] = append(all, p), p
	}
	planned, right := 0, 0
	for i, q := range world.Questions() {
		var shown []reader.Passage
		for j := range 10 {
			shown = append(shown, all[(37*i+11*j)%len(all)])
		}
		for _, id := range q.Supporting {
			shown = append(shown, byID[id])
		}
		understood := reader.Understand(q.Text)
		s := understood.Solve(reader.NewShelf(shown), func(_ reader.Goal, claims []reader.Claim) string { return reader.Strongest(claims) })
		if understood.Root != nil {
			planned++
		} else {
			t.Logf("no plan: %s", q.Text)
		}
		for _, a := range q.Answers {
			if text.Answer(a) == text.Answer(s.Answer) {
				right++
				break
			}
		}
	}
	n := len(world.Questions())
	t.Logf("%d questions, %d with a plan, %d read right", n, planned, right)
	if planned < n*97/100 || right < n*93/100 {
		t.Errorf("%d of %d questions with a plan, %d read right; want 97 %% and 93 %%", planned, n, right)
	}
}
