package store_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/trajectory/store"
)

// costly is a decision that a model wrote.
func costly(question string) store.Decision {
	return store.Decision{
		QuestionID: question, Round: 1, Selector: "solagg", Rollouts: []int{0, 2}, Rollout: -1, Answer: "Paris <東京>",
		Cost: &store.Cost{Calls: 3, Prompt: 9000, Completion: 300, Cached: 4096, Fresh: 5000, Estimated: true, Millis: 1234},
	}
}

// A decision that differs only in its cost is the same; another one takes its
// place, cost and all.
func TestCostOfDecisions(t *testing.T) {
	dir := made(t)
	dearer, free, other := costly("q"), costly("q"), costly("q")
	dearer.Cost = &store.Cost{Calls: 4, Millis: 99}
	free.Cost = nil
	other.Answer, other.Cost = "Lyon", dearer.Cost
	if n := add(t, dir, costly("q"), dearer, free); n != 1 {
		t.Errorf("%d decisions were written, want 1", n)
	}
	if n := add(t, dir, dearer); n != 0 {
		t.Errorf("%d decisions were written after reopening, want 0", n)
	}
	got, _, err := store.ReadSelections(dir)
	check(t, err)
	if diff := cmp.Diff(costly("q").Cost, got[0].Cost); diff != "" {
		t.Errorf("cost mismatch (-want +got):\n%s", diff)
	}
	if n := add(t, dir, other); n != 1 {
		t.Errorf("%d decisions were written, want 1", n)
	}
	got, _, err = store.ReadSelections(dir)
	check(t, err)
	if diff := cmp.Diff(dearer.Cost, got[0].Cost); diff != "" || len(got) != 1 {
		t.Errorf("%d decisions, cost mismatch (-want +got):\n%s", len(got), diff)
	}
}

// Lines without a cost are of the same version.
func TestSelectionsWithoutCost(t *testing.T) {
	dir := made(t)
	line := `{"v":1,"question_id":"q","round":1,"selector":"majority","rollouts":[0,2],"rollout":0,"answer":"Paris","scores":[0.5,1],"note":""}` + "\n"
	check(t, os.WriteFile(filepath.Join(dir, "selections.jsonl"), []byte(line), 0o644))
	want := decision("q", 0)
	want.V = store.DecisionVersion
	got, _, err := store.ReadSelections(dir)
	check(t, err)
	if diff := cmp.Diff([]store.Decision{want}, got); diff != "" {
		t.Errorf("decisions mismatch (-want +got):\n%s", diff)
	}
	if n := add(t, dir, decision("q", 0)); n != 0 {
		t.Error("the decision was written again")
	}
}

// Find finds what stands there, before and after the file is opened again, and
// tells decisions apart by all that names them.
func TestFindDecision(t *testing.T) {
	dir := made(t)
	first, model, last := decision("q", 0), decision("q", 0), decision("q", 2)
	model.Model, model.Answer = "ab12", "Lyon"
	s, err := store.OpenSelections(dir)
	check(t, err)
	for _, d := range []store.Decision{costly("q"), first, model, last, {QuestionID: "p", Round: 1, Selector: "first", Rollout: -1}} {
		_, err := s.Add(d)
		check(t, err)
	}
	type sought struct {
		question        string
		round           int
		selector, model string
		rollouts        []int
	}
	tests := []struct {
		name   string
		sought sought
		want   string // answer and chosen rollout; empty: not there
	}{
		{"the newest", sought{"q", 1, "majority", "", []int{0, 2}}, "Paris 2"},
		{"of a model", sought{"q", 1, "majority", "ab12", []int{0, 2}}, "Lyon 0"},
		{"with a cost", sought{"q", 1, "solagg", "", []int{0, 2}}, "Paris <東京> -1"},
		{"on nothing", sought{"p", 1, "first", "", nil}, " -1"},
		{"another question", sought{"p", 1, "majority", "", []int{0, 2}}, ""},
		{"another round", sought{"q", 2, "majority", "", []int{0, 2}}, ""},
		{"another selector", sought{"q", 1, "first", "", []int{0, 2}}, ""},
		{"another model", sought{"q", 1, "majority", "cd34", []int{0, 2}}, ""},
		{"other rollouts", sought{"q", 1, "majority", "", []int{0, 1, 2}}, ""},
	}
	for _, when := range []string{"as written", "reopened"} {
		for _, tt := range tests {
			t.Run(when+" "+tt.name, func(t *testing.T) {
				d, ok := s.Find(tt.sought.question, tt.sought.round, tt.sought.selector, tt.sought.model, tt.sought.rollouts)
				if got := fmt.Sprint(d.Answer, " ", d.Rollout); ok != (tt.want != "") || ok && got != tt.want {
					t.Errorf("Find = %q, %v, want %q", got, ok, tt.want)
				}
			})
		}
		d, _ := s.Find("q", 1, "solagg", "", []int{0, 2})
		if diff := cmp.Diff(costly("q").Cost, d.Cost); diff != "" {
			t.Errorf("%s: cost mismatch (-want +got):\n%s", when, diff)
		}
		check(t, s.Close())
		s, err = store.OpenSelections(dir)
		check(t, err)
	}
	check(t, s.Close())
}

