package eval_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/internal/seed"
	"trawl/internal/testutil"
	"trawl/trajectory"
)

// at puts a rollout into a round and gives it the cost of its number of calls:
// 100 tokens a prompt, half of them cached, 10 a completion, 2 seconds.
func at(round, calls int, t *trajectory.Trajectory) *trajectory.Trajectory {
	t.Round = round
	t.Usage = trajectory.Usage{LLMCalls: calls, Prompt: 100 * calls, Completion: 10 * calls, Cached: 50 * calls, Searches: len(t.Steps)}
	t.Millis = int64(2000 * calls)
	t.Started = time.Date(2025, 1, 2, 3, round, 30*t.Rollout, 0, time.UTC)
	return t
}

// ended makes the state in which a round ended, of one call; "" is no answer.
func ended(question string, round, rollout int, answer string, leads ...string) trajectory.State {
	s := trajectory.State{
		V: 1, QuestionID: question, Round: round, Rollout: rollout, Raw: "a text", Origin: trajectory.StateModel, Uncompleted: leads,
		Calls: 1, Usage: trajectory.CallUsage{Prompt: 300, Completion: 40, Cached: 200}, Millis: 3000, Started: time.Date(2025, 1, 2, 3, round, 30*rollout+10, 0, time.UTC),
	}
	if answer != "" {
		s.CurrentAnswer = &answer
	}
	if rollout == trajectory.MergedRollout {
		s.Origin, s.Calls, s.Usage = trajectory.StateMerged, 0, trajectory.CallUsage{}
	}
	return s
}

// spiral is a run of two questions, two rollouts and three rounds.
//
//	     round 1                       round 2                             round 3
//	q1.0 Lyon                          no answer, its state: Paris; stop   –
//	q1.1 paris., its state: Paris      Paris, its state: Lyon              Paris, its state cannot be read
//	q2.0 Milan, no state written       failed                              –
//	q2.1 Rome, its state: Rome         Naples, the state is carried: Rome  missing
func spiral() ([]dataset.Example, []*trajectory.Trajectory, []trajectory.State) {
	examples := []dataset.Example{example("q1", "nq", 2, "Paris"), example("q2", "nq", 2, "Rome")}
	runs := []*trajectory.Trajectory{
		at(1, 4, run("q1", 0, "Lyon", find(1, "Capital of France", "d1"), find(2, "capital  of france", "d1"))),
		at(1, 3, run("q1", 1, "paris.", find(1, "capital of France", "d1"))),
		at(1, 2, run("q2", 0, "Milan")),
		at(1, 3, run("q2", 1, "Rome", find(1, "Italy", "d2"))),
		at(2, 3, run("q1", 0, "", find(1, "who was the engineer of the harbour bridge", "d3"), find(2, "Capital of France", "d1"))),
		at(2, 2, run("q1", 1, "Paris", find(1, "something else", "d4"))),
		at(2, 1, failed("q2", 0)),
		at(2, 2, run("q2", 1, "Naples", find(1, "italy", "d2"))),
		at(3, 3, run("q1", 1, "Paris", find(1, "longest railway tunnel Norway", "d5"), find(2, "something ELSE", "d4"))),
	}
	runs[4].Usage.Opens = 2
	states := []trajectory.State{
		ended("q1", 1, 0, "", "engineer of the harbour bridge", "opera house architect"),
		ended("q1", 1, 1, "Paris", "volcano eruption year"),
		ended("q2", 1, 0, ""),
		ended("q2", 1, 1, "Rome"),
		ended("q1", 2, 0, "Paris", "cathedral organ builder"),
		ended("q1", 2, 1, "Lyon", "longest railway tunnel Norway", "silver mine owner"),
		ended("q2", 2, 1, "Rome"),
		ended("q1", 3, 1, ""),
	}
	states[0].Uncertainties = []string{"Opera house; architect?"} // as the second lead
	states[2].Origin, states[2].Raw, states[2].Calls = trajectory.StateNone, "", 5
	states[4].Stopped = trajectory.Answered
	states[6].Origin = trajectory.StateCarried
	states[7].Repairs = []string{"headings"}
	return examples, runs, states
}

