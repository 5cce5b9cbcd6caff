package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm/sim"
	"trawl/eval"
	"trawl/eval/judge"
	"trawl/internal/testutil"
	"trawl/trajectory/store"
)

// judgingAt is a command line that has a model at url judge a run.
func judgingAt(dir, style, url string, more ...string) []string {
	return append([]string{"score", dir, "--judge=" + style, "--endpoint", url, "--json", "--quiet", "--set", "models.agent.retries=0"}, more...)
}

// judgedReport reads what trawl score --json prints.
func judgedReport(t *testing.T, out string) *eval.Report {
	t.Helper()
	r := new(eval.Report)
	if err := json.Unmarshal([]byte(out), r); err != nil {
		t.Fatal(err)
	}
	return r
}

// distinct counts the answers of a run that are to be judged.
func distinct(t *testing.T, dir string) int {
	t.Helper()
	seen := map[[2]string]bool{}
	for tr, err := range store.Scan(dir) {
		if err != nil {
			t.Fatal(err)
		}
		if tr.Answer != "" {
			seen[[2]string{tr.QuestionID, tr.Answer}] = true
		}
	}
	return len(seen)
}

// verdictLines returns the lines of verdicts.jsonl, sorted.
func verdictLines(t *testing.T, dir string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "verdicts.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Split(strings.TrimSpace(string(data)), "\n")
	slices.Sort(all)
	return all
}

// TestEachAnswerIsJudgedOnce counts the calls of all styles, at one and at many
// answers at a time, with the temperature that is sent.
func TestEachAnswerIsJudgedOnce(t *testing.T) {
	dir := stored(t, 6, 3)
	want := distinct(t, dir)
	for _, style := range judge.Styles() {
		t.Run(string(style), func(t *testing.T) {
			server := newStrictServer(t, sim.Options{Skill: sim.Large})
			one, many := copyRun(t, dir), copyRun(t, dir)
			a := judgedReport(t, capture(t, judgingAt(one, string(style), server.url, "--set", "rollout.concurrency=1")...))
			calls := server.calls("Judge whether the response below is correct")
			if tries := calls - want; tries < 0 || tries > want/4 || calls != server.calls("") { // few replies lack a verdict
				t.Errorf("%d calls for %d answers", calls, want)
			}
			for body := range server.asked {
				if !strings.Contains(body, `"temperature":0,`) {
					t.Fatalf("a request without temperature 0: %s", body)
				}
			}
			b := judgedReport(t, capture(t, judgingAt(many, string(style), server.url, "--set", "rollout.concurrency=16")...))
			if diff := cmp.Diff(a, b); diff != "" {
				t.Errorf("the reports differ (-1 +16):\n%s", diff)
			}
			if a.Judged.Rollouts+a.Judged.Unscored != a.Complete || a.Judge == nil || a.JudgedBy != string(style)+" by sim-large" || !a.Simulated {
				t.Errorf("judged %+v, %v by %q", a.Judged, a.Judge, a.JudgedBy)
			}
			if diff := cmp.Diff(verdictLines(t, one), verdictLines(t, many)); diff != "" || len(verdictLines(t, one)) != want {
				t.Errorf("the verdicts differ (-1 +16):\n%s", diff)
			}
			calls = server.calls("")
			capture(t, judgingAt(one, string(style), server.url)...)
			if again := server.calls(""); again != calls {
				t.Errorf("%d calls for what is there", again-calls)
			}
		})
	}
}

