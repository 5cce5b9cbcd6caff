package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/agent"
	"trawl/agent/llm"
	"trawl/agent/llm/llmtest"
	"trawl/internal/seed"
	"trawl/trajectory"
)

// A mind is a model whose reply depends on the request alone, as a server's
// does that honours seeds. Its replies are of all kinds, most of them odd.
func mind(calls *atomic.Int32) llm.Client {
	return llmtest.Func(func(_ context.Context, req *llm.Request) (*llm.Response, error) {
		size := 0
		for _, m := range req.Messages {
			size += len(m.Content)
		}
		if size > 6000 {
			return nil, &llm.Error{Kind: llm.ErrContextLength}
		}
		calls.Add(1)
		r := oddReply(seed.Rand(*req.Seed, len(req.Messages), size))
		r.Usage = llm.Usage{Prompt: size / 4, Completion: 20}
		return &r, nil
	})
}

func oddReply(rng *rand.Rand) llm.Response {
	q := func() string { return fmt.Sprintf("topic %d", rng.IntN(12)) }
	switch rng.IntN(16) {
	case 0:
		return content("")
	case 1:
		return llm.Response{Message: llm.Message{Reasoning: "I wonder what"}, Finish: "length"}
	case 2:
		return content("I will look into it.")
	case 3:
		return native(searchCall("x", `{"query":"`+q()+`"}`), searchCall("x", `{"query":"`+q()+`"`), llm.ToolCall{Name: "browse", Arguments: `{"u`})
	case 4:
		return native(searchCall("t0002i001", `{"query":["`+q()+`","`+q()+`","bad"]}`), searchCall("", ``))
	case 5:
		return content("<tool_call>{\"name\":\"search\",\"arguments\":{\"query\":\"" + q() + "\"}}\n{\"name\":\"search\",\"arguments\":{\"query\":\"" + q() + "\"}")
	case 6:
		return content("<think>hm</think><search>" + q() + "</search><information>fake</information>")
	case 7:
		if rng.IntN(3) == 0 {
			return content("Confidence: 60%\n<answer>" + q() + "</answer>")
		}
		return content("<answer></answer>")
	case 8:
		return content("```tool_code\nsearch(query='" + q() + "')\n```")
	default:
		return native(searchCall(fmt.Sprintf("id%d", rng.IntN(1000)), `{"query":"`+q()+`"}`))
	}
}

// Whatever a model replies, the conversation is valid, the record is valid, and
// a rollout that is cut after any whole turn and goes on from its journal ends
// as it would have, without a model call made twice.
func TestResume(t *testing.T) {
	engine := &engine{text: strings.Repeat("word ", 150)}
	ends, shrunk := map[trajectory.Termination]int{}, 0
	for i := range int64(24) {
		opts := agent.Options{Turns: 12, Tokens: []int{0, 12000}[i%2], Dialect: []agent.Dialect{agent.Native, agent.Tags}[i/2%2]}
		var calls atomic.Int32
		a := agent.New(mind(&calls), setOf(engine), opts)
		task := testTask()
		task.Seed = i
		if i%3 == 0 {
			task.SeedQuery = &trajectory.SeedQuery{Text: "topic 1", Source: trajectory.SeedPool}
		}
		var journal []trajectory.Turn
		var callsBefore []int32
		task.Record = func(turn trajectory.Turn) error {
			journal = append(journal, turn)
			callsBefore = append(callsBefore, calls.Load())
			return nil
		}
		want, err := a.Run(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		if err := validTranscript(want.Messages); err != nil {
			t.Errorf("seed %d: %v", i, err)
		}
		if err := want.Validate(); err != nil {
			t.Errorf("seed %d: %v", i, err)
		}
		if want.Termination == "" || len(journal) > opts.Turns {
			t.Errorf("seed %d: %q after %d turns", i, want.Termination, len(journal))
		}
		ends[want.Termination]++
		for _, s := range want.Steps {
			if slices.Contains(s.Repairs, "context-shrunk") {
				shrunk++
			}
		}
		total := calls.Load()
		for cut := range len(journal) + 1 {
			calls.Store(0)
			resumed := task
			resumed.Past, resumed.Record = reread(t, journal[:cut]), nil
			got, err := a.Run(t.Context(), resumed)
			if err != nil {
				t.Fatal(err)
			}
			if record(t, got) != record(t, want) { // cmp.Diff alone takes most of the test's time
				t.Fatalf("seed %d, cut after turn %d: trajectory mismatch (-want +got):\n%s", i, cut, cmp.Diff(want, got, noTimes))
			}
			spent := int32(0)
			if cut > 0 {
				spent = callsBefore[cut-1]
			}
			if calls.Load() != total-spent {
				t.Fatalf("seed %d, cut after turn %d: %d calls, want %d", i, cut, calls.Load(), total-spent)
			}
		}
	}
	if len(ends) < 4 || shrunk == 0 {
		t.Errorf("the rollouts ended %v, and %d turns were too long: the test wants more than that", ends, shrunk)
	}
}

// record returns a trajectory as it is stored, without times.
func record(t *testing.T, traj *trajectory.Trajectory) string {
	t.Helper()
	timeless := *traj
	timeless.Started, timeless.Millis = time.Time{}, 0
	timeless.Steps = slices.Clone(timeless.Steps)
	for i := range timeless.Steps {
		timeless.Steps[i].Millis = 0
	}
	data, err := json.Marshal(timeless)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// reread returns turns as the journal gives them back.
func reread(t *testing.T, turns []trajectory.Turn) []trajectory.Turn {
	t.Helper()
	data, err := json.Marshal(turns)
	if err != nil {
		t.Fatal(err)
	}
	var out []trajectory.Turn
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
