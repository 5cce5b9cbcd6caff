package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"trawl/agent/llm/sim"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

// slowFaults are those that take a second each time; they hit some of the calls
// that are made once.
var slowFaults = []string{"c6-hang", "c12-rate-limit"}

// streamed are faults that are only there in streams.
var streamed = []string{"a5-null-ids", "c10-blank-lines", "cut-stream"}

// withFault starts a server on which a fault hits three requests in ten, of those
// that ask for asks if it is a slow one.
func withFault(t *testing.T, fault, asks string) (url string) {
	t.Helper()
	rule := sim.Rule{Fault: fault, Rate: 0.3, Seed: 1}
	switch {
	case slices.Contains(slowFaults, fault):
		rule.Match.Asks, rule.Times = asks, 1
	case slices.Contains(always, fault):
		rule.Rate = 0
	case strings.HasPrefix(fault, "e-"): // of which only some calls of one selector make anything
		rule.Rate = 0.6
	}
	if err := rule.Validate(); err != nil {
		t.Fatal(err)
	}
	o := sim.Options{Skill: sim.Large, Faults: []sim.Rule{rule}}
	if fault == "a15-refuse-null" {
		o.Reasoning = sim.ReasoningField // that is sent back, and refused
	}
	return newStrictServer(t, o).url
}

// patient are settings with which a client bears with a server that fails.
func patient(fault string) []string {
	args := []string{"--set", "models.agent.timeout=1", "--set", "models.agent.retries=8", "--set", "models.agent.retry-wait=0.01"}
	if slices.Contains(streamed, fault) {
		args = append(args, "--set", "models.agent.stream=true")
	}
	return args
}

// TestFaultsOfRounds replays every fault in rounds: each rollout comes to the end
// of each round, with a state, and no server is sent a conversation that it could
// not take.
func TestFaultsOfRounds(t *testing.T) {
	withoutRaceDetector(t)
	questions, index := world(t, 2)
	for i, fault := range sim.FaultNames() {
		for j, mode := range modes {
			dialect := "native"
			if (i+j)%2 == 1 && !strings.HasPrefix(fault, "a") { // which are about calls of tools
				dialect = "tags"
			}
			t.Run(strings.Join([]string{fault, mode, dialect}, " "), func(t *testing.T) {
				t.Parallel()
				r := spiralRun{questions: questions, index: index, endpoint: withFault(t, fault, "summary"), mode: mode, rollouts: 2, rounds: 2}
				r.more = append(patient(fault), "--set", "agent.dialect="+dialect)
				dir := r.carryOut(t)
				once(t, dir, 2*2*2)
				own, merged := 0, 0
				for _, s := range readStates(t, dir) {
					if s.Rollout == trajectory.MergedRollout {
						merged++
					} else {
						own++
					}
				}
				if want := map[string]int{"per-thread": 0, "merged": 2}[mode]; own != 8 || merged != want {
					t.Errorf("%d states and %d merged ones, want 8 and %d", own, merged, want)
				}
			})
		}
	}
}

// TestFaultsOfDecisions replays every fault in all that ask a model to decide:
// each decision is made, with an answer or with a note that says why it has none.
func TestFaultsOfDecisions(t *testing.T) {
	withoutRaceDetector(t)
	dir := stored(t, 2, 3)
	for _, fault := range sim.FaultNames() {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			to := copyRun(t, dir)
			args := selecting(to, withFault(t, fault, "confidence"), append(patient(fault), "--at", "3")...)
			r := report(t, capture(t, args...))
			for _, row := range r.At[3] {
				if row.Subsets != 2 || row.Empty > row.Noted {
					t.Errorf("%s: %d subsets, %d without an answer, %d with a note", row.Selector, row.Subsets, row.Empty, row.Noted)
				}
			}
			made := decisions(t, to)
			if want := 2 * (5 + 3); len(made) != want { // the selectors, and the confidence in each rollout
				t.Errorf("%d decisions, want %d", len(made), want)
			}
			for _, d := range made {
				if d.Answer == "" && d.Note == "" {
					t.Errorf("%s on %v of %s has no answer and no note", d.Selector, d.Rollouts, d.QuestionID)
				}
			}
		})
	}
}

