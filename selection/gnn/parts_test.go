package gnn

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/selection/graph"
	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/cpu"
)

func TestSparse(t *testing.T) {
	// rows (2·c0 + c2), none, (c1 + c2/2)
	var s, transposed sparse[float64]
	s.reset()
	s.entry(0, 2)
	s.entry(2, 1)
	s.end()
	s.end()
	s.entry(1, 1)
	s.entry(2, 0.5)
	s.end()
	src := compute.NewMatrix[float64](3, 2)
	copy(src.Data, []float64{1, 2, 10, 20, 100, 200})
	dst := compute.NewMatrix[float64](3, 2)
	dst.Data[2] = 7 // is overwritten
	s.set(cpu.NewPortable[float64](), dst, src)
	if diff := cmp.Diff([]float64{102, 204, 0, 0, 60, 120}, dst.Data); diff != "" {
		t.Errorf("set mismatch (-want +got):\n%s", diff)
	}
	s.add(cpu.NewPortable[float64](), dst, src)
	if diff := cmp.Diff([]float64{204, 408, 0, 0, 120, 240}, dst.Data); diff != "" {
		t.Errorf("add mismatch (-want +got):\n%s", diff)
	}
	s.transpose(&transposed, 3)
	want := sparse[float64]{start: []int32{0, 1, 2, 4}, index: []int32{0, 2, 0, 2}, weight: []float64{2, 1, 1, 0.5}}
	if diff := cmp.Diff(want, transposed, cmp.AllowUnexported(sparse[float64]{})); diff != "" {
		t.Errorf("transpose mismatch (-want +got):\n%s", diff)
	}
}

func TestRun(t *testing.T) {
	tests := []struct {
		numbers []int
		want    run
	}{
		{[]int{4}, run{4, 1}},
		{[]int{4, 5, 6}, run{4, 1}},
		{[]int{2, 5, 8, 11}, run{2, 3}},
		{[]int{2, 5, 8, 12}, run{}},
		{[]int{2, 2}, run{}},
		{[]int{5, 2}, run{}},
	}
	for _, tt := range tests {
		if got := runOf(len(tt.numbers), func(i int) int { return tt.numbers[i] }); got != tt.want {
			t.Errorf("runOf(%v) = %v, want %v", tt.numbers, got, tt.want)
		}
	}
	m := compute.NewMatrix[float64](7, 2)
	for i := range m.Data {
		m.Data[i] = float64(i)
	}
	view := at(run{1, 2}, m, 3) // rows 1, 3 and 5
	if diff := cmp.Diff([][]float64{{2, 3}, {6, 7}, {10, 11}}, [][]float64{view.Row(0), view.Row(1), view.Row(2)}); diff != "" {
		t.Errorf("view mismatch (-want +got):\n%s", diff)
	}
}

// TestDropout holds the share of what is dropped, and of each position, to the
// probability, and the mean to what it was.
func TestDropout(t *testing.T) {
	const rows, n = 4000, 100
	for _, probability := range []float64{0.1, 0.5, 0.9} {
		d := newDropout(probability, rand.New(rand.NewPCG(1, 2)))
		var m masks
		m.begin(d, rows, n)
		var sum float64
		dropped := make([]float64, n)
		for i := range rows {
			x := make([]float64, n)
			for j := range x {
				x[j] = 1
			}
			drop(&m, x, i)
			again := make([]float64, n)
			for j := range again {
				again[j] = 1
			}
			dropAgain(&m, again, i)
			for j, v := range x {
				if again[j] != v {
					t.Fatal("the backward pass drops other numbers")
				}
				sum += v
				if v == 0 {
					dropped[j]++
				}
			}
		}
		// Six standard deviations of a share over the rows.
		slack := 6 * math.Sqrt(probability*(1-probability)/rows)
		for j, v := range dropped {
			if math.Abs(v/rows-probability) > slack {
				t.Errorf("p = %v: %v of number %d are dropped", probability, v/rows, j)
			}
		}
		if mean := sum / rows / n; math.Abs(mean-1) > slack/(1-probability) {
			t.Errorf("p = %v: the mean is %v, want 1", probability, mean)
		}
	}
	x := []float64{1, 2}
	var m masks
	m.begin(newDropout(0.5, nil), 1, 2)
	drop(&m, x, 0)
	if diff := cmp.Diff([]float64{1, 2}, x); diff != "" {
		t.Errorf("dropout without chance (-want +got):\n%s", diff)
	}
}