func score(t *testing.T, examples []dataset.Example, runs []*trajectory.Trajectory, opts eval.Options) *eval.Report {
	t.Helper()
	r, err := eval.Score(examples, runs, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRounds(t *testing.T) {
	examples, runs, states := spiral()
	got := score(t, examples, runs, eval.Options{Rollouts: 2, Seed: 42, States: states})
	type origins = map[trajectory.StateOrigin]int
	stat := func(mean float64, n int) *eval.Stat { return &eval.Stat{Mean: mean, N: n} }
	one := 1
	want := []eval.Round{{
		Round: 1, Complete: 4,
		// q1: Lyon, paris.; q2: Milan, Rome. Of a tie the first, wrong in both, is taken.
		RT: stat(0.5, 2), AP: stat(0.5, 2), Pass: stat(1, 2), Majority: stat(0, 2), Own: stat(0.5, 2),
		Restated: ptr(0), // "paris." and "Paris" are one answer
		Resources: eval.Resources{
			// Calls 4+3+2+3, searches 2+1+0+1.
			PerRollout: eval.Work{Calls: eval.Calls{N: 4, LLMCalls: 3, PromptTokens: 300, CompletionTokens: 30, CachedTokens: 150, Seconds: 6}, Searches: 1},
			// Calls 1+1+5+1.
			PerSummary: eval.Calls{N: 4, LLMCalls: 2, PromptTokens: 300, CompletionTokens: 40, CachedTokens: 200, Seconds: 3},
			// Under way: rollouts 0 for 8 s and 10–13 s, rollouts 1 30–36 s and 40–43 s.
			Total: eval.Cost{LLMCalls: 12 + 8, PromptTokens: 1200 + 1200, CompletionTokens: 120 + 160, CachedTokens: 600 + 800, Searches: 4, WallS: 8 + 3 + 6 + 3, RolloutS: 24 + 12},
		},
		DuplicateQueries: ptr(1.0 / 4), // the second of q1.0
		DuplicatesAcross: ptr(2.0 / 4), // and that of q1.1
		States:           eval.States{Origins: origins{trajectory.StateModel: 3, trajectory.StateNone: 1}, WithoutAnswer: 2},
	}, {
		Round: 2, Complete: 3, Failed: 1,
		// q1: Paris, Lyon, and both were right at some time; q2: Naples, after Rome, and Milan before it failed.
		RT: stat((0.5+0)/2, 2), AP: stat((1+0.5)/2, 2), Pass: stat(0.5, 2), Majority: stat(0.5, 2),
		Own:      stat((0.5+0)/2, 2), // q1: none, Paris
		Restated: ptr(2.0 / 3),       // both of q1; what was carried restates nothing
		Resources: eval.Resources{
			// The completed ones have calls 3+2+2, searches 2+1+1, opens 2+0+0.
			PerRollout: eval.Work{Calls: eval.Calls{N: 3, LLMCalls: 7.0 / 3, PromptTokens: 700.0 / 3, CompletionTokens: 70.0 / 3, CachedTokens: 350.0 / 3, Seconds: 14.0 / 3}, Searches: 4.0 / 3, Opens: 2.0 / 3},
			PerSummary: eval.Calls{N: 3, LLMCalls: 1, PromptTokens: 300, CompletionTokens: 40, CachedTokens: 200, Seconds: 3},
			// With the call of the failed one. Rollouts 0 for 6 s and 10–13 s, rollouts 1 30–34 s and 40–43 s.
			Total: eval.Cost{LLMCalls: 8 + 3, PromptTokens: 800 + 900, CompletionTokens: 80 + 120, CachedTokens: 400 + 600, Searches: 4, Opens: 2, WallS: 6 + 3 + 4 + 3, RolloutS: 16 + 9},
		},
		DuplicateQueries: ptr(2.0 / 4), // the second of q1.0, that of q2.1
		DuplicatesAcross: ptr(2.0 / 4),
		// q1.0 follows the engineer and not the architect, q1.1 nothing of the volcano.
		Branches: eval.Branches{Planned: 3, Executed: 1, Left: 2, LeftShare: ptr(2.0 / 3)},
		States:   eval.States{Origins: origins{trajectory.StateModel: 2, trajectory.StateCarried: 1}},
	}, {
		Round: 3, Complete: 1, Failed: 1, Missing: 1, Stopped: 1,
		// q1: Paris of round 2, Paris; q2 has no outcome, but had a right one in round 1.
		RT: stat(1, 1), AP: stat((1+0.5)/2, 2), Pass: stat(1, 1), Majority: stat(1, 1),
		Own:      stat(0.5, 1), // none, Paris
		Restated: ptr(1.0 / 2), // that of round 2
		Resources: eval.Resources{
			PerRollout: eval.Work{Calls: eval.Calls{N: 1, LLMCalls: 3, PromptTokens: 300, CompletionTokens: 30, CachedTokens: 150, Seconds: 6}, Searches: 2},
			PerSummary: eval.Calls{N: 1, LLMCalls: 1, PromptTokens: 300, CompletionTokens: 40, CachedTokens: 200, Seconds: 3},
			Total:      eval.Cost{LLMCalls: 4, PromptTokens: 600, CompletionTokens: 70, CachedTokens: 350, Searches: 2, WallS: 9, RolloutS: 9},
		},
		DuplicateQueries: ptr(1.0 / 2), // "something ELSE"
		DuplicatesAcross: ptr(1.0 / 2),
		// Of q1.1 the tunnel and not the mine. In the end the organ builder of q1.0, which stopped, is open.
		Branches: eval.Branches{Planned: 2, Executed: 1, Left: 1, LeftShare: ptr(1.0 / 2), Open: &one},
		States:   eval.States{Origins: origins{trajectory.StateModel: 1}, WithoutAnswer: 1, Unread: 1, Repaired: 1},
	}}
	opts := []cmp.Option{cmpopts.EquateApprox(0, 1e-12), cmpopts.IgnoreFields(eval.Stat{}, "CI95")}
	if diff := cmp.Diff(want, got.Rounds, opts...); diff != "" {
		t.Errorf("rounds mismatch (-want +got):\n%s", diff)
	}
	if r := got; r.Round != 3 || r.Complete != 2 || r.Failed != 1 || r.Missing != 1 || r.EM.Mean != 1 || r.EM.N != 1 || r.Cost.LLMCalls != 20+11+4 || r.Cost.WallS != 20+16+9 {
		t.Errorf("round %d: complete %d, failed %d, missing %d, EM %+v, cost %+v", r.Round, r.Complete, r.Failed, r.Missing, r.EM, r.Cost)
	}
	if diff := cmp.Diff(map[trajectory.AnswerSource]int{trajectory.AnswerState: 1, trajectory.AnswerTag: 1}, got.AnswerSources); diff != "" {
		t.Errorf("answer sources (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"2 of 8 states were not written by the model: those rounds are not summed up"}, got.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if ci := got.Rounds[1].RT.CI95; ci != [2]float64{0, 0.5} { // two questions, 0.5 and 0
		t.Errorf("interval of RT@2 = %v", ci)
	}
}

// TestRoundsWhole: what a rollout searched for and found is that of all its
// rounds. Of q1, the only question with two completed rollouts:
//
//	first queries equal: QPD 0; equal turns of equal rounds: distances 0 and 1, ATD 1/2
//	documents d1 d3 against d1 d4 d5: 1/4
//	to its first query rollout 0 comes back with 1, 1/9 and 1, rollout 1 with 0: ITC (19/27 + 0)/2
//	of the four queries of rollout 1 rollout 0 had made one
func TestRoundsWhole(t *testing.T) {
	examples, runs, states := spiral()
	d := score(t, examples, runs, eval.Options{Rollouts: 2, Seed: 42, States: states}).Diversity
	for name, pair := range map[string][2]float64{
		"qpd": {*d.QPD, 0}, "atd": {*d.ATD, .5}, "overlap": {*d.Overlap, .25}, "itc": {*d.ITC, 19. / 54}, "repeated": {d.RepeatedQueries[2], .25},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-12 {
			t.Errorf("%s = %v, want %v", name, pair[0], pair[1])
		}
	}
}

func TestRoundsJSON(t *testing.T) {
	examples, runs, states := spiral()
	raw, err := json.MarshalIndent(score(t, examples, runs, eval.Options{Rollouts: 2, Seed: 42, States: states, Simulated: true}), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	testutil.Golden(t, "rounds.json", string(raw)+"\n")
}

// A round before the last is scored as if it were the last.
func TestRoundsUpToOne(t *testing.T) {
	examples, runs, states := spiral()
	all := score(t, examples, runs, eval.Options{Rollouts: 2, States: states}).Rounds
	for n := 1; n <= 3; n++ {
		r := score(t, examples, runs, eval.Options{Rollouts: 2, Round: n, States: states})
		if len(r.Rounds) != n || r.Rounds[n-1].Branches.Open == nil {
			t.Fatalf("round %d: %d rounds, open %v", n, len(r.Rounds), r.Rounds[n-1].Branches.Open)
		}
		if diff := cmp.Diff(all[:n], r.Rounds, cmpopts.IgnoreFields(eval.Branches{}, "Open")); diff != "" {
			t.Errorf("rounds up to %d (-as of three +got):\n%s", n, diff)
		}
		if diff := cmp.Diff(r.EM, r.Rounds[n-1].RT); diff != "" {
			t.Errorf("round %d: EM and RT (-EM +RT):\n%s", n, diff)
		}
	}
}

// With a merged state its leads are what all rollouts began with, each once, and
// its answer is nobody's.
func TestRoundsMerged(t *testing.T) {
	examples := []dataset.Example{example("q", "nq", 2, "Paris")}
	runs := []*trajectory.Trajectory{
		at(1, 1, run("q", 0, "Lyon")), at(1, 1, failed("q", 1)),
		at(2, 1, run("q", 0, "Lyon", find(1, "harbour bridge engineer", "d"))), at(2, 1, run("q", 1, "Nice", find(1, "Engineer of the Harbour bridge", "d"), find(2, "volcano eruption year", "d"))),
	}
	states := []trajectory.State{
		ended("q", 1, 0, "Lyon", "a lead of its own"),
		ended("q", 1, trajectory.MergedRollout, "Paris", "harbour bridge engineer", "volcano eruption year", "opera house architect"),
		ended("q", 2, 0, "Lyon", "first"), ended("q", 2, 1, "Paris", "second", "third"),
		ended("q", 2, trajectory.MergedRollout, "Paris", "first", "second", "third"),
	}
	r := score(t, examples, runs, eval.Options{Rollouts: 2, States: states})
	open := 3 // of rollouts, not of what was merged
	want := eval.Branches{Planned: 3, Executed: 2, Left: 1, LeftShare: ptr(1.0 / 3), Open: &open}
	if diff := cmp.Diff(want, r.Rounds[1].Branches, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("branches (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[trajectory.StateOrigin]int{trajectory.StateModel: 2, trajectory.StateMerged: 1}, r.Rounds[1].States.Origins); diff != "" {
		t.Errorf("origins (-want +got):\n%s", diff)
	}
	first, second := r.Rounds[0], r.Rounds[1]
	if first.RT.Mean != 0 || first.Failed != 1 || second.RT.Mean != 0.5 || second.Complete != 2 || second.Resources.PerSummary.N != 2 {
		t.Errorf("round 1 %+v, round 2 %+v", first, second)
	}
}

// A run of one round without states has no rounds; any state or a later line makes them.
func TestRoundsAreThereWhereThereAreSeveral(t *testing.T) {
	examples := []dataset.Example{example("q", "nq", 1, "Paris")}
	first, second := at(1, 1, run("q", 0, "Paris")), at(2, 1, run("q", 0, "Paris"))
	for _, tt := range []struct {
		name  string
		lines []*trajectory.Trajectory
		opts  eval.Options
		want  int
	}{
		{"one round", []*trajectory.Trajectory{first}, eval.Options{}, 0},
		{"one round with a state", []*trajectory.Trajectory{first}, eval.Options{States: []trajectory.State{ended("q", 1, 0, "Paris")}}, 1},
		{"two rounds", []*trajectory.Trajectory{first, second}, eval.Options{}, 2},
		{"the first of two", []*trajectory.Trajectory{first, second}, eval.Options{Round: 1}, 1},
		{"a round that nobody reached", []*trajectory.Trajectory{first}, eval.Options{Round: 3}, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := score(t, examples, tt.lines, tt.opts).Rounds; len(got) != tt.want {
				t.Errorf("%d rounds, want %d", len(got), tt.want)
			}
		})
	}
}

func TestRepeatedQueries(t *testing.T) {
	examples := []dataset.Example{example("q1", "nq", 1, "x"), example("q2", "nq", 1, "x")}
	runs := []*trajectory.Trajectory{
		run("q1", 0, "x", find(1, "A b"), find(2, "c")),
		run("q1", 1, "x", find(1, "a  B"), find(2, "d"), find(3, "d")), // its own repetition is nobody else's query
		run("q1", 2, "x", find(1, "D"), find(2, "C")),
		run("q2", 1, "x", find(1, "a b")), // nobody is before it
		run("q2", 2, "x", find(1, "e"), find(2, "A B"), find(3, "")),
	}
	got := score(t, examples, runs, eval.Options{}).Diversity.RepeatedQueries
	// Rollout 1: of "a B", "d", "d" the first; rollout 2: "D", "C" of q1, and of "e", "A B" of q2 the second.
	if diff := cmp.Diff(map[int]float64{2: 1.0 / 3, 3: 3.0 / 4}, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("repeated queries (-want +got):\n%s", diff)
	}
}

func TestStateErrorsAndWarnings(t *testing.T) {
	examples := []dataset.Example{example("q", "nq", 1, "Paris")}
	runs := []*trajectory.Trajectory{at(1, 1, run("q", 0, "Paris", find(1, "x", "d"))), at(2, 1, run("q", 0, "Paris", find(1, "x", "d")))}
	other := ended("q", 1, 0, "x")
	other.Config = "sha256:other"
	for _, tt := range []struct {
		name  string
		state trajectory.State
		want  string
	}{
		{"of another data set", ended("q9", 1, 0, "x"), `question "q9" of the run is not among the 1`},
		{"of other settings", other, "lines of different settings"},
	} {
		if _, err := eval.Score(examples, runs, eval.Options{States: []trajectory.State{tt.state}}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("a state %s: error %v, want %q", tt.name, err, tt.want)
		}
	}
	// Twenty rounds, each with its state, of which one was not written: 5 %.
	var lines []*trajectory.Trajectory
	var states []trajectory.State
	for n := 1; n <= 20; n++ {
		lines = append(lines, at(n, 1, run("q", 0, "Paris", find(1, "x", "d"))))
		states = append(states, ended("q", n, 0, "Paris"))
	}
	states[3].Origin = trajectory.StateCarried
	if w := score(t, examples, lines, eval.Options{States: states}).Warnings; w != nil {
		t.Errorf("one of twenty: warnings %q", w)
	}
	want := []string{"1 of 20 completed rollouts in 20 rounds have no state: their own answers are scored", "1 of 19 states were not written by the model: those rounds are not summed up"}
	if diff := cmp.Diff(want, score(t, examples, lines, eval.Options{States: states[:19]}).Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// wander makes a run of several rounds at random. If whole, none failed or is
// missing, though some were stopped.
func wander(r *rand.Rand, whole bool) ([]dataset.Example, []*trajectory.Trajectory, []trajectory.State) {
	var examples []dataset.Example
	var runs []*trajectory.Trajectory
	var states []trajectory.State
	words := []string{"Paris", "paris", "the Paris of old", "Lyon", "Nice", ""}
	for q := range 5 {
		id := fmt.Sprint("q", q)
		examples = append(examples, example(id, "nq", 1, "Paris"))
		for k := range 3 {
			for n := 1; n <= 4; n++ {
				if !whole && r.IntN(6) == 0 {
					if r.IntN(2) == 0 {
						runs = append(runs, at(n, 1, failed(id, k)))
					}
					break
				}
				search := func() trajectory.Step {
					return find(1, words[r.IntN(len(words)-1)]+[]string{" tower", " bridge"}[r.IntN(2)])
				}
				runs = append(runs, at(n, 1+r.IntN(3), run(id, k, words[r.IntN(len(words))], search(), search())))
				s := ended(id, n, k, words[r.IntN(len(words))], "Lyon bridge", "Paris")
				if r.IntN(8) == 0 {
					s.Stopped = trajectory.Answered
				}
				states = append(states, s)
				if s.Stopped != "" {
					break
				}
			}
		}
	}
	return examples, runs, states
}

func TestRoundsProperties(t *testing.T) {
	for i := range 60 {
		whole := i%2 == 0
		examples, runs, states := wander(seed.Rand(int64(i), "wander"), whole)
		opts := eval.Options{Rollouts: 3, Round: 4, Seed: 1, Resamples: 10, States: states}
		got := score(t, examples, runs, opts)
		checkRounds(t, got, whole)
		if got.EM != nil && got.EM.Mean > got.F1.Mean+1e-12 {
			t.Errorf("EM %v above F1 %v", got.EM.Mean, got.F1.Mean)
		}
		slices.Reverse(runs)
		slices.Reverse(states)
		if diff := cmp.Diff(got, score(t, examples, runs, opts), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
			t.Fatalf("the report depends on the order of lines:\n%s", diff)
		}
	}
}

func checkRounds(t *testing.T, r *eval.Report, whole bool) {
	t.Helper()
	var total eval.Cost
	best, before := 0.0, 0.0
	for _, n := range r.Rounds {
		if n.Complete+n.Failed+n.Missing+n.Stopped != 15 || n.Missing < 0 {
			t.Errorf("round %d: complete %d, failed %d, missing %d, stopped %d of 15", n.Round, n.Complete, n.Failed, n.Missing, n.Stopped)
		}
		if n.RT != nil && n.Pass.Mean < n.RT.Mean-1e-12 {
			t.Errorf("round %d: pass %v below RT %v", n.Round, n.Pass.Mean, n.RT.Mean)
		}
		if n.DuplicateQueries != nil && *n.DuplicateQueries > *n.DuplicatesAcross {
			t.Errorf("round %d: %v duplicates of a rollout, %v of all", n.Round, *n.DuplicateQueries, *n.DuplicatesAcross)
		}
		if n.Branches.Left != n.Branches.Planned-n.Branches.Executed || n.Branches.Left < 0 {
			t.Errorf("round %d: branches %+v", n.Round, n.Branches)
		}
		total.LLMCalls += n.Resources.Total.LLMCalls
		total.PromptTokens += n.Resources.Total.PromptTokens
		if n.AP == nil {
			continue
		}
		if n.AP.Mean < before-1e-12 {
			t.Errorf("round %d: AP %v, before %v", n.Round, n.AP.Mean, before)
		}
		before = n.AP.Mean
		if !whole { // RT is over those that got so far, which may be the better ones
			continue
		}
		if best = max(best, n.RT.Mean); n.AP.Mean < best-1e-12 {
			t.Errorf("round %d: AP %v, RT up to %v", n.Round, n.AP.Mean, best)
		}
	}
	if total.LLMCalls != r.Cost.LLMCalls || total.PromptTokens != r.Cost.PromptTokens {
		t.Errorf("rounds took %+v together, the run %+v", total, r.Cost)
	}
	last := r.Rounds[len(r.Rounds)-1]
	if last.Complete+last.Stopped != r.Complete || last.Failed != r.Failed || last.Missing != r.Missing {
		t.Errorf("last round %+v, report %+v", last, r.Scores)
	}
	if whole && (cmp.Diff(last.Pass, r.PassAt[3]) != "" || cmp.Diff(last.Majority, r.MajorityAt[3]) != "" || cmp.Diff(last.RT, r.EM) != "") {
		t.Errorf("last round: pass %v, majority %v, RT %v; report: %v, %v, %v", last.Pass, last.Majority, last.RT, r.PassAt[3], r.MajorityAt[3], r.EM)
	}
}
