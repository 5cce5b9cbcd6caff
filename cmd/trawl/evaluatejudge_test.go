package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm/sim"
	"trawl/eval/utility"
)

// evaluatingAt is a command line that has a model at url list and judge the claims of
// a run.
func evaluatingAt(dir, url string, more ...string) []string {
	return append([]string{"evaluate", dir, "--entailment", "endpoint", "--claims", "endpoint", "--endpoint", url, "--json", "--quiet",
		"--set", "models.agent.retries=0"}, more...)
}

// evaluation reads what trawl evaluate --json prints.
func evaluation(t *testing.T, out string) *utility.Report {
	t.Helper()
	r := new(utility.Report)
	if err := json.Unmarshal([]byte(out), r); err != nil {
		t.Fatal(err)
	}
	return r
}

// entailmentLines returns the lines of entailments.jsonl, sorted.
func entailmentLines(t *testing.T, dir string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "entailments.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Split(strings.TrimSpace(string(data)), "\n")
	slices.Sort(all)
	return all
}

// Marks of the requests of an evaluation.
const (
	entailsAsked  = "You check one claim against evidence"
	claimsAsked   = "You split one explanation into its atomic claims"
	keypointAsked = "You check what one response says of one fact"
)

// TestEachClaimIsJudgedOnce counts the calls, at one and at many questions at a time:
// what one rollout claims like another is asked once, and nothing is asked again.
func TestEachClaimIsJudgedOnce(t *testing.T) {
	dir := stored(t, 6, 3)
	server := newStrictServer(t, sim.Options{Skill: sim.Large})
	one, many := copyRun(t, dir), copyRun(t, dir)
	a := evaluation(t, capture(t, evaluatingAt(one, server.url, "--set", "rollout.concurrency=1")...))
	calls, lines := server.calls(""), entailmentLines(t, one)
	for _, mark := range []string{entailsAsked, claimsAsked, keypointAsked} {
		if server.calls(mark) == 0 {
			t.Errorf("nothing is asked by %q", mark)
		}
	}
	if tries := calls - len(lines); tries < 0 || tries > len(lines)/4 { // few replies are out of form
		t.Errorf("%d calls for %d lines", calls, len(lines))
	}
	for body := range server.asked {
		if !strings.Contains(body, `"temperature":0,`) || strings.Contains(body, `"seed":0`) || strings.Contains(body, `"seed":1,`) {
			t.Fatalf("a request without temperature 0 or a seed of its own: %s", body)
		}
	}
	b := evaluation(t, capture(t, evaluatingAt(many, server.url, "--set", "rollout.concurrency=16")...))
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("the reports differ (-1 +16):\n%s", diff)
	}
	if diff := cmp.Diff(lines, entailmentLines(t, many)); diff != "" {
		t.Errorf("the lines differ (-1 +16):\n%s", diff)
	}
	if a.UAll == nil || a.KSR == nil || a.Judge != "sim-large" || a.ClaimsBy != "endpoint" || a.Entailment != "endpoint" || !a.Simulated {
		t.Errorf("U %v, KSR %v, judge %q, claims by %q, entailment %q, simulated %t", a.UAll, a.KSR, a.Judge, a.ClaimsBy, a.Entailment, a.Simulated)
	}
	calls = server.calls("")
	again := evaluation(t, capture(t, evaluatingAt(one, server.url)...))
	if n := server.calls(""); n != calls {
		t.Errorf("%d calls for what is there", n-calls)
	}
	if diff := cmp.Diff(a, again); diff != "" {
		t.Errorf("the report from what is kept differs (-asked +kept):\n%s", diff)
	}
	capture(t, evaluatingAt(one, server.url, "--set", "seed=7")...)
	if server.calls("") == calls {
		t.Error("another seed takes the verdicts of this one")
	}
}

