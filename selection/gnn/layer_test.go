package gnn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trawl/selection/graph"
	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/cpu"
)

// A bench holds one layer of a small model in float64 to central differences. The
// loss is a random linear function of what the layer returns.
type bench struct {
	t     *testing.T
	model *Model[float64]
	pass  *Pass[float64]
	batch *Batch[float64]
	r     *rand.Rand
}

func newBench(t *testing.T, c Config) *bench {
	t.Helper()
	c.Embedding, c.Hidden, c.Heads, c.Layers = 5, 8, 2, 2
	m, err := New(c, 7, cpu.NewPortable[float64]())
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for _, p := range m.params { // nothing at rest, nothing zero
		randomize(r, p.Value.Data)
	}
	m.Changed()
	vectors := RandomVectors(r, 24, c.Embedding)
	b, err := m.Prepare([]Input{RandomInput(r, c.Variant, 0), RandomInput(r, c.Variant, 12)}, vectors)
	if err != nil {
		t.Fatal(err)
	}
	p := m.Forward(b, nil)
	m.ZeroGrad()
	p.dAnswer = p.dAnswers.zeros(b.count[answer], c.Hidden)
	p.dQuery = p.dQueries.zeros(b.graphs, c.Hidden)
	return &bench{t, m, p, b, r}
}

func randomize(r *rand.Rand, x []float64) {
	for i := range x {
		x[i] = r.NormFloat64() / 2
	}
}

func (b *bench) random(rows, cols int) compute.Matrix[float64] {
	m := compute.NewMatrix[float64](rows, cols)
	randomize(b.r, m.Data)
	return m
}

// seeded makes the pass draw the same dropout at every forward pass.
func (b *bench) seeded() { b.pass.chance = rand.New(rand.NewPCG(1, 1)) }

// dot is the loss: Σ out·slope over the rows of slope.
func dot(out, slope compute.Matrix[float64]) float64 {
	var sum float64
	for i := range slope.Rows {
		for j, w := range slope.Row(i) {
			sum += w * out.Row(i)[j]
		}
	}
	return sum
}

// check compares a gradient with central differences along three directions, each
// of which moves every number.
func (b *bench) check(name string, values, gradient []float64, loss func() float64) {
	b.t.Helper()
	for range 3 {
		if got, want := Slopes(b.r, values, gradient, func() float64 { b.model.Changed(); return loss() }); math.Abs(got-want) > 1e-7*max(1, math.Abs(want)) {
			b.t.Errorf("derivative by %s = %v along a direction, central differences give %v", name, got, want)
		}
	}
	b.model.Changed()
}

// Slopes returns the derivative of the loss by values along a random direction of
// about unit length, as a gradient has it and as central differences have it.
func Slopes(r *rand.Rand, values, gradient []float64, loss func() float64) (got, want float64) {
	const step = 1e-5
	old := slices.Clone(values)
	direction := make([]float64, len(values))
	for i := range direction {
		direction[i] = r.NormFloat64() / math.Sqrt(float64(len(values)))
		got += direction[i] * gradient[i]
	}
	at := func(t float64) float64 {
		for i := range values {
			values[i] = old[i] + t*direction[i]
		}
		return loss()
	}
	want = (at(step) - at(-step)) / (2 * step)
	copy(values, old)
	return got, want
}

// checkParams is check for parameters.
func (b *bench) checkParams(loss func() float64, params ...*Param[float64]) {
	b.t.Helper()
	for _, p := range params {
		b.check(p.Name, p.Value.Data, p.Grad.Data, loss)
	}
}

func TestEncoderGradient(t *testing.T) {
	b := newBench(t, Config{Variant: graph.WebQA})
	e, x, slope := b.model.encoders[query], b.random(70, 5), b.random(70, 8) // more than one block of rows
	var s encoding[float64]
	loss := func() float64 {
		e.forward(b.model.backend, &s, x)
		return dot(s.y, slope)
	}
	loss()
	dy := compute.NewMatrix[float64](70, 8)
	copy(dy.Data, slope.Data)
	e.backward(b.model.backend, &s, dy, x)
	b.checkParams(loss, e.linear.weight, e.linear.bias, e.norm.weight, e.norm.bias)
}

