package train

import (
	"cmp"
	"fmt"
	"time"

	"trawl/selection/graph"
)

// Options say how to train. The zero value is how the paper trains.
type Options struct {
	Epochs       int     // default 3; of each stage, if there are two
	Batch        int     // graphs of a step; default 256 (WebQA), 4 (long-horizon)
	Micro        int     // graphs that pass through the network at once; default 32. It decides memory, and the last bits of sums
	LearningRate float64 // default 3e-4
	WeightDecay  float64 // default 1e-4
	NoDecay      bool    // a weight decay of 0
	Seed         int64   // of the order of graphs and of dropout; default 42
	TwoStage     bool    // the ablation, see the package comment

	Progress  func(Progress) // called after each batch and each epoch, by the goroutine that trains
	State     string         // folder for the state that a killed training goes on from; "" keeps none
	SaveEvery time.Duration  // how long after one the next state is written, at the end of a batch; default a minute. One is written after each epoch in any case
}

// withDefaults returns o with the defaults of a variant in place of zeros.
func (o Options) withDefaults(v graph.Variant) Options {
	batch := 256
	if v == graph.LongHorizon {
		batch = 4
	}
	o.Epochs = cmp.Or(o.Epochs, 3)
	o.Batch = cmp.Or(o.Batch, batch)
	o.Micro = min(cmp.Or(o.Micro, defaultMicro), o.Batch)
	o.LearningRate = cmp.Or(o.LearningRate, 3e-4)
	o.WeightDecay = cmp.Or(o.WeightDecay, 1e-4)
	if o.NoDecay {
		o.WeightDecay = 0
	}
	o.Seed = cmp.Or(o.Seed, 42)
	o.SaveEvery = cmp.Or(o.SaveEvery, time.Minute)
	return o
}

// Progress is how far a training is, after a batch or, with Validation, after an
// epoch.
type Progress struct {
	Fold, Folds     int           // from 1, of a cross-validation; 0 outside one
	Stage, Stages   int           // from 1
	Epoch, Epochs   int           // from 1, of the stage
	Batch, Batches  int           // from 1, of the epoch
	Loss            Loss          // of the batch; after an epoch the mean over its graphs
	GraphsPerSecond float64       // since training began or went on
	Remaining       time.Duration // until the end, at that rate
	Validation      *Score        // nil after a batch
	Best            bool          // after an epoch: no earlier one of the stage is as good
}

// A Score is how well the selected candidates do: the mean over all questions of
// what the selected one is worth, 0 where there was nothing to select.
type Score struct {
	Questions int     `json:"questions"`
	Accuracy  float64 `json:"accuracy"`
	F1        float64 `json:"f1"`
}

// betterThan reports whether s is strictly better: by accuracy, then by F1.
func (s Score) betterThan(t Score) bool {
	if s.Accuracy != t.Accuracy {
		return s.Accuracy > t.Accuracy
	}
	return s.F1 > t.F1
}

// An Epoch is the result of one.
type Epoch struct {
	Loss       Loss  `json:"loss"` // the mean over its graphs
	Validation Score `json:"validation"`
}

// A Result is what came of a training, whose best epoch the model now holds.
type Result struct {
	Graphs    int     // that were trained on
	PosWeight float64 // of the cross entropy
	Epochs    []Epoch // of the last stage
	Best      int     // the epoch that the model holds, from 1
}

// check says what is wrong with o, whose defaults are filled in.
func (o Options) check() error {
	switch {
	case o.Epochs < 1 || o.Batch < 1 || o.Micro < 1:
		return fmt.Errorf("epochs %d, batch %d and micro %d are to be positive", o.Epochs, o.Batch, o.Micro)
	case !(o.LearningRate > 0 && isFinite(o.LearningRate)):
		return fmt.Errorf("learning rate %g is to be positive", o.LearningRate)
	case !(o.WeightDecay >= 0 && isFinite(o.WeightDecay)):
		return fmt.Errorf("weight decay %g is to be 0 or more", o.WeightDecay)
	}
	return nil
}

// defaultMicro keeps both the states of a piece in the caches and the products
// large.
const defaultMicro = 32
