package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/config"
	"trawl/rollout"
	"trawl/selection"
	"trawl/selection/gnn"
	"trawl/selection/graph"
	"trawl/selection/train"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

// A tinyRun is a run folder in the making.
type tinyRun struct {
	golds    [][]string // of each question: q0, q1, …
	rollouts []*trajectory.Trajectory
	verdicts []store.Verdict
	limit    int
}

// country returns question i.
func country(i int) trajectory.Question {
	return trajectory.Question{ID: fmt.Sprintf("q%d", i), Text: fmt.Sprintf("What is the capital of country %d?", i)}
}

// answered returns rollout n of question i. It searched once, for what is found,
// or not at all.
func answered(i, n int, answer string, found ...string) *trajectory.Trajectory {
	q := country(i)
	t := &trajectory.Trajectory{
		V: trajectory.Version, QuestionID: q.ID, Question: q.Text, Round: 1, Rollout: n,
		Answer: answer, Source: trajectory.AnswerTag, Termination: trajectory.Answered,
	}
	if answer == "" {
		t.Source, t.Termination = trajectory.AnswerNone, trajectory.TurnLimit
	}
	if len(found) > 0 {
		s := trajectory.Step{Turn: 1, Kind: trajectory.KindSearch, Query: "capital"}
		for rank, doc := range found {
			s.Results = append(s.Results, trajectory.Result{Rank: rank + 1, ID: doc, Text: doc})
		}
		t.Steps = []trajectory.Step{s}
	}
	return t
}

// broken returns a rollout that failed.
func broken(i, n int) *trajectory.Trajectory {
	t := answered(i, n, "", "a page")
	t.Termination, t.Error = trajectory.Failed, "the server has gone"
	return t
}

// inRound moves a rollout to a round.
func inRound(round int, t *trajectory.Trajectory) *trajectory.Trajectory {
	t.Round = round
	return t
}

