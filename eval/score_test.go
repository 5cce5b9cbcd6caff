package eval_test

import (
	"encoding/json"
	"fmt"
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
	"trawl/trajectory"
)

// run makes a completed rollout, or one without an answer.
func run(question string, rollout int, answer string, steps ...trajectory.Step) *trajectory.Trajectory {
	t := &trajectory.Trajectory{V: 1, QuestionID: question, Round: 1, Rollout: rollout, Answer: answer, Source: trajectory.AnswerTag, Termination: trajectory.Answered, Steps: steps}
	if answer == "" {
		t.Source, t.Termination = trajectory.AnswerNone, trajectory.TurnLimit
	}
	return t
}

func failed(question string, rollout int) *trajectory.Trajectory {
	t := run(question, rollout, "")
	t.Termination, t.Error = trajectory.Failed, "model unreachable"
	return t
}

// find makes a search step whose results have the ids given.
func find(turn int, query string, ids ...string) trajectory.Step {
	s := trajectory.Step{Turn: turn, Kind: trajectory.KindSearch, Query: query}
	for i, id := range ids {
		s.Results = append(s.Results, trajectory.Result{Rank: i + 1, ID: id, Title: "title of " + id, Text: "text of " + id})
	}
	return s
}

func example(id, source string, hops int, golds ...string) dataset.Example {
	return dataset.Example{Question: trajectory.Question{ID: id, Text: "What of " + id + "?"}, Golds: golds, Source: source, Hops: hops}
}

// mixed is a run of three questions and two rollouts: one question whole, one
// with a failure, one without gold answers and with a rollout missing.
func mixed() ([]dataset.Example, []*trajectory.Trajectory) {
	q1, q2, q3 := example("q1", "hotpotqa", 2, "Paris"), example("q2", "musique", 3, "yes"), example("q3", "hotpotqa", 2)
	q1.Supporting = []string{"d1", "d2"}
	q2.Titles = []string{"Tunnels & Trolls"}
	titled := find(1, "x", "d7")
	titled.Results[0].Title = "Tunnels &amp;  Trolls"
	runs := []*trajectory.Trajectory{
		run("q2", 0, "yes, it is", titled),
		run("q1", 1, "Lyon Paris", find(1, "a c", "d1"), find(2, "d", "d2")),
		failed("q2", 1),
		run("q3", 0, "whatever", find(1, "z", "d1")),
		run("q1", 0, "paris", find(1, "a b", "d1", "d9", "d8", "d2"), find(2, "a b c", "d5")),
	}
	start := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	for i, at := range []struct{ start, ms int }{{100_000, 500}, {1_000, 2_000}, {100_200, 100}, {200_000, 1_000}, {0, 2_000}} {
		runs[i].Started, runs[i].Millis = start.Add(time.Duration(at.start)*time.Millisecond), int64(at.ms)
		runs[i].Usage = trajectory.Usage{LLMCalls: 2, Prompt: 100, Completion: 10, Cached: 50, Searches: len(runs[i].Steps)}
	}
	runs[4].SeedQuery = &trajectory.SeedQuery{Text: "a b", Source: trajectory.SeedPool}
	return []dataset.Example{q1, q2, q3}, runs
}

func ptr(v float64) *float64 { return &v }

