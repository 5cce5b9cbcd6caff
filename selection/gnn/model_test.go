package gnn_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/selection/gnn"
	"trawl/selection/graph"
	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/cpu"
)

// small returns the settings of a small model.
func small(v graph.Variant, a gnn.Ablation) gnn.Config {
	return gnn.Config{Variant: v, Embedding: 5, Hidden: 8, Layers: 2, Heads: 2, Ablation: a}
}

// newModel returns a model whose parameters are all random, those that begin at 0
// or 1 too.
func newModel[T compute.Float](t testing.TB, c gnn.Config, b compute.Backend[T]) *gnn.Model[T] {
	t.Helper()
	m, err := gnn.New(c, 5, b)
	if err != nil {
		t.Fatal(err)
	}
	r := newRand(6)
	for _, p := range m.Params() {
		for i := range p.Value.Data {
			p.Value.Data[i] += T(r.NormFloat64() / 2)
		}
	}
	m.Changed()
	return m
}

// inputs returns random graphs and their vectors.
func inputs(v graph.Variant, n int) ([]gnn.Input, gnn.Vectors) {
	r := newRand(9)
	var in []gnn.Input
	for i := range n {
		in = append(in, gnn.RandomInput(r, v, 12*i))
	}
	return in, gnn.RandomVectors(r, 12*n, 5)
}

