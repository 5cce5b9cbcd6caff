package train

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"trawl/selection/gnn"
	"trawl/selection/graph"
	"trawl/selection/internal/compute/cpu"
)

// TestRestoreRefuses: a state whose parts do not fit the training that it names is
// refused, however whole the file is.
func TestRestoreRefuses(t *testing.T) {
	_, examples, v := load(t, "batch/webqa")
	m, err := gnn.New(gnn.Config{Variant: graph.WebQA, Embedding: v.N, Hidden: 8, Layers: 1, Heads: 1}, 1, cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	tr, err := newTrainer(m, examples, nil, v, Options{Epochs: 2, Batch: 2})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		change func(h *header, tensors [][]float32) [][]float32
		fits   bool
	}{
		{"as it was written", func(h *header, x [][]float32) [][]float32 { return x }, true},
		{"a tensor too few", func(h *header, x [][]float32) [][]float32 { return x[1:] }, false},
		{"a number too few", func(h *header, x [][]float32) [][]float32 { x[1] = x[1][1:]; return x }, false},
		{"a step count too few", func(h *header, x [][]float32) [][]float32 { h.Steps = h.Steps[1:]; return x }, false},
		{"a stage too many", func(h *header, x [][]float32) [][]float32 { h.Position.Stage = 2; return x }, false},
		{"an epoch too many", func(h *header, x [][]float32) [][]float32 {
			h.Position.Epoch, h.Position.Epochs = 3, make([]Epoch, 3)
			return x
		}, false},
		{"a batch too many", func(h *header, x [][]float32) [][]float32 { h.Position.Batch = 3; return x }, false},
		{"a batch below zero", func(h *header, x [][]float32) [][]float32 { h.Position.Batch = -1; return x }, false},
		{"a best epoch without its parameters", func(h *header, x [][]float32) [][]float32 {
			h.Position.Epoch, h.Position.Epochs, h.Position.Best = 1, make([]Epoch, 1), 1
			return x
		}, false},
		{"a best epoch to come", func(h *header, x [][]float32) [][]float32 {
			h.Position.Best = 1
			return append(x, values(m)...)
		}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := header{Steps: make([]int, len(m.Params()))}
			tensors := append(append(values(m), values(m)...), values(m)...)
			tensors = tt.change(&h, tensors)
			if err := tr.restore(h, tensors); (err == nil) != tt.fits || err != nil && !errors.Is(err, errDamaged) {
				t.Errorf("error %v, fits is to be %v", err, tt.fits)
			}
		})
	}
}

func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClock(100)
		c.skip(20) // by an earlier process
		if rate, remaining := c.rate(); rate != 0 || remaining != 0 {
			t.Errorf("at once: %g graphs/s and %v, want 0 and 0", rate, remaining)
		}
		<-time.After(5 * time.Second)
		c.tick(10)
		// 10 in 5 s, and 70 of 100 remain.
		if rate, remaining := c.rate(); rate != 2 || remaining != 35*time.Second {
			t.Errorf("after 10 graphs in 5 s: %g graphs/s and %v, want 2 and 35s", rate, remaining)
		}
	})
}
