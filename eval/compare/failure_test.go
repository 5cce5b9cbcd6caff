package compare_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trawl/corpus/dataset"
	"trawl/eval/compare"
	"trawl/selection"
	"trawl/selection/baseline"
	"trawl/trajectory"
)

var errServer = errors.New("status 500")

// refusing chooses the last rollout, but of the questions named, of at least n
// rollouts, none.
func refusing(n int, questions ...string) stub {
	return func(g selection.Group) (selection.Decision, error) {
		for _, id := range questions {
			if g.Question.ID == id && len(g.Trajectories) >= n {
				return selection.Decision{}, errServer
			}
		}
		return last(g)
	}
}

// numbered makes n questions q0, q1, … of two rollouts, of which the second is right.
func numbered(n int) *pile {
	p := &pile{}
	for i := range n {
		p.add(fmt.Sprint("q", i), "a", "b", "a")
	}
	return p
}

func without(p *pile, id string) []dataset.Example {
	var out []dataset.Example
	for _, ex := range p.examples {
		if ex.ID != id {
			out = append(out, ex)
		}
	}
	return out
}

// The figures are those of a comparison that never had the question, for the
// contestant that failed and for the others.
func TestAFailure(t *testing.T) {
	for _, workers := range []int{1, 4} {
		p := many(12, 3, true)
		p.add("fails", "a", "b", "a", "a")
		p.add("last", "a", "a", "a", "b")
		field := []compare.Contestant{
			{Name: "first", Selector: baseline.First{}}, {Name: "s", Selector: refusing(2, "fails")}, {Name: "majority", Selector: baseline.Majority{}},
		}
		var told []string
		done := 0
		opts := compare.Options{Rollouts: 3, Seed: 1, Workers: workers}
		want, err := compare.Run(t.Context(), without(p, "fails"), p.source, field, opts)
		if err != nil {
			t.Fatal(err)
		}
		opts.Progress = func(n int) { done = n }
		opts.Decided = func(d compare.Decided) error { told = append(told, d.QuestionID+" "+d.Name); return nil }
		got, err := compare.Run(t.Context(), p.examples, p.source, field, opts)
		if err != nil {
			t.Fatal(err)
		}
		want.Questions, want.Complete, want.Undecided = want.Questions+1, want.Complete+3, 1
		want.Failures = []compare.Failure{{QuestionID: "fails", Selector: "s", Error: "status 500"}}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(compare.Cost{}, "Seconds")); diff != "" {
			t.Errorf("%d workers: report mismatch (-want +got):\n%s", workers, diff)
		}
		if diff := cmp.Diff([]string{"fails first", "fails majority", "last first", "last s", "last majority"}, told[len(told)-5:]); diff != "" || done != 14 {
			t.Errorf("%d workers: %d done; told at the end (-want +got):\n%s", workers, done, diff)
		}
	}
}

