package exchange_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// ParallelMuse's perplexity of a call is exp of its mean token entropy: 2 is ln 2 nats.
// One below 1 is none, nor is what is no number, or not there.
func TestParallelMuseEntropies(t *testing.T) {
	call := func(ppl string) string {
		return `{"role":"assistant","content":"<tool_call>{\"name\":\"search\",\"arguments\":{\"query\":[\"a\"]}}</tool_call>"` + ppl + `},{"role":"user","content":"<tool_response>\nx\n</tool_response>"},`
	}
	file := `{"question":"Who?","answer":"Ada","prediction":"Ada","termination":"answer","rollout":[{"role":"user","content":"Who?"},` +
		call(`,"step_ppl":{"think_ppl":3,"tool_call_ppl":2,"all_ppl":2.5}`) + call(`,"step_ppl":{"tool_call_ppl":0.5}`) + call(`,"step_ppl":{"tool_call_ppl":null}`) +
		call(`,"step_ppl":"none"`) + call(``) + call(`,"step_ppl":{"tool_call_ppl":1}`) +
		`{"role":"assistant","content":"<answer>Ada</answer>","step_ppl":{"think_ppl":3}}]}`
	records, err := readAs("parallelmuse", file, "f")
	if err != nil || len(records) != 1 {
		t.Fatalf("%d records, error %v", len(records), err)
	}
	var h []float64
	for _, s := range records[0].Trajectory.Steps {
		if s.Entropy == nil {
			h = append(h, -1)
			continue
		}
		h = append(h, *s.Entropy)
	}
	if diff := cmp.Diff([]float64{math.Ln2, -1, -1, -1, -1, 0, -1}, h, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("entropies (-want +got):\n%s", diff)
	}
}
