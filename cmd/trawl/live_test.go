//go:build live

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"trawl/trajectory/store"
)

// TestLive runs two rollouts of one question in each dialect against a real
// server: make test-endpoint ENDPOINT=… [MODEL=…]. It asks for nothing of the
// answers, only that the protocol holds: every rollout ends, valid, with the
// server's own token counts.
func TestLive(t *testing.T) {
	endpoint := os.Getenv("TRAWL_TEST_ENDPOINT")
	if endpoint == "" {
		t.Skip("no TRAWL_TEST_ENDPOINT: make test-endpoint ENDPOINT=http://… sets it")
	}
	questions, index := world(t, 1)
	server := []string{"--endpoint", endpoint}
	if model := os.Getenv("TRAWL_TEST_MODEL"); model != "" {
		server = append(server, "--model", model)
	}
	t.Log(capture(t, append([]string{"doctor", "--index", index}, server...)...))
	for _, dialect := range []string{"native", "tags"} {
		t.Run(dialect, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "run")
			capture(t, append([]string{"run", "--dataset", questions, "--index", index, "-k", "2", "--turns", "3", "--out", out, "--quiet",
				"--set", "agent.dialect=" + dialect, "--set", "models.agent.max-tokens=256", "--set", "agent.final-tokens=64",
				"--set", "retrieval.top=3", "--set", "retrieval.observation-chars=1500"}, server...)...)
			run, err := store.Read(out)
			if err != nil {
				t.Fatal(err)
			}
			if len(run.Trajectories) != 2 {
				t.Fatalf("%d rollouts are done, want 2", len(run.Trajectories))
			}
			for _, tr := range run.Trajectories {
				if tr.Usage.Prompt == 0 || tr.Usage.Completion == 0 {
					t.Errorf("rollout %d counts no tokens: %+v", tr.Rollout, tr.Usage)
				}
				line, _ := json.Marshal(tr)
				t.Logf("rollout %d: %s, answer %q (%s), %d bytes", tr.Rollout, tr.Termination, tr.Answer, tr.Source, len(line))
			}
		})
	}
}
