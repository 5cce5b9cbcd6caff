package pool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/eval/pool"
	"trawl/selection/graph"
	"trawl/trajectory"
)

// run makes a completed rollout of q whose searches returned the documents given.
func run(q string, rollout int, answer string, searches ...[]string) *trajectory.Trajectory {
	t := &trajectory.Trajectory{V: 1, QuestionID: q, Round: 1, Rollout: rollout, Answer: answer}
	for i, ids := range searches {
		s := trajectory.Step{Turn: i + 1, Kind: trajectory.KindSearch, Query: fmt.Sprint("query ", i)}
		for rank, id := range ids {
			s.Results = append(s.Results, trajectory.Result{Rank: rank + 1, ID: id, Title: "title of " + id, Text: "text of " + id})
		}
		t.Steps = append(t.Steps, s)
	}
	return t
}

func failed(q string, rollout int) *trajectory.Trajectory {
	t := run(q, rollout, "")
	t.Error = "model unreachable"
	return t
}

func question(id string, golds ...string) dataset.Example {
	return dataset.Example{Question: trajectory.Question{ID: id, Text: "What of " + id + "?"}, Golds: golds}
}

// from returns a source of lines.
func from(lines ...*trajectory.Trajectory) pool.Source {
	return func(q string) (out []*trajectory.Trajectory, err error) {
		for _, t := range lines {
			if t.QuestionID == q {
				out = append(out, t)
			}
		}
		return out, nil
	}
}

type ids = []string

var within = []cmp.Option{cmpopts.EquateApprox(0, 1e-12), cmpopts.IgnoreFields(eval.Stat{}, "CI95")}

func stat(mean float64, n int) *eval.Stat { return &eval.Stat{Mean: mean, N: n} }

func ptr(v float64) *float64 { return &v }

