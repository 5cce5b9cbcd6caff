package gnn_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/selection"
	"trawl/selection/gnn"
	"trawl/selection/graph"
	"trawl/selection/internal/compute/cpu"
	"trawl/trajectory"
)

// fakeTable gives a text the vector that its bytes make.
type fakeTable struct {
	gnn.Vectors
	rows  map[string]int32
	calls int
	fails error
	nan   string // a text whose vector is NaN
}

func newFakeTable() *fakeTable {
	return &fakeTable{Vectors: gnn.Vectors{N: 5}, rows: map[string]int32{}}
}

func (f *fakeTable) Rows(_ context.Context, texts []string) ([]int32, error) {
	f.calls++
	rows := make([]int32, len(texts))
	for i, s := range texts {
		row, ok := f.rows[s]
		if !ok {
			row = int32(len(f.rows))
			f.rows[s] = row
			seed := uint64(1)
			for _, b := range []byte(s) {
				seed = seed*131 + uint64(b)
			}
			v := gnn.RandomVectors(newRand(seed), 1, 5).Data
			if s == f.nan {
				v[2] = float32(math.NaN())
			}
			f.Data = append(f.Data, v...)
		}
		rows[i] = row
	}
	return rows, f.fails
}

// rollout returns a finished rollout that searched once, and found the texts.
func rollout(number int, answer string, found ...string) *trajectory.Trajectory {
	t := &trajectory.Trajectory{V: trajectory.Version, QuestionID: "q7", Question: "where?", Round: 1, Rollout: number, Answer: answer}
	step := trajectory.Step{Turn: 1, Kind: trajectory.KindSearch, Query: "where"}
	for i, text := range found {
		step.Results = append(step.Results, trajectory.Result{Rank: i + 1, ID: text, Text: text})
	}
	t.Steps = append(t.Steps, step)
	return t
}

func group(list ...*trajectory.Trajectory) selection.Group {
	return selection.Group{Question: trajectory.Question{ID: "q7", Text: "where?"}, Trajectories: list}
}

func TestSelect(t *testing.T) {
	failed := rollout(3, "Rome", "a")
	failed.Error = "the server went away"
	tests := []struct {
		name     string
		ablation gnn.Ablation
		group    selection.Group
		index    int // -2: the best of what Scores of the candidates says
		note     string
		retained []int
	}{
		{"several", gnn.Ablation{}, group(rollout(0, "Rome", "a", "b"), rollout(1, "Oslo", "b", "c"), rollout(2, "Bern", "d")), -2, "", []int{0, 1, 2}},
		{"some without evidence", gnn.Ablation{}, group(rollout(0, "Rome"), rollout(1, "Oslo", "b", "c"), rollout(2, " ", "a"), failed, rollout(4, "Bern", "d")), -2, "", []int{1, 4}},
		{"out of order", gnn.Ablation{}, group(rollout(2, "Bern", "d"), rollout(0, "Rome", "a", "b"), rollout(1, "Oslo", "b", "c")), -2, "", []int{1, 2, 0}},
		{"merged", gnn.Ablation{MergeAnswers: true}, group(rollout(0, "Rome", "a"), rollout(1, "rome.", "b"), rollout(2, "Bern", "d")), -2, "", []int{0, 1, 2}},
		{"one candidate", gnn.Ablation{}, group(rollout(0, ""), rollout(1, "Oslo", "b"), rollout(2, "Rome")), 1, "", []int{1}},
		{"no evidence", gnn.Ablation{}, group(rollout(0, "Rome"), rollout(1, "Oslo"), rollout(2, "oslo.")), 1,
			"no rollout has evidence for the model to read: this is the most frequent answer", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newModel(t, small(graph.WebQA, tt.ablation), cpu.NewPortable[float32]())
			s := gnn.Selector{Model: m, Table: newFakeTable()}
			d, err := s.Select(t.Context(), tt.group)
			if err != nil {
				t.Fatal(err)
			}
			if tt.index == -2 {
				tt.index = gnn.Best(d.Scores)
				want := scoresOf(t, m, tt.group, len(tt.retained))
				for i, r := range tt.retained {
					if d.Scores[r] != want[i] {
						t.Errorf("score of trajectory %d is %v, want %v", r, d.Scores[r], want[i])
					}
				}
			}
			if d.Index != tt.index || d.Answer != tt.group.Trajectories[tt.index].Answer || d.Note != tt.note {
				t.Errorf("decision %+v, want trajectory %d, note %q", d, tt.index, tt.note)
			}
			var retained []int
			for i, v := range d.Scores {
				if v != gnn.NotRetained {
					retained = append(retained, i)
				}
			}
			if len(retained) != len(tt.retained) {
				t.Errorf("scores %v, want those of %v", d.Scores, tt.retained)
			}
		})
	}
}