// TestInitial holds first parameters to methods.md A.5: bounds, deviation of a
// uniform distribution (bound/√3), and what begins at a constant.
func TestInitial(t *testing.T) {
	c := Config{Variant: graph.LongHorizon, Embedding: 400, Hidden: 64, Layers: 1}
	m, err := New(c, 3, cpu.NewPortable[float32]())
	if err != nil {
		t.Fatal(err)
	}
	webqa, err := New(Config{Variant: graph.WebQA, Embedding: 400, Hidden: 64}, 3, cpu.NewPortable[float32]())
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		model *Model[float32]
		name  string
		bound float64 // of a uniform distribution; 0: all are constant
		value float32
	}{
		{m, "encoder.query.linear.weight", 1.0 / 20, 0},
		{m, "encoder.query.linear.bias", 1.0 / 20, 0},
		{m, "layer.0.opens.weight", 1.0 / 8, 0},
		{m, "layer.0.opens.bias", 1.0 / 8, 0},
		{m, "ffn.out.weight", 1.0 / 16, 0},
		{m, "vote.weight", 1 / math.Sqrt2, 0},
		{webqa, "vote.weight", 0, 0},
		{m, "attention.key.weight", 1.0 / 8, 0},
		{m, "attention.type", 0, 0},
		{m, "orphan", 0, 0},
		{m, "document", 0, 0},
		{m, "ffn.norm.weight", 0, 1},
		{m, "ffn.norm.bias", 0, 0},
		{m, "score.log_scale", 0, float32(math.Log(10))},
	}
	for _, tt := range tests {
		p := param(t, tt.model, tt.name)
		var squares float64
		for _, v := range p.Value.Data {
			squares += float64(v) * float64(v)
			if tt.bound == 0 && v != tt.value || math.Abs(float64(v)) > tt.bound && tt.bound > 0 {
				t.Fatalf("%s begins with %v", tt.name, v)
			}
		}
		n := float64(len(p.Value.Data))
		if got, want := math.Sqrt(squares/n), tt.bound/math.Sqrt(3); tt.bound > 0 && math.Abs(got/want-1) > 3/math.Sqrt(n) {
			t.Errorf("%s: deviation %v, want %v", tt.name, got, want)
		}
	}
}

