package train

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trawl/internal/testutil"
	"trawl/selection/gnn"
	"trawl/selection/graph"
	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/cpu"
)

// A fixture is one golden graph, or, with Graphs, a batch of some. The README
// beside the fixtures describes the keys.
type fixture struct {
	Variant   graph.Variant
	Graphs    []string
	Dims      struct{ Embedding, Hidden, Layers, Heads int }
	Weights   string
	Nodes     map[string]int
	Embedding map[string][]int
	Chunk     []int `json:"occurrence_chunk"`
	Orphan    []int
	Edges     map[graph.Relation][][2]int
	Context   map[string][]int
	Votes     []int
	Labels    []float64
	PosWeight float64 `json:"pos_weight"`
	Expected  struct {
		Loss      struct{ BCE, Listwise, Hard float64 }
		Totals    []float64 `json:"totals_of_3_steps"`
		Untouched []string
	}
}

func golden(t *testing.T, name string) string { return testutil.SharedGolden(t, "selector/"+name) }

func readFixture(t *testing.T, name string) fixture {
	t.Helper()
	data, err := os.ReadFile(golden(t, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var f fixture
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return f
}

// example builds the graph of a fixture over a table in which row r is the text r,
// its vectors beginning at base.
func (f fixture) example(name string, rows, base int) Example {
	candidate, evidence := "answer", "chunk_occurrence"
	if f.Variant == graph.LongHorizon {
		candidate, evidence = "response", "evidence"
	}
	g := &graph.Graph{Variant: f.Variant, Query: f.Embedding["query"][0], Edges: map[graph.Relation][]graph.Edge{}}
	in := gnn.Input{Graph: g}
	for r := range rows {
		g.Texts = append(g.Texts, fmt.Sprint("text ", r))
		in.Rows = append(in.Rows, int32(base+r))
	}
	for i, text := range f.Embedding[candidate] {
		g.Answers = append(g.Answers, graph.Answer{Text: text, Rollouts: []int{i}, Votes: f.Votes[i]})
	}
	for i, text := range f.Embedding["subquery"] {
		s := graph.Subquery{Text: text, Answers: []int{f.Context["subquery"][i]}}
		s.Orphan = f.Orphan != nil && f.Orphan[i] == 1
		g.Subqueries = append(g.Subqueries, s)
	}
	for i, of := range f.Context[evidence] {
		e := graph.Evidence{Content: i, Document: -1, Answers: []int{of}}
		if f.Variant == graph.WebQA {
			e.Content = f.Chunk[i]
			e.Text = f.Embedding["chunk"][e.Content]
		} else {
			e.Text = f.Embedding["evidence"][i]
		}
		g.Contents = max(g.Contents, e.Content+1)
		g.Evidence = append(g.Evidence, e)
	}
	for i := range f.Nodes["document"] {
		g.Documents = append(g.Documents, graph.Document{ID: fmt.Sprint(i)})
	}
	for _, e := range f.Edges[graph.BelongsTo] {
		g.Evidence[e[0]].Document = e[1]
	}
	for r, edges := range f.Edges {
		for _, e := range edges {
			if r != graph.SameContentIntra && r != graph.SameContentCross { // these follow from Content
				g.Edges[r] = append(g.Edges[r], graph.Edge{Source: e[0], Target: e[1]})
			}
		}
	}
	return Example{Question: name, Input: in, Labels: f.Labels, Trainable: true}
}

// readTensorFile reads a safetensors file of float32.
func readTensorFile(t *testing.T, path string) map[string][]float32 {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n := binary.LittleEndian.Uint64(data)
	var header map[string]json.RawMessage
	if err := json.Unmarshal(data[8:8+n], &header); err != nil {
		t.Fatal(err)
	}
	tensors := map[string][]float32{}
	for name, raw := range header {
		if name == "__metadata__" {
			continue
		}
		var at struct {
			Offsets [2]int `json:"data_offsets"`
		}
		if err := json.Unmarshal(raw, &at); err != nil {
			t.Fatal(err)
		}
		body := data[8+int(n):][at.Offsets[0]:at.Offsets[1]]
		tensors[name] = make([]float32, len(body)/4)
		for i := range tensors[name] {
			tensors[name][i] = math.Float32frombits(binary.LittleEndian.Uint32(body[4*i:]))
		}
	}
	return tensors
}

// load returns the examples of a fixture or batch, and their vectors.
func load(t *testing.T, name string) (fixture, []Example, gnn.Vectors) {
	t.Helper()
	f := readFixture(t, name)
	names := f.Graphs
	if names == nil {
		names = []string{name}
	}
	v := gnn.Vectors{N: f.Dims.Embedding}
	var examples []Example
	for _, name := range names {
		one := readFixture(t, name)
		table := readTensorFile(t, golden(t, name+".safetensors"))["embeddings"]
		examples = append(examples, one.example(name, len(table)/v.N, len(v.Data)/v.N))
		v.Data = append(v.Data, table...)
		f.Variant = one.Variant
	}
	return f, examples, v
}

func fixtureModel[T compute.Float](t *testing.T, f fixture, b compute.Backend[T]) *gnn.Model[T] {
	t.Helper()
	c := gnn.Config{Variant: f.Variant, Embedding: f.Dims.Embedding, Hidden: f.Dims.Hidden, Layers: f.Dims.Layers, Heads: f.Dims.Heads, NoDropout: true}
	m, err := gnn.New(c, 1, b)
	if err != nil {
		t.Fatal(err)
	}
	weights := readTensorFile(t, golden(t, f.Weights))
	for _, p := range m.Params() {
		w, ok := weights[p.Name]
		if !ok || len(w) != len(p.Value.Data) {
			t.Fatalf("%s: %d numbers in the fixture, %d in the model", p.Name, len(w), len(p.Value.Data))
		}
		for i, x := range w {
			p.Value.Data[i] = T(x)
		}
	}
	m.Changed()
	return m
}

// TestThreeStepsGolden trains on every golden graph and batch: three steps, with
// the loss before each.
func TestThreeStepsGolden(t *testing.T) {
	var names []string
	for _, folder := range []string{"webqa", "long-horizon", "batch"} {
		files, err := filepath.Glob(filepath.Join(golden(t, folder), "*.after3.safetensors"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			names = append(names, folder+"/"+strings.TrimSuffix(filepath.Base(file), ".after3.safetensors"))
		}
	}
	if len(names) != 23 {
		t.Errorf("%d fixtures, want 23", len(names))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) { threeSteps(t, name, cpu.New()) })
		t.Run(name+" portable", func(t *testing.T) { threeSteps(t, name, cpu.NewPortable[float32]()) })
	}
}

func threeSteps(t *testing.T, name string, b compute.Backend[float32]) {
	f, examples, v := load(t, name)
	m := fixtureModel(t, f, b)
	l := &learner[float32]{model: m, features: v, losses: Losses{Variant: f.Variant, PosWeight: f.PosWeight}, micro: 2}
	o := NewAdamW(m.Params(), 3e-4, 1e-4)
	for step, want := range f.Expected.Totals {
		loss, err := l.gradient(examples, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := loss.Total(); math.Abs(got-want) > max(2e-5, 1e-4*want) {
			t.Errorf("before step %d: loss %g, want %g", step+1, got, want)
		}
		o.Step()
		m.Changed()
	}
	after := readTensorFile(t, golden(t, name+".after3.safetensors"))
	for _, p := range m.Params() {
		for i, want := range after[p.Name] {
			if math.Abs(float64(p.Value.Data[i]-want)) > 2e-5 {
				t.Errorf("%s[%d] = %g, want %g", p.Name, i, p.Value.Data[i], want)
				break
			}
		}
	}
}

// TestPiecesAddUp: in float64, the gradient of a batch does not depend on the
// size of the pieces in which it passes.
func TestPiecesAddUp(t *testing.T) {
	for _, name := range []string{"batch/webqa", "batch/long-horizon"} {
		f, examples, v := load(t, name)
		m := fixtureModel(t, f, cpu.NewPortable[float64]())
		gradient := func(micro int) (Loss, [][]float64) {
			l := &learner[float64]{model: m, features: v, losses: Losses{Variant: f.Variant, PosWeight: f.PosWeight}, micro: micro}
			loss, err := l.gradient(examples, nil)
			if err != nil {
				t.Fatal(err)
			}
			var all [][]float64
			for _, p := range m.Params() {
				all = append(all, append([]float64(nil), p.Grad.Data...))
			}
			return loss, all
		}
		wantLoss, want := gradient(len(examples))
		for micro := 1; micro < len(examples); micro++ {
			loss, got := gradient(micro)
			if math.Abs(loss.Total()-wantLoss.Total()) > 1e-12 {
				t.Errorf("%s in pieces of %d: loss %.15g, want %.15g", name, micro, loss.Total(), wantLoss.Total())
			}
			for i, p := range m.Params() {
				for j := range want[i] {
					if math.Abs(got[i][j]-want[i][j]) > 1e-12 {
						t.Fatalf("%s in pieces of %d: gradient of %s[%d] = %.15g, want %.15g", name, micro, p.Name, j, got[i][j], want[i][j])
					}
				}
			}
		}
	}
}