// A failure on a question without gold answers, and on all rollouts where they are no
// subset, leaves the others their decisions, and a decision made before stays.
func TestFailureOnAllRollouts(t *testing.T) {
	p := numbered(2)
	p.add("unscored", "", "a", "b")
	for _, tt := range []struct {
		at   []int
		want []string // told of q1 and unscored
	}{
		{[]int{1}, []string{"q1 first", "unscored first"}},
		{[]int{2}, []string{"q1 first", "unscored first"}},
		{[]int{2, 1}, []string{"q1 s", "q1 first", "unscored first"}},
	} {
		size := 2
		if len(tt.at) > 1 {
			size = 1 // decides on both, and fails on one of them
		}
		s := stub(func(g selection.Group) (selection.Decision, error) {
			if n := len(g.Trajectories); g.Question.ID == "unscored" || g.Question.ID == "q1" && n == size {
				return selection.Decision{}, errServer
			}
			return last(g)
		})
		var told []string
		r, err := compare.Run(t.Context(), p.examples, p.source, []compare.Contestant{{Name: "s", Selector: s}, {Name: "first", Selector: baseline.First{}}}, compare.Options{
			Rollouts: 2, At: tt.at, Decided: func(d compare.Decided) error { told = append(told, d.QuestionID+" "+d.Name); return nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(append([]string{"q0 s", "q0 first"}, tt.want...), told); diff != "" || r.Undecided != 2 || r.Unscored != 2 {
			t.Errorf("at %v: %d undecided, %d unscored; told (-want +got):\n%s", tt.at, r.Undecided, r.Unscored, diff)
		}
		if n := r.At[tt.at[0]][0].Accuracy.N; n != 1 {
			t.Errorf("at %v: figures of %d questions, want 1", tt.at, n)
		}
	}
}

// Of a question on which a contestant failed the others are asked for the decision on
// all rollouts alone, and the contestant nothing more.
func TestAsksNoMore(t *testing.T) {
	p := &pile{}
	p.add("works", "a", "a", "b", "c")
	p.add("fails", "a", "a", "b", "c")
	refuse := refusing(1, "fails")
	asked := map[string]int{}
	counting := func(name string, s stub) compare.Contestant {
		return compare.Contestant{Name: name, Selector: stub(func(g selection.Group) (selection.Decision, error) {
			if g.Question.ID == "fails" {
				asked[fmt.Sprint(name, " of ", len(g.Trajectories))]++
			}
			return s(g)
		})}
	}
	_, err := compare.Run(t.Context(), p.examples, p.source, []compare.Contestant{counting("other", last), counting("s", refuse)}, compare.Options{
		Rollouts: 3, At: []int{1, 2, 3}, Workers: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"other of 1": 3, "s of 1": 1, "other of 3": 1}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

// A report names ten failures, in the order of the questions.
func TestFailures(t *testing.T) {
	p := numbered(30)
	var bad, want []string
	for i := 1; i < 30; i += 2 {
		bad = append(bad, fmt.Sprint("q", i))
	}
	r, err := compare.Run(t.Context(), p.examples, p.source, []compare.Contestant{{Name: "s", Selector: refusing(1, bad...)}}, compare.Options{Rollouts: 2, Workers: 8})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Failures {
		want = append(want, f.QuestionID)
	}
	if diff := cmp.Diff(bad[:10], want); diff != "" || r.Undecided != 15 {
		t.Errorf("%d undecided; named (-want +got):\n%s", r.Undecided, diff)
	}
}

// A comparison that has nothing but failures ends early, or with an error.
func TestHopeless(t *testing.T) {
	first := func(n int) (ids []string) {
		for i := range n {
			ids = append(ids, fmt.Sprint("q", i))
		}
		return ids
	}
	empty := &pile{}
	empty.add("empty", "a", "missing", "failed")
	empty.add("q0", "a", "a", "b")
	tests := []struct {
		name    string
		pile    *pile
		fail    []string
		workers int
		want    string // error; "" for none
		asked   int    // questions at most
	}{
		{"a dead server", numbered(40), first(40), 1, "compare: all 8 questions so far failed: question q7: selector s: status 500", 8},
		{"a dead server, many at once", numbered(60), first(60), 12, "compare: all 12 questions so far failed: question q", 12 + 11}, // that many may be under way
		{"fewer than eight", numbered(3), first(3), 1, "compare: all 3 questions so far failed: question q2: selector s: status 500", 3},
		{"the eighth is decided", numbered(40), first(7), 1, "", 40},
		{"failures in the middle", numbered(40), first(40)[1:], 1, "", 40},
		{"nobody was asked about the others", empty, first(1), 1, "compare: all 1 questions so far failed: question q0: selector s: status 500", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			refuse := refusing(1, tt.fail...)
			var asked atomic.Int64
			s := stub(func(g selection.Group) (selection.Decision, error) {
				if len(g.Trajectories) == 1 && g.Trajectories[0].Rollout == 0 {
					asked.Add(1)
				}
				return refuse(g)
			})
			r, err := compare.Run(t.Context(), tt.pile.examples, tt.pile.source, []compare.Contestant{{Name: "s", Selector: s}}, compare.Options{Rollouts: 2, Workers: tt.workers})
			if n := int(asked.Load()); n > tt.asked {
				t.Errorf("%d questions were asked about, want at most %d", n, tt.asked)
			}
			if tt.want == "" {
				if err != nil || r.Undecided != len(tt.fail) {
					t.Errorf("report %+v, error %v", r, err)
				}
				return
			}
			if !errors.Is(err, errServer) || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// What ends a comparison whatever else can be decided.
func TestEnds(t *testing.T) {
	full := errors.New("the disk is full")
	ctx, cancel := context.WithCancel(t.Context())
	on := func(id string, do func() error) stub {
		return func(g selection.Group) (selection.Decision, error) {
			d, err := last(g)
			if g.Question.ID == id {
				err = do()
			}
			return d, err
		}
	}
	p := numbered(20)
	source := compare.Source(p.source)
	tests := []struct {
		name   string
		source compare.Source
		pick   stub
		opts   compare.Options
		want   error
		text   string
	}{
		{"source", func(id string) ([]*trajectory.Trajectory, error) {
			if id == "q5" {
				return nil, full
			}
			return p.source(id)
		}, last, compare.Options{}, full, "compare: question q5: the disk is full"},
		{"listener", source, last, compare.Options{Decided: func(d compare.Decided) error {
			if d.QuestionID == "q5" {
				return full
			}
			return nil
		}}, full, "the disk is full"},
		{"a decision that cannot be kept", source, on("q5", func() error { return fmt.Errorf("%w: %w", compare.ErrNotKept, full) }),
			compare.Options{}, full, "compare: question q5: selector s: the decision cannot be kept: the disk is full"},
		{"ctx, and a failure with it", source, on("q5", func() error { cancel(); return errServer }), compare.Options{}, context.Canceled, "compare: question q5: context canceled"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.opts.Rollouts, tt.opts.Workers = 2, 1
			r, err := compare.Run(ctx, p.examples, tt.source, []compare.Contestant{{Name: "s", Selector: tt.pick}}, tt.opts)
			if !errors.Is(err, tt.want) || err.Error() != tt.text || r != nil {
				t.Errorf("error %v, want %q", err, tt.text)
			}
		})
	}
}
