package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm/sim"
	"trawl/internal/experiment"
	"trawl/trajectory/store"
)

// TestExperimentOnce carries out an experiment twice: the second time no model is
// asked, and the commands that it names for its arms make the same runs.
func TestExperimentOnce(t *testing.T) {
	questions, index := world(t, 3)
	server := newStrictServer(t, sim.Options{})
	out := filepath.Join(t.TempDir(), "exp")
	args := []string{"experiment", "divinit-subset", "--dataset", questions, "--index", index, "--endpoint", server.url, "-k", "2", "--out", out, "--quiet"}
	table := capture(t, args...)
	asked := server.calls("")
	for _, want := range []string{"[simulated model]", "divinit ", "random-subset ", "standard ", filepath.Join(out, "report", "divinit-subset", "index.html")} {
		if !strings.Contains(table, want) {
			t.Errorf("the table has no %q:\n%s", want, table)
		}
	}
	var got struct {
		Simulated bool `json:"simulated"`
		Arms      []struct{ Name, Command string }
	}
	if err := json.Unmarshal([]byte(capture(t, append(args, "--json")...)), &got); err != nil || !got.Simulated {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, a := range got.Arms {
		once(t, filepath.Join(out, a.Name), 6)
		if said := capture(t, append(strings.Fields(a.Command)[1:], "--quiet")...); !strings.Contains(said, "6 rollouts done (0 in this run") {
			t.Errorf("%s says %q", a.Command, said)
		}
	}
	if now := server.calls(""); now != asked || asked == 0 {
		t.Errorf("%d model calls at first, %d in the end", asked, now)
	}
	if page, err := os.ReadFile(filepath.Join(out, "report", "divinit-subset", "index.html")); err != nil || !bytes.Contains(page, []byte("SIMULATED MODEL")) {
		t.Errorf("the page does not say that the model is simulated; %v", err)
	}
}

// TestExperimentOfFailures has a server that refuses one question, and then does not:
// the report is there all the same, the status is not 0, and the rest is made up for.
func TestExperimentOfFailures(t *testing.T) {
	withoutRaceDetector(t)
	notUnderRace(t)
	questions, index := world(t, 3)
	text := questionText(t, questions)
	model, refusing := sim.New(sim.Options{}), true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil && refusing && bytes.Contains(body, text) {
			http.Error(w, `{"error":{"message":"no"}}`, http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		model.ServeHTTP(w, r)
	}))
	defer server.Close()
	out := filepath.Join(t.TempDir(), "exp")
	args := []string{"experiment", "divinit-subset", "--dataset", questions, "--index", index, "--endpoint", server.URL, "-k", "2", "--out", out, "--quiet",
		"--set", "agent.dialect=native", "--concurrency", "1"}
	if got, want := fails(t, exitFailed, os.LookupEnv, args...), "6 rollouts failed and are in no figure; the same command tries them again"; !strings.Contains(got, want) {
		t.Errorf("stderr %q, want %q", got, want)
	}
	if _, err := os.Stat(filepath.Join(out, "report", "divinit-subset", "index.html")); err != nil {
		t.Error(err)
	}
	refusing = false
	capture(t, args...)
	calm := filepath.Join(t.TempDir(), "calm")
	args[slices.Index(args, out)] = calm
	capture(t, args...)
	for _, arm := range []string{"divinit", "random-subset", "standard"} {
		if a, b := results(t, filepath.Join(out, arm)), results(t, filepath.Join(calm, arm)); !bytes.Equal(withoutErrors(a), b) {
			t.Errorf("%s differs from one without failures:\n%s", arm, cmp.Diff(string(b), string(withoutErrors(a))))
		}
	}
}

// notUnderRace skips a test whose reports take most of its time: TestExperimentOnce
// draws some under the race detector, and the network is trained there by itself.
func notUnderRace(t *testing.T) {
	t.Helper()
	if raceDetector {
		t.Skip("drawing takes long under the race detector")
	}
}

// questionText returns the text of the first question of a woven data set, as JSON
// has it.
func questionText(t *testing.T, spec string) []byte {
	t.Helper()
	data, err := os.ReadFile(strings.TrimPrefix(spec, "woven:"))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := bytes.Cut(data, []byte("\n"))
	var q struct{ Question string }
	if err := json.Unmarshal(line, &q); err != nil || q.Question == "" {
		t.Fatalf("%s: %v", line, err)
	}
	return []byte(q.Question)
}