func TestMessageGradient(t *testing.T) {
	for _, c := range []Config{
		{Variant: graph.WebQA, Dropout: 0.3},
		{Variant: graph.LongHorizon, Dropout: 0.3, Ablation: Ablation{Links: LinksBoth}},
	} {
		for l := range 2 {
			t.Run(fmt.Sprintf("%s layer %d", c.Variant, l), func(t *testing.T) {
				b := newBench(t, c)
				layer, topology := b.model.layers[l], b.model.topologyOf(b.batch, l)
				rows := b.batch.nodes + b.batch.sums.rows()
				h, next, slope := b.random(rows, 8), compute.NewMatrix[float64](rows, 8), b.random(rows, 8)
				end := topology.updated[len(topology.updated)-1].hi
				clear(slope.RowRange(end, rows).Data) // what the layer leaves alone
				var s round[float64]
				loss := func() float64 {
					b.seeded()
					layer.forward(b.pass, &s, next, h, topology)
					return dot(next, slope)
				}
				loss()
				dh, dNext := b.random(rows, 8), compute.NewMatrix[float64](rows, 8)
				copy(dNext.Data, slope.Data)
				layer.backward(b.pass, &s, dh, dNext, topology)
				nodes := b.batch.nodes * 8
				b.check("h", h.Data[:nodes], dh.Data[:nodes], loss)
				for i := range layer.relations {
					b.checkParams(loss, layer.linears[i].weight, layer.linears[i].bias)
				}
				for _, u := range topology.updated {
					b.checkParams(loss, layer.norms[u.kind].weight, layer.norms[u.kind].bias)
				}
			})
		}
	}
}

func TestAttentionGradient(t *testing.T) {
	tests := []struct {
		name     string
		ablation Ablation
	}{
		{"own", Ablation{}},
		{"fixed query", Ablation{FixedQuery: true}},
		{"graph readout", Ablation{GraphReadout: true}},
		{"graph readout, fixed query", Ablation{GraphReadout: true, FixedQuery: true}},
		{"shared context", Ablation{SharedContext: true}},
		{"merged evidence", Ablation{MergeEvidence: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, Config{Variant: graph.WebQA, Dropout: 0.3, Ablation: tt.ablation})
			a, p := b.model.attention, b.pass
			h := b.random(b.batch.nodes, 8)
			p.h = []compute.Matrix[float64]{h}
			p.answers = b.random(b.batch.count[answer], 8)
			slope := b.random(p.answers.Rows, 8)
			var s attending[float64]
			loss := func() float64 {
				b.seeded()
				return dot(a.forward(p, &s), slope)
			}
			loss()
			dState, dh := compute.NewMatrix[float64](slope.Rows, 8), compute.NewMatrix[float64](h.Rows, 8)
			copy(dState.Data, slope.Data)
			a.backward(p, &s, dState, dh)
			for i := range b.batch.graphs { // the questions' states stand in h
				addTo(dh.Row(i), p.dQuery.Row(i))
			}
			b.check("h", h.Data, dh.Data, loss)
			b.check("answers", p.answers.Data, p.dAnswer.Data, loss)
			b.checkParams(loss, a.query.weight, a.key, a.value, a.output.weight, a.types, a.norm.weight, a.norm.bias)
			if a.fixed != nil {
				b.checkParams(loss, a.fixed)
			}
		})
	}
}

func TestFeedForwardGradient(t *testing.T) {
	b := newBench(t, Config{Variant: graph.WebQA, Dropout: 0.3})
	f, x, slope := b.model.ffn, b.random(70, 8), b.random(70, 8)
	var s feeding[float64]
	loss := func() float64 {
		b.seeded()
		return dot(f.forward(b.pass, &s, x), slope)
	}
	loss()
	dState := compute.NewMatrix[float64](70, 8)
	copy(dState.Data, slope.Data)
	dx := f.backward(b.pass, &s, dState)
	b.check("x", x.Data, dx.Data, loss)
	b.checkParams(loss, f.in.weight, f.in.bias, f.out.weight, f.out.bias, f.norm.weight, f.norm.bias)
}

func TestScoreGradient(t *testing.T) {
	b := newBench(t, Config{Variant: graph.LongHorizon})
	s, p := b.model.score, b.pass
	h, state := b.random(b.batch.nodes, 8), b.random(b.batch.count[answer], 8)
	p.h = []compute.Matrix[float64]{h}
	slope := b.random(1, state.Rows)
	var c scoring[float64]
	loss := func() float64 {
		s.forward(p, &c, state)
		return dot(compute.Matrix[float64]{Rows: 1, Cols: state.Rows, Stride: state.Rows, Data: c.logits}, slope)
	}
	loss()
	dState := s.backward(p, &c, slope.Data)
	b.check("h*", state.Data, dState.Data, loss)
	b.check("h_q", h.Data[:b.batch.graphs*8], p.dQuery.Data, loss)
	b.checkParams(loss, s.query.weight, s.query.bias, s.answer.weight, s.answer.bias, s.logScale)
}