// TestOtherGoldsAreJudgedAnew: a verdict is one by the gold answers of its time.
func TestOtherGoldsAreJudgedAnew(t *testing.T) {
	dir := stored(t, 4, 2)
	server := newStrictServer(t, sim.Options{Skill: sim.Large})
	before := judgedReport(t, capture(t, judgingAt(dir, "tongyi", server.url)...))
	calls := server.calls("")
	m, err := store.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(m.Dataset.Path)
	if err != nil {
		t.Fatal(err)
	}
	first, rest, _ := strings.Cut(string(data), "\n")
	var q map[string]any
	if err := json.Unmarshal([]byte(first), &q); err != nil {
		t.Fatal(err)
	}
	for key := range q {
		if strings.Contains(key, "answer") {
			q[key] = []string{"nothing of the kind"}
		}
	}
	changed, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "questions.jsonl")
	if err := os.WriteFile(other, []byte(string(changed)+"\n"+rest), 0o644); err != nil {
		t.Fatal(err)
	}
	after := judgedReport(t, capture(t, judgingAt(dir, "tongyi", server.url, "--dataset", m.Dataset.Name+":"+other)...))
	if again := server.calls("") - calls; again < 1 || again > 4 {
		t.Errorf("%d calls for the answers to one question", again)
	}
	if after.Judge.Mean >= before.Judge.Mean {
		t.Errorf("judge %.3f, with other golds of one question %.3f", before.Judge.Mean, after.Judge.Mean)
	}
	stale := judgedReport(t, capture(t, "score", dir, "--judge=stored", "--json"))
	if stale.Judged.Unscored == 0 {
		t.Error("verdicts by other golds count")
	}
}

// TestJudgeSaysNothing: where no reply has a verdict nothing is scored, and where
// some have none, those are counted apart and asked for again.
func TestJudgeSaysNothing(t *testing.T) {
	dir := stored(t, 6, 3)
	silent := newStrictServer(t, sim.Options{Skill: sim.Large, Faults: []sim.Rule{{Match: sim.Match{Asks: "judge"}, Fault: "b5-empty"}}})
	said := fails(t, exitFailed, os.LookupEnv, judgingAt(dir, "browsecomp", silent.url)...)
	if !strings.Contains(said, "the judge ruled on no answer: all 18 are unscored") {
		t.Errorf("stderr %q", said)
	}
	if calls, want := silent.calls(""), 3*distinct(t, dir); calls != want {
		t.Errorf("%d calls, want three tries of each answer, %d", calls, want)
	}
	for _, line := range verdictLines(t, dir) {
		if !strings.Contains(line, `"unscored":true,"reason":"the judge's reply has no verdict: \"so I\""`) {
			t.Fatalf("verdict %s", line)
		}
	}
	some := newStrictServer(t, sim.Options{Skill: sim.Large, Faults: []sim.Rule{{Match: sim.Match{Asks: "judge"}, Fault: "b5-empty", Rate: .7, Seed: 3}}})
	r := judgedReport(t, capture(t, judgingAt(dir, "browsecomp", some.url)...))
	if r.Judged.Unscored == 0 || r.Judged.Rollouts == 0 || r.Unscored != 0 || r.Judged.Unscored+r.Judged.Rollouts != 18 {
		t.Errorf("judged %+v, %d rollouts unscored", r.Judged, r.Unscored)
	}
	if n := len(r.Warnings); n == 0 || !strings.Contains(r.Warnings[n-1], fmt.Sprintf("browsecomp by sim-large left %d rollouts unscored", r.Judged.Unscored)) {
		t.Errorf("warnings %q", r.Warnings)
	}
	calm := newStrictServer(t, sim.Options{Skill: sim.Large})
	whole := judgedReport(t, capture(t, judgingAt(dir, "browsecomp", calm.url)...))
	if calls := calm.calls(""); whole.Judged.Unscored != 0 || calls == 0 || calls >= distinct(t, dir) {
		t.Errorf("judged %+v by %d calls", whole.Judged, calls)
	}
}

// TestJudgeDies: a judge that is gone is an error; what it ruled on is kept.
func TestJudgeDies(t *testing.T) {
	dir := stored(t, 6, 3)
	calm := copyRun(t, dir)
	want := capture(t, judgingAt(calm, "divinit", "sim")...)
	server := newMortalServer(t)
	server.left.Store(5)
	said := fails(t, exitFailed, os.LookupEnv, judgingAt(dir, "divinit", server.url, "--set", "rollout.concurrency=1")...)
	if !strings.Contains(said, "cannot be reached") || !strings.Contains(said, fmt.Sprintf("of %d answers are judged and kept; the same command goes on", distinct(t, dir))) {
		t.Errorf("stderr %q", said)
	}
	if n := len(verdictLines(t, dir)); n < 4 || n > 5 {
		t.Errorf("%d verdicts of 5 calls", n)
	}
	server.left.Store(1 << 30)
	if diff := cmp.Diff(want, capture(t, judgingAt(dir, "divinit", server.url)...)); diff != "" {
		t.Errorf("the report differs (-calm +killed):\n%s", diff)
	}
}