func TestScore(t *testing.T) {
	examples, runs := mixed()
	got, err := eval.Score(examples, runs, eval.Options{Rollouts: 2, Seed: 42, Simulated: true})
	if err != nil {
		t.Fatal(err)
	}
	want := &eval.Report{
		Rollouts: 2, Round: 1,
		Scores: eval.Scores{
			Questions: 3, Complete: 4, Failed: 1, Missing: 1, Unscored: 1,
			// q1: EM (1+0)/2, F1 (1 + 2·1/(2+1))/2 = 5/6. q2, by MuSiQue's rule:
			// EM 0, F1 2·1/(3+1) = 1/2.
			EM:       &eval.Stat{Mean: 0.25, N: 2},
			F1:       &eval.Stat{Mean: (5.0/6 + 0.5) / 2, N: 2},
			Contains: &eval.Stat{Mean: 1, N: 2},
			// Two completed rollouts has only q1; "paris" stands first in its tie.
			PassAt:     map[int]*eval.Stat{1: {Mean: 0.25, N: 2}, 2: {Mean: 1, N: 1}},
			MajorityAt: map[int]*eval.Stat{1: {Mean: 0.25, N: 2}, 2: {Mean: 1, N: 1}},
			Diversity: eval.Diversity{
				QPD:     ptr(2.0 / 3),         // {a b} and {a c}: 1 − 1/3
				ATD:     ptr((2.0/3 + 1) / 2), // and {a b c} and {d}: 1
				Overlap: ptr(2.0 / 5),         // {d1 d2} of {d1 d2 d5 d8 d9}
				ITC:     ptr((2.0/3 + 0) / 2), // {a b} to {a b c}: 2/3; {a c} to {d}: 0
				N:       1, LeftOut: 2,
				RepeatedQueries: map[int]float64{2: 0}, // of "a c" and "d" rollout 0 asked neither
			},
			// q1 at 3: rollout 0 has d1 only, rollout 1 both; at 10 both have both.
			Retrieval: eval.Retrieval{RecallAt: map[int]float64{3: (0.75 + 1) / 2, 10: 1}, RecallPooledAt: map[int]float64{3: 1, 10: 1}, N: 2},
		},
		// Under way: 0–3 s, 100–100.5 s, 200–201 s.
		Cost:          eval.Cost{LLMCalls: 10, PromptTokens: 500, CompletionTokens: 50, CachedTokens: 250, Searches: 6, WallS: 4.5, RolloutS: 5.6},
		Terminations:  map[trajectory.Termination]int{trajectory.Answered: 4, trajectory.Failed: 1},
		AnswerSources: map[trajectory.AnswerSource]int{trajectory.AnswerTag: 4},
		FirstQueries:  map[trajectory.SeedSource]int{trajectory.SeedPool: 1, eval.FirstOwn: 3},
		Simulated:     true,
	}
	opts := []cmp.Option{cmpopts.EquateApprox(0, 1e-12), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(eval.Stat{}, "CI95"), cmpopts.IgnoreFields(eval.Report{}, "BySource", "ByHops")}
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		t.Errorf("report mismatch (-want +got):\n%s", diff)
	}
	hotpot, musique := got.BySource["hotpotqa"], got.BySource["musique"]
	if len(got.BySource) != 2 || hotpot.EM.Mean != 0.5 || hotpot.Unscored != 1 || hotpot.Missing != 1 || musique.F1.Mean != 0.5 || musique.Failed != 1 {
		t.Errorf("by source: hotpotqa %+v, musique %+v", hotpot, musique)
	}
	if len(got.ByHops) != 2 || got.ByHops[2].Questions != 2 || got.ByHops[3].Questions != 1 {
		t.Errorf("by hops: %+v", got.ByHops)
	}
}

// Every score carries its interval, and none depends on the order of the lines.
func TestScoreIsDetermined(t *testing.T) {
	examples, runs := mixed()
	opts := eval.Options{Rollouts: 2, Seed: 42, AllPairs: true}
	want, err := eval.Score(examples, runs, opts)
	if err != nil {
		t.Fatal(err)
	}
	if em := want.EM; em.CI95[0] != 0 || em.CI95[1] != 0.5 { // two questions, 0 and 0.5
		t.Errorf("interval of EM = %v, want [0 0.5]", em.CI95)
	}
	slices.Reverse(runs)
	got, err := eval.Score(examples, runs, opts)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report depends on the order of lines:\n%s", diff)
	}
}

