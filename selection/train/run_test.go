package train_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/testutil"
	"trawl/selection/gnn"
	"trawl/selection/graph"
	"trawl/selection/internal/compute/cpu"
	"trawl/selection/train"
)

// small is a training of three batches an epoch, of two pieces each and the last
// one short, and of two epochs.
func small() ([]train.Example, []train.Example, gnn.Vectors, train.Options) {
	examples, features := planted("small", 10, inText)
	return examples[:7], examples[7:], features, train.Options{Epochs: 2, Batch: 3, Micro: 2, LearningRate: 3e-3}
}

// smallModel is a model for it.
func smallModel(t *testing.T, a gnn.Ablation) *gnn.Model[float32] {
	t.Helper()
	m, err := gnn.New(gnn.Config{Variant: graph.WebQA, Embedding: plantedDims, Hidden: 8, Layers: 1, Heads: 1, Ablation: a}, 1, cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// checkpoint returns the bytes that the model is saved as.
func checkpoint(t *testing.T, m *gnn.Model[float32]) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.safetensors")
	if err := m.Save(path, nil); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// trained trains a fresh model.
func trained(t *testing.T, o train.Options) (train.Result, string) {
	t.Helper()
	examples, validation, features, _ := small()
	m := smallModel(t, gnn.Ablation{})
	r, err := train.Run(t.Context(), m, examples, validation, features, o)
	if err != nil {
		t.Fatal(err)
	}
	return r, checkpoint(t, m)
}

// TestRunIsDeterministic trains on graphs large enough for the work to be split
// among cores.
func TestRunIsDeterministic(t *testing.T) {
	in, features := gnn.Workload(1, 20, 64, gnn.PaperRollouts)
	var examples []train.Example
	for i := range in {
		e := train.Example{Question: fmt.Sprint(i), Input: in[i], Labels: make([]float64, len(in[i].Graph.Answers)), Trainable: true}
		e.Labels[i%len(e.Labels)] = 1
		examples = append(examples, e)
	}
	on := func(cores int, seed int64) (train.Result, string) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		m, err := gnn.New(gnn.Config{Variant: graph.WebQA, Embedding: 64, Hidden: 64, Layers: 2}, 1, cpu.New())
		if err != nil {
			t.Fatal(err)
		}
		r, err := train.Run(t.Context(), m, examples[:14], examples[14:], features, train.Options{Epochs: 2, Batch: 8, Micro: 5, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return r, checkpoint(t, m)
	}
	want, bytes := on(1, 0)
	if len(want.Epochs) != 2 || want.Best < 1 || want.Best > 2 || want.Graphs != 14 {
		t.Errorf("result %+v: want 2 epochs of 14 graphs, one of them the best", want)
	}
	for cores := 1; cores <= 4; cores++ {
		got, again := on(cores, 0)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("on %d cores: result mismatch (-want +got):\n%s", cores, diff)
		}
		if again != bytes {
			t.Errorf("on %d cores the checkpoint is another", cores)
		}
	}
	if _, other := on(2, 43); other == bytes {
		t.Error("the seed does not matter")
	}
}

func TestProgress(t *testing.T) {
	_, _, _, o := small()
	var got []string
	var epoch train.Loss
	o.Progress = func(p train.Progress) {
		got = append(got, fmt.Sprintf("stage %d/%d epoch %d/%d batch %d/%d validated %v", p.Stage, p.Stages, p.Epoch, p.Epochs, p.Batch, p.Batches, p.Validation != nil))
		if p.GraphsPerSecond <= 0 || p.Remaining < 0 {
			t.Errorf("%s: %g graphs/s, %v remain", got[len(got)-1], p.GraphsPerSecond, p.Remaining)
		}
		if p.Epoch > 1 {
			return
		}
		if graphs := []float64{3, 3, 1}[p.Batch-1]; p.Validation == nil {
			epoch = epoch.Plus(p.Loss.Times(graphs / 7))
		} else if math.Abs(p.Loss.Total()-epoch.Total()) > 1e-9 {
			t.Errorf("loss of the epoch %g, want the mean over graphs %g", p.Loss.Total(), epoch.Total())
		} else if p.Validation.Questions != 3 || !p.Best {
			t.Errorf("first epoch: %d questions, best %v; want 3, true", p.Validation.Questions, p.Best)
		}
	}
	trained(t, o)
	var want []string
	for e := 1; e <= 2; e++ {
		for b := 1; b <= 3; b++ {
			want = append(want, fmt.Sprintf("stage 1/1 epoch %d/2 batch %d/3 validated false", e, b))
		}
		want = append(want, fmt.Sprintf("stage 1/1 epoch %d/2 batch 3/3 validated true", e))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("progress mismatch (-want +got):\n%s", diff)
	}
}

// TestResume cancels a training after every report, and kills another there: what
// goes on ends with the bytes of an undisturbed one. Of two stages, only what lies
// around their border is tried.
func TestResume(t *testing.T) {
	for _, twoStage := range []bool{false, true} {
		_, _, _, o := small()
		o.TwoStage = twoStage
		reports := 0
		o.Progress = func(train.Progress) { reports++ }
		want, bytes := trained(t, o)
		first, last := 1, reports
		if twoStage {
			first, last = reports/2-1, reports/2+2
		}
		for stop := first; stop <= last; stop++ {
			for _, kill := range []bool{false, true} {
				t.Run(fmt.Sprintf("two stages %v, report %d, killed %v", twoStage, stop, kill), func(t *testing.T) {
					o := o
					o.State = filepath.Join(t.TempDir(), "state")
					o.SaveEvery = time.Hour // when killed, all since the last epoch is lost
					if stop%2 == 0 {
						o.SaveEvery = time.Nanosecond
					}
					interrupt(t, o, stop, kill)
					o.Progress = nil
					got, again := trained(t, o)
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("result mismatch (-want +got):\n%s", diff)
					}
					if again != bytes {
						t.Error("the checkpoint is another")
					}
				})
			}
		}
	}
}

// interrupt trains until some report. A training that is killed leaves the state
// that is on disk at that moment, one that is cancelled what it writes then.
func interrupt(t *testing.T, o train.Options, report int, kill bool) {
	t.Helper()
	examples, validation, features, _ := small()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	file := filepath.Join(o.State, "train.state")
	var left []byte
	n := 0
	o.Progress = func(train.Progress) {
		if n++; n == report {
			left, _ = os.ReadFile(file) // there may be none yet
			cancel()
		}
	}
	_, err := train.Run(ctx, smallModel(t, gnn.Ablation{}), examples, validation, features, o)
	if err != nil && (!errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "goes on")) {
		t.Fatal(err)
	}
	switch {
	case kill && left == nil:
		err = os.Remove(file)
	case kill:
		err = os.WriteFile(file, left, 0o644)
	default:
		return
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestDoneIsDone: a training that is done is not done again, and its state holds
// the best epoch.
func TestDoneIsDone(t *testing.T) {
	_, _, _, o := small()
	o.State = t.TempDir()
	want, bytes := trained(t, o)
	o.Progress = func(p train.Progress) { t.Errorf("trained again: %+v", p) }
	got, again := trained(t, o)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result mismatch (-want +got):\n%s", diff)
	}
	if again != bytes {
		t.Error("the checkpoint is another")
	}
}

// TestForeignState: a state that is damaged or of another training is refused,
// and stays as it is.
func TestForeignState(t *testing.T) {
	examples, validation, features, o := small()
	o.State = t.TempDir()
	trained(t, o)
	file := filepath.Join(o.State, "train.state")
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	relabelled := append([]train.Example(nil), examples...)
	relabelled[3].Labels = append([]float64(nil), relabelled[3].Labels...)
	relabelled[3].Labels[0] = 1 - relabelled[3].Labels[0]
	tests := []struct {
		name     string
		state    []byte
		examples []train.Example
		ablation gnn.Ablation
		change   func(o *train.Options)
		want     string
	}{
		{"cut", good[:len(good)/2], examples, gnn.Ablation{}, nil, "damaged"},
		{"empty", nil, examples, gnn.Ablation{}, nil, "damaged"},
		{"another label", good, relabelled, gnn.Ablation{}, nil, "other data"},
		{"fewer examples", good, examples[1:], gnn.Ablation{}, nil, "other data"},
		{"another rate", good, examples, gnn.Ablation{}, func(o *train.Options) { o.LearningRate = 1e-3 }, "other settings"},
		{"another seed", good, examples, gnn.Ablation{}, func(o *train.Options) { o.Seed = 1 }, "other settings"},
		{"more epochs", good, examples, gnn.Ablation{}, func(o *train.Options) { o.Epochs = 3 }, "other settings"},
		{"another model", good, examples, gnn.Ablation{NoCross: true}, nil, "other settings"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.WriteFile(file, tt.state, 0o644); err != nil {
				t.Fatal(err)
			}
			o := o
			if tt.change != nil {
				tt.change(&o)
			}
			_, err := train.Run(t.Context(), smallModel(t, tt.ablation), tt.examples, validation, features, o)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "to begin anew") {
				t.Errorf("error %v: want %q, the file and how to begin anew", err, tt.want)
			}
			left := testutil.Files(t, o.State)
			delete(left, "train.lock")
			if diff := cmp.Diff(map[string]string{"train.state": string(tt.state)}, left); diff != "" {
				t.Error("the state was changed")
			}
		})
	}
}

