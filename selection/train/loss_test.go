package train_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trawl/internal/seed"
	"trawl/internal/testutil"
	"trawl/selection/graph"
	"trawl/selection/train"
)

// batchLoss is the loss and the gradient of a batch, taken in one piece.
func batchLoss(l train.Losses, scores, labels [][]float64) (train.Loss, []float64) {
	var counts train.Counts
	for _, y := range labels {
		l.Count(&counts, y)
	}
	var loss train.Loss
	var gradient []float64
	for i, y := range labels {
		part := make([]float64, len(y))
		loss = loss.Plus(l.Graph(counts, scores[i], y, part))
		gradient = append(gradient, part...)
	}
	return loss, gradient
}

// close8 is the tolerance of the golden numbers in float64.
var close8 = cmp.Options{cmpopts.EquateApprox(1e-9, 1e-8), cmpopts.EquateEmpty()}

func readGolden(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(testutil.SharedGolden(t, "selector/"+name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func TestLossesGolden(t *testing.T) {
	type want struct {
		BCE, Listwise, Hard, Total float64
		Gradient                   []float64
	}
	var golden struct {
		Cases []struct {
			Name           string
			Labels, Logits [][]float64
			PosWeight      float64 `json:"pos_weight"`
			WebQA          want
			LongHorizon    want `json:"long-horizon"`
		}
	}
	readGolden(t, "losses.json", &golden)
	for _, c := range golden.Cases {
		for variant, want := range map[graph.Variant]want{graph.WebQA: c.WebQA, graph.LongHorizon: c.LongHorizon} {
			t.Run(c.Name+" "+string(variant), func(t *testing.T) {
				loss, gradient := batchLoss(train.Losses{Variant: variant, PosWeight: c.PosWeight}, c.Logits, c.Labels)
				got := want
				got.BCE, got.Listwise, got.Hard, got.Total = loss.BCE, loss.Listwise, loss.Hard, loss.Total()
				if want.Gradient != nil {
					got.Gradient = gradient
				}
				if diff := cmp.Diff(want, got, close8); diff != "" {
					t.Errorf("losses mismatch (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestLossesByHand(t *testing.T) {
	ln2 := math.Ln2
	zeros := [][]float64{{0, 0}, {0, 0}, {0, 0}}
	labels := [][]float64{{1, 0}, {1, 1}, {0, 0}}
	tests := []struct {
		name           string
		losses         train.Losses
		scores, labels [][]float64
		want           train.Loss
		gradient       []float64
	}{
		{
			// All three graphs: −log ½. Listwise counts the first two in WebQA, ln 2
			// and 0, and the first alone otherwise; hard counts the first alone.
			"zeros, webqa", train.Losses{Variant: graph.WebQA, PosWeight: 1}, zeros, labels,
			train.Loss{BCE: ln2, Listwise: ln2 / 2, Hard: ln2},
			// BCE ∓½ of 6; listwise ½·(½ − 1) and ½·½; hard ∓½.
			[]float64{-1./12 - 1./4 - 1./2, 1./12 + 1./4 + 1./2, -1. / 12, -1. / 12, 1. / 12, 1. / 12},
		},
		{
			"zeros, long-horizon", train.Losses{Variant: graph.LongHorizon, PosWeight: 1}, zeros, labels,
			train.Loss{BCE: ln2, Listwise: ln2, Hard: ln2},
			[]float64{-1./12 - 1./2 - 1./2, 1./12 + 1./2 + 1./2, -1. / 12, -1. / 12, 1. / 12, 1. / 12},
		},
		{
			"entropy alone", train.Losses{Variant: graph.WebQA, PosWeight: 3, BCEOnly: true}, zeros, labels,
			train.Loss{BCE: (3*3 + 3) * ln2 / 6},
			[]float64{-3. / 12, 1. / 12, -3. / 12, -3. / 12, 1. / 12, 1. / 12},
		},
		{
			// Two of three wrong ones tie at the top and share the slope σ(1−1) = ½.
			"a tie", train.Losses{Variant: graph.WebQA, PosWeight: 0}, [][]float64{{1, 1, 1}}, [][]float64{{0, 1, 0}},
			train.Loss{BCE: 2 * math.Log1p(math.E) / 3, Listwise: math.Log(3), Hard: ln2},
			[]float64{
				1/(1+1/math.E)/3 + 1./3 + 1./4,
				1./3 - 1 - 1./2,
				1/(1+1/math.E)/3 + 1./3 + 1./4,
			},
		},
		{
			"a label of one half is no positive", train.Losses{Variant: graph.WebQA, PosWeight: 1}, [][]float64{{0}}, [][]float64{{0.5}},
			train.Loss{BCE: ln2}, []float64{0},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			loss, gradient := batchLoss(tt.losses, tt.scores, tt.labels)
			if diff := cmp.Diff(tt.want, loss, close8); diff != "" {
				t.Errorf("losses mismatch (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.gradient, gradient, close8); diff != "" {
				t.Errorf("gradient mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// randomBatch makes graphs of one to five candidates; of one class, some of them,
// and with soft labels, others.
func randomBatch(name string, graphs int) (scores, labels [][]float64) {
	chance := seed.Rand(1, name)
	for range graphs {
		n := 1 + chance.IntN(5)
		s, y := make([]float64, n), make([]float64, n)
		soft := chance.IntN(3) == 0
		for i := range s {
			s[i] = 4*chance.Float64() - 2
			y[i] = float64(chance.IntN(2))
			if soft {
				y[i] = chance.Float64()
			}
		}
		scores, labels = append(scores, s), append(labels, y)
	}
	return scores, labels
}

func TestLossGradientIsTheDerivative(t *testing.T) {
	for _, variant := range []graph.Variant{graph.WebQA, graph.LongHorizon} {
		losses := train.Losses{Variant: variant, PosWeight: 1.7}
		scores, labels := randomBatch("derivative", 40)
		_, gradient := batchLoss(losses, scores, labels)
		k := 0
		const h = 1e-6
		for i := range scores {
			for j, s := range scores[i] {
				scores[i][j] = s + h
				up, _ := batchLoss(losses, scores, labels)
				scores[i][j] = s - h
				down, _ := batchLoss(losses, scores, labels)
				scores[i][j] = s
				if want := (up.Total() - down.Total()) / (2 * h); math.Abs(gradient[k]-want) > 1e-8 {
					t.Errorf("%s: graph %d, candidate %d: gradient %g, central difference %g", variant, i, j, gradient[k], want)
				}
				k++
			}
		}
	}
}

// TestLossesDoNotSeeOrder: candidates of a graph, and graphs of a batch, can
// change places.
func TestLossesDoNotSeeOrder(t *testing.T) {
	losses := train.Losses{Variant: graph.WebQA, PosWeight: 0.6}
	scores, labels := randomBatch("order", 30)
	want, gradient := batchLoss(losses, scores, labels)
	chance := seed.Rand(2)
	offsets := make([]int, len(scores)+1)
	for i := range scores {
		offsets[i+1] = offsets[i] + len(scores[i])
	}
	var s, y [][]float64
	var wantGradient []float64
	for _, i := range chance.Perm(len(scores)) {
		var a, b []float64
		for _, j := range chance.Perm(len(scores[i])) {
			a, b = append(a, scores[i][j]), append(b, labels[i][j])
			wantGradient = append(wantGradient, gradient[offsets[i]+j])
		}
		s, y = append(s, a), append(y, b)
	}
	got, gotGradient := batchLoss(losses, s, y)
	if diff := cmp.Diff(want, got, close8); diff != "" {
		t.Errorf("losses mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(wantGradient, gotGradient, close8); diff != "" {
		t.Errorf("gradient mismatch (-want +got):\n%s", diff)
	}
}

// TestScoreShift: the two losses that compare candidates do not change when all
// scores of a graph move together; the cross entropy does.
func TestScoreShift(t *testing.T) {
	losses := train.Losses{Variant: graph.LongHorizon}
	scores, labels := randomBatch("shift", 30)
	before, _ := batchLoss(losses, scores, labels)
	for i := range scores {
		for j := range scores[i] {
			scores[i][j] += float64(i)
		}
	}
	after, _ := batchLoss(losses, scores, labels)
	before.BCE, after.BCE = 0, 0
	if diff := cmp.Diff(before, after, close8); diff != "" {
		t.Errorf("losses mismatch (-want +got):\n%s", diff)
	}
}
