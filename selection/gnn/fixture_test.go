package gnn_test

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nlpodyssey/safetensors"

	"trawl/internal/testutil"
	"trawl/selection/gnn"
	"trawl/selection/graph"
	"trawl/selection/internal/compute"
)

// A fixture is one file of golden/selector.
type fixture struct {
	Name    string
	Graphs  []string // of a batch
	Weights string
	Recipe  *recipe
	Dims    struct{ Embedding, Hidden, Layers, Heads int }

	Variant         graph.Variant
	Nodes           map[string]int
	Embedding       map[string][]int
	OccurrenceChunk []int `json:"occurrence_chunk"`
	Orphan          []int
	Edges           map[graph.Relation][][2]int
	Context         map[string][]int
	Votes           []int
	Labels          []float64
	PosWeight       float64 `json:"pos_weight"`

	Expected struct {
		Logits    []float64
		Argmax    json.RawMessage // a number, or, of a batch, a list
		Loss      map[string]float64
		Untouched []string
		Gradients map[string]gradient
	}
}

type recipe struct {
	Seed    uint64
	First   [][2]any
	Last    [2]any
	Tensors []struct {
		Name          string
		Shape         []int
		Offset, Scale float64
	}
}

type gradient struct {
	Norm, Max float64
	At        [][2]float64
}

// readFixture reads golden/selector/NAME.json.
func readFixture(t testing.TB, name string) *fixture {
	t.Helper()
	data, err := os.ReadFile(testutil.SharedGolden(t, "selector/"+name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	f := new(fixture)
	if err := json.Unmarshal(data, f); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return f
}

// fixtures returns the names of the graphs of a folder of golden/selector.
func fixtures(t testing.TB, folder string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(testutil.SharedGolden(t, "selector/"+folder), "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures in %s: %v", folder, err)
	}
	for i, p := range paths {
		paths[i] = folder + "/" + strings.TrimSuffix(filepath.Base(p), ".json")
	}
	return paths
}

// A tensor is what a safetensors file says of one.
type tensor struct {
	shape  []uint64
	values []float32
}

// readTensors reads golden/selector/NAME.safetensors.
func readTensors(t testing.TB, name string) map[string]tensor {
	t.Helper()
	data, err := os.ReadFile(testutil.SharedGolden(t, "selector/"+name+".safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := safetensors.Deserialize(data)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	tensors := make(map[string]tensor)
	for _, n := range file.Tensors() {
		raw := n.TensorView.Data()
		values := make([]float32, len(raw)/4)
		for i := range values {
			values[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		tensors[n.Name] = tensor{n.TensorView.Shape(), values}
	}
	return tensors
}

// config returns the settings of a fixture's model. Dropout stays on, to show
// that it is for training alone.
func (f *fixture) config() gnn.Config {
	return gnn.Config{
		Variant: f.Variant, Embedding: f.Dims.Embedding, Hidden: f.Dims.Hidden, Layers: f.Dims.Layers, Heads: f.Dims.Heads,
	}
}

// graph returns the graph. Its texts are the rows of the table of embeddings.
func (f *fixture) graph() *graph.Graph {
	g := &graph.Graph{Variant: f.Variant, Query: f.Embedding["query"][0], Edges: map[graph.Relation][]graph.Edge{}}
	rows := 0
	for _, list := range f.Embedding {
		for _, r := range list {
			rows = max(rows, r+1)
		}
	}
	for i := range rows {
		g.Texts = append(g.Texts, strings.Repeat("x", i+1)) // distinct
	}
	answers, evidence := "answer", "chunk_occurrence"
	if f.Variant == graph.LongHorizon {
		answers, evidence = "response", "evidence"
	}
	for i, text := range f.Embedding[answers] {
		g.Answers = append(g.Answers, graph.Answer{Text: text, Rollouts: []int{i}, Votes: f.Votes[i]})
	}
	for i, text := range f.Embedding["subquery"] {
		s := graph.Subquery{Text: text, Answers: []int{f.Context["subquery"][i]}}
		s.Orphan = f.Orphan != nil && f.Orphan[i] == 1
		g.Subqueries = append(g.Subqueries, s)
	}
	f.addEvidence(g, f.Context[evidence])
	for name, edges := range f.Edges {
		if name == graph.SameContentIntra || name == graph.SameContentCross {
			continue // a graph does not store them
		}
		for _, e := range edges {
			g.Edges[name] = append(g.Edges[name], graph.Edge{Source: e[0], Target: e[1]})
		}
	}
	return g
}

func (f *fixture) addEvidence(g *graph.Graph, context []int) {
	contents := map[int]int{}
	for i, answer := range context {
		e := graph.Evidence{Answers: []int{answer}, Document: -1}
		if f.Variant == graph.WebQA {
			e.Content = f.OccurrenceChunk[i]
			e.Text = f.Embedding["chunk"][e.Content]
			g.Contents = max(g.Contents, e.Content+1)
		} else {
			e.Text = f.Embedding["evidence"][i]
			if _, ok := contents[e.Text]; !ok {
				contents[e.Text] = len(contents)
			}
			e.Content, g.Contents = contents[e.Text], len(contents)
			for _, edge := range f.Edges[graph.BelongsTo] {
				if edge[0] == i {
					e.Document = edge[1]
				}
			}
		}
		g.Evidence = append(g.Evidence, e)
	}
	g.Documents = make([]graph.Document, f.Nodes["document"])
}

// input adds a fixture's vectors to others and returns its graph.
func (f *fixture) input(t testing.TB, features *gnn.Vectors) gnn.Input {
	t.Helper()
	g := f.graph()
	in := gnn.Input{Graph: g}
	features.N = f.Dims.Embedding
	first := len(features.Data) / features.N
	features.Data = append(features.Data, readTensors(t, f.Name)["embeddings"].values...)
	for i := range g.Texts {
		in.Rows = append(in.Rows, int32(first+i))
	}
	return in
}

// setParams gives a model the numbers of a file, all of them.
func setParams[T compute.Float](t testing.TB, m *gnn.Model[T], tensors map[string]tensor) {
	t.Helper()
	for _, p := range m.Params() {
		values, ok := tensors[p.Name]
		if !ok || len(values.values) != len(p.Value.Data) {
			t.Fatalf("parameter %s has %d numbers, the fixture %d", p.Name, len(p.Value.Data), len(values.values))
		}
		for i, v := range values.values {
			p.Value.Data[i] = T(v)
		}
	}
	if len(tensors) != len(m.Params()) {
		t.Fatalf("%d tensors in the fixture, %d parameters", len(tensors), len(m.Params()))
	}
	m.Changed()
}

// tensors returns the numbers of a recipe (README of the fixtures).
func (r *recipe) tensors() map[string]tensor {
	all := make(map[string]tensor)
	i := uint64(0)
	for _, s := range r.Tensors {
		n := 1
		for _, d := range s.Shape {
			n *= d
		}
		values := make([]float32, n)
		for j := range values {
			i++
			z := r.Seed + i*0x9E3779B97F4A7C15
			z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
			z = (z ^ z>>27) * 0x94D049BB133111EB
			z ^= z >> 31
			values[j] = float32(s.Offset + s.Scale*float64(int64(z>>40)-1<<23)/(1<<23))
		}
		all[s.Name] = tensor{values: values}
	}
	return all
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 2)) }