func TestOf(t *testing.T) {
	examples := []dataset.Example{question("q1", "Paris"), question("q2", "Paris"), question("q3", "Paris"), question("q4")}
	source := from(
		run("q1", 0, "Paris", ids{"d1", "d2"}),
		run("q1", 1, "paris", ids{}), // right, but nothing was found
		run("q1", 2, "Lyon", ids{}, ids{"d1", "d3"}),
		run("q1", 3, " ", ids{"d1"}), // no answer
		failed("q2", 0), run("q2", 1, "The", ids{"d1"}, ids{"d1"}),
		run("q3", 2, ""), run("q3", 0, "Paris"),
		run("q4", 0, "x", ids{"d1"}, ids{"d1"}), run("q4", 1, "y", ids{"d1"}), run("q4", 2, "z", ids{"d1"}, ids{"d1"}, ids{"d1"}),
	)
	got, err := pool.Of(t.Context(), examples, source, pool.Options{Seed: 42})
	if err != nil {
		t.Fatal(err)
	}
	want := &pool.Report{
		Variant: graph.WebQA, Questions: 4, Rollouts: 4, Complete: 10, Failed: 1, Missing: 5,
		Filter: pool.Filter{Retained: 6, NoAnswer: 2, NothingFound: 2, Share: ptr(0.4), EmptyPools: 1},
		CoverageAt: map[int]pool.Coverage{
			// q1: 2 of 4 are right, 1 of them is retained; q2: none of 1; q3: 1 of 2, dropped.
			1: {stat((0.5+0+0.5)/3, 3), stat((0.25+0+0)/3, 3), stat((0.25+0+0.5)/3, 3)},
			// q1: 1 − C(2, 2)/C(4, 2) = 5/6 and 1 − C(3, 2)/6 = 1/2; q3: 1 and 0.
			2: {stat((5.0/6+1)/2, 2), stat((0.5+0)/2, 2), stat((1.0/3+1)/2, 2)},
			4: {stat(1, 1), stat(1, 1), stat(0, 1)},
		},
		// q1: {d1 d2} and {d1 d3} have 1 of 3 in common. q4: all three read d1 alone.
		Overlap: stat((1.0/3+1)/2, 2),
		Graphs: pool.Graphs{Summary: graph.Summary{
			// q1 has 2 candidates with a search of two chunks each, q2 one with two
			// searches of one, q4 three with 2 + 1 + 3.
			Graphs: 3, Candidates: 6.0 / 3, Subqueries: (2 + 2 + 6) / 3.0, Evidence: (4 + 2 + 6) / 3.0,
			// q1: question, answers, 2 queries, 3 chunks. q2: question, answer, 2 queries,
			// 1 chunk. q4: question, 3 answers, 3 queries, 1 chunk.
			Texts: (8 + 5 + 8) / 3.0,
			// d1 makes 1·1 = 1 cross pair in q1, none in q2, and 2·1 + 2·3 + 1·3 = 11 in q4.
			// The ninth decile of 0, 1, 11 lies at 0.9·2 = 1.8: 1 + 0.8·10 = 9.
			Contents: graph.SharingSummary{Groups: 2.0 / 3, Mean: 4, Median: 1, P90: 9, Shared: 2.0 / 3},
			Overlap:  2.0 / 3, Overlapping: 2,
		}},
	}
	if diff := cmp.Diff(want, got, within...); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	// A search-only graph has no documents that could be shared.
	raw, err := json.Marshal(got.Graphs)
	if err != nil || strings.Contains(string(raw), "documents") || strings.Contains(string(raw), "other_content") || !strings.Contains(string(raw), `"contents":{"groups":0.6`) {
		t.Errorf("graphs %s, error %v", raw, err)
	}
	// Only the first two rollouts of each count, whatever came later.
	got, err = pool.Of(t.Context(), examples, source, pool.Options{Rollouts: 2, At: []int{2}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Rollouts != 2 || got.Complete != 6 || got.Failed != 1 || got.Missing != 1 || got.CoverageAt[2].Before.N != 1 || len(got.CoverageAt) != 1 {
		t.Errorf("of two rollouts: %+v", got)
	}
}

// browsed adds a call of the browser tool to t.
func browsed(t *trajectory.Trajectory, kind trajectory.Kind, args, view string) {
	n := len(t.Steps)
	t.Steps = append(t.Steps, trajectory.Step{
		Turn: n + 1, Kind: kind, Call: &trajectory.Call{Name: string(kind), Arguments: json.RawMessage(args)}, Shown: fmt.Sprintf("[%d] %s", n, view),
	})
}

// By hand: rollouts 0 and 1 open page A with the same text and 1 finds in it,
// rollout 2 opens A with another text, and B. Of A there are 1, 2 and 1 pieces, so
// 1·2 + 1·1 + 2·1 = 5 cross pairs, of which 1 has one content. Of what two rollouts
// read, {a}, {a f}, {a' b}, the first two have 1 of 2 in common, the others nothing.
// Five pieces have an edge to their document and one back.
func TestOfBrowsing(t *testing.T) {
	const body = "\n**viewing lines [0 - 0] of 1**\nL1: body"
	runs := make([]*trajectory.Trajectory, 4)
	for i := range runs {
		runs[i] = run("q", i, "x")
		browsed(runs[i], trajectory.KindSearch, `{"query":"q"}`, "q (web-search://ts=0)"+body)
	}
	open := func(t *trajectory.Trajectory, title, page string) {
		browsed(t, trajectory.KindOpen, `{"id":"https://e.org/`+page+`"}`, title+" (https://e.org/"+page+")"+body)
	}
	open(runs[0], "T", "a")
	open(runs[1], "T", "a")
	browsed(runs[1], trajectory.KindFind, `{}`, "Find results\nL0: # 【0†match at L1】\nL1: hit")
	open(runs[2], "U", "a")
	open(runs[2], "U", "b")
	runs[3].Answer = ""
	got, err := pool.Of(t.Context(), []dataset.Example{question("q", "x")}, from(runs...), pool.Options{Variant: graph.LongHorizon, At: []int{4}})
	if err != nil {
		t.Fatal(err)
	}
	pairs := func(n float64) graph.SharingSummary {
		return graph.SharingSummary{Groups: 1, Mean: n, Median: n, P90: n, Shared: 1}
	}
	documents := pairs(5)
	want := &pool.Report{
		Variant: graph.LongHorizon, Questions: 1, Rollouts: 4, Complete: 4,
		Filter:     pool.Filter{Retained: 3, NoAnswer: 1, Share: ptr(0.25)},
		CoverageAt: map[int]pool.Coverage{4: {stat(1, 1), stat(1, 1), stat(0, 1)}},
		Overlap:    stat(1.0/6, 1),
		Graphs: pool.Graphs{Summary: graph.Summary{
			Graphs: 1, Candidates: 3, Subqueries: 3, Evidence: 5, Texts: 7,
			Contents: pairs(1), Documents: documents, OtherContent: 0.8, Overlap: 1.0 / 6, Overlapping: 1,
		}, Documents: &documents, OtherContent: ptr(0.8)},
		DocumentEdges: ptr(10),
	}
	if diff := cmp.Diff(want, got, within...); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

// Dropping candidates never adds coverage, and counts add up, whatever the order
// of lines.
func TestOfProperties(t *testing.T) {
	var examples []dataset.Example
	var lines []*trajectory.Trajectory
	for q := range 30 {
		id := fmt.Sprint("q", q)
		examples = append(examples, question(id, "a"))
		for k := range 8 {
			switch (q*7 + k*5) % 6 {
			case 0:
				lines = append(lines, failed(id, k))
			case 1:
			default:
				lines = append(lines, run(id, k, []string{"a", "b", ""}[(q+k*k)%3], [][]string{{"d1"}, {}, {fmt.Sprint(k)}}[(q*k)%3]))
			}
		}
	}
	want, err := pool.Of(t.Context(), examples, from(lines...), pool.Options{Rollouts: 8, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if n := want.Complete + want.Failed + want.Missing; n != 30*8 {
		t.Errorf("%d rollouts in all, want 240", n)
	}
	f := want.Filter
	if f.Retained+f.NoAnswer+f.NothingFound != want.Complete || !(0 < *f.Share && *f.Share < 1) || f.EmptyPools != want.Questions-want.Graphs.Graphs {
		t.Errorf("filter %+v of %d completed rollouts", f, want.Complete)
	}
	for k, c := range want.CoverageAt {
		if c.After.Mean > c.Before.Mean || c.Lost.CI95[0] < 0 || math.Abs(c.Before.Mean-c.After.Mean-c.Lost.Mean) > 1e-12 {
			t.Errorf("coverage at %d: %+v, %+v, %+v", k, c.Before, c.After, c.Lost)
		}
	}
	if o := want.Overlap; o.N != want.Graphs.Overlapping || math.Abs(o.Mean-want.Graphs.Overlap) > 1e-12 {
		t.Errorf("overlap %+v, in the graphs %v of %d", o, want.Graphs.Overlap, want.Graphs.Overlapping)
	}
	for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
		lines[i], lines[j] = lines[j], lines[i]
	}
	got, err := pool.Of(t.Context(), examples, from(lines...), pool.Options{Rollouts: 8, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report depends on the order of lines:\n%s", diff)
	}
}

func TestOfErrors(t *testing.T) {
	examples := []dataset.Example{question("q1", "x")}
	reworded := run("q1", 0, "x")
	reworded.Question = "Something else?"
	broken := func(string) ([]*trajectory.Trajectory, error) { return nil, errors.New("disk gone") }
	tests := []struct {
		name   string
		source pool.Source
		o      pool.Options
		want   string
	}{
		{"source", broken, pool.Options{}, "pool: question q1: disk gone"},
		{"a rollout twice", from(run("q1", 0, "x"), run("q1", 0, "y")), pool.Options{}, "round 1, rollout 0 is there twice"},
		{"another question", from(reworded), pool.Options{}, "a group has one question"},
		{"variant", from(), pool.Options{Variant: "x"}, `variant "x"`},
		{"k of nothing", from(), pool.Options{At: []int{0}}, "must be positive"},
		{"negative rollouts", from(), pool.Options{Rollouts: -1}, "must be positive"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := pool.Of(t.Context(), examples, tt.source, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := pool.Of(ended, examples, from(), pool.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its context: error %v", err)
	}
	r, err := pool.Of(t.Context(), nil, from(), pool.Options{})
	if err != nil || r.Filter.Share != nil || r.Overlap != nil || len(r.CoverageAt) != 0 {
		t.Errorf("of no questions: %+v, error %v", r, err)
	}
}
