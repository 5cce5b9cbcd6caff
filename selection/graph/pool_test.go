package graph_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"trawl/selection"
	"trawl/selection/graph"
	"trawl/trajectory"
)

// one returns a search that found a chunk of each text.
func one(query string, texts ...string) graph.Search {
	s := graph.Search{Query: query}
	for _, t := range texts {
		s.Chunks = append(s.Chunks, graph.Chunk{Text: t})
	}
	return s
}

func rollout(n int, answer string, searches ...graph.Search) graph.Rollout {
	return graph.Rollout{Number: n, Answer: answer, Searches: searches}
}

func TestBuildPoolErrors(t *testing.T) {
	found := one("q", "x")
	tests := []struct {
		name     string
		rollouts []graph.Rollout
		options  graph.Options
		want     string
	}{
		{"nothing", nil, graph.Options{}, graph.ErrEmpty.Error()},
		{"no answer and no search", []graph.Rollout{rollout(0, "", found), rollout(1, "a"), rollout(2, "a", one("q")), rollout(3, "a", one("q", " \n", "\x1c"))}, graph.Options{}, graph.ErrEmpty.Error()},
		{"an answer of white space", []graph.Rollout{rollout(0, " \u00a0\x1f", found)}, graph.Options{}, graph.ErrEmpty.Error()},
		{"all beyond the first", []graph.Rollout{rollout(1, "a", found), rollout(0, "", found)}, graph.Options{Rollouts: 1}, graph.ErrEmpty.Error()},
		{"a rollout twice, even if it is dropped", []graph.Rollout{rollout(7, "a", found), rollout(0, "a", found), rollout(7, "", found)}, graph.Options{Rollouts: 1},
			`graph: question "id": round 0, rollout 7 is there twice; keep one`},
		{"no such variant", []graph.Rollout{rollout(0, "a", found)}, graph.Options{Variant: "tree"}, `graph: variant "tree"`},
		{"ranks below none", []graph.Rollout{rollout(0, "a", found)}, graph.Options{Ranks: -1}, "graph: -1 rank relations"},
		{"rollouts below none", []graph.Rollout{rollout(0, "a", found)}, graph.Options{Rollouts: -1}, "graph: -1 rollouts"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g, err := graph.BuildPool(graph.Pool{ID: "id", Rollouts: tt.rollouts}, tt.options)
			if err == nil || !strings.Contains(err.Error(), tt.want) || g != nil {
				t.Errorf("BuildPool = %v, %v, want error %q", g, err, tt.want)
			}
			if tt.want == graph.ErrEmpty.Error() && !errors.Is(err, graph.ErrEmpty) {
				t.Errorf("error %v is not ErrEmpty", err)
			}
		})
	}
}

// Ten results with three rank relations: the third relation has eight of them.
// A passage of nothing keeps its rank and is no evidence.
func TestRanks(t *testing.T) {
	texts := make([]string, 10)
	for i := range texts {
		texts[i] = fmt.Sprint("passage ", i)
	}
	texts[1] = " "
	p := graph.Pool{Rollouts: []graph.Rollout{rollout(0, "a", one("q", texts...))}}
	tests := []struct {
		ranks int
		want  map[graph.Relation]int
	}{
		{0, map[graph.Relation]int{"starts": 1, "next": 0, "rank1": 1, "rank2": 0, "rank3": 8, "rank1_of": 1, "rank2_of": 0, "rank3_of": 8}},
		{1, map[graph.Relation]int{"starts": 1, "next": 0, "rank1": 9, "rank1_of": 9}},
		{11, map[graph.Relation]int{"starts": 1, "next": 0, "rank1": 1, "rank2": 0, "rank3": 1, "rank4": 1, "rank5": 1, "rank6": 1, "rank7": 1, "rank8": 1,
			"rank9": 1, "rank10": 1, "rank11": 0, "rank1_of": 1, "rank2_of": 0, "rank3_of": 1, "rank4_of": 1, "rank5_of": 1, "rank6_of": 1, "rank7_of": 1,
			"rank8_of": 1, "rank9_of": 1, "rank10_of": 1, "rank11_of": 0}},
	}
	for _, tt := range tests {
		g, err := graph.BuildPool(p, graph.Options{Ranks: tt.ranks})
		if err != nil {
			t.Fatal(err)
		}
		got := map[graph.Relation]int{}
		for r, edges := range g.Edges {
			got[r] = len(edges)
		}
		if diff := gocmp.Diff(tt.want, got); diff != "" {
			t.Errorf("edges with %d ranks mismatch (-want +got):\n%s", tt.ranks, diff)
		}
	}
}