// write makes the run folder.
func (run tinyRun) write(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	var questions []byte
	for i, golds := range run.golds {
		line, err := json.Marshal(map[string]any{"id": country(i).ID, "question": country(i).Text, "golden_answers": append([]string{}, golds...)})
		if err != nil {
			t.Fatal(err)
		}
		questions = append(append(questions, line...), '\n')
	}
	resolved := config.Default()
	for _, r := range run.rollouts {
		resolved.Recursion.Rounds = max(resolved.Recursion.Rounds, r.Round)
	}
	settings, err := json.Marshal(runSettings{Settings: resolved.Redacted(), Shard: rollout.Shard{I: 1, N: 1}, Limit: run.limit})
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(questions)
	_, err = store.Create(dir, store.Finished{
		Manifest: store.Manifest{
			Fixed: json.RawMessage(`{}`), Settings: settings,
			Dataset: store.Dataset{Name: "flashrag", Path: filepath.Join(dir, questionsName), SHA256: hex.EncodeToString(sum[:])},
		},
		Rollouts: func(yield func(*trajectory.Trajectory, error) bool) {
			for _, tr := range run.rollouts {
				if !yield(tr, nil) {
					return
				}
			}
		},
		Verdicts: run.verdicts,
		Files:    map[string][]byte{questionsName: questions},
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// newPoolReader returns a reader with the offline embedder.
func newPoolReader(t *testing.T, v graph.Variant, l labelling) poolReader {
	t.Helper()
	e := env{stderr: t.Output(), quiet: new(true)}
	vectors, err := openVectors(t.Context(), e, config.Default().Models.Embedder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := vectors.close(); err != nil {
			t.Error(err)
		}
	})
	return poolReader{env: e, options: graph.Options{Variant: v}, labels: l, vectors: vectors}
}

// readPools returns the pools of a run.
func readPools(t *testing.T, r poolReader, run tinyRun) *pools {
	t.Helper()
	all := new(pools)
	if err := r.readRun(t.Context(), run.write(t), all); err != nil {
		t.Fatal(err)
	}
	return all
}

// worth is what a pool came to, as tests write it down.
type worth struct {
	Answers    []string // texts of the candidates
	Labels, F1 []float64
	Trainable  bool
}

func worthOf(e train.Example) worth {
	w := worth{Labels: e.Labels, F1: e.F1, Trainable: e.Trainable}
	if g := e.Input.Graph; g != nil {
		for _, a := range g.Answers {
			w.Answers = append(w.Answers, g.Texts[a.Text])
		}
	}
	return w
}

func about(a, b float64) bool { return math.Abs(a-b) <= 1e-8 }

var approximately = cmp.Comparer(about)

// TestPoolByMatch works through pools of one question that the gold answer Paris
// labels. (methods.md A.1, rules 2, 3, 5 and 7)
func TestPoolByMatch(t *testing.T) {
	paris := []string{"Paris", "Paris, France"}
	tests := []struct {
		name     string
		variant  graph.Variant
		golds    []string
		rollouts []*trajectory.Trajectory
		want     *worth // nil: the question is left out
	}{
		{"right and wrong", graph.WebQA, paris,
			[]*trajectory.Trajectory{answered(0, 0, "Rome", "a"), answered(0, 1, "paris", "b")},
			&worth{[]string{"Rome", "paris"}, []float64{0, 1}, []float64{0, 1}, true}},
		{"in part", graph.WebQA, paris,
			[]*trajectory.Trajectory{answered(0, 0, "the city of Paris", "a"), answered(0, 1, "Paris France", "b")},
			&worth{[]string{"the city of Paris", "Paris France"}, []float64{0, 1}, []float64{0.5, 1}, true}},
		{"all right", graph.WebQA, paris,
			[]*trajectory.Trajectory{answered(0, 0, "Paris", "a"), answered(0, 1, "Paris, France", "b")},
			&worth{[]string{"Paris", "Paris, France"}, []float64{1, 1}, []float64{1, 1}, false}},
		{"all wrong", graph.WebQA, paris,
			[]*trajectory.Trajectory{answered(0, 0, "Rome", "a"), answered(0, 1, "Oslo", "b")},
			&worth{[]string{"Rome", "Oslo"}, []float64{0, 0}, []float64{0, 0}, false}},
		{"a missing answer is wrong", graph.WebQA, paris,
			[]*trajectory.Trajectory{answered(0, 0, "Paris", "a"), answered(0, 1, "", "b")},
			&worth{[]string{"Paris"}, []float64{1}, []float64{1}, true}},
		{"a failed rollout is wrong", graph.WebQA, paris,
			[]*trajectory.Trajectory{broken(0, 0), answered(0, 1, "Paris", "a")},
			&worth{[]string{"Paris"}, []float64{1}, []float64{1}, true}},
		{"the wrong one found nothing", graph.WebQA, paris,
			[]*trajectory.Trajectory{answered(0, 0, "Paris", "a"), answered(0, 1, "Rome")},
			&worth{[]string{"Paris"}, []float64{1}, []float64{1}, true}},
		{"the right one found nothing", graph.WebQA, paris,
			[]*trajectory.Trajectory{answered(0, 0, "Paris"), answered(0, 1, "Rome", "a")},
			&worth{[]string{"Rome"}, []float64{0}, []float64{0}, true}},
		{"long-horizon: a failed rollout is none", graph.LongHorizon, paris,
			[]*trajectory.Trajectory{broken(0, 0), answered(0, 1, "Paris", "a")},
			&worth{[]string{"Paris"}, []float64{1}, []float64{1}, false}},
		{"long-horizon: without a search", graph.LongHorizon, paris,
			[]*trajectory.Trajectory{answered(0, 0, "Paris"), answered(0, 1, "Rome")},
			&worth{[]string{"Paris", "Rome"}, []float64{1, 0}, []float64{1, 0}, true}},
		{"equal answers have the first's text", graph.WebQA, paris,
			[]*trajectory.Trajectory{answered(0, 0, "Rome", "a"), answered(0, 1, " The Paris. ", "b"), answered(0, 2, "paris", "c"), answered(0, 3, "PARIS!", "d")},
			&worth{[]string{"Rome", "The Paris.", "The Paris.", "The Paris."}, []float64{0, 1, 1, 1}, []float64{0, 1, 1, 1}, true}},
		{"long-horizon: equal answers keep their text", graph.LongHorizon, paris,
			[]*trajectory.Trajectory{answered(0, 0, "Rome", "a"), answered(0, 1, " The Paris. ", "b"), answered(0, 2, "paris", "c")},
			&worth{[]string{"Rome", "The Paris.", "paris"}, []float64{0, 1, 1}, []float64{0, 1, 1}, true}},
		{"an answer of articles alone", graph.WebQA, []string{"A", "The Who"},
			[]*trajectory.Trajectory{answered(0, 0, "the", "a"), answered(0, 1, "Who", "b")},
			&worth{[]string{"the", "Who"}, []float64{0, 1}, []float64{0, 1}, true}},
		{"no gold answers", graph.WebQA, nil,
			[]*trajectory.Trajectory{answered(0, 0, "Paris", "a"), answered(0, 1, "Rome", "b")}, nil},
		{"no candidate", graph.WebQA, paris,
			[]*trajectory.Trajectory{answered(0, 0, "Paris"), broken(0, 1), answered(0, 2, "", "a")}, &worth{}},
		{"no rollout", graph.WebQA, paris, nil, &worth{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			all := readPools(t, newPoolReader(t, tt.variant, byMatch), tinyRun{golds: [][]string{tt.golds}, rollouts: tt.rollouts})
			checkOnly(t, all, len(tt.rollouts), tt.want)
		})
	}
}

// checkOnly compares the only pool of a run, and how it was counted.
func checkOnly(t *testing.T, all *pools, rollouts int, want *worth) {
	t.Helper()
	counts := []int{1, rollouts, 0, 0} // questions, rollouts, unlabelled, empty
	var list, got []worth
	switch {
	case want == nil:
		counts[2] = 1
	case want.Answers == nil:
		counts[3] = 1
	}
	if want != nil {
		list = append(list, *want)
	}
	for _, e := range all.examples {
		got = append(got, worthOf(e))
		if e.Question != country(0).Text {
			t.Errorf("question %q, want %q", e.Question, country(0).Text)
		}
	}
	if diff := cmp.Diff(list, got, approximately); diff != "" {
		t.Errorf("pool mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(counts, []int{all.questions, all.rollouts, all.unlabelled, all.empty}); diff != "" {
		t.Errorf("questions, rollouts, unlabelled, empty mismatch (-want +got):\n%s", diff)
	}
}

// TestPoolByJudge works through pools that verdicts label. Gold answers still say
// what F1 is.
func TestPoolByJudge(t *testing.T) {
	said := func(question int, answer string, correct bool) store.Verdict {
		return store.Verdict{QuestionID: country(question).ID, Answer: answer, Correct: correct, Judge: "judge"}
	}
	tests := []struct {
		name     string
		variant  graph.Variant
		rollouts []*trajectory.Trajectory
		verdicts []store.Verdict
		want     *worth
	}{
		{"another word than the gold", graph.WebQA,
			[]*trajectory.Trajectory{answered(0, 0, "the city of light", "a"), answered(0, 1, "Paris", "b")},
			[]store.Verdict{said(0, "the city of light", true), said(0, "Paris", false)},
			&worth{[]string{"the city of light", "Paris"}, []float64{1, 0}, []float64{0, 1}, true}},
		{"blanks around", graph.WebQA,
			[]*trajectory.Trajectory{answered(0, 0, " Paris ", "a"), answered(0, 1, "Rome", "b")},
			[]store.Verdict{said(0, "Paris", true), said(0, " Rome\n", false)},
			&worth{[]string{"Paris", "Rome"}, []float64{1, 0}, []float64{1, 0}, true}},
		{"one answer was not judged", graph.WebQA,
			[]*trajectory.Trajectory{answered(0, 0, "Paris", "a"), answered(0, 1, "Rome", "b")},
			[]store.Verdict{said(0, "Paris", true)}, nil},
		{"one that is no candidate was not judged", graph.WebQA,
			[]*trajectory.Trajectory{answered(0, 0, "Paris", "a"), answered(0, 1, "Rome")},
			[]store.Verdict{said(0, "Paris", true)}, nil},
		{"judged for another question", graph.WebQA,
			[]*trajectory.Trajectory{answered(0, 0, "Paris", "a"), answered(0, 1, "Rome", "b")},
			[]store.Verdict{said(0, "Paris", true), said(1, "Rome", false)}, nil},
		{"nothing to judge", graph.WebQA,
			[]*trajectory.Trajectory{answered(0, 0, "Paris", "a"), answered(0, 1, "", "b"), broken(0, 2)},
			[]store.Verdict{said(0, "Paris", true)},
			&worth{[]string{"Paris"}, []float64{1}, []float64{1}, true}},
		{"equal answers have the first's verdict", graph.WebQA, // and the pool qualifies by their own
			[]*trajectory.Trajectory{answered(0, 0, "Paris", "a"), answered(0, 1, "paris.", "b")},
			[]store.Verdict{said(0, "Paris", false), said(0, "paris.", true)},
			&worth{[]string{"Paris", "Paris"}, []float64{0, 0}, []float64{1, 1}, true}},
		{"equal answers by a first that is no candidate", graph.WebQA,
			[]*trajectory.Trajectory{answered(0, 0, "PARIS"), answered(0, 1, "Paris", "a"), answered(0, 2, "paris.", "b")},
			[]store.Verdict{said(0, "PARIS", false), said(0, "Paris", true), said(0, "paris.", false)},
			&worth{[]string{"Paris", "Paris"}, []float64{1, 1}, []float64{1, 1}, true}},
		{"long-horizon: equal answers keep their verdicts", graph.LongHorizon,
			[]*trajectory.Trajectory{answered(0, 0, "Paris", "a"), answered(0, 1, "paris.", "b")},
			[]store.Verdict{said(0, "Paris", false), said(0, "paris.", true)},
			&worth{[]string{"Paris", "paris."}, []float64{0, 1}, []float64{1, 1}, true}},
		{"a verdict that does not hold for one rollout", graph.WebQA, // the pool qualifies by what holds for each, candidates have the answer's
			[]*trajectory.Trajectory{answered(0, 0, "Paris", "a"), answered(0, 1, "Paris", "b")},
			[]store.Verdict{{QuestionID: country(0).ID, Answer: "Paris", Correct: true, Judge: "judge", Except: []int{1}}},
			&worth{[]string{"Paris", "Paris"}, []float64{1, 1}, []float64{1, 1}, true}},
		{"an answer of articles alone", graph.WebQA,
			[]*trajectory.Trajectory{answered(0, 0, "The", "a"), answered(0, 1, "Rome", "b")},
			[]store.Verdict{said(0, "The", true), said(0, "Rome", false)},
			&worth{[]string{"The", "Rome"}, []float64{1, 0}, []float64{0, 0}, true}},
		{"no candidate", graph.WebQA,
			[]*trajectory.Trajectory{answered(0, 0, "Paris"), broken(0, 1)},
			[]store.Verdict{said(0, "Paris", true)}, &worth{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run := tinyRun{golds: [][]string{{"Paris"}}, rollouts: tt.rollouts, verdicts: tt.verdicts}
			checkOnly(t, readPools(t, newPoolReader(t, tt.variant, byJudge), run), len(tt.rollouts), tt.want)
		})
	}
}

// TestPoolsOfRounds: an answer is chosen among those of the run's last round, also
// where a question has none of it.
func TestPoolsOfRounds(t *testing.T) {
	all := readPools(t, newPoolReader(t, graph.WebQA, byMatch), tinyRun{
		golds: [][]string{{"Paris"}, {"Rome"}},
		rollouts: []*trajectory.Trajectory{
			answered(0, 0, "Paris", "a"), answered(0, 1, "Paris", "b"), answered(0, 2, "Paris", "c"),
			inRound(2, answered(0, 0, "Oslo", "d")), inRound(2, answered(0, 1, "Paris", "e")),
			answered(1, 0, "Rome", "f"), answered(1, 1, "Oslo", "g"),
		},
	})
	want := []worth{{[]string{"Oslo", "Paris"}, []float64{0, 1}, []float64{0, 1}, true}, {}}
	var got []worth
	for _, e := range all.examples {
		got = append(got, worthOf(e))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pools mismatch (-want +got):\n%s", diff)
	}
	if all.questions != 2 || all.rollouts != 2 || all.empty != 1 {
		t.Errorf("%d questions, %d rollouts, %d empty; want 2, 2 and 1", all.questions, all.rollouts, all.empty)
	}
}

// TestPoolsLimit: questions beyond the limit that a run was given last are not its.
func TestPoolsLimit(t *testing.T) {
	all := readPools(t, newPoolReader(t, graph.WebQA, byMatch), tinyRun{
		golds: [][]string{{"Paris"}, {"Rome"}}, limit: 1,
		rollouts: []*trajectory.Trajectory{answered(0, 0, "Paris", "a"), answered(1, 0, "Rome", "f")},
	})
	if len(all.examples) != 1 || all.questions != 1 || all.rollouts != 1 {
		t.Errorf("%d examples of %d questions, %d rollouts; want 1 of each", len(all.examples), all.questions, all.rollouts)
	}
}

// TestPoolsRefuse: what there is nothing to learn from is refused with a way out.
func TestPoolsRefuse(t *testing.T) {
	pair := []*trajectory.Trajectory{answered(0, 0, "Paris", "a"), answered(0, 1, "Rome", "b")}
	tests := []struct {
		name    string
		variant graph.Variant
		labels  labelling
		run     tinyRun
		want    string
	}{
		{"no gold answers", graph.WebQA, byMatch, tinyRun{golds: [][]string{nil}, rollouts: pair}, "no question has both rollouts and gold answers"},
		{"no verdicts", graph.WebQA, byJudge, tinyRun{golds: [][]string{{"Paris"}}, rollouts: pair}, "has no verdicts of a judge"},
		{"no page was opened", graph.LongHorizon, byMatch, tinyRun{golds: [][]string{{"Paris"}}, rollouts: pair}, "train on them with --variant webqa"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := newPoolReader(t, tt.variant, tt.labels).read(t.Context(), []string{tt.run.write(t)})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// TestPoolsOrder: the examples are those of the runs and their questions in order,
// with the same graphs and vectors, however many cores read them.
func TestPoolsOrder(t *testing.T) {
	const questions = 12
	var runs []tinyRun
	for n := range 2 {
		run := tinyRun{golds: make([][]string, questions)}
		for i := range questions {
			run.golds[i] = []string{"answer 0"}
			for r := range 2 + questions - i { // the first take longest
				found := []string{fmt.Sprintf("run %d, page %d of question %d", n, r%5, i), "a page that all know"}
				run.rollouts = append(run.rollouts, answered(i, r, fmt.Sprintf("answer %d", r%3), found...))
			}
		}
		slices.Reverse(run.rollouts) // in the file they stand as they were done
		runs = append(runs, run)
	}
	dirs := []string{runs[0].write(t), runs[1].write(t)}
	var first []readExample
	for _, cores := range []int{1, 4} {
		got := func() []readExample {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			r := newPoolReader(t, graph.WebQA, byMatch)
			all, err := r.read(t.Context(), dirs)
			if err != nil {
				t.Fatal(err)
			}
			return readExamples(r.vectors, all.examples)
		}()
		if first == nil {
			first = got
		}
		if diff := cmp.Diff(first, got); diff != "" {
			t.Errorf("%d cores read other examples (-one +now):\n%s", cores, diff)
		}
	}
	if len(first) != 2*questions {
		t.Fatalf("%d examples, want %d", len(first), 2*questions)
	}
	for i, e := range first {
		want := fmt.Sprintf("run %d, page 0 of question %d", i/questions, i%questions)
		if text := e.Graph.Texts[e.Graph.Evidence[0].Text]; e.Question != country(i%questions).Text || text != store.Hash(want) {
			t.Errorf("example %d is %q with evidence %s, want that of %q", i, e.Question, text, want)
		}
	}
}

// A readExample is an example with a hash of its vectors in place of their rows,
// which number the texts in the order in which a table met them.
type readExample struct {
	Question   string
	Graph      *graph.Graph
	Vectors    string
	Labels, F1 []float64
}

func readExamples(vectors *vectors, examples []train.Example) []readExample {
	var list []readExample
	for _, e := range examples {
		read := readExample{Question: e.Question, Graph: e.Input.Graph, Labels: e.Labels, F1: e.F1}
		all := make([][]float32, len(e.Input.Rows))
		for i, row := range e.Input.Rows {
			all[i] = make([]float32, vectors.Dims())
			vectors.Read(row, all[i])
		}
		read.Vectors = store.Hash(all)
		list = append(list, read)
	}
	return list
}

// TestPoolsMergeAnswers: a pool that was read for training keeps the words of its
// answers, so that a model which merges equal ones merges those that it does where
// it selects, and gives them the same scores.
func TestPoolsMergeAnswers(t *testing.T) {
	for _, v := range []graph.Variant{graph.WebQA, graph.LongHorizon} {
		t.Run(string(v), func(t *testing.T) {
			run := tinyRun{golds: [][]string{{"Paris"}}, rollouts: []*trajectory.Trajectory{
				answered(0, 0, "Paris", "a", "b"), answered(0, 1, "Rome", "b"), answered(0, 2, "paris.", "c"), answered(0, 3, "Rome", "a"), answered(0, 4, "The", "d"),
			}}
			r := newPoolReader(t, v, byMatch)
			e := readPools(t, r, run).examples[0]
			whole, err := graph.Build(selection.Group{Question: country(0), Trajectories: run.rollouts}, r.options)
			if err != nil {
				t.Fatal(err)
			}
			members := func(g *graph.Graph) [][]int {
				var list [][]int
				for _, a := range graph.MergeAnswers(g).Answers {
					list = append(list, a.Rollouts)
				}
				return list
			}
			want := [][]int{{0, 2}, {1, 3}, {4}}
			if diff := cmp.Diff(want, members(whole)); diff != "" {
				t.Errorf("merged where it selects mismatch (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want, members(e.Input.Graph)); diff != "" {
				t.Errorf("merged where it trains mismatch (-want +got):\n%s", diff)
			}
			device, err := gnn.OpenDevice("cpu")
			if err != nil {
				t.Fatal(err)
			}
			defer device.Close()
			m, err := gnn.New(gnn.Config{
				Variant: v, Embedding: r.vectors.Dims(), Hidden: 8, Layers: 1, Heads: 1, Ablation: gnn.Ablation{MergeAnswers: true},
			}, 1, device.Backend())
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			scores, err := m.Scores([]gnn.Input{e.Input, {Graph: whole, Rows: e.Input.Rows}}, r.vectors)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(scores[1], scores[0]); diff != "" {
				t.Errorf("scores mismatch (-selecting +training):\n%s", diff)
			}
			if s := scores[0]; s[0] != s[2] || s[1] != s[3] || s[0] == s[1] {
				t.Errorf("scores %v: equal answers have one, and others another", s)
			}
		})
	}
}

// TestPoolsTellBadLines: a line that cannot be read is told by its place, and the
// rest is read.
func TestPoolsTellBadLines(t *testing.T) {
	run := tinyRun{
		golds:    [][]string{{"Paris"}},
		rollouts: []*trajectory.Trajectory{answered(0, 0, "Paris", "a"), answered(0, 1, "Rome", "b")},
		verdicts: []store.Verdict{{QuestionID: "q0", Answer: "Paris", Correct: true}, {QuestionID: "q0", Answer: "Rome"}},
	}
	dir := run.write(t)
	for _, name := range []string{"rollouts.jsonl", "verdicts.jsonl"} {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append([]byte("{\"v\":\n"), data...), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var stderr bytes.Buffer
	r, all := newPoolReader(t, graph.WebQA, byJudge), new(pools)
	r.env.stderr = &stderr
	if err := r.readRun(t.Context(), dir, all); err != nil {
		t.Fatal(err)
	}
	checkOnly(t, all, 2, &worth{[]string{"Paris", "Rome"}, []float64{1, 0}, []float64{1, 0}, true})
	for _, want := range []string{"skipped a line that cannot be read: rollouts.jsonl:1", "skipped a verdict that cannot be read: verdicts.jsonl:1"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("stderr does not say %q:\n%s", want, &stderr)
		}
	}
}

// TestPoolsNobodyCanLabel: a question without gold answers says nothing of anybody,
// also where nobody answered it; an answer of blanks is none, also to a judge.
func TestPoolsNobodyCanLabel(t *testing.T) {
	for _, run := range []tinyRun{
		{golds: [][]string{nil}},
		{golds: [][]string{nil}, rollouts: []*trajectory.Trajectory{broken(0, 0), answered(0, 1, "", "a")}},
	} {
		all := readPools(t, newPoolReader(t, graph.WebQA, byMatch), run)
		checkOnly(t, all, len(run.rollouts), nil)
	}
	all := readPools(t, newPoolReader(t, graph.WebQA, byJudge), tinyRun{
		golds: [][]string{{"Paris"}}, rollouts: []*trajectory.Trajectory{answered(0, 0, "Paris", "a"), answered(0, 1, "  ", "a")},
		verdicts: []store.Verdict{{QuestionID: "q0", Answer: "Paris", Correct: true, Judge: "j"}},
	})
	if all.unlabelled != 0 || len(all.examples) != 1 {
		t.Errorf("%d questions are unlabelled and %d examples, want 0 and 1", all.unlabelled, len(all.examples))
	}
}
