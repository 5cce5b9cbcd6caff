package utility_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/eval/utility"
	"trawl/trajectory"
)

// An angles embedder gives a text that ends in "@40" the vector at 40 degrees, and
// others that at 0.
type angles struct{}

func (angles) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, s := range texts {
		degrees := 0.0
		if _, at, ok := strings.Cut(s, "@"); ok {
			if _, err := fmt.Sscan(at, &degrees); err != nil {
				return nil, err
			}
		}
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		out[i] = []float32{float32(cos), float32(sin)}
	}
	return out, ctx.Err()
}

func found(query, shown string, ids ...string) trajectory.Step {
	s := trajectory.Step{Kind: trajectory.KindSearch, Query: query, Shown: shown}
	for i, id := range ids {
		s.Results = append(s.Results, trajectory.Result{Rank: i + 1, ID: id})
	}
	return s
}

// searches are the actions of a reference that searches n times.
func searches(n int) []trajectory.Kind {
	return slices.Repeat([]trajectory.Kind{trajectory.KindSearch}, n)
}

func thought(s trajectory.Step, thought string) trajectory.Step {
	s.Thought = thought
	return s
}

func rollout(n int, answer, explanation string, steps ...trajectory.Step) *trajectory.Trajectory {
	return &trajectory.Trajectory{
		QuestionID: "q", Round: 1, Rollout: n, Answer: answer, Steps: append(steps, trajectory.Step{Kind: trajectory.KindAnswer}),
		Messages: []trajectory.Message{{Role: "assistant", Content: explanation + "\n<answer>" + answer + "</answer>"}},
	}
}

var barrow = dataset.Example{Question: trajectory.Question{ID: "q", Text: "When was Barrow founded?"}, Golds: []string{"1782", "in 1782"}}