func param[T compute.Float](t *testing.T, m *Model[T], name string) *Param[T] {
	t.Helper()
	for _, p := range m.params {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("no parameter %s", name)
	return nil
}

// TestSeeds shows that a model follows from its seed, in either kind of number,
// and that an ablation leaves the first parameters of the rest as they were.
func TestSeeds(t *testing.T) {
	c := Config{Variant: graph.WebQA, Embedding: 6, Hidden: 8}
	first := func(c Config, seed int64) map[string][]float32 {
		m, err := New(c, seed, cpu.NewPortable[float32]())
		if err != nil {
			t.Fatal(err)
		}
		all := map[string][]float32{}
		for _, p := range m.params {
			all[p.Name] = p.Value.Data
		}
		return all
	}
	one := first(c, 1)
	if diff := cmp.Diff(one, first(c, 1)); diff != "" {
		t.Errorf("one seed, two models:\n%s", diff)
	}
	if cmp.Equal(one, first(c, 2)) {
		t.Error("two seeds, one model")
	}
	c.Ablation.NoCross = true
	for name, values := range first(c, 1) {
		if diff := cmp.Diff(one[name], values); diff != "" {
			t.Errorf("%s begins otherwise without cross links:\n%s", name, diff)
		}
	}
	wide, err := New(Config{Variant: graph.WebQA, Embedding: 6, Hidden: 8}, 1, cpu.NewPortable[float64]())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range wide.params {
		for i, v := range p.Value.Data {
			if float64(one[p.Name][i]) != v {
				t.Fatalf("%s begins with %v in float64, %v in float32", p.Name, v, one[p.Name][i])
			}
		}
	}
}

// TestSize holds the number of parameters to methods.md A.5.
func TestSize(t *testing.T) {
	for v, want := range map[graph.Variant]int{graph.WebQA: 7_754_497, graph.LongHorizon: 7_230_721} {
		m, err := build(Config{Variant: v, Embedding: 4096}, nil, cpu.NewPortable[float32]())
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, p := range m.params {
			n += len(p.Value.Data)
		}
		if n != want {
			t.Errorf("%s: %d numbers, want %d", v, n, want)
		}
	}
}

// TestDistinct shows that a text is read once for each kind of node in a batch,
// and a relation multiplies no row more than it must.
func TestDistinct(t *testing.T) {
	in, vectors := Workload(1, 3, 8, PaperRollouts)
	for i := range in { // all graphs know the same chunks
		copy(in[i].Rows[len(in[i].Rows)-meanChunks:], in[0].Rows[len(in[0].Rows)-meanChunks:])
	}
	m, err := New(Config{Variant: graph.WebQA, Embedding: 8, Hidden: 8}, 1, cpu.NewPortable[float32]())
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.Prepare(in, vectors)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(b.texts[evidence].rows); got != meanChunks {
		t.Errorf("%d chunk texts are encoded, want %d", got, meanChunks)
	}
	rows := map[graph.Relation]int{}
	for _, k := range b.full.blocks {
		rows[m.relations[k.relation].name] = k.rows
	}
	searches := b.count[subquery]
	for name, want := range map[graph.Relation]int{
		graph.Starts: 3, // the question of each graph, for all its first searches
		graph.Next:   searches - b.count[answer], graph.Rank(2): searches, graph.RankOf(3): searches,
	} {
		if rows[name] != want {
			t.Errorf("relation %s multiplies %d rows, want %d", name, rows[name], want)
		}
	}
	if n := rows[graph.SameContentCross]; n == 0 || n > b.count[evidence] {
		t.Errorf("the cross relation multiplies %d rows for %d occurrences", n, b.count[evidence])
	}
}

func TestWorkload(t *testing.T) {
	in, vectors := Workload(1, 20, 16, PaperRollouts)
	var candidates, searches, occurrences, contents, cross int
	for _, each := range in {
		g := each.Graph
		candidates += len(g.Answers)
		searches += len(g.Subqueries)
		occurrences += len(g.Evidence)
		contents += g.Contents
		_, pairs := g.SameContent()
		cross += len(pairs) / 2
		used := map[int]bool{}
		for i, e := range g.Evidence {
			used[e.Content] = true
			if i%3 == 2 && (e.Content == g.Evidence[i-1].Content || e.Content == g.Evidence[i-2].Content) {
				t.Fatal("a search found a chunk twice")
			}
		}
		if len(used) != g.Contents {
			t.Errorf("%d of %d chunks are found", len(used), g.Contents)
		}
	}
	// 20 · (11.85, 28.4, 85.2, 23, 306)
	want := []int{237, 568, 1704, 460, 6120}
	if diff := cmp.Diff(want, []int{candidates, searches, occurrences, contents, cross}); diff != "" {
		t.Errorf("sizes mismatch (-want +got):\n%s", diff)
	}
	again, same := Workload(1, 20, 16, PaperRollouts)
	if !cmp.Equal(in, again) || !cmp.Equal(vectors, same) {
		t.Error("one seed, two workloads")
	}
	var row [16]float32
	vectors.Read(7, row[:])
	var squares float64
	for _, v := range row {
		squares += float64(v) * float64(v)
	}
	if math.Abs(squares-1) > 1e-5 {
		t.Errorf("a vector has length %v", math.Sqrt(squares))
	}
}
