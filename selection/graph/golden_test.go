package graph_test

import (
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"trawl/internal/testutil"
	"trawl/selection/graph"
	"trawl/trajectory"
)

// A goldenPool is a file of golden/selector/pools.
type goldenPool struct {
	Variant  graph.Variant
	QID      int
	Question string
	Gold     []string
	K        int
	Rollouts []goldenRollout
	Expected struct {
		Retained    []int
		AnswerKeys  []string  `json:"answer_keys"`
		AnswerTexts []string  `json:"answer_texts"`
		ExactMatch  []float64 `json:"exact_match"`
		Correct     []bool
		Trainable   bool
		Subqueries  []struct {
			SampleID int `json:"sample_id"`
			ID, Text string
		}
		Evidence []struct {
			SampleID       int `json:"sample_id"`
			Tool           trajectory.Kind
			Text, Document string
			Verified       bool
		}
		Documents []string
		Texts     []string
		Graph     goldenGraph
	}
}

type goldenRollout struct {
	SampleID int `json:"sample_id"`
	Answer   string
	Correct  bool
	Searches []struct{ Query, Returned string }
	Events   []struct {
		Tool   trajectory.Kind
		Args   json.RawMessage
		View   string
		Call   int
		Return *int
	}
}

// A goldenGraph is a graph as the golden files write it.
type goldenGraph struct {
	Nodes           map[string]int
	Embedding       map[string][]int
	OccurrenceChunk []int `json:"occurrence_chunk"`
	Orphan          []int
	Edges           map[graph.Relation][][2]int
	Context         map[string][]int
	Votes           []int
}