// TestJudgeOfClaimsDies: a judge that is gone is an error; what it said is kept.
func TestJudgeOfClaimsDies(t *testing.T) {
	dir := stored(t, 6, 3)
	calm := copyRun(t, dir)
	want := capture(t, evaluatingAt(calm, "sim")...)
	server := newMortalServer(t)
	server.left.Store(9)
	said := fails(t, exitFailed, os.LookupEnv, evaluatingAt(dir, server.url, "--set", "rollout.concurrency=1")...)
	if !strings.Contains(said, "cannot be reached") || !strings.Contains(said, "times is kept; the same command goes on") {
		t.Errorf("stderr %q", said)
	}
	if n := len(entailmentLines(t, dir)); n < 7 || n > 9 {
		t.Errorf("%d lines of 9 calls", n)
	}
	server.left.Store(1 << 30)
	if diff := cmp.Diff(want, capture(t, evaluatingAt(dir, server.url)...)); diff != "" {
		t.Errorf("the report differs (-calm +killed):\n%s", diff)
	}
}

// TestKilledEvaluation kills an evaluation with SIGKILL, again and again.
func TestKilledEvaluation(t *testing.T) {
	dir := stored(t, 6, 4)
	latency, err := sim.ParseLatency("2ms..4ms")
	if err != nil {
		t.Fatal(err)
	}
	server := newStrictServer(t, sim.Options{Latency: latency})
	args := func(dir string) []string { return evaluatingAt(dir, server.url, "--set", "rollout.concurrency=2") }
	calm := copyRun(t, dir)
	want := capture(t, args(calm)...)
	calls, all := server.calls(""), entailmentLines(t, calm)
	kills := 0
	for _, lines := range []int{1, len(all) / 3, len(all) * 2 / 3} {
		there := func() bool {
			data, err := os.ReadFile(filepath.Join(dir, "entailments.jsonl"))
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
	if diff := cmp.Diff(all, entailmentLines(t, dir)); diff != "" {
		t.Errorf("the lines differ (-calm +killed):\n%s", diff)
	}
	if again := server.calls("") - calls; again > calls+kills*2*2 {
		t.Errorf("%d calls with %d kills, %d without: more than what was under way", again, kills, calls)
	}
}

// partly runs a command line that prints figures, and fails since they are of a part.
func partly(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, said bytes.Buffer
	if status := run(t.Context(), args, env{stdout: &out, stderr: &said, getenv: os.LookupEnv}); status != exitFailed {
		t.Errorf("trawl %s: exit status %d, want %d\n%s", strings.Join(args, " "), status, exitFailed, &said)
	}
	return out.String(), said.String()
}

// TestNonsenseJudge: a judge that says nothing of use is counted, kept nowhere, in no
// figure, and an error, be it of all or of a part.
func TestNonsenseJudge(t *testing.T) {
	dir := stored(t, 4, 3)
	tests := []struct{ asks, want string }{
		{"claims", "the claims of none of 12 rollouts could be listed"},
		{"entails", "claims could be judged: G_E, C and U of correct rollouts are in no figure"},
		{"keypoint", "facts could be judged: KSR, KCR and KOR are in no figure"},
	}
	for _, tt := range tests {
		t.Run(tt.asks, func(t *testing.T) {
			silent := newStrictServer(t, sim.Options{Skill: sim.Large, Faults: []sim.Rule{{Match: sim.Match{Asks: tt.asks}, Fault: "b5-empty"}}})
			dir := copyRun(t, dir)
			said := fails(t, exitFailed, os.LookupEnv, evaluatingAt(dir, silent.url)...)
			if !strings.Contains(said, tt.want) || !strings.Contains(said, tt.asks+": no verdict in 2 replies") {
				t.Errorf("stderr %q", said)
			}
			for _, line := range entailmentLines(t, dir) {
				if strings.Contains(line, fmt.Sprintf(`"kind":%q`, tt.asks)) {
					t.Fatalf("nonsense is kept: %s", line)
				}
			}
			some := newStrictServer(t, sim.Options{Skill: sim.Large, Faults: []sim.Rule{{Match: sim.Match{Asks: tt.asks}, Fault: "b5-empty", Rate: .7, Seed: 3}}})
			out, said := partly(t, evaluatingAt(dir, some.url)...)
			r := evaluation(t, out)
			if missed := r.UnreadClaims + r.UnscoredClaims + r.Keypoints.Unscored; missed == 0 || r.LeftOut+r.Keypoints.LeftOut == 0 {
				t.Errorf("%d not judged, %d and %d questions left out", missed, r.LeftOut, r.Keypoints.LeftOut)
			}
			if !strings.Contains(said, "could not be ") || !strings.Contains(said, "leave out") || !strings.Contains(said, "the same command asks for them again ("+"utility: "+tt.asks) {
				t.Errorf("stderr %q", said)
			}
			calm := newStrictServer(t, sim.Options{Skill: sim.Large})
			r = evaluation(t, capture(t, evaluatingAt(dir, calm.url)...))
			if missed := r.UnreadClaims + r.UnscoredClaims + r.Keypoints.Unscored; missed != 0 || calm.calls("") == 0 {
				t.Errorf("%d not judged in the end, by %d calls", missed, calm.calls(""))
			}
		})
	}
}

// TestEvaluateShards: the shards of a run together are evaluated as the whole run is,
// by words and by a model, which keeps what it says with the shard whose question it is.
func TestEvaluateShards(t *testing.T) {
	data, index := world(t, 6)
	at := func(name string) string { return filepath.Join(t.TempDir(), name) }
	made := func(more ...string) string {
		out := at("run")
		capture(t, append([]string{"run", "--dataset", data, "--index", index, "--endpoint", "sim", "--turns", "4", "-k", "3", "--out", out, "--quiet"}, more...)...)
		return out
	}
	whole, s1, s2 := made(), made("--shard", "1/2"), made("--shard", "2/2")
	for _, by := range [][]string{nil, {"--entailment", "endpoint", "--claims", "endpoint", "--endpoint", "sim"}, {"--resample", "3", "--endpoint", "sim"}} {
		a := evaluation(t, capture(t, append([]string{"evaluate", whole, "--json", "--quiet"}, by...)...))
		for _, shards := range [][]string{{s1, s2}, {s2, s1}} {
			b := evaluation(t, capture(t, slices.Concat([]string{"evaluate"}, shards, []string{"--json", "--quiet"}, by)...))
			if diff := cmp.Diff(a, b); diff != "" || b.Questions != 6 || b.Complete != 18 || b.UAll == nil {
				t.Errorf("%v: the report (-whole +shards):\n%s", by, diff)
			}
		}
	}
	both := slices.Concat(entailmentLines(t, s1), entailmentLines(t, s2))
	slices.Sort(both)
	if diff := cmp.Diff(entailmentLines(t, whole), both); diff != "" {
		t.Errorf("what is kept differs (-whole +shards):\n%s", diff)
	}
	if said := fails(t, exitFailed, os.LookupEnv, "evaluate", s1, s1, "--quiet"); !strings.Contains(said, "only different parts of one run") {
		t.Errorf("the same shard twice: stderr %q", said)
	}
	if said := fails(t, exitFailed, os.LookupEnv, "evaluate", s1, whole, "--quiet"); !strings.Contains(said, "only different parts of one run") {
		t.Errorf("a shard and the whole: stderr %q", said)
	}
}

// TestClaimWords: how many words of a claim must be of its explanation decides what is
// listed, and asks nothing else again.
func TestClaimWords(t *testing.T) {
	dir := stored(t, 4, 2)
	server := newStrictServer(t, sim.Options{Skill: sim.Large})
	capture(t, evaluatingAt(dir, server.url)...)
	before := map[string]int{}
	for _, mark := range []string{entailsAsked, claimsAsked, keypointAsked} {
		before[mark] = server.calls(mark)
	}
	capture(t, evaluatingAt(dir, server.url, "--weights", "claim_words=0.59")...)
	if server.calls(claimsAsked) == before[claimsAsked] {
		t.Error("another claim_words takes the lists of this one")
	}
	if e, k := server.calls(entailsAsked)-before[entailsAsked], server.calls(keypointAsked)-before[keypointAsked]; e+k != 0 {
		t.Errorf("another claim_words asks of %d claims and %d facts again", e, k)
	}
}
