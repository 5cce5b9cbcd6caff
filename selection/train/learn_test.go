package train_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/seed"
	"trawl/selection/gnn"
	"trawl/selection/train"
)

// votesAlone is what whoever sees nothing but votes can reach on planted pools:
// either pair is right in three of eight. Chance reaches 5/16, the majority 1/4.
const votesAlone = 3. / 8

// TestLearnsPlanted: the model beats the majority by half of all questions where
// there is something to learn, and nobody by more than luck where there is not.
func TestLearnsPlanted(t *testing.T) {
	size := struct{ training, validation, held int }{160, 40, 400}
	if raceEnabled {
		size.training, size.held = 144, 64
	}
	luck := 3 * math.Sqrt(votesAlone*(1-votesAlone)/float64(size.held)) // three standard deviations
	tests := []struct {
		name     string
		signal   signal
		shuffled bool // the labels of each training pool among its candidates
		ablation gnn.Ablation
		learns   bool
	}{
		{"a text tells", inText, false, gnn.Ablation{}, true},
		{"sharing tells", inSharing, false, gnn.Ablation{}, true},
		{"sharing tells, but no message passes between rollouts", inSharing, false, gnn.Ablation{NoCross: true}, false},
		{"a text would tell, but labels are shuffled", inText, true, gnn.Ablation{}, false},
		{"sharing would tell, but labels are shuffled", inSharing, true, gnn.Ablation{}, false},
	}
	for i, tt := range tests {
		if raceEnabled && i > 0 {
			break // one shows that there is no race; the figures are those of the others
		}
		t.Run(tt.name, func(t *testing.T) {
			examples, features := planted("learn", size.training+size.validation+size.held, tt.signal)
			cut := size.training + size.validation
			held := examples[cut:]
			if tt.shuffled {
				chance := seed.Rand(3)
				for _, e := range examples[:cut] {
					chance.Shuffle(len(e.Labels), func(i, j int) { e.Labels[i], e.Labels[j] = e.Labels[j], e.Labels[i] })
				}
			}
			begun := time.Now()
			m := plantedModel(t, tt.ablation)
			o := train.Options{Epochs: 4, Batch: 16, LearningRate: 3e-3}
			if _, err := train.Run(t.Context(), m, examples[:size.training], examples[size.training:cut], features, o); err != nil {
				t.Fatal(err)
			}
			scores, err := train.Scores(t.Context(), m, held, features)
			if err != nil {
				t.Fatal(err)
			}
			spent := time.Since(begun)
			model, voting := accuracy(held, scores), majority(held)
			t.Logf("model %.3f, majority %.3f, in %v", model, voting, spent.Round(time.Millisecond))
			if tt.learns && model < voting+0.5 {
				t.Errorf("accuracy %.3f, want at least 0.5 more than the majority's %.3f", model, voting)
			}
			if !tt.learns && model > votesAlone+luck {
				t.Errorf("accuracy %.3f, want no more than %.3f: there is nothing to learn", model, votesAlone+luck)
			}
		})
	}
}

// TestCrossValidate: every question is scored by a model that has not seen it, so
// a pool whose labels lie is scored like any other.
func TestCrossValidate(t *testing.T) {
	size := 60
	if raceEnabled {
		size = 15
	}
	examples, features := planted("cross", size, inText)
	truth := append([]train.Example(nil), examples...)
	const liar = 7
	examples[liar].Labels = make([]float64, len(examples[liar].Labels))
	for i, y := range truth[liar].Labels {
		examples[liar].Labels[i] = 1 - y
	}
	examples = append(examples, train.Example{Question: "nobody answered"})
	c := train.Crossing{Folds: 3, Model: func(int) (*gnn.Model[float32], error) { return plantedModel(t, gnn.Ablation{}), nil }}
	folds := map[int]bool{}
	o := train.Options{Epochs: 10, Batch: 8, LearningRate: 3e-3, State: t.TempDir(), Progress: func(p train.Progress) { folds[p.Fold] = p.Folds == 3 }}
	scores, err := train.CrossValidate(t.Context(), examples, features, c, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(scores) != len(examples) || len(scores[size]) != 0 {
		t.Fatalf("%d examples have scores, want %d, the last none", len(scores), len(examples))
	}
	if got, voting := accuracy(truth, scores[:size]), majority(truth); got < voting+0.5 && !raceEnabled {
		t.Errorf("out of fold accuracy %.3f, want at least 0.5 more than the majority's %.3f", got, voting)
	}
	if got := accuracy(truth[liar:liar+1], scores[liar:liar+1]); got != 1 && !raceEnabled {
		t.Error("a model learned from the question that it scored")
	}
	if diff := cmp.Diff(map[int]bool{1: true, 2: true, 3: true}, folds); diff != "" {
		t.Errorf("folds reported mismatch (-want +got):\n%s", diff)
	}
	again, err := train.CrossValidate(t.Context(), examples, features, c, o) // from the states
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(scores, again); diff != "" {
		t.Errorf("scores of the same cross-validation mismatch (-want +got):\n%s", diff)
	}

	if _, err := train.CrossValidate(t.Context(), examples[:1], features, c, train.Options{}); err == nil {
		t.Error("one question was cross-validated")
	}
	c.Folds = 1
	if _, err := train.CrossValidate(t.Context(), examples, features, c, train.Options{}); err == nil {
		t.Error("one fold is no error")
	}
}