// withoutErrors drops the lines of failed rollouts, which stay in the log.
func withoutErrors(lines []byte) []byte {
	var out []byte
	for line := range bytes.Lines(lines) {
		var t struct{ Error string }
		if err := json.Unmarshal(line, &t); err != nil || t.Error == "" {
			out = append(out, line...)
		}
	}
	return out
}

// TestBuiltInSettings settles the arms of every experiment, alone and over presets:
// the index that is missing is looked for only after that.
func TestBuiltInSettings(t *testing.T) {
	questions, _ := world(t, 1)
	for _, name := range experiment.Names() {
		for _, flags := range [][]string{nil, {"-c", "demo"}, {"-c", "divinit"}, {"-c", "retrac"}} {
			args := append([]string{"experiment", name, "--dataset", questions, "--index", filepath.Join(t.TempDir(), "none"),
				"--endpoint", "sim", "--out", filepath.Join(t.TempDir(), "exp")}, flags...)
			if slices.Contains(flags, "retrac") && name != "retrac" { // which has one rollout, of eight rounds
				args = append(args, "-k", "4")
			}
			if got := fails(t, exitFailed, os.LookupEnv, args...); !strings.Contains(got, "makes an index") {
				t.Errorf("%s %v: %s", name, flags, got)
			}
		}
	}
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestExperimentLayers: an experiment's settings stand below a file, which stands
// below --set and flags; an arm's stand above all.
func TestExperimentLayers(t *testing.T) {
	withoutRaceDetector(t)
	notUnderRace(t)
	questions, index := world(t, 1)
	x := writeFile(t, "x.yaml", `
title: Layers
asks: Which?
settings: {agent: {turns: 3, final-tokens: 300}, retrieval: {top: 4}, seed: 5}
arms:
  - name: a
    settings: {rollout: {count: 1}}
  - name: b
    settings: {rollout: {count: 2}}
`)
	file := writeFile(t, "run.yaml", "agent: {turns: 4}\nretrieval: {top: 5}\nrollout: {count: 3}\n")
	out := filepath.Join(t.TempDir(), "exp")
	capture(t, "experiment", x, "-c", file, "--set", "retrieval.top=6", "--seed", "7", "--dataset", questions, "--index", index, "--endpoint", "sim", "--out", out, "--quiet")
	got := map[string][]int64{}
	for _, arm := range []string{"a", "b"} {
		m, err := store.ReadManifest(filepath.Join(out, arm))
		if err != nil {
			t.Fatal(err)
		}
		s, err := settingsOf(m)
		if err != nil {
			t.Fatal(err)
		}
		got[arm] = []int64{int64(s.Agent.Turns), int64(s.Agent.FinalTokens), int64(s.Retrieval.Top), s.Seed, int64(s.Rollout.Count)}
	}
	want := map[string][]int64{"a": {4, 300, 6, 7, 1}, "b": {4, 300, 6, 7, 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("turns, final tokens, top, seed, count (-want +got):\n%s", diff)
	}
}

// TestExperimentRefused: what is wrong is said before anything is run.
func TestExperimentRefused(t *testing.T) {
	withoutRaceDetector(t)
	questions, index := world(t, 1)
	head := "title: T\nasks: Which?\n"
	two := writeFile(t, "two.yaml", head+"arms:\n  - name: a\n  - name: b\n    settings: {rollout: {count: 3, first-query: sideways}}\n")
	misspelt := writeFile(t, "misspelt.yaml", head+"arms:\n  - name: a\n  - name: b\n    settings: {rollout: {cuont: 3}}\n")
	same := writeFile(t, "same.yaml", head+"arms:\n  - name: a\n  - name: b\n    settings: {rollout: {count: 4}}\n")
	ablate := writeFile(t, "ablate.yaml", head+"arms: [{name: a}]\ncrossvalidate: {ablate: [none, spine]}\n")
	chosen := writeFile(t, "chosen.yaml", head+"arms: [{name: a}]\nselect: {selectors: [loudest]}\n")
	tests := []struct {
		name   string
		args   []string
		status int
		want   []string
	}{
		{"a value of the second arm", []string{two}, exitFailed, []string{"two.yaml: arm b: [6:49]", "rollout.first-query", "one of divinit, standard"}},
		{"a key of the second arm", []string{misspelt}, exitFailed, []string{"misspelt.yaml: arm b: [6:33]", `unknown field "cuont"`}},
		{"arms that are the same", []string{same}, exitFailed, []string{"the arms a and b have the same settings"}},
		{"a flag for what an arm sets", []string{"divinit-subset", "--first-query", "divinit"}, exitUsage, []string{"--first-query: the arm divinit", "sets rollout.first-query"}},
		{"a setting for what an arm sets", []string{"divinit-lambda", "--set", "rollout.divinit={pool: 3}"}, exitUsage, []string{"--set rollout.divinit={pool: 3}: the arm divinit"}},
		{"a wrong setting of the user's", []string{"divinit-subset", "--set", "agent.turns=x"}, exitUsage, []string{"--set agent.turns=x"}},
		{"an unknown ablation", []string{ablate}, exitUsage, []string{"spine", "no-network"}},
		{"an unknown selector", []string{chosen}, exitUsage, []string{"loudest", "majority"}},
		{"selectors for none", []string{"divinit-subset", "--selector", "first"}, exitUsage, []string{"compares no selectors"}},
		{"no such experiment", []string{"divinit"}, exitFailed, []string{"divinit-lambda, divinit-pool"}},
		{"below the first question", []string{"divinit-subset", "--limit", "-1"}, exitUsage, []string{"--limit -1"}},
		{"two names", []string{"divinit-subset", "retrac"}, exitUsage, []string{"one experiment is wanted"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "exp")
			got := fails(t, tt.status, os.LookupEnv, append([]string{"experiment", "--dataset", questions, "--index", index, "--endpoint", "sim", "--out", out}, tt.args...)...)
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("stderr %q, want %q in it", got, want)
				}
			}
			if _, err := os.Stat(out); err == nil {
				t.Error("something was written")
			}
		})
	}
	for _, missing := range [][]string{{"--out", "x"}, {"--dataset", questions}} {
		if got := fails(t, exitUsage, os.LookupEnv, append([]string{"experiment", "divinit-subset"}, missing...)...); !strings.Contains(got, "is missing") {
			t.Errorf("%v: %q", missing, got)
		}
	}
}