// TestOneTrainingAtATime: two processes that trained into one state would write
// over each other.
func TestOneTrainingAtATime(t *testing.T) {
	examples, validation, features, o := small()
	o.State = t.TempDir()
	var second error
	o.Progress = func(train.Progress) {
		if second == nil {
			_, second = train.Run(t.Context(), smallModel(t, gnn.Ablation{}), examples, validation, features, train.Options{State: o.State})
		}
	}
	if _, err := train.Run(t.Context(), smallModel(t, gnn.Ablation{}), examples, validation, features, o); err != nil {
		t.Fatal(err)
	}
	if second == nil || !strings.Contains(second.Error(), "is being written by process") {
		t.Errorf("a second training meanwhile: error %v", second)
	}
}

func TestRunRefuses(t *testing.T) {
	examples, validation, features, _ := small()
	with := func(change func(e *train.Example)) []train.Example {
		changed := append([]train.Example(nil), examples...)
		change(&changed[2])
		return changed
	}
	tests := []struct {
		name       string
		examples   []train.Example
		validation []train.Example
		o          train.Options
		want       string
	}{
		{"a label too few", with(func(e *train.Example) { e.Labels = e.Labels[1:] }), nil, train.Options{}, `example 2 ("small question 2"): 7 labels for 8 candidates`},
		{"a label that is no number", with(func(e *train.Example) { e.Labels = []float64{1, 0, 0, 0, 0, 0, 0, math.NaN()} }), nil, train.Options{}, "label NaN of candidate 7"},
		{"an F1 above 1", with(func(e *train.Example) { e.F1 = []float64{2, 0, 0, 0, 0, 0, 0, 0} }), nil, train.Options{}, "F1 2 of candidate 0"},
		{"an empty pool to train on", with(func(e *train.Example) { e.Input.Graph, e.Labels, e.F1 = nil, nil, nil }), nil, train.Options{}, "trainable without a candidate"},
		{"another variant", examples, []train.Example{{Input: gnn.Input{Graph: &graph.Graph{Variant: graph.LongHorizon, Answers: make([]graph.Answer, 1)}}, Labels: []float64{1}}}, train.Options{}, "variant long-horizon"},
		{"nothing to train on", validation[:0], validation, train.Options{}, "nothing to learn from"},
		{"no epochs", examples, nil, train.Options{Epochs: -1}, "epochs -1"},
		{"a negative rate", examples, nil, train.Options{LearningRate: -1}, "learning rate -1"},
		{"a negative decay", examples, nil, train.Options{WeightDecay: -1}, "weight decay -1"},
		{"a rate that diverges", examples, nil, train.Options{Batch: 3, LearningRate: 1e38, NoDecay: true}, "epoch 1, batch 2 of 3: the loss is NaN"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := train.Run(t.Context(), smallModel(t, gnn.Ablation{}), tt.examples, tt.validation, features, tt.o)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "train: ") {
				t.Errorf("error %v, want one that says %q", err, tt.want)
			}
		})
	}
}