func TestVotes(t *testing.T) {
	answers := []string{"The", "a", "...", " the ", "Taldra!", "the taldra", "…"}
	p := graph.Pool{Question: "?"}
	for i, a := range answers {
		r := rollout(i, a, one("q", "x"))
		r.Events = []graph.Event{}
		p.Rollouts = append(p.Rollouts, r)
	}
	tests := []struct {
		variant graph.Variant
		texts   []string
	}{
		{graph.WebQA, []string{"The", "a", "...", "The", "Taldra!", "Taldra!", "…"}},
		{graph.LongHorizon, []string{"The", "a", "...", "the", "Taldra!", "the taldra", "…"}},
	}
	for _, tt := range tests {
		g, err := graph.BuildPool(p, graph.Options{Variant: tt.variant})
		if err != nil {
			t.Fatal(err)
		}
		var votes []int
		var texts []string
		for _, a := range g.Answers {
			votes = append(votes, a.Votes)
			texts = append(texts, g.Texts[a.Text])
		}
		if diff := gocmp.Diff([]int{2, 1, 1, 2, 2, 2, 1}, votes); diff != "" {
			t.Errorf("%s: votes mismatch (-want +got):\n%s", tt.variant, diff)
		}
		if diff := gocmp.Diff(tt.texts, texts); diff != "" {
			t.Errorf("%s: texts mismatch (-want +got):\n%s", tt.variant, diff)
		}
	}
}

func TestTrainable(t *testing.T) {
	webqa := &graph.Graph{Variant: graph.WebQA, Answers: []graph.Answer{{Rollouts: []int{1}}, {Rollouts: []int{2}}}}
	long := &graph.Graph{Variant: graph.LongHorizon, Answers: []graph.Answer{{Rollouts: []int{1}}, {Rollouts: []int{2}}}}
	tests := []struct {
		name   string
		g      *graph.Graph
		labels []float64
		want   bool
	}{
		{"no graph", nil, []float64{0, 1}, false},
		{"webqa: a dropped one differs", webqa, []float64{0, 1, 1}, true},
		{"webqa: one class", webqa, []float64{1, 1, 1}, false},
		{"long-horizon: a dropped one differs", long, []float64{0, 1, 1}, false},
		{"long-horizon: retained ones differ", long, []float64{0, 0, 1}, true},
		{"half right is wrong", long, []float64{0, .5, .51}, true},
		{"half right is not right", long, []float64{0, .5, 0}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := graph.Trainable(tt.g, tt.labels); got != tt.want {
				t.Errorf("Trainable(%v) = %t, want %t", tt.labels, got, tt.want)
			}
		})
	}
}

func stored(n int, answer string, steps ...trajectory.Step) *trajectory.Trajectory {
	return &trajectory.Trajectory{QuestionID: "q1", Question: "Who?", Round: 1, Rollout: n, Answer: answer, Steps: steps}
}

func searched(turn int, query string, results ...trajectory.Result) trajectory.Step {
	return trajectory.Step{Turn: turn, Kind: trajectory.KindSearch, Query: query, Results: results, Shown: "Doc 1(Title: …"}
}

func TestBuildWebQA(t *testing.T) {
	failed := searched(2, "b", trajectory.Result{Title: "T", Text: "never shown"})
	failed.Error = "unreachable"
	broken := stored(4, "x", searched(1, "a", trajectory.Result{Text: "t"}))
	broken.Error = "killed"
	second := stored(0, "B", searched(1, "c", trajectory.Result{Title: "T", Text: "one\n two"}))
	second.Round = 2
	g, err := graph.Build(selection.Group{
		Question: trajectory.Question{ID: "q1", Text: "Who?"},
		Trajectories: []*trajectory.Trajectory{
			second, broken,
			stored(3, " A ",
				searched(1, " a  b", trajectory.Result{Title: " T", Text: "one two "}, trajectory.Result{Text: "no title"}),
				failed,
				searched(3, "c"), // a repetition has no results
				trajectory.Step{Turn: 4, Kind: trajectory.KindOpen, Results: []trajectory.Result{{Text: "a page"}}},
				searched(5, "c", trajectory.Result{Text: "(Title: T) one two"}),
				trajectory.Step{Turn: 6, Kind: trajectory.KindAnswer},
			),
		},
	}, graph.Options{Ranks: 2})
	if err != nil {
		t.Fatal(err)
	}
	want := &graph.Graph{
		Variant: graph.WebQA,
		Texts:   []string{"Who?", "A", "a b", "(Title: T) one two", "no title", "c", "B"},
		Query:   0,
		Answers: []graph.Answer{{Text: 1, Rollouts: []int{2}, Votes: 1}, {Text: 6, Rollouts: []int{0}, Votes: 1}},
		Subqueries: []graph.Subquery{
			{Text: 2, Answers: []int{0}}, {Text: 5, Answers: []int{0}}, {Text: 5, Answers: []int{1}},
		},
		Evidence: []graph.Evidence{
			{Text: 3, Content: 0, Answers: []int{0}, Document: -1}, {Text: 4, Content: 1, Answers: []int{0}, Document: -1},
			{Text: 3, Content: 0, Answers: []int{0}, Document: -1}, {Text: 3, Content: 0, Answers: []int{1}, Document: -1},
		},
		Contents: 2,
		Edges: map[graph.Relation][]graph.Edge{
			graph.Starts: {{0, 0}, {0, 2}}, graph.Next: {{0, 1}},
			graph.Rank(1): {{0, 0}, {1, 2}, {2, 3}}, graph.RankOf(1): {{0, 0}, {2, 1}, {3, 2}},
			graph.Rank(2): {{0, 1}}, graph.RankOf(2): {{1, 0}},
		},
	}
	if diff := gocmp.Diff(want, g); diff != "" {
		t.Errorf("graph mismatch (-want +got):\n%s", diff)
	}
}