// TestKilledJudge kills judging with SIGKILL, again and again.
func TestKilledJudge(t *testing.T) {
	dir := stored(t, 6, 4)
	latency, err := sim.ParseLatency("2ms..4ms")
	if err != nil {
		t.Fatal(err)
	}
	server := newStrictServer(t, sim.Options{Latency: latency})
	args := func(dir string) []string {
		return judgingAt(dir, "simpleqa", server.url, "--set", "rollout.concurrency=2")
	}
	calm := copyRun(t, dir)
	want := capture(t, args(calm)...)
	calls, all := server.calls(""), verdictLines(t, calm)
	kills := 0
	for _, lines := range []int{1, len(all) / 3, len(all) * 2 / 3} {
		there := func() bool {
			data, err := os.ReadFile(filepath.Join(dir, "verdicts.jsonl"))
			return err == nil && strings.Count(string(data), "\n") >= lines
		}
		if !killWhen(t, args(dir), there) {
			kills++
		}
	}
	if kills == 0 {
		t.Error("it was never killed: the test does not test")
	}
	if diff := cmp.Diff(want, capture(t, args(dir)...)); diff != "" {
		t.Errorf("the report differs (-calm +killed):\n%s", diff)
	}
	if diff := cmp.Diff(all, verdictLines(t, dir)); diff != "" {
		t.Errorf("the verdicts differ (-calm +killed):\n%s", diff)
	}
	if again := server.calls("") - calls; again > calls+kills*2*3 {
		t.Errorf("%d calls with %d kills, %d without: more than the answers under way took", again, kills, calls)
	}
}

// A publishedRollout is what a line of R1-Searcher's published rollouts says of its
// means returns the means of figures, 0 for one that is not there.
func means(stats ...*eval.Stat) []float64 {
	out := make([]float64, len(stats))
	for i, s := range stats {
		if s != nil {
			out[i] = math.Round(s.Mean*1000) / 1000
		}
	}
	return out
}

// TestPublishedVerdicts scores R1-Searcher's published rollouts by the verdicts of
// GPT-4o that stand beside them, and gives the published figures. Five answers of
// HotpotQA were judged both ways: each verdict holds for its rollout.
func TestPublishedVerdicts(t *testing.T) {
	withoutRaceDetector(t)
	tests := []struct {
		name  string
		em    []float64 // mean and pass@2, which is 0 where there is one rollout a question
		judge []float64
	}{
		{"hotpotqa", []float64{.579, .670}, []float64{.748, .840}},
		{"bamboogle", []float64{.448, .528}, []float64{.544, .632}},
		{"2wiki", []float64{.554, 0}, []float64{.650, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rollouts := testutil.Shared(t, "r1_searcher_rollouts/"+tt.name+"_rollouts.jsonl")
			questions := "flashrag:" + testutil.Shared(t, "r1_searcher_rollouts/"+tt.name+"_questions.jsonl")
			dir := filepath.Join(t.TempDir(), "run")
			capture(t, "import", "messages", rollouts, "--dataset", questions, "--verdicts", "judge_gpt4o", "--out", dir)
			r := judgedReport(t, capture(t, "score", dir, "--judge=stored", "--json"))
			if r.Judged.Unscored != 0 || r.Judged.Rollouts != r.Complete || r.Failed+r.Missing != 0 || r.JudgedBy != "judge_gpt4o" || r.Simulated {
				t.Errorf("judged %+v of %d by %q", r.Judged, r.Complete, r.JudgedBy)
			}
			if diff := cmp.Diff(slices.Concat(tt.em, tt.judge, tt.judge[:1]), means(r.EM, r.PassAt[2], r.Judge, r.JudgePassAt[2], r.JudgePassAt[1])); diff != "" {
				t.Errorf("EM, pass@2, judge, judge pass@2, judge pass@1 (-want +got):\n%s", diff)
			}
		})
	}
}
