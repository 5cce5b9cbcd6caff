package gnn_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/selection/gnn"
	"trawl/selection/graph"
	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/cpu"
)

// A golden holds a model to fixtures, in one kind of number.
type golden[T compute.Float] struct {
	backend compute.Backend[T]
	state   func(got, want float64) bool // of states, logits and losses
	plain   bool                         // the backend is plain Go
	slack   float64                      // of gradients, as a share of a tensor's largest
}

// within is the tolerance that the fixtures' README sets for float32.
func within(got, want float64) bool {
	d := math.Abs(got - want)
	return d <= 2e-5 || d <= 1e-4*math.Abs(want)
}

// closely is what float64 reaches: the fixtures are rounded to float32, and a few
// steps later numbers of about 10 differ in the seventh place.
func closely(got, want float64) bool { return math.Abs(got-want) <= 1e-6*max(1, math.Abs(want)) }

func TestGolden(t *testing.T) {
	for _, k := range []cpu.Kernel{cpu.Portable, cpu.AVX2, cpu.AVX512} {
		t.Run(string(k), func(t *testing.T) {
			b, err := cpu.Open(cpu.Options{Kernel: k})
			if err != nil {
				t.Skip(err)
			}
			golden[float32]{backend: b, plain: k == cpu.Portable, state: within, slack: 1e-4}.run(t)
		})
	}
	t.Run("float64", golden[float64]{backend: cpu.NewPortable[float64](), plain: true, state: closely, slack: 1e-6}.run)
}

func (g golden[T]) run(t *testing.T) {
	for _, folder := range []string{"webqa", "long-horizon"} {
		for _, name := range fixtures(t, folder) {
			t.Run(name, func(t *testing.T) { g.one(t, name) })
		}
		t.Run("batch/"+folder, func(t *testing.T) { g.batch(t, "batch/"+folder) })
		t.Run("full/"+folder, func(t *testing.T) {
			if raceEnabled && g.plain {
				t.Skip("plain Go at full width takes seconds under the race detector, and the small graphs run the same code")
			}
			g.full(t, "full/"+folder)
		})
	}
}

// one checks every state, the loss and every gradient of one graph.
func (g golden[T]) one(t *testing.T, name string) {
	f := readFixture(t, name)
	run := g.forward(t, f, []*fixture{f}, readTensors(t, trimmed(f.Weights)))
	g.states(t, run, readTensors(t, name))
	g.backward(t, run)
	g.gradients(t, run, readTensors(t, name+".grads"))
}

// batch checks three graphs that go through the model together.
func (g golden[T]) batch(t *testing.T, name string) {
	f := readFixture(t, name)
	var members []*fixture
	for _, n := range f.Graphs {
		members = append(members, readFixture(t, n))
	}
	f.Variant = members[0].Variant
	run := g.forward(t, f, members, readTensors(t, trimmed(f.Weights)))
	g.backward(t, run)
	g.gradients(t, run, readTensors(t, name+".grads"))
}

// full checks a graph at the model's own width, whose parameters come of a recipe.
func (g golden[T]) full(t *testing.T, name string) {
	f := readFixture(t, name)
	f.Name = name
	tensors := f.Recipe.tensors()
	for _, at := range append(f.Recipe.First, f.Recipe.Last) {
		values := tensors[at[0].(string)].values
		got := values[0]
		if at == f.Recipe.Last {
			got = values[len(values)-1]
		}
		if math.Abs(float64(got)-at[1].(float64)) > 1e-7 {
			t.Fatalf("recipe: %s is %v, want %v", at[0], got, at[1])
		}
	}
	run := g.forward(t, f, []*fixture{f}, tensors)
	g.states(t, run, readTensors(t, name))
	g.backward(t, run)
	reached := map[string]bool{}
	for _, p := range run.model.Params() {
		want, ok := f.Expected.Gradients[p.Name]
		reached[p.Name] = ok
		if !ok {
			continue
		}
		var norm, largest float64
		for _, v := range p.Grad.Data {
			norm += float64(v) * float64(v)
			largest = max(largest, math.Abs(float64(v)))
		}
		norm = math.Sqrt(norm)
		if slack := g.slack * max(want.Norm, 1e-3); math.Abs(norm-want.Norm) > slack {
			t.Errorf("gradient of %s: norm %v, want %v", p.Name, norm, want.Norm)
		}
		slack := g.slack * max(want.Max, 1e-3)
		if math.Abs(largest-want.Max) > slack {
			t.Errorf("gradient of %s: largest %v, want %v", p.Name, largest, want.Max)
		}
		for _, at := range want.At {
			if got := float64(p.Grad.Data[int(at[0])]); math.Abs(got-at[1]) > slack {
				t.Errorf("gradient of %s[%d] = %v, want %v", p.Name, int(at[0]), got, at[1])
			}
		}
	}
	g.reached(t, run, reached)
}