func scores[T compute.Float](t testing.TB, m *gnn.Model[T], in []gnn.Input, f gnn.Features) [][]T {
	t.Helper()
	s, err := m.Scores(in, f)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ablations are all settings of both variants that change the network.
var ablations = []struct {
	name     string
	variant  graph.Variant
	ablation gnn.Ablation
}{
	{"whole", graph.WebQA, gnn.Ablation{}},
	{"no cross", graph.WebQA, gnn.Ablation{NoCross: true}},
	{"no network", graph.WebQA, gnn.Ablation{NoNetwork: true}},
	{"fixed query", graph.WebQA, gnn.Ablation{FixedQuery: true}},
	{"merge evidence", graph.WebQA, gnn.Ablation{MergeEvidence: true}},
	{"merge answers", graph.WebQA, gnn.Ablation{MergeAnswers: true}},
	{"merge both", graph.WebQA, gnn.Ablation{MergeEvidence: true, MergeAnswers: true}},
	{"graph readout", graph.WebQA, gnn.Ablation{GraphReadout: true}},
	{"shared context", graph.WebQA, gnn.Ablation{SharedContext: true}},
	{"no links", graph.WebQA, gnn.Ablation{Links: gnn.LinksNone}},
	{"whole", graph.LongHorizon, gnn.Ablation{}},
	{"no cross", graph.LongHorizon, gnn.Ablation{NoCross: true}},
	{"no cross, both links", graph.LongHorizon, gnn.Ablation{NoCross: true, Links: gnn.LinksBoth}},
	{"no network", graph.LongHorizon, gnn.Ablation{NoNetwork: true}},
	{"fixed query", graph.LongHorizon, gnn.Ablation{FixedQuery: true}},
	{"merge evidence", graph.LongHorizon, gnn.Ablation{MergeEvidence: true}},
	{"merge answers", graph.LongHorizon, gnn.Ablation{MergeAnswers: true}},
	{"merge both", graph.LongHorizon, gnn.Ablation{MergeEvidence: true, MergeAnswers: true}},
	{"graph readout", graph.LongHorizon, gnn.Ablation{GraphReadout: true}},
	{"shared context", graph.LongHorizon, gnn.Ablation{SharedContext: true}},
	{"content links", graph.LongHorizon, gnn.Ablation{Links: gnn.LinksContent}},
	{"both links", graph.LongHorizon, gnn.Ablation{Links: gnn.LinksBoth}},
	{"no links", graph.LongHorizon, gnn.Ablation{Links: gnn.LinksNone}},
}

// TestAblationGradients holds the gradient of the whole network, with dropout, to
// central differences for every setting.
func TestAblationGradients(t *testing.T) {
	for _, tt := range ablations {
		t.Run(string(tt.variant)+" "+tt.name, func(t *testing.T) {
			m := newModel(t, small(tt.variant, tt.ablation), cpu.NewPortable[float64]())
			in, vectors := inputs(tt.variant, 2)
			b, err := m.Prepare(in, vectors)
			if err != nil {
				t.Fatal(err)
			}
			p := m.Forward(b, newRand(1))
			slopes := make([]float64, len(p.Logits))
			for i := range slopes {
				slopes[i] = newRand(uint64(i)).NormFloat64()
			}
			loss := func() float64 {
				m.Changed()
				var sum float64
				for i, s := range m.Forward(b, newRand(1)).Logits {
					sum += s * slopes[i]
				}
				return sum
			}
			m.ZeroGrad()
			p.Backward(slopes)
			for _, q := range m.Params() {
				checkParam(t, q, loss)
			}
		})
	}
}

// checkParam compares a gradient with central differences along a direction.
func checkParam(t *testing.T, q *gnn.Param[float64], loss func() float64) {
	t.Helper()
	got, want := gnn.Slopes(newRand(3), q.Value.Data, q.Grad.Data, loss)
	if math.Abs(got-want) > 1e-6*max(1, math.Abs(want)) {
		t.Errorf("derivative by %s = %v along a direction, central differences give %v", q.Name, got, want)
	}
	if !q.Reached && want != 0 {
		t.Errorf("%s is not reached, yet the loss depends on it", q.Name)
	}
}

// TestAblationParams says which parameters a setting adds to the whole model's or
// takes from them, by the part of the name before a layer's number or a weight.
func TestAblationParams(t *testing.T) {
	names := func(v graph.Variant, a gnn.Ablation) map[string]bool {
		m := newModel(t, small(v, a), cpu.NewPortable[float32]())
		all := map[string]bool{}
		for _, p := range m.Params() {
			name := strings.NewReplacer("layer.0.", "", "layer.1.", "", ".weight", "", ".bias", "").Replace(p.Name)
			all[name] = true
		}
		return all
	}
	tests := []struct {
		name    string
		variant graph.Variant
		a       gnn.Ablation
		want    []string
	}{
		{"no cross", graph.WebQA, gnn.Ablation{NoCross: true}, []string{"-same_content_cross_trace"}},
		{"no links", graph.WebQA, gnn.Ablation{Links: gnn.LinksNone}, []string{"-same_content_cross_trace", "-same_content_intra_trace"}},
		{"merged evidence", graph.WebQA, gnn.Ablation{MergeEvidence: true}, []string{"-same_content_cross_trace", "-same_content_intra_trace"}},
		{"fixed query", graph.WebQA, gnn.Ablation{FixedQuery: true}, []string{"+attention.fixed"}},
		{"shared context", graph.WebQA, gnn.Ablation{SharedContext: true}, nil},
		{"no cross", graph.LongHorizon, gnn.Ablation{NoCross: true}, nil},
		{"both links", graph.LongHorizon, gnn.Ablation{Links: gnn.LinksBoth}, []string{"+same_content_cross_trace", "+same_content_intra_trace"}},
		{"no links", graph.LongHorizon, gnn.Ablation{Links: gnn.LinksNone}, []string{"-belongs_to", "-contains", "-document", "-norm.document"}},
		{"no network", graph.LongHorizon, gnn.Ablation{NoNetwork: true}, []string{
			"-belongs_to", "-contains", "-document", "-finds", "-found_by", "-next", "-norm.document", "-norm.evidence", "-norm.subquery", "-opened_by", "-opens", "-previous",
		}},
	}
	for _, tt := range tests {
		t.Run(string(tt.variant)+" "+tt.name, func(t *testing.T) {
			whole, got := names(tt.variant, gnn.Ablation{}), names(tt.variant, tt.a)
			var diff []string
			for n := range whole {
				if !got[n] {
					diff = append(diff, "-"+n)
				}
			}
			for n := range got {
				if !whole[n] {
					diff = append(diff, "+"+n)
				}
			}
			slices.Sort(diff)
			if d := cmp.Diff(tt.want, diff); d != "" {
				t.Errorf("parameters mismatch (-want +got):\n%s", d)
			}
		})
	}
}

// TestCross shows what an ablation cuts: with it, a text that only another rollout
// read does not move a candidate's score.
func TestCross(t *testing.T) {
	tests := []struct {
		name    string
		variant graph.Variant
		a       gnn.Ablation
		joined  bool
	}{
		{"whole", graph.WebQA, gnn.Ablation{}, true},
		{"no cross", graph.WebQA, gnn.Ablation{NoCross: true}, false},
		{"no links", graph.WebQA, gnn.Ablation{Links: gnn.LinksNone}, false},
		{"no network", graph.WebQA, gnn.Ablation{NoNetwork: true}, false},
		{"merged evidence", graph.WebQA, gnn.Ablation{MergeEvidence: true}, true},
		{"shared context", graph.WebQA, gnn.Ablation{NoNetwork: true, SharedContext: true}, true},
		{"graph readout", graph.WebQA, gnn.Ablation{NoNetwork: true, GraphReadout: true}, true},
		{"whole", graph.LongHorizon, gnn.Ablation{}, true},
		{"no cross", graph.LongHorizon, gnn.Ablation{NoCross: true}, false},
		{"no cross, both links", graph.LongHorizon, gnn.Ablation{NoCross: true, Links: gnn.LinksBoth}, false},
		{"content links", graph.LongHorizon, gnn.Ablation{Links: gnn.LinksContent}, true},
		{"no links", graph.LongHorizon, gnn.Ablation{Links: gnn.LinksNone}, false},
	}
	for _, tt := range tests {
		t.Run(string(tt.variant)+" "+tt.name, func(t *testing.T) {
			c := small(tt.variant, tt.a)
			c.Layers = 3 // a search, what it opened, its page, what others opened of that
			m := newModel(t, c, cpu.NewPortable[float64]())
			in, vectors := inputs(tt.variant, 1)
			before := scores(t, m, in, vectors)[0]
			g := in[0].Graph
			for s := range g.Subqueries { // of the first candidate
				if g.Subqueries[s].Answers[0] == 0 && g.Subqueries[s].Text >= 0 {
					g.Subqueries[s].Text = (g.Subqueries[s].Text + 1) % 12
				}
			}
			after := scores(t, m, in, vectors)[0]
			if after[0] == before[0] {
				t.Error("the candidate's own score did not move")
			}
			moved := after[1] != before[1] || after[2] != before[2]
			if moved != tt.joined {
				t.Errorf("other candidates' scores moved: %v, want %v", moved, tt.joined)
			}
		})
	}
}

// TestAnswersApart shows that what a candidate answers never reaches another's
// score: neither its text nor its votes.
func TestAnswersApart(t *testing.T) {
	for _, tt := range ablations {
		if tt.ablation.MergeAnswers {
			continue // there, texts decide which candidates are one
		}
		t.Run(string(tt.variant)+" "+tt.name, func(t *testing.T) {
			m := newModel(t, small(tt.variant, tt.ablation), cpu.NewPortable[float64]())
			in, vectors := inputs(tt.variant, 1)
			want := scores(t, m, in, vectors)[0]
			in[0].Graph.Answers[1].Text, in[0].Graph.Answers[1].Votes = 7, 2
			got := scores(t, m, in, vectors)[0]
			if got[1] == want[1] {
				t.Error("the candidate's own score did not move")
			}
			got[1] = want[1]
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("scores mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// TestBatching shows that a graph's scores do not depend on what else is in the
// batch, but for rounding: whether products are added where nodes stand does.
func TestBatching(t *testing.T) {
	for _, tt := range ablations {
		t.Run(string(tt.variant)+" "+tt.name, func(t *testing.T) {
			m := newModel(t, small(tt.variant, tt.ablation), compute.Backend[float32](cpu.New()))
			in, vectors := inputs(tt.variant, 70) // more than go through together
			got := scores(t, m, in, vectors)
			for i := range in {
				if i%23 > 1 {
					continue
				}
				for j, want := range scores(t, m, in[i:i+1], vectors)[0] {
					if !within(float64(got[i][j]), float64(want)) {
						t.Errorf("score of candidate %d of graph %d = %v, alone %v", j, i, got[i][j], want)
					}
				}
			}
		})
	}
}

// TestPermutation shows that the order of candidates, nodes and documents, and
// documents that nobody read, do not matter.
func TestPermutation(t *testing.T) {
	for _, tt := range ablations {
		t.Run(string(tt.variant)+" "+tt.name, func(t *testing.T) {
			m := newModel(t, small(tt.variant, tt.ablation), cpu.NewPortable[float64]())
			in, vectors := inputs(tt.variant, 1)
			g := in[0].Graph
			if tt.ablation.MergeAnswers {
				g.Answers[1].Text = 0 // merged answers have the text of the first
			}
			want := scores(t, m, in, vectors)[0]
			answers, subqueries := []int{2, 0, 3, 1}, newRand(1).Perm(len(g.Subqueries))
			evidence := newRand(2).Perm(len(g.Evidence))
			documents := newRand(3).Perm(len(g.Documents) + 2)
			if tt.variant == graph.WebQA {
				documents = nil
			}
			permute(g, answers, subqueries, evidence, documents)
			got := scores(t, m, in, vectors)[0]
			for i, to := range answers {
				if math.Abs(got[to]-want[i]) > 1e-10 {
					t.Errorf("score of candidate %d = %v, want %v", i, got[to], want[i])
				}
			}
		})
	}
}

// permute gives node i of a kind the number list[i].
func permute(g *graph.Graph, answers, subqueries, evidence, documents []int) {
	old := *g
	g.Answers = make([]graph.Answer, len(answers))
	for i, a := range old.Answers {
		g.Answers[answers[i]] = a
	}
	g.Subqueries = make([]graph.Subquery, len(subqueries))
	for i, s := range old.Subqueries {
		s.Answers = []int{answers[s.Answers[0]]}
		g.Subqueries[subqueries[i]] = s
	}
	g.Evidence = make([]graph.Evidence, len(evidence))
	for i, e := range old.Evidence {
		e.Answers = []int{answers[e.Answers[0]]}
		if e.Document >= 0 {
			e.Document = documents[e.Document]
		}
		g.Evidence[evidence[i]] = e
	}
	g.Documents = make([]graph.Document, len(documents))
	moved := func(kind string, i int) int {
		return map[string][]int{"s": subqueries, "e": evidence, "d": documents, "q": {0}}[kind][i]
	}
	g.Edges = map[graph.Relation][]graph.Edge{}
	for name, edges := range old.Edges {
		ends := map[graph.Relation]string{
			graph.Starts: "qs", graph.Next: "ss", graph.Previous: "ss", graph.BelongsTo: "ed", graph.Contains: "de",
			graph.Opens: "se", graph.Finds: "se", graph.OpenedBy: "es", graph.FoundBy: "es",
		}[name]
		if strings.HasPrefix(string(name), "rank") {
			ends = "se"
			if strings.HasSuffix(string(name), "_of") {
				ends = "es"
			}
		}
		for _, e := range slices.Backward(edges) {
			g.Edges[name] = append(g.Edges[name], graph.Edge{Source: moved(ends[:1], e.Source), Target: moved(ends[1:], e.Target)})
		}
	}
}

// TestCores shows that gradients do not depend on the number of cores.
func TestCores(t *testing.T) {
	run := func(cores int) map[string][]float32 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		m := newModel(t, gnn.Config{Variant: graph.WebQA, Embedding: 5, Hidden: 64, Layers: 2}, compute.Backend[float32](cpu.New()))
		in, vectors := inputs(graph.WebQA, 24)
		b, err := m.Prepare(in, vectors)
		if err != nil {
			t.Fatal(err)
		}
		p := m.Forward(b, newRand(4))
		slopes := make([]float32, len(p.Logits))
		for i := range slopes {
			slopes[i] = float32(i%3) - 1
		}
		m.ZeroGrad()
		p.Backward(slopes)
		all := map[string][]float32{"logits": p.Logits}
		for _, q := range m.Params() {
			all[q.Name] = q.Grad.Data
		}
		return all
	}
	if diff := cmp.Diff(run(1), run(5)); diff != "" {
		t.Errorf("gradients mismatch (-one core +five):\n%s", diff)
	}
}

// TestAccumulates shows that the gradients of two batches add up to those of one,
// and that memory which was used before does not matter.
func TestAccumulates(t *testing.T) {
	m := newModel(t, small(graph.LongHorizon, gnn.Ablation{}), cpu.NewPortable[float64]())
	in, vectors := inputs(graph.LongHorizon, 5)
	pass := func(in []gnn.Input) {
		b, err := m.Prepare(in, vectors)
		if err != nil {
			t.Fatal(err)
		}
		p := m.Forward(b, nil)
		slopes := make([]float64, len(p.Logits))
		for i := range slopes {
			slopes[i] = 1
		}
		p.Backward(slopes)
		b.Free()
	}
	m.ZeroGrad()
	pass(in)
	want := map[string][]float64{}
	for _, q := range m.Params() {
		want[q.Name] = slices.Clone(q.Grad.Data)
	}
	m.ZeroGrad()
	for _, q := range m.Params() {
		if q.Reached || slices.ContainsFunc(q.Grad.Data, func(v float64) bool { return v != 0 }) {
			t.Fatalf("%s: ZeroGrad left something", q.Name)
		}
	}
	pass(in[:2])
	pass(in[2:])
	for _, q := range m.Params() {
		for i, w := range want[q.Name] {
			if math.Abs(q.Grad.Data[i]-w) > 1e-9*max(1, math.Abs(w)) {
				t.Errorf("gradient of %s[%d] = %v in two batches, %v in one", q.Name, i, q.Grad.Data[i], w)
				break
			}
		}
	}
}

// TestMergedAnswers shows which candidates a logit stands for, and that they share
// its score.
func TestMergedAnswers(t *testing.T) {
	m := newModel(t, small(graph.WebQA, gnn.Ablation{MergeAnswers: true}), cpu.NewPortable[float64]())
	in, vectors := inputs(graph.WebQA, 2)
	b, err := m.Prepare(in, vectors)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{0, 2, 4}, b.Offsets); diff != "" {
		t.Errorf("offsets mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]int{{0, 1, 3}, {2}, {0, 1, 3}, {2}}, b.Candidates); diff != "" {
		t.Errorf("candidates mismatch (-want +got):\n%s", diff)
	}
	logits := m.Forward(b, nil).Logits
	want := [][]float64{{logits[0], logits[0], logits[1], logits[0]}, {logits[2], logits[2], logits[3], logits[2]}}
	if diff := cmp.Diff(want, scores(t, m, in, vectors)); diff != "" {
		t.Errorf("scores mismatch (-want +got):\n%s", diff)
	}
}

// TestEmpty shows that a graph without any search has scores, and every parameter
// a gradient.
func TestEmpty(t *testing.T) {
	for _, tt := range ablations {
		t.Run(string(tt.variant)+" "+tt.name, func(t *testing.T) {
			m := newModel(t, small(tt.variant, tt.ablation), cpu.NewPortable[float64]())
			g := &graph.Graph{Variant: tt.variant, Texts: []string{"q", "a", "b"}, Answers: []graph.Answer{
				{Text: 1, Rollouts: []int{0}, Votes: 1}, {Text: 2, Rollouts: []int{1}, Votes: 1},
			}}
			in := []gnn.Input{{Graph: g, Rows: []int32{0, 1, -1}}}
			vectors := gnn.RandomVectors(newRand(1), 2, 5)
			got := scores(t, m, in, vectors)[0]
			if got[0] == got[1] {
				t.Errorf("scores %v of two answers are equal", got)
			}
			b, err := m.Prepare(in, vectors)
			if err != nil {
				t.Fatal(err)
			}
			p := m.Forward(b, nil)
			m.ZeroGrad()
			p.Backward([]float64{1, -2})
			for _, q := range m.Params() {
				for _, v := range q.Grad.Data {
					if math.IsNaN(v) {
						t.Fatalf("gradient of %s is NaN", q.Name)
					}
				}
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	whole := small(graph.WebQA, gnn.Ablation{})
	tests := []struct {
		name string
		edit func(*gnn.Config)
		want string
	}{
		{"no variant", func(c *gnn.Config) { c.Variant = "" }, `gnn: variant is missing: it is "webqa" or "long-horizon"`},
		{"another variant", func(c *gnn.Config) { c.Variant = "wide" }, `gnn: variant is "wide": it is "webqa" or "long-horizon"`},
		{"no vectors", func(c *gnn.Config) { c.Embedding = 0 }, "gnn: embedding is 0: it is 1 to 65536"},
		{"odd heads", func(c *gnn.Config) { c.Heads = 3 }, "gnn: heads is 3: it divides hidden, which is 8"},
		{"negative layers", func(c *gnn.Config) { c.Layers = -1 }, "gnn: layers is -1: it is 1 to 64"},
		{"all dropped", func(c *gnn.Config) { c.Dropout = 1 }, "gnn: dropout is 1: it is at least 0 and below 1"},
		{"no number", func(c *gnn.Config) { c.Dropout = math.NaN() }, "gnn: dropout is NaN: it is at least 0 and below 1"},
		{"unknown links", func(c *gnn.Config) { c.Ablation.Links = "web" }, `gnn: links is "web": it is "content", "document", "both" or "none"`},
		{"documents", func(c *gnn.Config) { c.Ablation.Links = gnn.LinksBoth }, `gnn: links is "both": webqa has no documents, only "content" or "none"`},
		{"contradiction", func(c *gnn.Config) { c.Ablation = gnn.Ablation{NoCross: true, MergeEvidence: true} }, "gnn: no-cross and merge-evidence exclude each other: merged evidence joins rollouts by itself"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := whole
			tt.edit(&c)
			_, err := gnn.New(c, 1, cpu.NewPortable[float32]())
			if got := fmt.Sprint(err); got != tt.want {
				t.Errorf("error %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPrepareRefuses(t *testing.T) {
	m := newModel(t, small(graph.WebQA, gnn.Ablation{}), cpu.NewPortable[float32]())
	tests := []struct {
		name string
		edit func(in *gnn.Input, v *gnn.Vectors)
		want string
	}{
		{"another embedder", func(_ *gnn.Input, v *gnn.Vectors) { v.N = 4 }, "gnn: vectors have 4 numbers, the model was made for 5: use the embedder it was trained with"},
		{"another variant", func(in *gnn.Input, _ *gnn.Vectors) { in.Graph.Variant = graph.LongHorizon }, "gnn: graph 1: it is a long-horizon graph, the model reads webqa"},
		{"rows", func(in *gnn.Input, _ *gnn.Vectors) { in.Rows = in.Rows[:3] }, "gnn: graph 1: 3 rows for 12 texts"},
		{"no answers", func(in *gnn.Input, _ *gnn.Vectors) { in.Graph.Answers = nil }, "gnn: graph 1: it has no answers"},
		{"more ranks", func(in *gnn.Input, _ *gnn.Vectors) { in.Graph.Edges["rank4"] = []graph.Edge{{}} }, "gnn: graph 1: relation rank4 is none of a webqa model with 3 ranks"},
		{"an edge to nowhere", func(in *gnn.Input, _ *gnn.Vectors) { in.Graph.Edges["next"] = []graph.Edge{{Source: 0, Target: 99}} }, "gnn: graph 1: an edge of relation next goes from 0 to 99, where there is no node"},
		{"a text that is none", func(in *gnn.Input, _ *gnn.Vectors) { in.Graph.Subqueries[0].Text = 12 }, "gnn: graph 1: a node has text 12 of 12"},
		{"a candidate that is none", func(in *gnn.Input, _ *gnn.Vectors) { in.Graph.Evidence[0].Answers = []int{4} }, "gnn: graph 1: a node belongs to candidate 4 of 4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, vectors := inputs(graph.WebQA, 2)
			tt.edit(&in[1], &vectors)
			_, err := m.Prepare(in, vectors)
			if got := fmt.Sprint(err); got != tt.want {
				t.Errorf("error %q, want %q", got, tt.want)
			}
			_, err = m.Scores(in, vectors)
			if got := fmt.Sprint(err); got != tt.want {
				t.Errorf("Scores: error %q, want %q", got, tt.want)
			}
		})
	}
}

// TestScoresRefuse shows that a score which is no number is an error, and so is a
// vector that could not be read.
func TestScoresRefuse(t *testing.T) {
	m := newModel(t, small(graph.WebQA, gnn.Ablation{}), cpu.NewPortable[float32]())
	in, vectors := inputs(graph.WebQA, 34)
	vectors.Data[33*12*5+5*5] = float32(math.NaN()) // text 5 of graph 33
	in[33].Graph.Subqueries[0].Text = 5
	_, err := m.Scores(in, vectors)
	if want := "gnn: graph 33: the score of candidate 0 is NaN: a vector or a parameter is not finite"; fmt.Sprint(err) != want {
		t.Errorf("error %q, want %q", err, want)
	}
	_, err = m.Scores(in[:1], broken{vectors})
	if want := "gnn: vectors: the disk is gone"; fmt.Sprint(err) != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

// TestScoresRefuseLater shows that a graph is named by its place among all.
func TestScoresRefuseLater(t *testing.T) {
	m := newModel(t, small(graph.WebQA, gnn.Ablation{}), cpu.NewPortable[float32]())
	in, vectors := inputs(graph.WebQA, 70)
	in[69].Rows = nil
	_, err := m.Scores(in, vectors)
	if want := "gnn: graph 69: 0 rows for 12 texts"; fmt.Sprint(err) != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

// broken is features whose disk failed.
type broken struct{ gnn.Vectors }

func (broken) Err() error { return fmt.Errorf("the disk is gone") }

func TestBest(t *testing.T) {
	tests := []struct {
		scores []float64
		want   int
	}{
		{nil, -1}, {[]float64{0.5}, 0}, {[]float64{1, 3, 3, 2}, 1}, {[]float64{2, 2, 2}, 0}, {[]float64{-1, -5, -1}, 0},
	}
	for _, tt := range tests {
		if got := gnn.Best(tt.scores); got != tt.want {
			t.Errorf("Best(%v) = %d, want %d", tt.scores, got, tt.want)
		}
	}
}

// faulty is a backend whose device failed.
type faulty struct{ compute.Backend[float32] }

func (faulty) Err() error { return fmt.Errorf("out of memory") }

func TestDeviceFault(t *testing.T) {
	b := faulty{cpu.NewPortable[float32]()}
	m := newModel[float32](t, small(graph.WebQA, gnn.Ablation{}), b)
	defer m.Close()
	in, vectors := inputs(graph.WebQA, 1)
	_, err := m.Scores(in, vectors)
	if want := "gnn: " + b.Name() + ": out of memory"; fmt.Sprint(err) != want {
		t.Errorf("error %q, want %q", err, want)
	}
}
