package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"trawl/internal/seed"
	"trawl/selection"
	"trawl/selection/graph"
	"trawl/trajectory"
)

// storedGroup is so many rollouts of 8 searches with 10 results of 100 words,
// drawn from 60 passages.
func storedGroup(rollouts int) selection.Group {
	chance := seed.Rand(3)
	passages := make([]trajectory.Result, 60)
	for i := range passages {
		words := make([]string, 100)
		for w := range words {
			words[w] = fmt.Sprintf("word%d", chance.IntN(5000))
		}
		passages[i] = trajectory.Result{ID: fmt.Sprint(i), Title: fmt.Sprint("Title ", i), Text: strings.Join(words, " ")}
	}
	g := selection.Group{Question: trajectory.Question{ID: "q", Text: "Who?"}}
	for r := range rollouts {
		t := &trajectory.Trajectory{QuestionID: "q", Question: "Who?", Rollout: r, Answer: fmt.Sprint("answer ", r%5)}
		for turn := range 8 {
			s := trajectory.Step{Turn: turn + 1, Kind: trajectory.KindSearch, Query: fmt.Sprintf("query %d of %d", turn, r%7)}
			for rank, i := range chance.Perm(len(passages))[:10] {
				result := passages[i]
				result.Rank, result.Text = rank+1, strings.Clone(result.Text)
				s.Results = append(s.Results, result)
			}
			t.Steps = append(t.Steps, s)
		}
		g.Trajectories = append(g.Trajectories, t)
	}
	return g
}

// BenchmarkBuild reports the time of a graph by candidates, which is to be
// linear, in nanoseconds a candidate.
func BenchmarkBuild(b *testing.B) {
	for _, k := range []int{4, 16, 64} {
		g := storedGroup(k)
		b.Run(fmt.Sprint("webqa/K=", k), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := graph.Build(g, graph.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*k), "ns/candidate")
		})
	}
	for _, k := range []int{4, 16, 64} {
		p := browsed(k)
		b.Run(fmt.Sprint("long-horizon/K=", k), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := graph.BuildPool(p, graph.Options{Variant: graph.LongHorizon}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*k), "ns/candidate")
		})
	}
}

// browsed is so many rollouts of 8 searches, each followed by two opens of 100
// lines and a find.
func browsed(rollouts int) graph.Pool {
	var body strings.Builder
	for i := range 100 {
		fmt.Fprintf(&body, "\nL%d: a line of the page, with a number of words like %d that tell it from others", i+1, i)
	}
	p := graph.Pool{ID: "q", Question: "Who?"}
	for r := range rollouts {
		b := new(browse)
		for turn := range 8 {
			b.search()
			for page := range 2 {
				n := (r*3 + turn*2 + page) % 20
				b.open(`{"id":1}`, fmt.Sprintf("T (https://e.org/page/%d)", n), fmt.Sprintf("https://e.org/page/%d%s", n, body.String()))
			}
			b.find(`{}`)
		}
		p.Rollouts = append(p.Rollouts, graph.Rollout{Number: r, Answer: "a", Events: b.events})
	}
	return p
}

func BenchmarkStatistics(b *testing.B) {
	g, err := graph.Build(storedGroup(16), graph.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		graph.StatsOf(g)
	}
}

func BenchmarkParseReturn(b *testing.B) {
	g := storedGroup(1)
	var s strings.Builder
	for i, r := range g.Trajectories[0].Steps[0].Results[:3] {
		fmt.Fprintf(&s, "Doc %d(Title: %s) %s\n", i+1, r.Title, r.Text)
	}
	b.SetBytes(int64(s.Len()))
	for b.Loop() {
		if _, err := graph.ParseReturn(s.String()); err != nil {
			b.Fatal(err)
		}
	}
}
