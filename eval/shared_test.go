package eval_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/internal/testutil"
	"trawl/trajectory"
)

// A published is a line of R1-Searcher's published rollouts.
type published struct {
	Question   string `json:"question"`
	Answer     string `json:"answer"`
	Prediction string `json:"prediction"`
	EM         int    `json:"em"`
	RolloutID  int    `json:"rollout_id"` // from 1, one for each of its models
}

func readPublished(t *testing.T, path string) []published {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var lines []published
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<24)
	for scan.Scan() {
		var p published
		if err := json.Unmarshal(scan.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, p)
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

// The EM recomputed for real rollouts is the one that stands beside each of
// them, without exception, and the estimates from it are the known ones.
func TestPublishedRollouts(t *testing.T) {
	tests := []struct {
		name                string
		questions, rollouts int
		em, pass2           float64 // pass2 is 0 where there is one rollout a question
	}{
		{"hotpotqa", 500, 2, 0.579, 0.670},
		{"bamboogle", 125, 2, 0.448, 0.528},
		{"2wiki", 500, 1, 0.554, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			examples, err := dataset.Load("flashrag:" + testutil.Shared(t, "r1_searcher_rollouts/"+tt.name+"_questions.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			byText := make(map[string]dataset.Example)
			for _, e := range examples {
				byText[e.Text] = e
			}
			var runs []*trajectory.Trajectory
			for _, p := range readPublished(t, testutil.Shared(t, "r1_searcher_rollouts/"+tt.name+"_rollouts.jsonl")) {
				e := byText[strings.TrimSpace(p.Question)] // loading trims questions
				if m := eval.Mark(e, p.Prediction); m.EM != (p.EM == 1) || m.EM && m.F1 != 1 {
					t.Errorf("%q for %q: marks %+v, published EM %d", p.Prediction, e.Golds, m, p.EM)
				}
				runs = append(runs, run(e.ID, p.RolloutID-1, p.Prediction))
			}
			r, err := eval.Score(examples, runs, eval.Options{Seed: 42})
			if err != nil {
				t.Fatal(err)
			}
			if r.Questions != tt.questions || r.Rollouts != tt.rollouts || r.Complete != tt.questions*tt.rollouts || r.Missing+r.Failed+r.Unscored != 0 {
				t.Errorf("%d questions × %d rollouts, complete %d, missing %d", r.Questions, r.Rollouts, r.Complete, r.Missing)
			}
			if !near(r.EM.Mean, tt.em) || !near(r.PassAt[1].Mean, tt.em) || tt.pass2 > 0 && !near(r.PassAt[2].Mean, tt.pass2) {
				t.Errorf("EM %v, pass@1 %v, pass@2 %v; want %v, %v", r.EM.Mean, r.PassAt[1], r.PassAt[2], tt.em, tt.pass2)
			}
			t.Logf("EM %.3f %v, F1 %.3f, contains %.3f", r.EM.Mean, r.EM.CI95, r.F1.Mean, r.Contains.Mean)
		})
	}
}