// A text that is not valid UTF-8 is written as JSON can hold it, and is the same
// text when it comes again.
func TestDecisionThatIsNoText(t *testing.T) {
	dir := made(t)
	d := decision("q", 0)
	d.Answer = "Par\xffis"
	if n := add(t, dir, d, d) + add(t, dir, d); n != 1 {
		t.Errorf("%d decisions were written, want 1", n)
	}
}

// decide adds a decision that took model calls and one that took none, says that
// they are added, and waits to be killed.
func decide(dir string) error {
	s, err := store.OpenSelections(dir)
	if err != nil {
		return err
	}
	for _, d := range []store.Decision{costly("q"), decision("q", 0)} {
		if _, err := s.Add(d); err != nil {
			return err
		}
	}
	fmt.Println("added")
	return untilKilled()
}

// TestKilledSelections makes sure that a decision outlives the process once Add
// has returned.
func TestKilledSelections(t *testing.T) {
	dir := made(t)
	cmd, _, out := child(t, "decide", dir)
	if _, err := io.CopyN(io.Discard, out, int64(len("added\n"))); err != nil {
		t.Fatal(err)
	}
	check(t, cmd.Process.Kill())
	_ = cmd.Wait()
	s, err := store.OpenSelections(dir)
	check(t, err)
	defer s.Close()
	if d, ok := s.Find("q", 1, "solagg", "", []int{0, 2}); !ok || d.Cost == nil || d.Cost.Calls != 3 {
		t.Errorf("Find = %+v, %v", d, ok)
	}
	if diff := cmp.Diff(store.Counts{Lines: 2, Parsed: 2}, s.Counts()); diff != "" {
		t.Errorf("counts mismatch (-want +got):\n%s", diff)
	}
}

// Several goroutines that add the same decisions write each once.
func TestConcurrentSelections(t *testing.T) {
	dir := made(t)
	s, err := store.OpenSelections(dir)
	check(t, err)
	var written atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 10 {
				d := costly(fmt.Sprint("q", i))
				is, err := s.Add(d)
				if err != nil {
					t.Error(err)
				}
				if is {
					written.Add(1)
				}
				if got, ok := s.Find(d.QuestionID, 1, d.Selector, "", d.Rollouts); !ok || got.Answer != d.Answer {
					t.Errorf("Find = %+v, %v", got, ok)
				}
			}
		})
	}
	wg.Wait()
	check(t, s.Close())
	if got, counts, err := store.ReadSelections(dir); len(got) != 10 || counts.Lines != 10 || written.Load() != 10 || err != nil {
		t.Errorf("%d decisions, %d written, counts %+v, error %v", len(got), written.Load(), counts, err)
	}
}
