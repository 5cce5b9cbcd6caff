package aggregate_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm"
	"trawl/selection"
	"trawl/selection/aggregate"
	"trawl/trajectory"
)

func TestErrors(t *testing.T) {
	broken := &server{replies: []llm.Response{text("")}}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	silent := native(1, "")
	failed := native(2, "Rome")
	failed.Error = "unreachable"
	selectors := map[string]func(llm.Client) selection.Selector{
		"solagg":     func(c llm.Client) selection.Selector { return aggregate.NewSolAgg(c, aggregate.Options{}) },
		"summagg":    func(c llm.Client) selection.Selector { return aggregate.NewSummAgg(c, aggregate.Options{}) },
		"aggagent":   func(c llm.Client) selection.Selector { return aggregate.NewAggAgent(c, aggregate.Options{}) },
		"confidence": func(c llm.Client) selection.Selector { return aggregate.NewConfidence(c, aggregate.Options{}) },
		"asked": func(c llm.Client) selection.Selector {
			return aggregate.Asked{Confidence: aggregate.NewConfidence(c, aggregate.Options{}), Inner: aggregate.NewSolAgg(c, aggregate.Options{})}
		},
	}
	for name, selector := range selectors {
		for _, empty := range []selection.Group{groupOf(), groupOf(silent), groupOf(failed)} {
			if _, err := selector(broken).Select(t.Context(), empty); !errors.Is(err, selection.ErrEmpty) {
				t.Errorf("%s: %d trajectories without an answer: error %v, want ErrEmpty", name, len(empty.Trajectories), err)
			}
		}
		for _, kind := range []error{llm.ErrUnreachable, llm.ErrOverloaded, llm.ErrBadRequest} {
			_, err := selector(failing(kind)).Select(t.Context(), groupOf(native(0, "Paris")))
			if !errors.Is(err, kind) || !strings.HasPrefix(err.Error(), "aggregate: ") || strings.Contains(err.Error(), "q1") { // the caller says which question
				t.Errorf("%s: %v: error %v", name, kind, err)
			}
		}
		if _, err := selector(broken).Select(over, groupOf(native(0, "Paris"))); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: the end of ctx: error %v", name, err)
		}
		if _, err := selector(failing(llm.ErrMalformed)).Select(over, groupOf(native(0, "Paris"))); err == nil {
			t.Errorf("%s: the end of ctx within a reply: no error", name)
		}
	}
	if len(broken.requests) > 0 {
		t.Errorf("%d requests about nothing", len(broken.requests))
	}
}

// failing is a server whose every call ends in an error of a kind.
func failing(kind error) llm.Client {
	return clientFunc(func(context.Context, *llm.Request) (*llm.Response, error) {
		return nil, &llm.Error{Kind: kind, Endpoint: "test"}
	})
}