func TestBuildOtherQuestion(t *testing.T) {
	other := stored(5, "a", searched(1, "a", trajectory.Result{Text: "t"}))
	other.Question = "Whom?"
	_, err := graph.Build(selection.Group{Question: trajectory.Question{ID: "q1", Text: "Who?"}, Trajectories: []*trajectory.Trajectory{other}}, graph.Options{})
	want := `graph: question "q1": round 1, rollout 5 is of question "q1", "Whom?"; a group has one question`
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// Two calls of one turn do not see each other's views; the turn after sees both.
func TestBuildLongHorizon(t *testing.T) {
	const mark = "\n**viewing lines [0 - 0] of 1**\nL0: "
	step := func(turn int, kind trajectory.Kind, args, shown string) trajectory.Step {
		return trajectory.Step{Turn: turn, Kind: kind, Call: &trajectory.Call{Name: string(kind), Arguments: json.RawMessage(args)}, Shown: shown}
	}
	plain := searched(4, "no cursor", trajectory.Result{Rank: 1, Title: "T", Text: "x"})
	g, err := graph.Build(selection.Group{
		Question: trajectory.Question{ID: "q1", Text: "Who?"},
		Trajectories: []*trajectory.Trajectory{
			stored(0, "A",
				step(1, trajectory.KindSearch, `{"query":"s"}`, "[0] s (web-search://ts=0)"+mark+"link"),
				step(2, trajectory.KindOpen, `{"id":1}`, "[1] P (https://e.org/p)"+mark+"p"),
				step(2, trajectory.KindOpen, `{"id":2}`, "[2] R (https://e.org/r)"+mark+"r"),
				step(3, trajectory.KindNone, `{}`, "[9] not a call of the browser"),
				step(4, trajectory.KindFind, `{"pattern":"x"}`, "[3] Find\nL0: # 【0†match at L1】\nL1: x"),
				step(4, trajectory.KindOpen, `{"id":3}`, ""),
				plain,
			),
			stored(1, "B"),
		},
	}, graph.Options{Variant: graph.LongHorizon})
	if err != nil {
		t.Fatal(err)
	}
	want := &graph.Graph{
		Variant:    graph.LongHorizon,
		Texts:      []string{"Who?", "A", "s", "no cursor", "P (https://e.org/p) p", "R (https://e.org/r) r", "x", "B"},
		Answers:    []graph.Answer{{Text: 1, Rollouts: []int{0}, Votes: 1}, {Text: 7, Rollouts: []int{1}, Votes: 1}},
		Subqueries: []graph.Subquery{{Text: 2, Answers: []int{0}}, {Text: 3, Answers: []int{0}}},
		Evidence: []graph.Evidence{
			{Text: 4, Content: 0, Answers: []int{0}, Document: 0}, {Text: 5, Content: 1, Answers: []int{0}, Document: 1},
			{Text: 6, Content: 2, Answers: []int{0}, Document: 1, Find: true},
		},
		Contents:  3,
		Documents: []graph.Document{{ID: "url:https://e.org/p", Verified: true}, {ID: "url:https://e.org/r", Verified: true}},
		Edges: map[graph.Relation][]graph.Edge{
			graph.BelongsTo: {{0, 0}, {1, 1}, {2, 1}}, graph.Contains: {{0, 0}, {1, 1}, {1, 2}},
			graph.Opens: {{0, 0}, {0, 1}}, graph.OpenedBy: {{0, 0}, {1, 0}},
			graph.Finds: {{0, 2}}, graph.FoundBy: {{2, 0}},
			graph.Next: {{0, 1}}, graph.Previous: {{1, 0}},
		},
	}
	if diff := gocmp.Diff(want, g); diff != "" {
		t.Errorf("graph mismatch (-want +got):\n%s", diff)
	}
}
