package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/agent"
	"trawl/agent/llm"
	"trawl/agent/llm/llmtest"
	"trawl/internal/testutil"
	"trawl/trajectory"
)

var preface = agent.Preface{
	Note: "Earlier attempts have been made.",
	Text: "Summary of the earlier attempts:\n\nThe company is Acme.",
}

// opens returns the first request of a rollout with a preface, as a text.
func opens(t *testing.T, d agent.Dialect, p *agent.Preface) string {
	t.Helper()
	script := llmtest.NewScript(answer("x"))
	task := testTask()
	task.Preface = p
	mustRun(t, script, agent.Options{Dialect: d}, task)
	var b strings.Builder
	for _, m := range script.Requests()[0].Messages {
		fmt.Fprintf(&b, "== %s\n%s\n", m.Role, m.Content)
	}
	return b.String()
}

func TestPrefacePrompts(t *testing.T) {
	for _, d := range []agent.Dialect{agent.Native, agent.Tags} {
		t.Run(string(d), func(t *testing.T) {
			got := opens(t, d, &preface)
			testutil.Golden(t, "prompts/preface-"+string(d)+".txt", got)
			if !strings.Contains(got, "\nQuestion: Who founded the company?\n") {
				t.Errorf("no line with the question in:\n%s", got)
			}
			without := opens(t, d, nil)
			if empty := opens(t, d, &agent.Preface{}); empty != without {
				t.Errorf("an empty preface changes the prompt (-without +with):\n%s", cmp.Diff(without, empty))
			}
			for _, part := range []agent.Preface{{Note: preface.Note}, {Text: preface.Text}} {
				want := strings.Replace(got, "\n\n"+preface.Note, "", 1)
				if part.Note != "" {
					want = strings.Replace(got, "\n\n"+preface.Text, "", 1)
				}
				if diff := cmp.Diff(want, opens(t, d, &part)); diff != "" {
					t.Errorf("%+v alone (-want +got):\n%s", part, diff)
				}
			}
		})
	}
}

// The record has the text apart from the question, where the dialect has
// several messages.
func TestPrefaceMessages(t *testing.T) {
	task := testTask()
	task.Preface = &preface
	for d, want := range map[agent.Dialect][]string{
		agent.Native: {llm.System, llm.User, llm.User, llm.Assistant},
		agent.Tags:   {llm.User, llm.Assistant},
	} {
		got := mustRun(t, llmtest.NewScript(answer("x")), agent.Options{Dialect: d}, task)
		var roles []string
		for _, m := range got.Messages {
			roles = append(roles, m.Role)
		}
		if diff := cmp.Diff(want, roles); diff != "" {
			t.Errorf("%s: roles mismatch (-want +got):\n%s", d, diff)
		}
		if last := got.Messages[len(want)-2]; !strings.HasSuffix(last.Content, "\n\nThe company is Acme.") {
			t.Errorf("%s: the opening ends with %q", d, last.Content)
		}
	}
}

