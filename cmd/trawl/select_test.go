package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/eval"
	"trawl/eval/compare"
	"trawl/internal/config"
	"trawl/internal/testutil"
	"trawl/selection"
	"trawl/trajectory"
)

func TestMakeSelector(t *testing.T) {
	g := selection.Group{Trajectories: []*trajectory.Trajectory{{Answer: "a"}}}
	s := config.Default()
	s.Models.Agent.Endpoints = []string{simEndpoint}
	x := newSelectors(env{stderr: t.Output(), quiet: new(true), getenv: os.LookupEnv}, s)
	defer x.close()
	x.right = func(*trajectory.Trajectory) bool { return true }
	for _, name := range append([]string{"auto", oracleName}, plainSelectors...) {
		made, resolved, err := x.make(t.Context(), name, "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if want := map[bool]string{true: "majority", false: name}[name == "auto"]; resolved != want {
			t.Errorf("%s is %s, want %s", name, resolved, want)
		}
		if d, err := made.Select(t.Context(), g); err != nil || d.Answer != "a" {
			t.Errorf("%s chose %q, error %v", name, d.Answer, err)
		}
		if id := idOf(made); id != "" {
			t.Errorf("%s is a rule, and has the id %s", name, id)
		}
	}
	ids := map[string]string{}
	for _, name := range writingSelectors {
		made, resolved, err := x.make(t.Context(), name, "")
		if err != nil || resolved != name {
			t.Fatalf("%s is %s, error %v", name, resolved, err)
		}
		ids[idOf(made)] = name
	}
	s.Selection.Confidence = "asked"
	asked, _, err := x.make(t.Context(), "weighted", "")
	if err != nil {
		t.Fatal(err)
	}
	ids[idOf(asked)] = "weighted"
	if len(ids) != 4 || ids[""] != "" {
		t.Errorf("ids %v, want one for each selector that asks a model", ids)
	}
	x.right = nil
	for name, want := range map[string]string{
		"oracle": "needs gold answers", "best": `unknown selector "best": want first, random`, "": `unknown selector ""`,
		"gnn": "needs a checkpoint", "gnn:" + filepath.Join(t.TempDir(), "a.safetensors"): "a.safetensors",
	} {
		if _, _, err := x.make(t.Context(), name, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", name, err, want)
		}
	}
}

func TestNamedSelectors(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("first", 0o755); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name                     string
		args, given, dirs, names []string
	}{
		{"names behind the flag", []string{"run", "majority", "oracle"}, []string{"random"}, []string{"run"}, []string{"random", "majority", "oracle"}},
		{"a folder of that name", []string{"first", "majority"}, []string{"random"}, []string{"first"}, []string{"random", "majority"}},
		{"no flag", []string{"run", "majority"}, nil, []string{"run", "majority"}, nil},
		{"a path", []string{"./majority", "s2"}, []string{"random"}, []string{"./majority", "s2"}, []string{"random"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dirs, names := namedSelectors(tt.args, tt.given)
			if diff := cmp.Diff([][]string{tt.dirs, tt.names}, [][]string{dirs, names}); diff != "" {
				t.Errorf("folders and names (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWriteComparison(t *testing.T) {
	stat := func(mean, low, high float64) *eval.Stat {
		return &eval.Stat{Mean: mean, CI95: [2]float64{low, high}, N: 40}
	}
	given := 0.75
	r := &compare.Report{
		Questions: 41, Rollouts: 8, Complete: 320, Failed: 5, Missing: 3, Unscored: 8, Subsets: "50", Simulated: true,
		At: map[int][]compare.Row{
			2: {
				{Selector: "majority", Accuracy: stat(.5, .4, .6), Coverage: .625, SelectedGivenCovered: &given, Subsets: 1120, Empty: 12, Cost: compare.Cost{Seconds: .0123}},
				{Selector: "gnn", Accuracy: stat(.51, .41, .61), VsMajority: stat(.01, -.02, .04), Coverage: .625, Subsets: 1120, Empty: 12, Cost: compare.Cost{Seconds: 2.5}},
			},
			4: {
				{Selector: "majority", Accuracy: stat(.6, .5, .7), Coverage: .75, SelectedGivenCovered: &given, Subsets: 2000, Sampled: true},
				{Selector: "gnn", Accuracy: stat(.65, .55, .75), VsMajority: stat(.05, .01, .09), Coverage: .75, SelectedGivenCovered: &given, Subsets: 2000, Sampled: true},
			},
		},
	}
	var b strings.Builder
	if err := writeComparison(&b, "run", r); err != nil {
		t.Fatal(err)
	}
	testutil.Golden(t, "comparison.txt", b.String())
}

// The real rollouts of R1-Searcher, from file to figures. The exact match is that
// which was published with them.
func TestSelectFromPublishedRollouts(t *testing.T) {
	withoutRaceDetector(t)
	path := testutil.Shared(t, "r1_searcher_rollouts/bamboogle_rollouts.jsonl")
	dir := filepath.Join(t.TempDir(), "run")
	capture(t, "import", "messages", path, "--out", dir, "--verdicts", "judge_gpt4o", "--quiet")
	var got compare.Report
	if err := json.Unmarshal([]byte(capture(t, "select", dir, "--json", "--quiet", "--selector", "first,majority,oracle")), &got); err != nil {
		t.Fatal(err)
	}
	if got.Questions != 125 || got.Rollouts != 2 || got.Complete != 250 || got.Simulated {
		t.Errorf("%d questions × %d, %d complete, simulated %v", got.Questions, got.Rollouts, got.Complete, got.Simulated)
	}
	for k, want := range map[int][3]float64{1: {.448, .448, .448}, 2: {.44, .44, .528}} {
		for i, row := range got.At[k] {
			if d := row.Accuracy.Mean - want[i]; d > 1e-9 || d < -1e-9 {
				t.Errorf("k=%d: %s %v, want %v", k, row.Selector, row.Accuracy.Mean, want[i])
			}
		}
	}
}