func evaluated(t *testing.T, o utility.Options, ex dataset.Example, lines ...*trajectory.Trajectory) *utility.Report {
	t.Helper()
	if o.Embedder == nil {
		o.Embedder = angles{}
	}
	if o.Weights == (utility.Weights{}) {
		o.Weights = utility.DefaultWeights()
	}
	r, err := utility.Run(t.Context(), []dataset.Example{ex}, func(string) ([]*trajectory.Trajectory, error) { return lines, nil }, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// One rollout by hand. The target is at 0°; observations at 60°, 90°, 90° and 0° have
// s = .5, 0, 0, 1, so g = .5, 0, 0, .5. Step 3 is the second without a gain and shows
// what step 2 did: p = 1, 1, 1.5, 1. With c = 1, 1, .5 (a find), 1:
//
//	J = 1 + 1 + .75 + 1 = 3.75
//	R_C = 2 + .1·ln 3 = 2.1098612;  E = 2.1098612/3.75 = .5626297
//
// Claim 1 has all its words in the evidence: 1. Of claim 2, "North of it lies Barrow.",
// Barrow and north are there and lies is not: 2/3. G_E = sqrt(2/3) = .8164966. No
// traps are known: R_R is not measured, and 1 in C = .7·.8164966 + .3 = .8715476.
//
//	U = sqrt(.5626297 · .8715476) = sqrt(.4903586) = .7002560
func TestRunByHand(t *testing.T) {
	find := found("x", "nothing@90")
	find.Kind = trajectory.KindFind
	r := evaluated(t, utility.Options{References: map[string]utility.Reference{"q": {Actions: searches(2)}}, Rollouts: 2}, barrow,
		rollout(0, "1782", "Barrow was founded in 1782. North of it lies Barrow. That is all.",
			found("a", "Barrow is in the north @60"), found("b", "nothing@90"), find, found("c", "founded in 1782 @0")))
	d := r.Details[0].Rollouts[0]
	got := []float64{*d.Cost, *d.E, *d.Claims[0].P, *d.Claims[1].P, *d.GE, *d.C, *d.U, *r.Details[0].Enough, d.Bare}
	want := []float64{3.75, 0.5626297, 1, 2.0 / 3, 0.8164966, 0.8715476, 0.7002560, 2, 3.5}
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Errorf("figures mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]float64{{0.5, 0, 0, 0.5}, {1, 1, 1.5, 1}}, [][]float64{d.Gains, d.Penalties}, near); diff != "" {
		t.Errorf("gains and penalties mismatch (-want +got):\n%s", diff)
	}
	if d.RR != nil || r.RR != nil || d.Left != 1 || d.From != utility.FromExplanation {
		t.Errorf("R_R %v, %d sentences left, claims from %s", d.RR, d.Left, d.From)
	}
	if r.Complete != 1 || r.Missing != 1 || r.Details[0].Target != "answer" || r.Details[0].Reference != "oracle" {
		t.Errorf("%d complete, %d missing, target %s, reference %s", r.Complete, r.Missing, r.Details[0].Target, r.Details[0].Reference)
	}
}

// Without a reference T* is the median cost of the correct rollouts: 1 and 3 calls
// make 2. The wrong one's E is measured too; U_all counts it as 0.
func TestMedianReference(t *testing.T) {
	step := found("a", "founded in 1782 @10")
	r := evaluated(t, utility.Options{}, barrow,
		rollout(0, "1782", "", step), rollout(1, "1790", "", step, step), rollout(2, "1782", "", step, step, step),
		&trajectory.Trajectory{QuestionID: "q", Round: 1, Rollout: 3, Error: "gone"})
	q := r.Details[0]
	if q.Reference != "correct rollouts" || *q.Enough != 2 {
		t.Errorf("T* = %g from %s, want 2 from correct rollouts", *q.Enough, q.Reference)
	}
	if r.Failed != 1 || r.Complete != 3 || r.Missing != 0 || r.Rollouts != 4 {
		t.Errorf("%d complete, %d failed, %d missing of %d", r.Complete, r.Failed, r.Missing, r.Rollouts)
	}
	if got := *q.Rollouts[1].U; got != 0 {
		t.Errorf("U of the wrong rollout = %g, want 0", got)
	}
	if r.UAll.Mean >= r.UCorrect.Mean || math.Abs(r.UAll.Mean-r.UCorrect.Mean*2/3) > 1e-9 {
		t.Errorf("U_all = %g, want two thirds of U_correct = %g", r.UAll.Mean, r.UCorrect.Mean)
	}
	// Sequences of 1, 2 and 3 equal searches: 1/2, 2/3 and 1/3 apart, .5 in the mean.
	if r.TRS == nil || math.Abs(r.TRS.Mean-0.5) > 1e-9 {
		t.Errorf("TRS = %v, want 0.5", r.TRS)
	}
	// Nobody says why: the one claim is the question and the answer.
	if c := q.Rollouts[0].Claims; len(c) != 1 || c[0].Text != "When was Barrow founded? 1782" || q.Rollouts[0].From != utility.FromAnswer {
		t.Errorf("claims %+v from %s", c, q.Rollouts[0].From)
	}
}

func TestTraps(t *testing.T) {
	trap := utility.Trap{DocID: "lie", FalseClaim: "Barrow was founded in 1785.", TrueClaim: "Barrow was founded in 1782."}
	bad, good, idle := found("a", "x@60", "lie"), found("b", "y@0", "truth"), found("c", "z@60")
	tests := []struct {
		name string
		t    *trajectory.Trajectory
		trap utility.Trap
		seen int
		want []utility.Entry
	}{
		{"never met", rollout(0, "1782", "", good), trap, 0, nil},
		{"met, not believed", rollout(0, "1782", "", bad, good), trap, 1, nil},
		{"weighed, not believed", rollout(0, "1782", "", bad, thought(good, "Is it 1785, or rather 1782?")), trap, 1, nil},
		// Believed before observation 2, which gains and after which nobody asserts it.
		{"left", rollout(0, "1782", "", bad, thought(good, "So it was founded in 1785.")), trap, 1, []utility.Entry{{DocID: "lie", At: 1, Left: 2, D: 1}}},
		// Asserted again before observation 3, which gains.
		{"left later", rollout(0, "1782", "", bad, found("1785", "z@50"), thought(good, "Then 1785.")), trap, 1, []utility.Entry{{DocID: "lie", At: 1, Left: 3, D: 2}}},
		// Given up, but no observation after that gains: T_end − t + 1 = 3.
		{"given up without a gain", rollout(0, "1782", "", bad, thought(idle, "Then 1785."), idle), trap, 1, []utility.Entry{{DocID: "lie", At: 1, D: 3}}},
		{"answered", rollout(0, "1785", "", good, bad), trap, 1, []utility.Entry{{DocID: "lie", At: 2, D: 1}}},
		{"explained", rollout(0, "unsure", "It was founded in 1785.", bad, good), trap, 1, []utility.Entry{{DocID: "lie", At: 1, D: 2}}},
		{"as the false answer", rollout(0, "The Old Mill", "", bad), utility.Trap{DocID: "lie", FalseClaim: "Barrow founded Barrow.", FalseAnswer: "old mill"}, 1, []utility.Entry{{DocID: "lie", At: 1, D: 1}}},
		{"by its value", rollout(0, "near Hazel", "", bad), utility.Trap{DocID: "lie", FalseClaim: "Barrow lies near Hazel in the north.", FalseValue: "Hazel"}, 1, []utility.Entry{{DocID: "lie", At: 1, D: 1}}},
		// Both claims have the name; who believes the false one goes on with it.
		{"by a name of both claims", rollout(0, "1782", "", bad, found("founding year of Old Mill", "z@50")), utility.Trap{DocID: "lie", FalseClaim: "Old Mill was built by Hazel.", TrueClaim: "Old Mill was built by Fiona.", FalseValue: "Old Mill"}, 1, []utility.Entry{{DocID: "lie", At: 1, Left: 2, D: 1}}},
		{"asserted before it was met", rollout(0, "1782", "", thought(good, "Maybe 1785."), bad), trap, 1, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := evaluated(t, utility.Options{Traps: map[string][]utility.Trap{"q": {tt.trap}}}, barrow, tt.t)
			d := r.Details[0].Rollouts[0]
			if diff := cmp.Diff(tt.want, d.Entered, cmp.Transformer("none", func(e []utility.Entry) []utility.Entry { return append([]utility.Entry{}, e...) })); diff != "" || d.Seen != tt.seen {
				t.Errorf("seen %d, want %d; entries mismatch (-want +got):\n%s", d.Seen, tt.seen, diff)
			}
			rr := 1.0
			if len(tt.want) > 0 {
				rr = math.Exp(-0.2 * tt.want[0].D)
			}
			if d.RR == nil || math.Abs(*d.RR-rr) > 1e-9 {
				t.Errorf("R_R = %v, want %g", d.RR, rr)
			}
		})
	}
}

// A trap costs no more than D_max, and one that nothing tells apart is counted.
func TestTrapBounds(t *testing.T) {
	steps := make([]trajectory.Step, 30)
	for i := range steps {
		steps[i] = found("a", "x@60", "lie")
	}
	traps := []utility.Trap{{DocID: "lie", FalseClaim: "It was 1785."}, {DocID: "lie", FalseClaim: "When was Barrow founded?"}}
	r := evaluated(t, utility.Options{Traps: map[string][]utility.Trap{"q": traps}}, barrow, rollout(0, "1785", "", steps...))
	if e := r.Details[0].Rollouts[0].Entered; len(e) != 1 || e[0].D != 10 {
		t.Errorf("entered %+v, want one with D = 10", e)
	}
	if want := (utility.Traps{Questions: 1, Unseeable: 1, Seen: 2, Entered: 1}); r.Traps != want {
		t.Errorf("traps %+v, want %+v", r.Traps, want)
	}
}

type entailer func() (float64, error)

func (e entailer) Entails(context.Context, string, []string) (float64, error) { return e() }

// What the entailer cannot judge is counted, and its question is left out whole: if only
// its rollout were, U_all would depend on whether right or wrong ones are judged. Here
// the judge is silent on one right rollout of q, of whose other three one is right, and
// judges all of p: one right, one wrong, so U_all = 1/2 and U_correct = G_E of the right
// one = 1. With what is judged of q, 1/3, U_all would be 5/12.
func TestUnjudged(t *testing.T) {
	silent := entailer(func() (float64, error) { return 0, fmt.Errorf("%w: down", utility.ErrNoVerdict) })
	calls := 0
	once := entailer(func() (float64, error) {
		if calls++; calls == 1 {
			return silent()
		}
		return 1, nil
	})
	step := found("a", "x@0")
	other := barrow
	other.ID = "p"
	lines := map[string][]*trajectory.Trajectory{
		"q": {rollout(0, "1782", "", step), rollout(1, "1782", "", step), rollout(2, "wrong", "", step), rollout(3, "wrong", "", step)},
		"p": {rollout(0, "1782", "", step), rollout(1, "wrong", "", step)},
	}
	r, err := utility.Run(t.Context(), []dataset.Example{barrow, other}, func(id string) ([]*trajectory.Trajectory, error) { return lines[id], nil },
		utility.Options{Weights: utility.DefaultWeights(), Embedder: angles{}, Judges: utility.Judges{Entailer: once}, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Claims != 6 || r.UnscoredClaims != 1 || r.Ungraded != 1 || r.LeftOut != 1 {
		t.Errorf("%d claims, %d unscored, %d ungraded, %d questions left out", r.Claims, r.UnscoredClaims, r.Ungraded, r.LeftOut)
	}
	first := r.Details[0].Rollouts[0]
	if first.GE != nil || first.C != nil || first.U != nil || first.E == nil || first.Claims[0].Error != "no verdict: down" {
		t.Errorf("the rollout that was not judged: %+v", first)
	}
	for name, s := range map[string]*eval.Stat{"U_all": r.UAll, "U_correct": r.UCorrect, "C": r.C, "G_E": r.GE} {
		if s.N != 1 {
			t.Errorf("%s is over %d questions, want that which is judged whole", name, s.N)
		}
	}
	if r.UAll.Mean != 0.5 || r.UCorrect.Mean != 1 || r.GE.Mean != 1 || r.E.N != 2 || r.PassAt1.N != 2 {
		t.Errorf("U_all %v, U_correct %v, G_E %v, E %v, pass@1 %v", r.UAll, r.UCorrect, r.GE, r.E, r.PassAt1)
	}
	if c := r.Sweep[5]; c.OmegaE != 0.5 || *c.UAll != 0.5 {
		t.Errorf("the sweep takes in what the figures leave out: %+v", c)
	}
	if got, want := why(r, "G_E, C, U"), "1 of 6 rollouts have claims that could not be listed or judged; their 1 questions are left out whole"; got != want {
		t.Errorf("lacking %q, want %q", got, want)
	}
	none := evaluated(t, utility.Options{Judges: utility.Judges{Entailer: silent}}, barrow, lines["q"]...)
	if none.UAll != nil || none.UCorrect != nil || none.GE != nil || none.PassAt1 == nil {
		t.Errorf("with nothing judged, U_all is %v, want none: the wrong rollout alone would make it 0", none.UAll)
	}
}

// why returns what a report says is lacking of a figure.
func why(r *utility.Report, figure string) string {
	for _, u := range r.NotMeasured {
		if u.Figure == figure {
			return u.Why
		}
	}
	return ""
}

// Without gold answers there is no gain; what needs none is there all the same.
func TestWithoutGold(t *testing.T) {
	ex := barrow
	ex.Golds = nil
	step := found("a", "founded in 1782 @30")
	r := evaluated(t, utility.Options{References: map[string]utility.Reference{"q": {Actions: searches(1), Facts: []string{"Barrow was founded in 1782."}}}}, ex,
		rollout(0, "1782", "", step), rollout(1, "1782", "", step), rollout(2, "1782", "", step, step), rollout(3, "", "", step))
	if r.PassAt1 != nil || r.UAll != nil || r.UCorrect != nil || r.E != nil || r.RR != nil || r.EA != nil {
		t.Errorf("figures that need gold answers: %v %v %v %v %v", r.PassAt1, r.UAll, r.UCorrect, r.E, r.RR)
	}
	if r.TRS == nil || r.Cost == nil || r.GE == nil || r.Unscored != 4 || r.ClaimsFrom[utility.FromNothing] != 1 {
		t.Errorf("TRS %v, cost %v, G_E %v, %d unscored, claims from %v", r.TRS, r.Cost, r.GE, r.Unscored, r.ClaimsFrom)
	}
	if math.Abs(r.Repetition.Mean-1) > 1e-6 {
		t.Errorf("repetition = %g, want 1", r.Repetition.Mean)
	}
}

func TestSweep(t *testing.T) {
	step := found("a", "founded in 1782 @60")
	r := evaluated(t, utility.Options{References: map[string]utility.Reference{"q": {Actions: searches(1)}}}, barrow,
		rollout(0, "1782", "", step, step, step), rollout(1, "no", "", step))
	if len(r.Sweep) != 16 {
		t.Fatalf("%d cells, want 16", len(r.Sweep))
	}
	for i, c := range r.Sweep {
		if *c.UAll > *c.UCorrect {
			t.Errorf("omega_e=%g omega_c=%g: U_all = %g > U_correct = %g", c.OmegaE, c.OmegaC, *c.UAll, *c.UCorrect)
		}
		if c.OmegaE == 0.5 && c.OmegaC == 0.5 && math.Abs(*c.UAll-r.UAll.Mean) > 1e-12 {
			t.Errorf("the cell of the defaults has U_all = %g, the report %g", *c.UAll, r.UAll.Mean)
		}
		if i >= 4 && *c.UCorrect > *r.Sweep[i-4].UCorrect {
			t.Errorf("U rises with omega_e at omega_c=%g", c.OmegaC)
		}
	}
}

func TestRunFails(t *testing.T) {
	bad := utility.DefaultWeights()
	bad.Beta = 2
	gone := errors.New("gone")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name string
		ctx  context.Context
		o    utility.Options
		read error
		want string
	}{
		{"weights", t.Context(), utility.Options{Weights: bad, Embedder: angles{}}, nil, "utility: weight beta=2: want a number from 0 up to 1"},
		{"no embedder", t.Context(), utility.Options{Weights: utility.DefaultWeights()}, nil, "utility: no embedder"},
		{"reading", t.Context(), utility.Options{Weights: utility.DefaultWeights(), Embedder: angles{}}, gone, "utility: question q: gone"},
		{"interrupted", ended, utility.Options{Weights: utility.DefaultWeights(), Embedder: angles{}}, nil, "context canceled"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			read := func(string) ([]*trajectory.Trajectory, error) {
				return []*trajectory.Trajectory{rollout(0, "1782", "", found("a", "x@0"))}, tt.read
			}
			_, err := utility.Run(tt.ctx, []dataset.Example{barrow}, read, tt.o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Run: %v, want %s", err, tt.want)
			}
		})
	}
}

// The same bytes however many questions are under way.
func TestDeterminism(t *testing.T) {
	examples := make([]dataset.Example, 20)
	for i := range examples {
		examples[i] = barrow
		examples[i].ID = fmt.Sprint(i)
	}
	read := func(id string) ([]*trajectory.Trajectory, error) {
		return []*trajectory.Trajectory{rollout(0, "1782", "", found("a", "founded in 1782 @"+id+"0")), rollout(1, id, "", found("b", "x@"+id))}, nil
	}
	var first *utility.Report
	for _, workers := range []int{1, 7} {
		told := 0
		r, err := utility.Run(t.Context(), examples, read, utility.Options{
			Weights: utility.DefaultWeights(), Embedder: angles{}, Workers: workers, Progress: func(done int) { told = done },
		})
		if err != nil || told != len(examples) {
			t.Fatalf("Run: %v, told of %d", err, told)
		}
		if first == nil {
			first = r
		} else if diff := cmp.Diff(first, r); diff != "" {
			t.Errorf("with %d workers (-1 +%d):\n%s", workers, workers, diff)
		}
	}
}

// T* is a cost as J is: with whatever costs of actions, who goes the way of the reference
// has E = 1. Its actions are a search, an open and a find, 2 + 3 + .25 = 5.25.
func TestReferenceIsACost(t *testing.T) {
	w := utility.DefaultWeights()
	w.Search, w.Open, w.Find = 2, 3, 0.25
	kinds := []trajectory.Kind{trajectory.KindSearch, trajectory.KindOpen, trajectory.KindFind}
	var steps []trajectory.Step
	for i, k := range kinds {
		s := found("a", fmt.Sprintf("x@%d", 90-30*i))
		s.Kind = k
		steps = append(steps, s)
	}
	q := evaluated(t, utility.Options{Weights: w, References: map[string]utility.Reference{"q": {Actions: kinds}}}, barrow, rollout(0, "1782", "", steps...)).Details[0]
	if *q.Enough != 5.25 || *q.Rollouts[0].E != 1 {
		t.Errorf("T* = %g and E = %g, want 5.25 and 1", *q.Enough, *q.Rollouts[0].E)
	}
}

// Where most correct rollouts call nothing, T* is the cost of the cheapest action, .5:
// who searches once has E = .5 + .1·ln 1.5 = .5405465, and not 0.
func TestNothingCalled(t *testing.T) {
	q := evaluated(t, utility.Options{}, barrow, rollout(0, "1782", ""), rollout(1, "1782", ""), rollout(2, "1782", "", found("a", "x@0"))).Details[0]
	if got := []float64{*q.Enough, *q.Rollouts[0].E, *q.Rollouts[2].E}; !cmp.Equal(got, []float64{0.5, 1, 0.5405465}, near) {
		t.Errorf("T*, E of no call and of one = %v, want .5, 1 and .5405465", got)
	}
}

// The target is the first gold answer with the facts behind it.
func TestTarget(t *testing.T) {
	asked := new(recorder)
	refs := map[string]utility.Reference{"q": {Actions: searches(1), Facts: []string{"Barrow was founded in 1782.", "It is old."}}}
	evaluated(t, utility.Options{Embedder: asked, References: refs}, barrow, rollout(0, "1782", "", found("a", "x@0")))
	if want := "1782\nBarrow was founded in 1782.\nIt is old."; asked.texts[0] != want {
		t.Errorf("the target is %q, want %q", asked.texts[0], want)
	}
}

// A recorder is angles that remembers what it was asked of.
type recorder struct{ texts []string }

func (r *recorder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	r.texts = append(r.texts, texts...)
	return angles{}.Embed(ctx, texts)
}

// Traps of a question without a gold answer say nothing: there is no R_R, and a reason.
func TestTrapsWithoutGold(t *testing.T) {
	ex := barrow
	ex.Golds = nil
	r := evaluated(t, utility.Options{Traps: map[string][]utility.Trap{"q": {{DocID: "lie", FalseClaim: "It was 1785."}}}}, ex, rollout(0, "1785", "", found("a", "x@0", "lie")))
	if got := why(r, "R_R"); r.RR != nil || r.Details[0].Rollouts[0].RR != nil || !strings.HasPrefix(got, "1 questions with traps have no gold answer") {
		t.Errorf("R_R %v, lacking %q", r.RR, got)
	}
}

// After an interruption, or an error, nothing more is read.
func TestNothingReadInVain(t *testing.T) {
	examples := make([]dataset.Example, 50)
	for i := range examples {
		examples[i] = barrow
		examples[i].ID = fmt.Sprint(i)
	}
	for _, interrupted := range []bool{true, false} {
		ctx, cancel := context.WithCancel(t.Context())
		reads := 0
		_, err := utility.Run(ctx, examples, func(string) ([]*trajectory.Trajectory, error) {
			if reads++; interrupted {
				cancel()
				return nil, nil
			}
			return nil, errors.New("gone")
		}, utility.Options{Weights: utility.DefaultWeights(), Embedder: angles{}, Workers: 1})
		cancel()
		if reads != 1 || interrupted && !errors.Is(err, context.Canceled) || !interrupted && (err == nil || !strings.Contains(err.Error(), "gone")) {
			t.Errorf("interrupted %t: %d reads, error %v", interrupted, reads, err)
		}
	}
}

// A minimum hint rate that was measured elsewhere stands in the report.
func TestLambdaMin(t *testing.T) {
	if r := evaluated(t, utility.Options{}, barrow); r.LambdaMin != nil || !strings.Contains(why(r, "lambda_min"), "trawl scaffold RUN") {
		t.Errorf("λ_min %v, lacking %q", r.LambdaMin, why(r, "lambda_min"))
	}
	if r := evaluated(t, utility.Options{LambdaMin: &eval.Stat{Mean: 0.3, N: 4}}, barrow); r.LambdaMin.Mean != 0.3 || why(r, "lambda_min") != "" {
		t.Errorf("λ_min %v, lacking %q", r.LambdaMin, why(r, "lambda_min"))
	}
}