// A reply that cannot be read is a try, of whose tokens nothing is known: it ends
// neither a decision nor what the next call is held against.
func TestRepliesThatCannotBeRead(t *testing.T) {
	type maker = func(llm.Client, aggregate.Options) selection.Selector
	solAgg := maker(func(c llm.Client, o aggregate.Options) selection.Selector { return aggregate.NewSolAgg(c, o) })
	summAgg := maker(func(c llm.Client, o aggregate.Options) selection.Selector { return aggregate.NewSummAgg(c, o) })
	aggAgent := maker(func(c llm.Client, o aggregate.Options) selection.Selector { return aggregate.NewAggAgent(c, o) })
	confidence := maker(func(c llm.Client, o aggregate.Options) selection.Selector { return aggregate.NewConfidence(c, o) })
	paris := selection.Decision{Answer: "Paris", Index: -1}
	none := func(note string) selection.Decision { return selection.Decision{Index: -1, Note: note} }
	look := calling("get_solution", `{"trajectory_id":1}`)
	tests := []struct {
		name    string
		new     maker
		opts    aggregate.Options
		replies []llm.Response
		want    selection.Decision
		calls   int
	}{
		{"solagg, then an answer", solAgg, aggregate.Options{}, []llm.Response{noChoices, text(good)}, paris, 2},
		{"solagg, always", solAgg, aggregate.Options{}, []llm.Response{noChoices},
			none("none of 3 replies had an answer in the form asked for; 3 of the server's replies could not be read"), 3},
		{"solagg, once of three", solAgg, aggregate.Options{}, []llm.Response{text("Hm."), noChoices, text("Hm.")},
			none("none of 3 replies had an answer in the form asked for; 1 of the server's replies could not be read"), 3},
		{"summagg, then a report and an answer", summAgg, aggregate.Options{}, []llm.Response{noChoices, text("<report>Paris.</report>"), noChoices, text(good)}, paris, 4},
		{"summagg, always", summAgg, aggregate.Options{}, []llm.Response{noChoices}, none("none of 1 reports could be had; 3 of the server's replies could not be read"), 3},
		{"aggagent, then a call", aggAgent, aggregate.Options{}, []llm.Response{noChoices, look, noChoices, finishing(good)}, paris, 4},
		{"aggagent, at the forced finish", aggAgent, aggregate.Options{Context: 1}, []llm.Response{look, noChoices, finishing(good)}, paris, 3},
		{"aggagent, always", aggAgent, aggregate.Options{Tries: 1}, []llm.Response{noChoices}, // three iterations and the forced finish, of five tries each
			none("none of 1 attempts finished with a solution in the form asked for; 20 of the server's replies could not be read"), 20},
		{"confidence, then a number", confidence, aggregate.Options{}, []llm.Response{noChoices, text("85%")}, selection.Decision{Answer: "Paris", Scores: []float64{.85}}, 2},
		{"confidence, always", confidence, aggregate.Options{Tries: 2}, []llm.Response{noChoices},
			selection.Decision{Answer: "Paris", Note: "the model states no confidence; 2 of the server's replies could not be read"}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			check(t, decide(t, tt.new(&server{replies: tt.replies}, tt.opts), groupOf(native(0, "Paris"))), tt.want, tt.calls)
		})
	}

	// 100 + (130 − 100), whatever happened between.
	model := &server{replies: []llm.Response{usage(look, 100, 5, 0), noChoices, usage(finishing(good), 130, 7, 100)}}
	got := decide(t, aggregate.NewAggAgent(model, aggregate.Options{}), groupOf(native(0, "Paris")))
	want := selection.Decision{Answer: "Paris", Index: -1, Cost: selection.Cost{Calls: 3, Prompt: 230, Completion: 12, Cached: 100, Fresh: 130}}
	if diff := cmp.Diff(want, got, sameButTime); diff != "" {
		t.Errorf("decision mismatch (-want +got):\n%s", diff)
	}
}

type clientFunc func(context.Context, *llm.Request) (*llm.Response, error)

func (f clientFunc) Complete(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	return f(ctx, req)
}

// Same settings, same group, same seeds; anything else, others.
func TestSeeds(t *testing.T) {
	first := func(base int64, ts ...*trajectory.Trajectory) int64 {
		model := &server{replies: []llm.Response{text(good)}}
		decide(t, aggregate.NewSolAgg(model, aggregate.Options{Seed: base}), groupOf(ts...))
		return *model.requests[0].Seed
	}
	same := first(7, native(0, "a"), native(1, "b"))
	if again := first(7, native(0, "c"), native(1, "d")); again != same {
		t.Errorf("seeds %d and %d", same, again)
	}
	if first(8, native(0, "a"), native(1, "b")) == same || first(7, native(0, "a"), native(2, "b")) == same {
		t.Error("the seed does not depend on the settings or the rollouts")
	}
}