func readPool(t *testing.T, name string) (goldenPool, graph.Pool) {
	t.Helper()
	data, err := os.ReadFile(testutil.SharedGolden(t, "selector/pools/"+name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var want goldenPool
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	p := graph.Pool{ID: strconv.Itoa(want.QID), Question: want.Question}
	for _, r := range want.Rollouts {
		rollout := graph.Rollout{Number: r.SampleID, Answer: r.Answer}
		for _, s := range r.Searches {
			chunks, err := graph.ParseReturn(s.Returned)
			if err != nil {
				t.Fatal(err)
			}
			search := graph.Search{Query: s.Query}
			for _, c := range chunks {
				search.Chunks = append(search.Chunks, graph.Chunk{Text: c})
			}
			rollout.Searches = append(rollout.Searches, search)
		}
		for _, e := range r.Events {
			event := graph.Event{Tool: e.Tool, Args: e.Args, View: e.View, Call: e.Call, Return: -1}
			if e.Return != nil {
				event.Return = *e.Return
			}
			rollout.Events = append(rollout.Events, event)
		}
		p.Rollouts = append(p.Rollouts, rollout)
	}
	return want, p
}

// asGolden writes a graph as the golden files do.
func asGolden(g *graph.Graph) goldenGraph {
	webqa := g.Variant == graph.WebQA
	candidate, evidence := "response", "evidence"
	if webqa {
		candidate, evidence = "answer", "chunk_occurrence"
	}
	out := goldenGraph{
		Nodes:     map[string]int{"query": 1, candidate: len(g.Answers), "subquery": len(g.Subqueries), evidence: len(g.Evidence)},
		Embedding: map[string][]int{"query": {g.Query}},
		Edges:     map[graph.Relation][][2]int{},
		Context:   map[string][]int{},
	}
	for _, a := range g.Answers {
		out.Embedding[candidate] = append(out.Embedding[candidate], a.Text)
		out.Votes = append(out.Votes, a.Votes)
	}
	for _, s := range g.Subqueries {
		out.Embedding["subquery"] = append(out.Embedding["subquery"], s.Text)
		out.Context["subquery"] = append(out.Context["subquery"], s.Answers...)
		if !webqa {
			orphan := 0
			if s.Orphan {
				orphan = 1
			}
			out.Orphan = append(out.Orphan, orphan)
		}
	}
	chunks := make([]int, g.Contents)
	for _, e := range g.Evidence {
		out.Context[evidence] = append(out.Context[evidence], e.Answers...)
		chunks[e.Content] = e.Text
		if webqa {
			out.OccurrenceChunk = append(out.OccurrenceChunk, e.Content)
		} else {
			out.Embedding["evidence"] = append(out.Embedding["evidence"], e.Text)
		}
	}
	if webqa {
		out.Nodes["chunk"] = g.Contents
		out.Embedding["chunk"] = chunks
	} else {
		out.Nodes["document"] = len(g.Documents)
	}
	for r, edges := range g.Edges {
		out.Edges[r] = pairs(edges)
	}
	if webqa {
		intra, cross := g.SameContent()
		out.Edges[graph.SameContentIntra], out.Edges[graph.SameContentCross] = pairs(intra), pairs(cross)
	}
	return out
}

func pairs(edges []graph.Edge) [][2]int {
	out := make([][2]int, 0, len(edges))
	for _, e := range edges {
		out = append(out, [2]int{e.Source, e.Target})
	}
	slices.SortFunc(out, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return out
}

func TestGoldenPools(t *testing.T) {
	for _, name := range []string{"webqa-01", "webqa-02", "long-01", "long-02"} {
		t.Run(name, func(t *testing.T) {
			want, p := readPool(t, name)
			g, err := graph.BuildPool(p, graph.Options{Variant: want.Variant, Rollouts: want.K})
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Validate(); err != nil {
				t.Error(err)
			}
			if diff := gocmp.Diff(want.Expected.Graph, asGolden(g)); diff != "" {
				t.Errorf("graph mismatch (-want +got):\n%s", diff)
			}
			if diff := gocmp.Diff(want.Expected.Texts, g.Texts); diff != "" {
				t.Errorf("texts mismatch (-want +got):\n%s", diff)
			}
			checkCandidates(t, &want, p, g)
			if g.Variant == graph.LongHorizon {
				checkDocuments(t, &want, p, g)
			}
		})
	}
}

func checkCandidates(t *testing.T, want *goldenPool, p graph.Pool, g *graph.Graph) {
	t.Helper()
	var retained []int
	var keys, texts []string
	for _, a := range g.Answers {
		r := p.Rollouts[a.Rollouts[0]]
		retained = append(retained, r.Number)
		keys = append(keys, graph.PaperKey(r.Answer))
		texts = append(texts, g.Texts[a.Text])
	}
	if diff := gocmp.Diff(want.Expected.Retained, retained); diff != "" {
		t.Errorf("retained mismatch (-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff(want.Expected.AnswerKeys, keys); diff != "" {
		t.Errorf("answer keys mismatch (-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff(want.Expected.AnswerTexts, texts); diff != "" {
		t.Errorf("answer texts mismatch (-want +got):\n%s", diff)
	}
	for i, m := range want.Expected.ExactMatch {
		if got := exactMatch(texts[i], want.Gold); got != m {
			t.Errorf("exact match of %q = %v, want %v", texts[i], got, m)
		}
	}
	if got := graph.Trainable(g, labels(want)); got != want.Expected.Trainable {
		t.Errorf("trainable = %t, want %t", got, want.Expected.Trainable)
	}
}

// exactMatch is that of the paper, by its own key.
func exactMatch(answer string, gold []string) float64 {
	key := graph.PaperKey(answer)
	if key != "" && slices.ContainsFunc(gold, func(g string) bool { return graph.PaperKey(g) == key }) {
		return 1
	}
	return 0
}

// labels returns the labels that [graph.Trainable] asks for: of the first K
// rollouts in the WebQA variant, of all in the other.
func labels(p *goldenPool) []float64 {
	var out []float64
	if p.Variant == graph.LongHorizon {
		for _, r := range p.Rollouts {
			label := 0.0
			if r.Correct {
				label = 1
			}
			out = append(out, label)
		}
		return out
	}
	rollouts := slices.Clone(p.Rollouts)
	slices.SortFunc(rollouts, func(a, b goldenRollout) int { return cmp.Compare(a.SampleID, b.SampleID) })
	for _, r := range rollouts[:min(p.K, len(rollouts))] {
		out = append(out, exactMatch(r.Answer, p.Gold))
	}
	return out
}

// checkDocuments compares documents as a partition of evidence, by which pages
// are verified, and by the names of those that are.
func checkDocuments(t *testing.T, want *goldenPool, p graph.Pool, g *graph.Graph) {
	t.Helper()
	var names []string
	for _, d := range g.Documents {
		names = append(names, d.ID)
	}
	if diff := gocmp.Diff(want.Expected.Documents, names); diff != "" {
		t.Errorf("documents mismatch (-want +got):\n%s", diff)
	}
	for i, w := range want.Expected.Evidence {
		e := g.Evidence[i]
		d := g.Documents[e.Document]
		r := p.Rollouts[g.Answers[e.Answers[0]].Rollouts[0]]
		if d.ID != w.Document || d.Verified != w.Verified || r.Number != w.SampleID || e.Find != (w.Tool == trajectory.KindFind) || g.Texts[e.Text] != w.Text {
			t.Errorf("evidence %d is %q of rollout %d, %+v, find %t; want %+v", i, g.Texts[e.Text], r.Number, d, e.Find, w)
		}
	}
	for i, w := range want.Expected.Subqueries {
		s := g.Subqueries[i]
		text := ""
		if s.Text != graph.NoText {
			text = g.Texts[s.Text]
		}
		if s.Orphan != strings.HasPrefix(w.ID, "orphan:") || text != w.Text {
			t.Errorf("subquery %d is %q, orphan %t; want %+v", i, text, s.Orphan, w)
		}
	}
}

// The golden pools with the rollouts in another order are the same graph, but for
// where each rollout stands.
func TestOrderOfRollouts(t *testing.T) {
	for _, name := range []string{"webqa-01", "long-01", "long-02"} {
		want, p := readPool(t, name)
		o := graph.Options{Variant: want.Variant}
		first, err := graph.BuildPool(p, o)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(p.Rollouts, func(a, b graph.Rollout) int { return cmp.Compare(b.Number, a.Number) })
		second, err := graph.BuildPool(p, o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range first.Answers {
			first.Answers[i].Rollouts, second.Answers[i].Rollouts = nil, nil
		}
		if diff := gocmp.Diff(first, second); diff != "" {
			t.Errorf("%s: the order of rollouts matters (-sorted +reversed):\n%s", name, diff)
		}
	}
}