func TestScoreJSON(t *testing.T) {
	examples, runs := mixed()
	r, err := eval.Score(examples, runs, eval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	for path, kind := range map[string]string{
		"questions": "float64", "rollouts": "float64", "complete": "float64", "failed": "float64", "missing": "float64", "unscored": "float64",
		"em.mean": "float64", "em.ci95": "[]interface {}", "f1.mean": "float64", "contains.mean": "float64", "judge": "<nil>",
		"pass_at.1.mean": "float64", "pass_at.2.ci95": "[]interface {}", "majority_at.2.mean": "float64",
		"diversity.qpd": "float64", "diversity.atd": "float64", "diversity.document_overlap": "float64",
		"retrieval.recall_at.3": "float64", "retrieval.recall_at.10": "float64",
		"cost.llm_calls": "float64", "cost.prompt_tokens": "float64", "cost.completion_tokens": "float64", "cost.cached_tokens": "float64", "cost.searches": "float64", "cost.wall_s": "float64",
	} {
		var v any = got
		for key := range strings.SplitSeq(path, ".") {
			m, _ := v.(map[string]any)
			var ok bool
			if v, ok = m[key]; !ok {
				t.Errorf("no key %s", path)
			}
		}
		if k := fmt.Sprintf("%T", v); k != kind {
			t.Errorf("key %s is a %s, want %s", path, k, kind)
		}
	}
}

func TestScoreOptions(t *testing.T) {
	examples, runs := mixed()
	r, err := eval.Score(examples, runs, eval.Options{AllPairs: true, Cuts: []int{1}, At: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	// All pairs of q1: ab–ac 2/3, ab–d 1, abc–ac 1/3, abc–d 1.
	if got := *r.Diversity.ATD; !near(got, 0.75) {
		t.Errorf("ATD over all pairs = %v, want 0.75", got)
	}
	// At 1, each rollout of q1 has one document of two: d1 and d1 d2.
	if diff := cmp.Diff(map[int]float64{1: (0.75 + 1) / 2}, r.Retrieval.RecallAt); diff != "" {
		t.Errorf("recall (-want +got):\n%s", diff)
	}
}

func TestScoreOfAQuestionTwice(t *testing.T) {
	examples, runs := mixed()
	_, err := eval.Score(append(examples, examples[1]), runs, eval.Options{})
	if want := `eval: question "` + examples[1].ID + `" stands twice in the data set`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestScoreRounds(t *testing.T) {
	examples := []dataset.Example{example("q", "nq", 1, "Paris")}
	first, second := run("q", 0, "Lyon"), run("q", 0, "Paris")
	second.Round = 2
	first.Usage.LLMCalls, second.Usage.LLMCalls = 3, 4
	runs := []*trajectory.Trajectory{first, second}
	for round, want := range map[int]struct {
		em    float64
		calls int
	}{0: {1, 7}, 1: {0, 3}, 2: {1, 7}} {
		r, err := eval.Score(examples, runs, eval.Options{Round: round})
		if err != nil {
			t.Fatal(err)
		}
		if r.EM.Mean != want.em || r.Complete != 1 || r.Cost.LLMCalls != want.calls {
			t.Errorf("round %d: EM %v of %d, %d calls; want %v of 1, %d", round, r.EM.Mean, r.Complete, r.Cost.LLMCalls, want.em, want.calls)
		}
	}
}

func TestNewestSuccessWins(t *testing.T) {
	examples := []dataset.Example{example("q", "nq", 1, "Paris")}
	tests := []struct {
		name             string
		lines            []*trajectory.Trajectory
		complete, failed int
		em               float64
	}{
		{"success after failure", []*trajectory.Trajectory{failed("q", 0), run("q", 0, "Paris")}, 1, 0, 1},
		{"failure after success", []*trajectory.Trajectory{run("q", 0, "Paris"), failed("q", 0)}, 1, 0, 1},
		{"two successes", []*trajectory.Trajectory{run("q", 0, "Lyon"), failed("q", 0), run("q", 0, "Paris")}, 1, 0, 1},
		{"two failures", []*trajectory.Trajectory{failed("q", 0), failed("q", 0)}, 0, 1, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := eval.Score(examples, tt.lines, eval.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Complete != tt.complete || r.Failed != tt.failed || r.Missing != 0 {
				t.Errorf("complete %d, failed %d, missing %d; want %d, %d, 0", r.Complete, r.Failed, r.Missing, tt.complete, tt.failed)
			}
			if (r.EM != nil) != (tt.complete > 0) || r.EM != nil && r.EM.Mean != tt.em {
				t.Errorf("EM = %+v, want %v", r.EM, tt.em)
			}
		})
	}
}

func TestScoreErrors(t *testing.T) {
	examples, runs := mixed()
	other := run("q1", 0, "x")
	other.Config = "sha256:other"
	tests := []struct {
		name string
		runs []*trajectory.Trajectory
		opts eval.Options
		want string
	}{
		{"a question of another data set", append(runs, run("q9", 0, "x")), eval.Options{}, `question "q9" of the run is not among the 3`},
		{"two settings", append(runs, other), eval.Options{}, "lines of different settings"},
		{"k of nothing", runs, eval.Options{At: []int{0}}, "must be positive"},
		{"negative rollouts", runs, eval.Options{Rollouts: -1}, "must be positive"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := eval.Score(examples, tt.runs, tt.opts); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestWarnings(t *testing.T) {
	gold, none := example("q", "nq", 1, "Paris"), example("q", "nq", 1)
	gold.Supporting = []string{"d1"}
	reworded := run("q", 0, "Paris", find(1, "x", "d1"))
	reworded.Question = "Something else?"
	tests := []struct {
		name string
		e    dataset.Example
		runs []*trajectory.Trajectory
		opts eval.Options
		want []string
	}{
		{"all is well", gold, []*trajectory.Trajectory{run("q", 0, "Paris", find(1, "x", "d1"))}, eval.Options{}, nil},
		{"nothing ran", gold, nil, eval.Options{Rollouts: 1}, []string{"no rollout is complete: 0 failed, 1 are missing"}},
		{"all failed", gold, []*trajectory.Trajectory{failed("q", 0)}, eval.Options{}, []string{"no rollout is complete: 1 failed"}},
		{"no answers", gold, []*trajectory.Trajectory{run("q", 0, "", find(1, "x", "d1"))}, eval.Options{}, []string{"none of 1 completed rollouts has an answer"}},
		{"no golds", none, []*trajectory.Trajectory{run("q", 0, "x", find(1, "x", "d1"))}, eval.Options{}, []string{"the data set has no answers: 1 completed rollouts are unscored"}},
		{"nothing right", gold, []*trajectory.Trajectory{run("q", 0, "x", find(1, "x", "d1"))}, eval.Options{}, []string{"no answer of 1 questions shares a word"}},
		{"other wording", gold, []*trajectory.Trajectory{reworded}, eval.Options{}, []string{"1 completed rollouts have a question that is worded otherwise"}},
		{"no retrieval", gold, []*trajectory.Trajectory{run("q", 0, "Paris")}, eval.Options{}, []string{"no completed rollout retrieved a document"}},
		{"other ids", gold, []*trajectory.Trajectory{run("q", 0, "Paris", find(1, "x", "17"))}, eval.Options{}, []string{"no supporting document was retrieved"}},
		{"k too large", gold, []*trajectory.Trajectory{run("q", 0, "Paris", find(1, "x", "d1"))}, eval.Options{At: []int{1, 8}}, []string{"no question has 8 completed rollouts"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := eval.Score([]dataset.Example{tt.e}, tt.runs, tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Warnings) != len(tt.want) {
				t.Fatalf("warnings %q, want %q", r.Warnings, tt.want)
			}
			for i, want := range tt.want {
				if !strings.HasPrefix(r.Warnings[i], want) {
					t.Errorf("warning %q, want one that begins %q", r.Warnings[i], want)
				}
			}
		})
	}
}

func TestQPD(t *testing.T) {
	// The set that max-min selection finds in the worked example of DivInit's
	// Eq. 1: only "film" is shared, by queries of 5 and 3 tokens. So five pairs
	// are at 1 and one at 1 − 1/7: (5 + 6/7)/6 = 0.976190.
	got, ok := eval.QPD([]string{"Best Picture winner 1998 film", "James Cameron filmography", "70th Academy Awards ceremony winners", "Titanic film director"})
	if !ok || !near(got, (5+6.0/7)/6) {
		t.Errorf("QPD = %v, want 0.976190", got)
	}
	if _, ok := eval.QPD([]string{"alone"}); ok {
		t.Error("QPD of one query is defined")
	}
	r := seed.Rand(1)
	for range 100 {
		queries := make([]string, 2+r.IntN(5))
		for i := range queries {
			queries[i] = strings.Repeat([]string{"a ", "b ", "c ", ""}[r.IntN(4)], 1) + []string{"x", "y"}[r.IntN(2)]
		}
		got, _ := eval.QPD(queries)
		r.Shuffle(len(queries), func(i, j int) { queries[i], queries[j] = queries[j], queries[i] })
		turned, _ := eval.QPD(queries)
		if got < 0 || got > 1 || !near(got, turned) {
			t.Fatalf("QPD(%q) = %v, in another order %v", queries, got, turned)
		}
	}
}

// large makes a run of the size of the multi-hop set.
func large(questions, rollouts int) ([]dataset.Example, []*trajectory.Trajectory) {
	r := rand.New(rand.NewPCG(1, 2))
	var examples []dataset.Example
	var runs []*trajectory.Trajectory
	for i := range questions {
		e := example(fmt.Sprint("q", i), []string{"hotpotqa", "musique", "2wikimultihopqa"}[i%3], 2+i%3, fmt.Sprint("answer ", i%10))
		e.Supporting = []string{"1", "2"}
		examples = append(examples, e)
		for k := range rollouts {
			var steps []trajectory.Step
			for turn := range 6 {
				ids := make([]string, 10)
				for j := range ids {
					ids[j] = fmt.Sprint(r.IntN(30))
				}
				steps = append(steps, find(turn+1, fmt.Sprintf("some words of query %d and %d", r.IntN(5), r.IntN(5)), ids...))
			}
			runs = append(runs, run(e.ID, k, fmt.Sprint("answer ", r.IntN(10)), steps...))
		}
	}
	return examples, runs
}

func BenchmarkScore(b *testing.B) {
	examples, runs := large(601, 8)
	for b.Loop() {
		if _, err := eval.Score(examples, runs, eval.Options{Seed: 42}); err != nil {
			b.Fatal(err)
		}
	}
}
