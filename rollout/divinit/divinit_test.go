package divinit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm"
	"trawl/agent/llm/llmtest"
	"trawl/internal/testutil"
	"trawl/rollout/divinit"
	"trawl/trajectory"
)

var question = trajectory.Question{ID: "q1", Text: oscars}

func reply(lines ...string) llm.Response {
	return llm.Response{
		Message: llm.Message{Content: strings.Join(lines, "\n")},
		Usage:   llm.Usage{Prompt: 100, Completion: 10, Cached: 4},
	}
}

func newSeeder(t *testing.T, client llm.Client, opts divinit.Options) *divinit.Seeder {
	t.Helper()
	s, err := divinit.New(client, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func query(source trajectory.SeedSource, text string) trajectory.SeedQuery {
	return trajectory.SeedQuery{Text: text, Source: source}
}

func TestPool(t *testing.T) {
	const pool, retry, heuristic, self = trajectory.SeedPool, trajectory.SeedRetry, trajectory.SeedHeuristic, trajectory.SeedSelf
	tests := []struct {
		name     string
		question string
		replies  []llm.Response
		calls    int
		want     []trajectory.SeedQuery
	}{
		{
			"one call is enough", oscars, []llm.Response{reply(oscarQueries...)}, 1,
			[]trajectory.SeedQuery{query(pool, oscarQueries[0]), query(pool, oscarQueries[3]), query(pool, oscarQueries[5]), query(pool, oscarQueries[2])},
		},
		{
			"second call for the missing", oscars, []llm.Response{reply(oscarQueries[0], "film 1998 winner best picture"), reply(oscarQueries[3], oscarQueries[2], oscarQueries[5])}, 2,
			[]trajectory.SeedQuery{query(pool, oscarQueries[0]), query(retry, oscarQueries[3]), query(retry, oscarQueries[5]), query(retry, oscarQueries[2])},
		},
		{
			"spans of the question", oscars, []llm.Response{reply("James Cameron"), reply("!")}, 2,
			[]trajectory.SeedQuery{query(pool, "James Cameron"), query(heuristic, oscars), query(heuristic, "Best Picture"), query(heuristic, "1998")},
		},
		{
			"own choice for the rest", "why is the sky blue", []llm.Response{reply(""), reply("")}, 2,
			[]trajectory.SeedQuery{query(heuristic, "why is the sky blue"), query(self, ""), query(self, ""), query(self, "")},
		},
		{
			"question that is a name", "James Cameron", []llm.Response{reply("Cameron, James"), reply("")}, 2,
			[]trajectory.SeedQuery{query(pool, "Cameron, James"), query(self, ""), query(self, ""), query(self, "")},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			script := llmtest.NewScript(tt.replies...)
			got, err := newSeeder(t, script, divinit.Options{}).Pool(t.Context(), trajectory.Question{ID: "q1", Text: tt.question}, 4, divinit.Known{}, 1)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.Queries); diff != "" {
				t.Errorf("queries mismatch (-want +got):\n%s", diff)
			}
			usage := trajectory.CallUsage{Prompt: 100 * tt.calls, Completion: 10 * tt.calls, Cached: 4 * tt.calls}
			if got.Calls != tt.calls || got.Usage != usage || len(script.Requests()) != tt.calls {
				t.Errorf("%d calls recorded with %+v, %d made; want %d with %+v", got.Calls, got.Usage, len(script.Requests()), tt.calls, usage)
			}
		})
	}
}