// A rollout with a preface that is cut after any turn ends as it would have, and
// every request has the preface in it, also where results had to be left out.
func TestPrefaceResume(t *testing.T) {
	shrunk := false
	for i := range int64(8) {
		d := []agent.Dialect{agent.Native, agent.Tags}[i%2]
		var calls atomic.Int32
		model := mind(&calls)
		client := llmtest.Func(func(ctx context.Context, req *llm.Request) (*llm.Response, error) {
			sent := ""
			for _, m := range req.Messages {
				sent += m.Content
			}
			if !strings.Contains(sent, preface.Note) || !strings.Contains(sent, preface.Text) {
				t.Errorf("%s: a request lacks the preface", d)
			}
			return model.Complete(ctx, req)
		})
		a := agent.New(client, setOf(&engine{text: strings.Repeat("word ", 150)}), agent.Options{Dialect: d, Turns: 12})
		task := testTask()
		task.Seed, task.Preface = i, &preface
		var journal []trajectory.Turn
		task.Record = func(turn trajectory.Turn) error { journal = append(journal, turn); return nil }
		want, err := a.Run(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		shrunk = shrunk || strings.Contains(record(t, want), "context-shrunk")
		for cut := range len(journal) {
			resumed := task
			resumed.Past, resumed.Record = reread(t, journal[:cut]), nil
			got, err := a.Run(t.Context(), resumed)
			if err != nil {
				t.Fatal(err)
			}
			if record(t, got) != record(t, want) {
				t.Fatalf("seed %d, cut after turn %d: trajectory mismatch (-want +got):\n%s", i, cut, cmp.Diff(want, got, noTimes))
			}
		}
	}
	if !shrunk {
		t.Error("no request was too long: the test wants some that are")
	}
}

// Of two bounds the tighter one holds. A call costs 110 tokens and a second;
// after turn n the last call is made if 110n + 2·110 + 512 > the bound.
func TestTaskLimits(t *testing.T) {
	const five = 5*110 + 2*110 + 512 - 1 // not after turn 4, but after turn 5
	tests := []struct {
		name  string
		opts  agent.Options
		task  agent.Task
		end   trajectory.Termination
		turns int // before the last
	}{
		{"none", agent.Options{}, agent.Task{}, trajectory.TurnLimit, 19},
		{"tokens of the task", agent.Options{}, agent.Task{Tokens: five}, trajectory.TokenLimit, 5},
		{"tokens of the task are fewer", agent.Options{Tokens: five + 330}, agent.Task{Tokens: five}, trajectory.TokenLimit, 5},
		{"tokens of the task are more", agent.Options{Tokens: five}, agent.Task{Tokens: five + 330}, trajectory.TokenLimit, 5},
		{"tokens of the options", agent.Options{Tokens: five}, agent.Task{}, trajectory.TokenLimit, 5},
		{"time of the task", agent.Options{}, agent.Task{Time: 3500 * time.Millisecond}, trajectory.TimeLimit, 3},
		{"time of the task is less", agent.Options{Time: time.Minute}, agent.Task{Time: 3500 * time.Millisecond}, trajectory.TimeLimit, 3},
		{"time of the task is more", agent.Options{Time: 3500 * time.Millisecond}, agent.Task{Time: time.Minute}, trajectory.TimeLimit, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var calls atomic.Int32
				model := restless(agent.Native, &calls)
				client := llmtest.Func(func(ctx context.Context, req *llm.Request) (*llm.Response, error) {
					select {
					case <-ctx.Done():
						return nil, ctx.Err()
					case <-time.After(time.Second):
					}
					return model.Complete(ctx, req)
				})
				tt.opts.Turns = 20
				task := testTask()
				task.Tokens, task.Time = tt.task.Tokens, tt.task.Time
				got := mustRun(t, client, tt.opts, task)
				if got.Termination != tt.end || got.Usage.Searches != tt.turns || got.Answer != "a guess" {
					t.Errorf("ended %s after %d searches with %q, want %s after %d", got.Termination, got.Usage.Searches, got.Answer, tt.end, tt.turns)
				}
			})
		})
	}
}

// A preface that does not fit: with no result left to leave out, its middle goes,
// half and half of that; its beginning, its end and the question stay, and the
// record has it whole.
func TestPrefaceTooLong(t *testing.T) {
	long := agent.Preface{Text: "Summary: the answer is Acme. " + strings.Repeat("A fact that fills a line. ", 400) + "Be critical."}
	tooLong := &llm.Error{Kind: llm.ErrContextLength, Endpoint: "test", Status: 400}
	for _, d := range []agent.Dialect{agent.Native, agent.Tags} {
		t.Run(string(d), func(t *testing.T) {
			refused := 0
			client := llmtest.Func(func(_ context.Context, req *llm.Request) (*llm.Response, error) {
				all := ""
				for _, m := range req.Messages {
					all += m.Content
				}
				for _, part := range []string{"Question: Who founded the company?", "the answer is Acme", "Be critical."} {
					if !strings.Contains(all, part) {
						t.Errorf("%q is not in the request", part)
					}
				}
				if len(all) > 6000 {
					refused++
					return nil, tooLong
				}
				r := answer("Acme")
				return &r, nil
			})
			task := testTask()
			task.Preface = &long
			got := mustRun(t, client, agent.Options{Dialect: d}, task)
			if got.Answer != "Acme" || got.Termination != trajectory.Answered || refused != 2 { // 10,441 characters, then 5,220 and the rules
				t.Errorf("ended %s with %q after %d refusals", got.Termination, got.Answer, refused)
			}
			if !strings.Contains(fmt.Sprint(got.Messages), long.Text) || !slices.Contains(got.Steps[0].Repairs, "context-shrunk") {
				t.Errorf("the record lacks the whole text, or its repairs %v", got.Steps[0].Repairs)
			}
		})
	}
	never := llmtest.Func(func(context.Context, *llm.Request) (*llm.Response, error) { return nil, tooLong })
	task := testTask()
	task.Preface = &long
	if got := mustRun(t, never, agent.Options{}, task); got.Source != trajectory.AnswerNone || got.Termination != trajectory.TokenLimit {
		t.Errorf("with a model that nothing fits: ended %s with %q", got.Termination, got.Answer)
	}
}
