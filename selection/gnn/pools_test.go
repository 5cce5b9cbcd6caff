package gnn_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/testutil"
	"trawl/selection/gnn"
	"trawl/selection/graph"
	"trawl/selection/internal/compute/cpu"
	"trawl/trajectory"
)

// A poolFixture is a file of golden/selector/pools: rollouts as another program
// recorded them, and the scores of the graph that they make.
type poolFixture struct {
	fixture
	Question string
	K        int
	Rollouts []struct {
		SampleID int `json:"sample_id"`
		Answer   string
		Searches []struct{ Query, Returned string }
		Events   []struct {
			Tool   trajectory.Kind
			Args   json.RawMessage
			View   string
			Call   int
			Return *int
		}
	}
	Expected struct {
		Texts    []string
		Logits   []float64
		Selected int `json:"selected_sample_id"`
	}
}

func (f *poolFixture) pool(t *testing.T) graph.Pool {
	t.Helper()
	p := graph.Pool{ID: "pool", Question: f.Question}
	for _, r := range f.Rollouts {
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
	return p
}

// TestGoldenPools goes the whole way from rollouts to the one that is selected.
func TestGoldenPools(t *testing.T) {
	for _, name := range []string{"webqa-01", "webqa-02", "long-01", "long-02"} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(testutil.SharedGolden(t, "selector/pools/"+name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			var f poolFixture
			if err := json.Unmarshal(data, &f); err != nil {
				t.Fatal(err)
			}
			pool := f.pool(t)
			g, err := graph.BuildPool(pool, graph.Options{Variant: f.Variant, Rollouts: f.K})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(f.Expected.Texts, g.Texts); diff != "" {
				t.Fatalf("texts mismatch (-want +got):\n%s", diff)
			}
			vectors := gnn.Vectors{N: f.Dims.Embedding, Data: readTensors(t, "pools/"+name)["embeddings"].values}
			in := gnn.Input{Graph: g}
			for i := range g.Texts {
				in.Rows = append(in.Rows, int32(i))
			}
			m, err := gnn.New(f.config(), 1, cpu.New())
			if err != nil {
				t.Fatal(err)
			}
			setParams(t, m, readTensors(t, trimmed(f.Weights)))
			got := scores(t, m, []gnn.Input{in}, vectors)[0]
			if len(got) != len(f.Expected.Logits) {
				t.Fatalf("%d scores, want %d", len(got), len(f.Expected.Logits))
			}
			for i, want := range f.Expected.Logits {
				if !within(float64(got[i]), want) {
					t.Errorf("score of candidate %d = %v, want %v: %v apart", i, got[i], want, math.Abs(float64(got[i])-want))
				}
			}
			best := pool.Rollouts[g.Answers[gnn.Best(got)].Rollouts[0]].Number
			if best != f.Expected.Selected {
				t.Errorf("rollout %d is selected, want %d", best, f.Expected.Selected)
			}
		})
	}
}