func trimmed(file string) string { return file[:len(file)-len(".safetensors")] }

// A goldenRun is one pass over fixtures.
type goldenRun[T compute.Float] struct {
	fixture *fixture
	members []*fixture
	model   *gnn.Model[T]
	batch   *gnn.Batch[T]
	pass    *gnn.Pass[T]
}

// forward runs a model over graphs and checks the scores.
func (g golden[T]) forward(t *testing.T, f *fixture, members []*fixture, tensors map[string]tensor) *goldenRun[T] {
	m, err := gnn.New(f.config(), 1, g.backend)
	if err != nil {
		t.Fatal(err)
	}
	setParams(t, m, tensors)
	features := new(gnn.Vectors)
	var in []gnn.Input
	for _, each := range members {
		in = append(in, each.input(t, features))
	}
	b, err := m.Prepare(in, features)
	if err != nil {
		t.Fatal(err)
	}
	run := &goldenRun[T]{f, members, m, b, m.Forward(b, nil)}
	if len(run.pass.Logits) != len(f.Expected.Logits) {
		t.Fatalf("%d logits, want %d", len(run.pass.Logits), len(f.Expected.Logits))
	}
	best := make([]int, len(members))
	for i := range members {
		best[i] = gnn.Best(run.pass.Logits[b.Offsets[i]:b.Offsets[i+1]])
	}
	for i, want := range f.Expected.Logits {
		if got := float64(run.pass.Logits[i]); !g.state(got, want) {
			t.Errorf("logit %d = %v, want %v", i, got, want)
		}
	}
	var want []int
	if json.Unmarshal(f.Expected.Argmax, &want) != nil {
		want = make([]int, 1)
		if err := json.Unmarshal(f.Expected.Argmax, &want[0]); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, best); diff != "" {
		t.Errorf("argmax mismatch (-want +got):\n%s", diff)
	}
	return run
}

// states checks every state that the fixture has.
func (g golden[T]) states(t *testing.T, run *goldenRun[T], want map[string]tensor) {
	t.Helper()
	for name, w := range want {
		if name == "embeddings" {
			continue
		}
		// The last layer's documents are read by nobody, and not made.
		if run.fixture.Variant == graph.LongHorizon && name == fmt.Sprintf("h%d.document", run.fixture.Dims.Layers) {
			continue
		}
		got := run.pass.State(name)
		if len(w.values) != got.Rows*got.Cols {
			t.Errorf("%s has %d rows of %d, want %v", name, got.Rows, got.Cols, w.shape)
			continue
		}
		for i, v := range w.values {
			if x := float64(got.Row(i / got.Cols)[i%got.Cols]); !g.state(x, float64(v)) {
				t.Errorf("%s[%d, %d] = %v, want %v", name, i/got.Cols, i%got.Cols, x, v)
				break
			}
		}
	}
}