// scoresOf scores the candidates of a group, by candidate.
func scoresOf(t *testing.T, m *gnn.Model[float32], g selection.Group, candidates int) []float64 {
	t.Helper()
	made, err := graph.Build(g, graph.Options{Variant: graph.WebQA})
	if err != nil || len(made.Answers) != candidates {
		t.Fatalf("%d candidates, want %d: %v", len(made.Answers), candidates, err)
	}
	table := newFakeTable()
	rows, err := table.Rows(t.Context(), made.Texts)
	if err != nil {
		t.Fatal(err)
	}
	return toFloat64(scores(t, m, []gnn.Input{{Graph: made, Rows: rows}}, table)[0])
}

func TestSelectAll(t *testing.T) {
	m := newModel(t, small(graph.WebQA, gnn.Ablation{}), cpu.NewPortable[float32]())
	table := newFakeTable()
	s := gnn.Selector{Model: m, Table: table}
	groups := []selection.Group{
		group(rollout(0, "Rome", "a"), rollout(1, "Oslo", "b", "c")),
		group(rollout(0, "", "a")),
		group(rollout(0, "Rome")),
		group(rollout(0, "Bern", "c"), rollout(1, "Oslo", "b")),
	}
	got, err := s.SelectAll(t.Context(), groups)
	if err != nil {
		t.Fatal(err)
	}
	if table.calls != 1 {
		t.Errorf("texts were embedded in %d calls, want 1", table.calls)
	}
	for i, g := range groups {
		want, err := s.Select(t.Context(), g)
		if errors.Is(err, selection.ErrEmpty) != (i == 1) {
			t.Errorf("group %d: error %v", i, err)
		}
		if err != nil {
			want = selection.None()
		}
		if diff := cmp.Diff(want, got[i]); diff != "" {
			t.Errorf("decision of group %d mismatch (-alone +together):\n%s", i, diff)
		}
	}
}

func TestSelectFails(t *testing.T) {
	two := group(rollout(0, "Rome", "a"), rollout(1, "Oslo", "b", "c"))
	first := group(rollout(0, "Rome", "x"), rollout(1, "Oslo", "y"))
	first.Question.ID = ""
	first.Trajectories[0].QuestionID, first.Trajectories[1].QuestionID = "", ""
	twice := group(rollout(0, "Rome", "a"), rollout(0, "Oslo", "b"))
	tests := []struct {
		name   string
		table  func(*fakeTable)
		groups []selection.Group
		want   string
	}{
		{"embedder", func(f *fakeTable) { f.fails = errors.New("no route to host") }, []selection.Group{two}, `gnn: model m.safetensors, question "q7": no route to host`},
		{"vector", func(f *fakeTable) { f.nan = "b" }, []selection.Group{first, two},
			`gnn: model m.safetensors, question "q7": the score of candidate 0 is NaN: a vector or a parameter is not finite`},
		{"pool", func(*fakeTable) {}, []selection.Group{two, twice},
			`gnn: model m.safetensors, question "q7": graph: question "q7": round 1, rollout 0 is there twice; keep one`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newModel(t, small(graph.WebQA, gnn.Ablation{SharedContext: true}), cpu.NewPortable[float32]())
			table := newFakeTable()
			tt.table(table)
			_, err := gnn.Selector{Name: "m.safetensors", Model: m, Table: table}.SelectAll(t.Context(), tt.groups)
			if got := fmt.Sprint(err); got != tt.want {
				t.Errorf("error %q, want %q", got, tt.want)
			}
		})
	}
}

// TestSelectTogether shows that one selector serves several goroutines.
func TestSelectTogether(t *testing.T) {
	m := newModel(t, small(graph.WebQA, gnn.Ablation{}), cpu.NewPortable[float32]())
	groups := make([]selection.Group, 4)
	want := make([]selection.Decision, 4)
	for i := range groups {
		groups[i] = group(rollout(0, "Rome", "a", fmt.Sprint(i)), rollout(1, "Oslo", "b", "c"))
		var err error
		if want[i], err = (gnn.Selector{Model: m, Table: newFakeTable()}).Select(t.Context(), groups[i]); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan error)
	for i := range groups {
		go func() {
			d, err := gnn.Selector{Model: m, Table: newFakeTable()}.Select(t.Context(), groups[i])
			if diff := cmp.Diff(want[i], d); err == nil && diff != "" {
				err = fmt.Errorf("decision %d mismatch (-want +got):\n%s", i, diff)
			}
			done <- err
		}()
	}
	for range groups {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