// TestNoNumber: a vector that is no number is an error that says where, before
// any parameter has moved.
func TestNoNumber(t *testing.T) {
	examples, validation, features, o := small()
	m := smallModel(t, gnn.Ablation{})
	before := checkpoint(t, m)
	features.Data[0] = float32(math.NaN()) // of the first question of all
	if _, err := train.Run(t.Context(), m, examples[:1], nil, features, o); err == nil || !strings.Contains(err.Error(), "epoch 1, batch 1 of 1: the loss is NaN") {
		t.Errorf("error %v, want one that names the batch", err)
	}
	if checkpoint(t, m) != before {
		t.Error("the parameters have moved")
	}
	if _, err := train.Run(t.Context(), m, validation, examples, features, o); err == nil || !strings.Contains(err.Error(), `epoch 1: validation: question "small question 0"`) {
		t.Errorf("error %v, want one that names the question", err)
	}
}

// TestBestEpoch: at a rate too small to change a choice all epochs are equally
// good, and the first is kept; without validation it is the last.
func TestBestEpoch(t *testing.T) {
	examples, validation, features, o := small()
	o.LearningRate = 1e-9
	empty := train.Example{Question: "nobody answered"}
	half := append([]train.Example{empty, empty, empty}, validation...)
	for _, tt := range []struct {
		name       string
		validation []train.Example
		best       int
	}{{"equal epochs", validation, 1}, {"no validation", nil, 2}, {"empty pools", half, 1}} {
		r, err := train.Run(t.Context(), smallModel(t, gnn.Ablation{}), examples, tt.validation, features, o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Best != tt.best {
			t.Errorf("%s: best epoch %d, want %d", tt.name, r.Best, tt.best)
		}
		scores, err := train.Scores(t.Context(), smallModel(t, gnn.Ablation{}), validation, features)
		if err != nil {
			t.Fatal(err)
		}
		want := train.Score{Questions: len(tt.validation)}
		if want.Questions > 0 { // an empty pool counts, as wrong
			want.Accuracy = accuracy(validation, scores) * float64(len(validation)) / float64(want.Questions)
			want.F1 = want.Accuracy
		}
		if diff := cmp.Diff(want, r.Epochs[0].Validation, close8); diff != "" {
			t.Errorf("%s: validation mismatch (-want +got):\n%s", tt.name, diff)
		}
	}
}