// backward checks the loss and runs the backward pass.
func (g golden[T]) backward(t *testing.T, run *goldenRun[T]) {
	t.Helper()
	var labels [][]float64
	for _, f := range run.members {
		labels = append(labels, f.Labels)
	}
	loss, slopes := totalLoss(run.fixture.Variant, toFloat64(run.pass.Logits), labels, run.fixture.PosWeight)
	if want := run.fixture.Expected.Loss["total"]; !g.state(loss, want) {
		t.Errorf("loss = %v, want %v", loss, want)
	}
	dLogits := make([]T, len(slopes))
	for i, v := range slopes {
		dLogits[i] = T(v)
	}
	run.model.ZeroGrad()
	run.pass.Backward(dLogits)
}

// gradients checks the gradient of every parameter.
func (g golden[T]) gradients(t *testing.T, run *goldenRun[T], want map[string]tensor) {
	t.Helper()
	reached := map[string]bool{}
	for _, p := range run.model.Params() {
		w, ok := want[p.Name]
		reached[p.Name] = ok
		var largest float64
		for _, v := range w.values {
			largest = max(largest, math.Abs(float64(v)))
		}
		slack := g.slack * max(largest, 1e-3)
		for i, v := range w.values {
			if got := float64(p.Grad.Data[i]); !(math.Abs(got-float64(v)) <= slack) {
				t.Errorf("gradient of %s[%d] = %v, want %v", p.Name, i, got, v)
				break
			}
		}
	}
	g.reached(t, run, reached)
}

// reached checks which parameters the loss has a path to.
func (g golden[T]) reached(t *testing.T, run *goldenRun[T], want map[string]bool) {
	t.Helper()
	got := map[string]bool{}
	for _, p := range run.model.Params() {
		got[p.Name] = p.Reached
		if p.Reached == slices.Contains(run.fixture.Expected.Untouched, p.Name) {
			t.Errorf("%s: reached %v, but untouched are %v", p.Name, p.Reached, run.fixture.Expected.Untouched)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reached parameters mismatch (-want +got):\n%s", diff)
	}
}

func toFloat64[T compute.Float](x []T) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

// totalLoss is the sum of the three losses and its derivatives by the logits,
// whose best are not tied (methods.md A.6). Package train has its own, which
// this one, written apart from it, does not use.
func totalLoss(v graph.Variant, logits []float64, labels [][]float64, posWeight float64) (loss float64, slopes []float64) {
	slopes = make([]float64, len(logits))
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	withPositive, mixed := 0.0, 0.0
	for _, y := range labels {
		pos := slices.ContainsFunc(y, func(y float64) bool { return y > 0.5 })
		neg := slices.ContainsFunc(y, func(y float64) bool { return y <= 0.5 })
		if pos {
			withPositive++
		}
		if pos && neg {
			mixed++
		}
	}
	lists := withPositive
	if v == graph.LongHorizon {
		lists = mixed
	}
	at := 0
	for _, y := range labels {
		s, d := logits[at:at+len(y)], slopes[at:at+len(y)]
		at += len(y)
		n := float64(len(logits))
		bestPos, bestNeg := -1, -1
		var all, positive float64
		for i := range y {
			loss -= (posWeight*y[i]*math.Log(sigmoid(s[i])) + (1-y[i])*math.Log(sigmoid(-s[i]))) / n
			d[i] += ((1-y[i])*sigmoid(s[i]) - posWeight*y[i]*sigmoid(-s[i])) / n
			all += math.Exp(s[i])
			best := &bestNeg
			if y[i] > 0.5 {
				positive += math.Exp(s[i])
				best = &bestPos
			}
			if *best < 0 || s[i] > s[*best] {
				*best = i
			}
		}
		if bestPos < 0 || (bestNeg < 0 && v == graph.LongHorizon) {
			continue
		}
		loss += (math.Log(all) - math.Log(positive)) / lists
		for i := range y {
			d[i] += math.Exp(s[i]) / all / lists
			if y[i] > 0.5 {
				d[i] -= math.Exp(s[i]) / positive / lists
			}
		}
		if bestNeg >= 0 {
			gap := s[bestNeg] - s[bestPos]
			loss += math.Log1p(math.Exp(gap)) / mixed
			d[bestNeg] += sigmoid(gap) / mixed
			d[bestPos] -= sigmoid(gap) / mixed
		}
	}
	return loss, slopes
}