// TestUnit works through the edge of the cosine: a vector of length 0 stays, and
// its derivative is that of x/1e-12.
func TestUnit(t *testing.T) {
	x := compute.NewMatrix[float64](2, 2)
	copy(x.Data, []float64{3, 4, 0, 0})
	norms := unit(nil, x)
	if want := [...]float64{5, 1e-12}; norms[0] != want[0] || norms[1] != want[1] {
		t.Errorf("lengths %v, want %v", norms, want)
	}
	// y = (0.6, 0.8), y·dy = 0.6, (dy − 0.6·y)/5 = (0.64, −0.48)/5
	dy := []float64{1, 0}
	unitBackward(dy, x.Row(0), norms[0])
	if math.Abs(dy[0]-0.128) > 1e-15 || math.Abs(dy[1]+0.096) > 1e-15 {
		t.Errorf("derivative %v, want [0.128 -0.096]", dy)
	}
	dy = []float64{1, 0}
	unitBackward(dy, x.Row(1), norms[1])
	if math.Abs(dy[0]-1e12) > 1 || dy[1] != 0 {
		t.Errorf("derivative %v at length 0, want [1e12 0]", dy)
	}
}

// TestMessages compares the sums and rows of a topology with means over the edges
// one by one, those of equal content too.
func TestMessages(t *testing.T) {
	for _, c := range []Config{
		{Variant: graph.WebQA},
		{Variant: graph.LongHorizon, Ablation: Ablation{Links: LinksBoth}},
	} {
		b := newBench(t, c)
		m := b.model
		r := rand.New(rand.NewPCG(8, 9))
		in := RandomInput(r, c.Variant, 0)
		batch, err := m.Prepare([]Input{RandomInput(r, c.Variant, 12), in}, RandomVectors(r, 24, 5))
		if err != nil {
			t.Fatal(err)
		}
		p := m.Forward(batch, nil)
		s := member{graph: in.Graph}
		for k := range s.first { // the second graph's nodes come last of their kind
			s.count[k] = map[kind]int{query: 1, subquery: len(in.Graph.Subqueries), evidence: len(in.Graph.Evidence), document: batch.count[document] / 2}[kind(k)]
			s.first[k] = batch.count[k] - s.count[k]
		}
		intra, cross := in.Graph.SameContent()
		if batch.sums.rows() == 0 || len(intra) == 0 {
			t.Fatalf("%s: no sums, or no equal content of one rollout: the graph tests nothing", c.Variant)
		}
		layer := m.layers[0]
		for _, u := range batch.full.updated {
			place := batch.place(&s, u.kind)
			for i := range place.count {
				want := make([]float64, 8)
				for n, rel := range layer.relations {
					if rel.target != u.kind {
						continue
					}
					edges := in.Graph.Edges[rel.name]
					switch rel.name {
					case graph.SameContentIntra:
						edges = intra
					case graph.SameContentCross:
						edges = cross
					}
					addTo(want, naive(layer.linears[n], p.h[0], edges, i, batch.place(&s, rel.source)))
				}
				got := p.rounds[0].m.Row(int(place.base) + i)
				for j := range want {
					if math.Abs(got[j]-want[j]) > 1e-12 {
						t.Fatalf("%s: message to node %d of kind %d = %v, want %v", c.Variant, i, u.kind, got, want)
					}
				}
			}
		}
	}
}

// naive is W·mean + b over the edges that end at a node.
func naive(l *linear[float64], h compute.Matrix[float64], edges []graph.Edge, target int, source ends) []float64 {
	mean := make([]float64, h.Cols)
	n := 0.0
	for _, e := range edges {
		if e.Target == target {
			addTo(mean, h.Row(int(source.base)+e.Source))
			n++
		}
	}
	out := make([]float64, h.Cols)
	for i := range out {
		out[i] = l.bias.Value.Data[i]
		for j, v := range mean {
			out[i] += l.weight.Value.Row(i)[j] * v / max(n, 1)
		}
	}
	return out
}