// TestExperimentInOtherFolder: an arm whose folder holds another run is refused
// before an arm that has none is begun.
func TestExperimentInOtherFolder(t *testing.T) {
	withoutRaceDetector(t)
	questions, index := world(t, 1)
	out := filepath.Join(t.TempDir(), "exp")
	args := []string{"--dataset", questions, "--index", index, "--endpoint", "sim", "--quiet"}
	capture(t, append([]string{"run", "-k", "1", "--out", filepath.Join(out, "standard")}, args...)...)
	got := fails(t, exitFailed, os.LookupEnv, append([]string{"experiment", "divinit-subset", "-k", "2", "--out", out}, args...)...)
	if !strings.Contains(got, "arm standard:") || !strings.Contains(got, "holds another run: rollout.count was 1, is now 2") {
		t.Errorf("stderr %q", got)
	}
	if _, err := os.Stat(filepath.Join(out, "divinit")); err == nil {
		t.Error("the arm divinit was begun")
	}
}

// TestExperimentChooses has selectors that ask a model, whose decisions are kept, and
// leaves out the one that has no checkpoint.
func TestExperimentChooses(t *testing.T) {
	withoutRaceDetector(t)
	notUnderRace(t)
	questions, index := world(t, 3)
	server := newStrictServer(t, sim.Options{})
	out := filepath.Join(t.TempDir(), "exp")
	args := []string{"experiment", "cost", "--selector", "majority,gnn,solagg", "--dataset", questions, "--index", index, "--endpoint", server.url, "--out", out, "--quiet"}
	capture(t, args...)
	asked := server.calls("")
	capture(t, args...)
	if now := server.calls(""); now != asked {
		t.Errorf("%d model calls at first, %d in the end", asked, now)
	}
	rows := strings.Split(strings.TrimSpace(readText(t, filepath.Join(out, "report", "cost", "choosing-on-subsets.csv"))), "\n")
	if len(rows) != 3 || !strings.HasPrefix(rows[1], "rollouts,majority,8,") || !strings.HasPrefix(rows[2], "rollouts,solagg,8,") || strings.HasSuffix(rows[2], ",–") {
		t.Errorf("rows %q, want majority and solagg at 8, with a price", rows)
	}
	if page := readText(t, filepath.Join(out, "report", "cost", "index.html")); !strings.Contains(page, "gnn is left out") {
		t.Error("the page does not say that gnn is left out")
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestExperimentCrossValidates trains the selector fold by fold, keeps what came of
// it, and trains again when the run has grown.
func TestExperimentCrossValidates(t *testing.T) {
	withoutRaceDetector(t)
	notUnderRace(t)
	questions, index := world(t, 8)
	x := writeFile(t, "x.yaml", "title: T\nasks: Which?\narms: [{name: a}]\ncrossvalidate: {folds: 2, ablate: [none, no-network]}\n")
	out := filepath.Join(t.TempDir(), "exp")
	args := []string{"experiment", x, "--dataset", questions, "--index", index, "--endpoint", "sim", "-k", "3", "--out", out, "--quiet"}
	capture(t, append(args, "--limit", "6")...)
	kept := listed(t, filepath.Join(out, "crossvalidate"))
	first := readText(t, filepath.Join(out, "report", "x", "ablations-crossed.csv"))
	capture(t, append(args, "--limit", "6")...)
	if diff := cmp.Diff(kept, listed(t, filepath.Join(out, "crossvalidate"))); diff != "" || len(kept) != 2 {
		t.Errorf("what is kept (-first +second):\n%s", diff)
	}
	if again := readText(t, filepath.Join(out, "report", "x", "ablations-crossed.csv")); again != first {
		t.Errorf("the figures differ:\n%s\n%s", first, again)
	}
	capture(t, args...)
	if now := listed(t, filepath.Join(out, "crossvalidate")); len(now) != 4 {
		t.Errorf("kept of two runs: %v, want four files", now)
	}
}

// listed returns the files of a folder with their times.
func listed(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]bool{}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		at[e.Name()+" "+info.ModTime().String()] = true
	}
	return slices.Sorted(maps.Keys(at))
}