// TestSummaryFaults has summaries fail for good, and nothing else: the states say
// where they come from, and no rollout is lost.
func TestSummaryFaults(t *testing.T) {
	questions, index := world(t, 2)
	tests := []struct {
		fault  string
		origin trajectory.StateOrigin
		calls  int
		repair string
	}{
		{"b5-empty", trajectory.StateNone, 3, "no-summary"},
		{"b7-think-to-length", trajectory.StateNone, 3, "thinking-off"},
		{"b11-no-choices", trajectory.StateNone, 0, "no-summary"},
		{"c1-context", trajectory.StateNone, 0, "context-exceeded"},
		{"r-no-headings", trajectory.StateModel, 3, "no-sections"},
		{"r-cut", trajectory.StateModel, 1, "cut"},
		{"b9-reasoning", trajectory.StateModel, 1, ""},
	}
	for _, tt := range tests {
		for _, mode := range modes {
			t.Run(tt.fault+" "+mode, func(t *testing.T) {
				t.Parallel()
				rule := sim.Rule{Match: sim.Match{Asks: "summary"}, Fault: tt.fault}
				if err := rule.Validate(); err != nil {
					t.Fatal(err)
				}
				url := newStrictServer(t, sim.Options{Faults: []sim.Rule{rule}}).url
				r := spiralRun{questions: questions, index: index, endpoint: url, mode: mode, rollouts: 2, rounds: 2,
					more: []string{"--set", "models.agent.retries=1", "--set", "models.agent.retry-wait=0.01"}}
				dir := r.carryOut(t)
				once(t, dir, 8)
				for _, s := range readStates(t, dir) {
					if s.Rollout == trajectory.MergedRollout {
						continue
					}
					if s.Origin != tt.origin || s.Calls != tt.calls || tt.repair != "" && !slices.Contains(s.Repairs, tt.repair) {
						t.Errorf("the state of %v is %s, of %d calls, mended %v; want %s, %d, %s", s.Key(), s.Origin, s.Calls, s.Repairs, tt.origin, tt.calls, tt.repair)
					}
				}
			})
		}
	}
}

// TestServerGoneInRounds has a server that dies in the middle of rounds, and of
// decisions: what was done is kept, and the same command goes on when it is back.
func TestServerGoneInRounds(t *testing.T) {
	questions, index := world(t, 3)
	for _, mode := range modes {
		server := newMortalServer(t)
		r := spiralRun{questions: questions, index: index, endpoint: server.url, mode: mode, rollouts: 2, rounds: 3,
			more: []string{"--concurrency", "2", "--set", "models.agent.retries=0"}}
		calm := r.carryOut(t)
		out := filepath.Join(t.TempDir(), "run")
		for _, calls := range []int64{8, 10, 12} {
			server.left.Store(calls)
			if got := fails(t, exitFailed, noEnv, r.args(out)...); !strings.Contains(got, "the same command") {
				t.Errorf("%s: stderr %q does not say how to go on", mode, got)
			}
		}
		server.left.Store(1 << 30)
		capture(t, r.args(out)...)
		run, err := store.Read(out)
		if err != nil {
			t.Fatal(err)
		}
		for _, tr := range run.Trajectories {
			if tr.Error != "" {
				t.Errorf("%s: %v has failed for good", mode, tr.Key())
			}
		}
		if mode == "per-thread" { // merged rounds go on without the rollouts that failed
			sameRun(t, mode, calm, out)
		}
	}
}

// TestTemplateThatAlternates has a server whose template knows a user and an
// assistant that take turns, and no others: after its first refusal it is sent
// such conversations, of rollouts, summaries and decisions.
func TestTemplateThatAlternates(t *testing.T) {
	questions, index := world(t, 2)
	model := sim.New(sim.Options{Skill: sim.Large})
	var refused atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		var req wireRequest
		json.Unmarshal(body, &req) //nolint:errcheck // other requests have no messages
		for i, m := range req.Messages {
			if m.Role != []string{"user", "assistant"}[i%2] {
				refused.Add(1)
				http.Error(w, `{"error":{"message":"Conversation roles must alternate user/assistant/user/assistant/...","code":400}}`, http.StatusBadRequest)
				return
			}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		model.ServeHTTP(w, r)
	}))
	defer server.Close()
	r := spiralRun{questions: questions, index: index, endpoint: server.URL, mode: "merged", rollouts: 3, rounds: 2, more: []string{"--concurrency", "1"}}
	dir := r.carryOut(t)
	once(t, dir, 12)
	for _, s := range readStates(t, dir) {
		if s.Origin != trajectory.StateModel && s.Origin != trajectory.StateMerged {
			t.Errorf("the state of %v is %s", s.Key(), s.Origin)
		}
	}
	capture(t, selecting(dir, server.URL, "--at", "3", "--set", "rollout.concurrency=1")...)
	if n := len(decisions(t, dir)); n != 2*(5+3) {
		t.Errorf("%d decisions, want 16", n)
	}
	if n := refused.Load(); n == 0 || n > 10 { // of each client the first one, or some at once
		t.Errorf("%d requests were refused, want a few", n)
	}
}
