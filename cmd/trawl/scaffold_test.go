package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm/sim"
	"trawl/corpus/dataset"
	"trawl/eval/scaffold"
	"trawl/internal/text"
	"trawl/trajectory/store"
)

// scaffoldable makes a run of a small world, and returns its data set too.
func scaffoldable(t *testing.T, more ...string) (run, questions string) {
	t.Helper()
	questions, index := world(t, 6)
	run = filepath.Join(t.TempDir(), "run")
	capture(t, append([]string{"run", "--dataset", questions, "--index", index, "--endpoint", "sim", "-k", "2", "--turns", "6", "--out", run, "--quiet"}, more...)...)
	return run, questions
}

// scaffolded runs trawl scaffold for machines, on a small grid.
func scaffolded(run string, more ...string) []string {
	return append([]string{"scaffold", run, "--runs", "4", "--grid", "0,0.4,0.7,1", "--json", "--quiet"}, more...)
}

func scaffoldReport(t *testing.T, out string) *scaffold.Report {
	t.Helper()
	var r scaffold.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

// A scaffolding has rollouts of every λ that differ in their hints alone, keeps its
// report, and does nothing twice.
func TestScaffold(t *testing.T) {
	run, questions := scaffoldable(t)
	out := capture(t, scaffolded(run)...)
	r := scaffoldReport(t, out)
	if r.Tasks != 6 || r.Measured != 6 || r.Runs != 4 || len(r.Curve) != 4 || !r.Simulated || r.Model != "sim-base" {
		t.Errorf("report %+v", r)
	}
	if first, last := r.Curve[0], r.Curve[3]; first.Success.Mean >= last.Success.Mean || last.Done != 24 || first.Steps != 0 {
		t.Errorf("success %+v without a hint and %+v with all of it", first, last)
	}
	kept, err := os.ReadFile(filepath.Join(run, "scaffold", reportFile))
	if err != nil || string(kept) != out {
		t.Errorf("the report that is kept: %v (-printed +kept):\n%s", err, cmp.Diff(out, string(kept)))
	}
	leaks(t, run, questions)
	before := written(filepath.Join(run, "scaffold", "0.40"))
	if again := capture(t, scaffolded(run)...); again != out || written(filepath.Join(run, "scaffold", "0.40")) != before {
		t.Errorf("again (-first +again):\n%s", cmp.Diff(out, again))
	}
	people := capture(t, "scaffold", run, "--runs", "4", "--grid", "0,0.4,0.7,1", "--quiet")
	for _, want := range []string{"[simulated model]", "θ 0.9, M 4, grid 0,0.4,0.7,1", "fewer rollouts than the 10", "reconstructed by this project", "the pooled λ_min is near 1 by construction"} {
		if !strings.Contains(people, want) {
			t.Errorf("no %q in:\n%s", want, people)
		}
	}
}

// What the protocol changes of a run with several rounds and chosen first queries: the
// first round of a rollout is told the hint, the second is not, and no first query is
// chosen for anyone.
func TestScaffoldOfRoundsAndFirstQueries(t *testing.T) {
	run, _ := scaffoldable(t, "--rounds", "2", "--first-query", "divinit")
	capture(t, "scaffold", run, "--runs", "2", "--grid", "0,0.7,1", "--limit", "3", "--json", "--quiet")
	const told = "The beginning of the work on this question is already done:"
	look := func(dir string) (chosen int, hinted [3]int, lines [3]int) {
		for tr, err := range store.Scan(dir) {
			if err != nil {
				t.Fatal(err)
			}
			if tr.SeedQuery != nil {
				chosen++
			}
			lines[tr.Round]++
			for _, m := range tr.Messages {
				if strings.Contains(m.Content, told) {
					hinted[tr.Round]++
					break
				}
			}
		}
		return chosen, hinted, lines
	}
	if chosen, _, _ := look(run); chosen == 0 {
		t.Error("no first query of the run was chosen")
	}
	for name, want := range map[string][3]int{"0.00": {}, "1.00": {1: 6}} {
		chosen, hinted, lines := look(filepath.Join(run, "scaffold", name))
		if chosen != 0 || hinted != want || lines[1] != 6 || lines[2] == 0 {
			t.Errorf("λ %s: %d first queries chosen, hints %v of lines %v by round, want %v", name, chosen, hinted, lines, want)
		}
	}
}

// Zero is zero, however it is written.
func TestParseGrid(t *testing.T) {
	for in, want := range map[string][]string{"-0,1": {"0.00", "1.00"}, "0, 0.25,1.0": {"0.00", "0.25", "1.00"}, "-0.0,1": {"0.00", "1.00"}} {
		grid, err := parseGrid(in)
		var got []string
		for _, v := range grid {
			got = append(got, lambdaName(v))
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: error %v (-want +got):\n%s", in, err, diff)
		}
	}
}

// leaks makes sure that before λ = 1 no conclusion that a model was shown states an
// answer which the question does not, that the rollouts of all λ have the same seeds,
// and that hints are there at all.
func leaks(t *testing.T, run, questions string) {
	t.Helper()
	set, err := dataset.Open(questions)
	if err != nil {
		t.Fatal(err)
	}
	golds, asked := map[string][]string{}, map[string]string{}
	for _, ex := range set.Examples {
		golds[ex.ID], asked[ex.ID] = ex.Golds, " "+text.Answer(ex.Text)+" "
	}
	seeds := map[string]int64{}
	conclusions := map[string]int{}
	for _, name := range []string{"0.00", "0.40", "0.70", "1.00"} {
		for tr, err := range store.Scan(filepath.Join(run, "scaffold", name)) {
			if err != nil {
				t.Fatal(err)
			}
			key := tr.QuestionID + strconv.Itoa(tr.Rollout)
			if old, ok := seeds[key]; ok && old != tr.Seed {
				t.Errorf("λ %s: %s has seed %d, and %d before", name, key, tr.Seed, old)
			}
			seeds[key] = tr.Seed
			for _, m := range tr.Messages {
				for line := range strings.Lines(m.Content) {
					said, ok := strings.CutPrefix(line, "Conclusion: ")
					if !ok {
						continue
					}
					conclusions[name]++
					for _, gold := range golds[tr.QuestionID] {
						g := " " + text.Answer(gold) + " "
						if name != "1.00" && strings.Contains(" "+text.Answer(said)+" ", g) && !strings.Contains(asked[tr.QuestionID], g) {
							t.Errorf("λ %s: %s is told %q, of which %q is an answer", name, tr.QuestionID, said, gold)
						}
					}
				}
			}
		}
	}
	if conclusions["0.00"] != 0 || conclusions["0.40"] == 0 || conclusions["0.70"] <= conclusions["0.40"] || conclusions["1.00"] <= conclusions["0.70"] {
		t.Errorf("conclusions that were shown, by λ: %v", conclusions)
	}
}

// A scaffolding that is stopped half-way and done again comes to the same report, of
// the same rollouts, which stand there once.
func TestScaffoldResumed(t *testing.T) {
	run, _ := scaffoldable(t)
	model := sim.New(sim.Options{})
	var requests, last atomic.Int64
	var stop atomic.Pointer[context.CancelFunc]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) == last.Load() {
			(*stop.Load())()
		}
		model.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	args := func(out string) []string {
		return scaffolded(run, "--out", out, "--endpoint", server.URL+"/v1", "--concurrency", "2")
	}
	calm := filepath.Join(t.TempDir(), "calm")
	want := capture(t, args(calm)...)
	all := requests.Load()
	for _, part := range []int64{5, 2} {
		out := filepath.Join(t.TempDir(), "stopped")
		ctx, cancel := context.WithCancel(t.Context())
		stop.Store(&cancel)
		requests.Store(0)
		last.Store(all / part)
		var stderr bytes.Buffer
		status := command(ctx, args(out), env{stdout: io.Discard, stderr: &stderr, getenv: os.LookupEnv})
		last.Store(0)
		cancel()
		if status != exitInterrupted || !strings.Contains(stderr.String(), "the same command goes on from there") {
			t.Errorf("stopped at 1/%d: exit status %d\n%s", part, status, &stderr)
		}
		if _, err := os.Stat(filepath.Join(out, reportFile)); err == nil {
			t.Error("a scaffolding that was stopped has a report")
		}
		if diff := cmp.Diff(want, capture(t, args(out)...)); diff != "" {
			t.Errorf("stopped at 1/%d and done again (-want +got):\n%s", part, diff)
		}
		for _, name := range []string{"0.00", "0.40", "0.70", "1.00"} {
			once(t, filepath.Join(out, name), 24)
		}
		if n := requests.Load(); n > all+20 { // what was asked for when it stopped, and looks at the server
			t.Errorf("%d requests in all, %d without a stop", n, all)
		}
	}
}