// TestSimulation needs neither questions nor a model. By hand, with a as the chance of
// the right answer and b of the other: of k = 2 votes the right one wins a² + ½·2ab = a,
// as of one; of two answers and k = 3 votes it wins a³ + 3a²b.
func TestSimulation(t *testing.T) {
	x := writeFile(t, "x.yaml", "title: T\nasks: Which?\nsimulate: {classes: [[0.2, 0.5, 0.3], [0.6, 0.4]], at: [3, 1, 2]}\n")
	out := filepath.Join(t.TempDir(), "exp")
	said := capture(t, "experiment", x, "--out", out)
	if !strings.Contains(said, "[simulated by a formula") || !strings.Contains(said, "0.6 / 0.4") || !strings.Contains(said, "0.648") {
		t.Errorf("printed %q", said)
	}
	want := map[string][2]float64{
		"0.2 / 0.5 / 0.3,1": {0.2, 0.2}, "0.2 / 0.5 / 0.3,2": {1 - 0.8*0.8, 0.2},
		// three votes: .2³ + 3·.2²·.8 have two or more, and one of three that all differ, 6·.2·.5·.3, is a third of them
		"0.2 / 0.5 / 0.3,3": {1 - 0.8*0.8*0.8, 0.008 + 3*0.04*0.8 + 6*0.2*0.5*0.3/3},
		"0.6 / 0.4,1":       {0.6, 0.6}, "0.6 / 0.4,2": {1 - 0.16, 0.6}, "0.6 / 0.4,3": {1 - 0.064, 0.216 + 3*0.36*0.4},
	}
	rows, err := csv.NewReader(strings.NewReader(readText(t, filepath.Join(out, "report", "x", "simulated-votes.csv")))).ReadAll()
	if err != nil || len(rows) != len(want)+1 {
		t.Fatalf("%d rows, want %d; %v", len(rows), len(want)+1, err)
	}
	for _, row := range rows[1:] {
		for i, name := range []string{"coverage", "voting"} {
			got, err := strconv.ParseFloat(row[2+i], 64)
			if w := want[row[0]+","+row[1]][i]; err != nil || math.Abs(got-w) > 1e-9 {
				t.Errorf("%s of %s at %s is %s, want %g", name, row[0], row[1], row[2+i], w)
			}
		}
	}
	for _, flag := range [][]string{{"--index", "IDX"}, {"--endpoint", "sim"}, {"-k", "4"}, {"-c", "demo"}} {
		args := append([]string{"experiment", "voting-gap", "--out", filepath.Join(t.TempDir(), "none")}, flag...)
		if got := fails(t, exitUsage, os.LookupEnv, args...); !strings.Contains(got, "is of runs, and without --dataset nothing is run") {
			t.Errorf("%v: stderr %q", flag, got)
		}
	}
	if got := fails(t, exitUsage, os.LookupEnv, "experiment", x, "--dataset", "woven:x", "--out", out); !strings.Contains(got, "only simulates") {
		t.Errorf("stderr %q", got)
	}
}

// TestListed: the experiments that there are, a line each.
func TestListed(t *testing.T) {
	said := capture(t, "experiment")
	if n := strings.Count(said, "\n"); n != len(experiment.Names()) || said != capture(t, "experiment", "retrac", "--list") {
		t.Errorf("%d lines:\n%s", n, said)
	}
}
