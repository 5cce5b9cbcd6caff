package main

import (
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"

	"trawl/agent/llm/sim"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

// always are faults that a server has for good, not now and then.
var always = []string{"a15-refuse-null"}

// TestFaults replays every kind of fault that users reported, in a third of the
// replies, in both dialects: each rollout comes to its end with an answer.
func TestFaults(t *testing.T) {
	withoutRaceDetector(t)
	questions, index := world(t, 4)
	for _, fault := range sim.FaultNames() {
		for _, dialect := range []string{"native", "tags"} {
			t.Run(fault+" "+dialect, func(t *testing.T) {
				rule := sim.Rule{Fault: fault, Rate: 0.34, Seed: 1, Times: 2}
				if slices.Contains(always, fault) {
					rule = sim.Rule{Fault: fault}
				}
				o := sim.Options{Skill: sim.Large, Faults: []sim.Rule{rule}}
				if fault == "a15-refuse-null" {
					o.Reasoning = sim.ReasoningField // that is sent back, and refused
				}
				server := httptest.NewServer(sim.New(o))
				defer server.Close()
				defer server.CloseClientConnections()
				out := filepath.Join(t.TempDir(), "run")
				args := []string{"run", "--dataset", questions, "--index", index, "--endpoint", server.URL, "-k", "2", "--out", out, "--quiet",
					"--set", "agent.dialect=" + dialect, "--set", "models.agent.timeout=1", "--set", "models.agent.retries=4", "--set", "models.agent.retry-wait=0.01"}
				if fault == "a5-null-ids" || fault == "c10-blank-lines" || fault == "cut-stream" {
					args = append(args, "--set", "models.agent.stream=true")
				}
				capture(t, args...)
				run, err := store.Read(out)
				if err != nil {
					t.Fatal(err)
				}
				answered := 0
				for _, tr := range run.Trajectories {
					if tr.Source != trajectory.AnswerNone {
						answered++
					}
				}
				want := 8
				if fault == "c1-context" {
					want = 6 // where not even the question fits there is no answer to be had
				}
				if len(run.Trajectories) != 8 || answered < want {
					t.Errorf("%d rollouts are done, %d have an answer; want 8 and %d", len(run.Trajectories), answered, want)
				}
			})
		}
	}
}