func TestPoolKeepsAllCandidates(t *testing.T) {
	script := llmtest.NewScript(reply("James Cameron", "Cameron James"), reply("Kate Winslet"))
	got, err := newSeeder(t, script, divinit.Options{}).Pool(t.Context(), question, 2, divinit.Known{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"James Cameron", "Cameron James", "Kate Winslet"}
	if diff := cmp.Diff(want, got.Candidates); diff != "" {
		t.Errorf("candidates mismatch (-want +got):\n%s", diff)
	}
}

func TestPoolRequest(t *testing.T) {
	script := llmtest.NewScript(reply("James Cameron"), reply(oscarQueries...))
	zero := 0.0
	opts := divinit.Options{Pool: 6, Sampling: llm.Sampling{Temperature: &zero, MaxTokens: 99, Extra: map[string]any{"top_k": 20}}}
	if _, err := newSeeder(t, script, opts).Pool(t.Context(), question, 2, divinit.Known{}, 1); err != nil {
		t.Fatal(err)
	}
	requests := script.Requests()
	first, second := requests[0], requests[1]
	testutil.Golden(t, "pool.golden", first.Messages[0].Content)
	testutil.Golden(t, "retry.golden", second.Messages[0].Content)
	if diff := cmp.Diff(opts.Sampling, first.Sampling); diff != "" {
		t.Errorf("sampling mismatch (-want +got):\n%s", diff)
	}
	if len(first.Messages) != 1 || first.Messages[0].Role != llm.User || first.Tools != nil || first.Affinity != "q1" {
		t.Errorf("request = %+v, want one user message without tools", first)
	}
	if *first.Seed == *second.Seed {
		t.Error("the second request has the seed of the first")
	}
}

func TestPoolDefaults(t *testing.T) {
	script := llmtest.NewScript(reply(oscarQueries...))
	if _, err := newSeeder(t, script, divinit.Options{}).Pool(t.Context(), question, 4, divinit.Known{}, 1); err != nil {
		t.Fatal(err)
	}
	got := script.Requests()[0]
	if *got.Temperature != 1 || got.MaxTokens != 2048 || !strings.Contains(got.Messages[0].Content, "exactly 16 search queries") {
		t.Errorf("temperature %v, max tokens %d, prompt %q", *got.Temperature, got.MaxTokens, got.Messages[0].Content)
	}
}

// TestPoolLargerThanAsked makes sure that more rollouts than candidates widen
// the request rather than leave rollouts without a query.
func TestPoolLargerThanAsked(t *testing.T) {
	script := llmtest.NewScript(reply(oscarQueries...))
	got, err := newSeeder(t, script, divinit.Options{Pool: 2}).Pool(t.Context(), question, 6, divinit.Known{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Queries) != 6 || got.Calls != 1 || got.Queries[5].Source != trajectory.SeedPool {
		t.Errorf("pool = %+v, want six queries from one call", got)
	}
}

func TestPoolErrors(t *testing.T) {
	cancelled := errors.New("cancelled by the test")
	tests := []struct {
		name string
		err  error
		want error // nil: falls back
	}{
		{"unreachable", &llm.Error{Kind: llm.ErrUnreachable}, llm.ErrUnreachable},
		{"overloaded", &llm.Error{Kind: llm.ErrOverloaded}, llm.ErrOverloaded},
		{"refused", &llm.Error{Kind: llm.ErrBadRequest}, llm.ErrBadRequest},
		{"anything else", cancelled, cancelled},
		{"unreadable reply", &llm.Error{Kind: llm.ErrMalformed}, nil},
		{"question too long for the model", &llm.Error{Kind: llm.ErrContextLength}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client := llmtest.Func(func(context.Context, *llm.Request) (*llm.Response, error) { return nil, tt.err })
			pool, err := newSeeder(t, client, divinit.Options{}).Pool(t.Context(), question, 4, divinit.Known{}, 1)
			if !errors.Is(err, tt.want) {
				t.Fatalf("error %v, want %v", err, tt.want)
			}
			if tt.want == nil && (len(pool.Queries) != 4 || pool.Queries[0].Source != trajectory.SeedHeuristic) {
				t.Errorf("pool = %+v, want four queries that begin with the question", pool)
			}
		})
	}
}

func TestPoolEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	client := llmtest.Func(func(context.Context, *llm.Request) (*llm.Response, error) {
		cancel()
		return nil, fmt.Errorf("%w: %w", llm.ErrMalformed, ctx.Err())
	})
	if _, err := newSeeder(t, client, divinit.Options{}).Pool(ctx, question, 4, divinit.Known{}, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, opts := range []divinit.Options{{Pool: -1}, {Lambda: 1.5}, {Lambda: -0.1}, {Pick: "best"}} {
		if _, err := divinit.New(llmtest.NewScript(), opts); err == nil {
			t.Errorf("New(%+v) succeeds", opts)
		}
	}
}

var steps = []trajectory.Step{
	{Turn: 1, Kind: trajectory.KindSearch, Query: "Best Picture\nwinner 1998", Shown: "Doc 1(Title: Titanic) Titanic is a film of 1997.\n"},
	{Turn: 1, Kind: trajectory.KindOpen, Query: "", Shown: "a page"},
	{Turn: 2, Kind: trajectory.KindSearch, Query: "Titanic film director", Shown: "No documents match this query."},
}

func TestPropose(t *testing.T) {
	tests := []struct {
		name  string
		reply []string
		want  trajectory.SeedQuery
	}{
		// To the nearest of the two queries: 1 is 2/3 from the second, 2 is 1 from both, and so is 3.
		{"furthest from the past", []string{"1. Titanic film director name", "2. James Cameron birthplace", "3. Kate Winslet"}, query(trajectory.SeedPool, "James Cameron birthplace")},
		{"nothing new", []string{"Titanic director film", "winner 1998: Best Picture"}, query(trajectory.SeedSelf, "")},
		{"nothing readable", []string{"…"}, query(trajectory.SeedSelf, "")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			script := llmtest.NewScript(reply(tt.reply...))
			got, usage, calls, err := newSeeder(t, script, divinit.Options{Pool: 3}).Propose(t.Context(), question, steps, 5)
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("Propose = %+v, want %+v", got, tt.want)
			}
			if calls != 1 || usage.Prompt != 100 || len(script.Requests()) != 1 {
				t.Errorf("%d calls with %+v, want one", calls, usage)
			}
			testutil.Golden(t, "propose.golden", script.Requests()[0].Messages[0].Content)
		})
	}
}