func TestRequests(t *testing.T) {
	temperature := 0.2
	tests := []struct {
		name string
		opts aggregate.Options
		new  func(llm.Client, aggregate.Options) selection.Selector
		want string
	}{
		{"solagg", aggregate.Options{}, func(c llm.Client, o aggregate.Options) selection.Selector { return aggregate.NewSolAgg(c, o) },
			`{"Temperature":1,"TopP":null,"MaxTokens":10000,"Stop":null,"Extra":null}`},
		{"aggagent", aggregate.Options{}, func(c llm.Client, o aggregate.Options) selection.Selector { return aggregate.NewAggAgent(c, o) },
			`{"Temperature":1,"TopP":0.95,"MaxTokens":10000,"Stop":null,"Extra":{"parallel_tool_calls":false}}`},
		{"aggagent with settings", aggregate.Options{Sampling: llm.Sampling{Temperature: &temperature, MaxTokens: 9, Extra: data{"top_k": 5}}},
			func(c llm.Client, o aggregate.Options) selection.Selector { return aggregate.NewAggAgent(c, o) },
			`{"Temperature":0.2,"TopP":0.95,"MaxTokens":9,"Stop":null,"Extra":{"parallel_tool_calls":false,"top_k":5}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			model := &server{replies: []llm.Response{finishing(good), text(good)}}
			if tt.name == "solagg" {
				model.replies = []llm.Response{text(good)}
			}
			decide(t, tt.new(model, tt.opts), groupOf(native(0, "Paris")))
			got, err := json.Marshal(model.requests[0].Sampling)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("sampling mismatch (-want +got):\n%s", diff)
			}
			if model.requests[0].Affinity != "q1" {
				t.Errorf("affinity %q", model.requests[0].Affinity)
			}
		})
	}
}

func TestIdentity(t *testing.T) {
	type named interface{ Identity() string }
	temperature := 0.2
	o := aggregate.Options{Seed: 3}
	distinct := []named{
		aggregate.NewSolAgg(nil, o), aggregate.NewSummAgg(nil, o), aggregate.NewAggAgent(nil, o), aggregate.NewConfidence(nil, o),
		aggregate.NewSolAgg(nil, aggregate.Options{Seed: 4}),
		aggregate.NewSolAgg(nil, aggregate.Options{Seed: 3, Tries: 4}),
		aggregate.NewAggAgent(nil, aggregate.Options{Seed: 3, Context: 4}),
		aggregate.NewSolAgg(nil, aggregate.Options{Seed: 3, Sampling: llm.Sampling{Temperature: &temperature}}),
		aggregate.NewConfidence(nil, aggregate.Options{Seed: 3, Tools: aggregate.ToolSpecs(1)}),
		aggregate.Asked{Confidence: aggregate.NewConfidence(nil, o), Inner: aggregate.NewSolAgg(nil, o)},
	}
	seen := map[string]bool{}
	for _, n := range distinct {
		seen[n.Identity()] = true
	}
	if len(seen) != len(distinct) {
		t.Errorf("%d identities of %d selectors", len(seen), len(distinct))
	}
	if one := 1.0; aggregate.NewSolAgg(nil, o).Identity() != aggregate.NewSolAgg(nil, aggregate.Options{Seed: 3, Tries: 3, Sampling: llm.Sampling{Temperature: &one}}).Identity() {
		t.Error("a default that is written out changes the identity")
	}
	if aggregate.NewSolAgg(nil, o).Identity() != aggregate.NewSolAgg(nil, aggregate.Options{Seed: 3, Context: 9, Tools: aggregate.ToolSpecs(1)}).Identity() {
		t.Error("options that SolAgg does not read change its identity")
	}
	if !strings.Contains(aggregate.NewAggAgent(nil, o).Identity(), `"context":102400`) {
		t.Errorf("identity %s", aggregate.NewAggAgent(nil, o).Identity())
	}
	var id struct {
		Method, Prompts string
		Tries, Context  int
	}
	if err := json.Unmarshal([]byte(distinct[0].Identity()), &id); err != nil {
		t.Fatal(err)
	}
	if id.Method != "solagg" || id.Prompts != aggregate.PromptHash() || id.Tries != 3 || id.Context != 0 {
		t.Errorf("identity %+v", id)
	}
}