// command is run, where that is the name of a folder.
func command(ctx context.Context, args []string, e env) int { return run(ctx, args, e) }

// What cannot be scaffolded is refused with the reason, and leaves nothing behind.
func TestScaffoldRefuses(t *testing.T) {
	dir, questions := scaffoldable(t)
	_, path, _ := strings.Cut(questions, ":")
	folder := filepath.Dir(path)
	write := func(name, content string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bare := write("questions.jsonl", string(data)) // with nothing beside it
	tests := []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"no oracle beside the questions", []string{"--dataset", "woven:" + bare}, exitFailed, "trawl weave makes one beside its questions"},
		{"an oracle that is not there", []string{"--oracle", "nowhere.jsonl"}, exitFailed, "nowhere.jsonl"},
		{"an oracle of other questions", []string{"--oracle", write("o.jsonl", `{"id":"x","oracle":[{"action":"search","subconclusion":"A."}]}`)}, exitFailed, "o.jsonl: none of its questions is of the run"},
		{"half a line", []string{"--oracle", write("o.jsonl", `{"id":"woven_0","ora`)}, exitFailed, "o.jsonl:1: "},
		{"a step without a conclusion", []string{"--oracle", write("o.jsonl", `{"id":"woven_0","oracle":[{"action":"search","obs_doc_ids":["1"]}]}`)}, exitFailed, "woven_0: step 1 of the oracle: no subconclusion"},
		{"a document that the index lacks", []string{"--oracle", write("o.jsonl", `{"id":"woven_0","oracle":[{"action":"search","obs_doc_ids":["99999"],"subconclusion":"A."}]}`)}, exitFailed, "has no document 99999"},
		{"no index there", []string{"--index", filepath.Join(folder, "nowhere")}, exitFailed, "say where with --index"},
		{"another index", []string{"--index", otherIndex(t)}, exitFailed, "run.index"},
		{"a grid without an end", []string{"--grid", "0,0.5"}, exitUsage, "must run from 0 to 1"},
		{"a grid of words", []string{"--grid", "none"}, exitUsage, "--grid none"},
		{"a grid that is too fine", []string{"--grid", "0,0.501,0.502,1"}, exitUsage, "0.50 stands twice"},
		{"no runs", []string{"--runs", "0"}, exitUsage, "--runs 0"},
		{"too many runs", []string{"--runs", "100000"}, exitUsage, "--runs 100000"},
		{"nothing at once", []string{"--concurrency", "0"}, exitUsage, "rollout.concurrency"},
		{"zero twice", []string{"--grid", "0,-0,1"}, exitUsage, "0.00 stands twice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stderr bytes.Buffer
			out := filepath.Join(t.TempDir(), "out")
			status := run(t.Context(), append([]string{"scaffold", dir, "--out", out}, tt.args...), env{stdout: io.Discard, stderr: &stderr, getenv: os.LookupEnv})
			if status != tt.status || !strings.Contains(stderr.String(), tt.want) {
				t.Errorf("exit status %d, want %d and %q:\n%s", status, tt.status, tt.want, &stderr)
			}
			if _, err := os.Stat(out); err == nil {
				t.Errorf("%s was made", out)
			}
		})
	}
}

// otherIndex makes an index of a world that no other test has.
func otherIndex(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	capture(t, "weave", "--out", filepath.Join(dir, "world"), "--entities", "300", "--questions", "3", "--seed", "9")
	capture(t, "index", filepath.Join(dir, "world", "corpus.jsonl"), "--out", filepath.Join(dir, "idx"), "--quiet")
	return filepath.Join(dir, "idx")
}