func TestProposeWithoutAPast(t *testing.T) {
	got, _, _, err := newSeeder(t, llmtest.NewScript(reply("James Cameron", "Kate Winslet")), divinit.Options{}).Propose(t.Context(), question, nil, 5)
	if want := query(trajectory.SeedPool, "James Cameron"); err != nil || got != want {
		t.Errorf("Propose = %+v, %v; want %+v", got, err, want)
	}
}

func TestProposeReportsADeadServer(t *testing.T) {
	client := llmtest.Func(func(context.Context, *llm.Request) (*llm.Response, error) {
		return nil, &llm.Error{Kind: llm.ErrUnreachable}
	})
	if _, _, calls, err := newSeeder(t, client, divinit.Options{}).Propose(t.Context(), question, steps, 5); !errors.Is(err, llm.ErrUnreachable) || calls != 0 {
		t.Errorf("%d calls, error %v, want none and %v", calls, err, llm.ErrUnreachable)
	}
}

// TestHeuristics asks a model that says nothing, so that what remains is read
// from the question.
func TestHeuristics(t *testing.T) {
	tests := []struct {
		question string
		want     []string // behind the question itself
	}{
		{`Who wrote “The Silent Harbor” and "Dune"?`, []string{"The Silent Harbor", "Dune"}},
		{"Which river flows through the city where Lord of the Rings author J. R. R. Tolkien died in 1973?", []string{"Lord of the Rings", "Tolkien", "1973"}},
		{"In which country was Ada Lovelace's teacher born?", []string{"Ada Lovelace"}},
		{"Are Paris, Texas and Berlin of one country?", []string{"Paris", "Texas", "Berlin"}},
		{"東京タワーの設計者は「誰ですか」", []string{"誰ですか"}},
		{"how high is it", nil},
	}
	for _, tt := range tests {
		t.Run(tt.question, func(t *testing.T) {
			script := llmtest.NewScript(reply(""), reply(""))
			pool, err := newSeeder(t, script, divinit.Options{}).Pool(t.Context(), trajectory.Question{ID: "q", Text: tt.question}, 9, divinit.Known{}, 1)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, q := range pool.Queries[1:] {
				if q.Source == trajectory.SeedHeuristic {
					got = append(got, q.Text)
				}
			}
			if pool.Queries[0] != query(trajectory.SeedHeuristic, tt.question) {
				t.Errorf("first query %+v, want the question", pool.Queries[0])
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("spans mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPromptHash(t *testing.T) {
	if got := divinit.PromptHash(); !strings.HasPrefix(got, "sha256:") || len(got) != len("sha256:")+64 {
		t.Errorf("PromptHash = %q", got)
	}
}

func ExampleSelect() {
	pool := []string{"Titanic film director", "film Titanic director", "Titanic cast", "70th Academy Awards"}
	for _, i := range divinit.Select("Who directed Titanic?", pool, 2, divinit.Params{}) {
		fmt.Println(pool[i])
	}
	// Output:
	// Titanic film director
	// 70th Academy Awards
}
