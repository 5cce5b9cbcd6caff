package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm/sim"
	"trawl/internal/experiment"
	"trawl/internal/testutil"
)

// everyFile calls f with each file below a folder.
func everyFile(t *testing.T, dir string, f func(path string, data []byte)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		f(path, data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestExperimentHidesSecrets: what nobody else may read is in no file of OUT and in
// nothing that is printed, in whichever form it was given.
func TestExperimentHidesSecrets(t *testing.T) {
	withoutRaceDetector(t)
	questions, index := world(t, 1)
	server := httptest.NewServer(sim.New(sim.Options{}))
	defer server.Close()
	const secret = "Zs3cretZ"
	withUser := strings.Replace(server.URL, "http://", "http://me:"+secret+"@", 1)
	x := writeFile(t, "x.yaml", "title: T\nasks: Which?\nsettings: {models: {agent: {extra: {nested: [{auth-token: "+secret+"1}]}}}}\narms:\n"+
		"  - name: a\n    settings: {rollout: {count: 1}, models: {compressor: {endpoints: ['"+withUser+"'], extra: {api_key: "+secret+"2}}}}\n"+
		"  - name: b\n    settings: {rollout: {count: 2}}\n")
	for name, flags := range map[string][]string{
		"YAML":             {"--endpoint", server.URL},
		"a dotted key":     {"--endpoint", server.URL, "--set", "models.agent.extra.api_key=" + secret},
		"a mapping":        {"--endpoint", server.URL, "--set", "models.agent.extra={api_key: " + secret + ", top_k: 5}"},
		"a mapping of one": {"--endpoint", server.URL, "--set", "models.agent={extra: {api_key: '" + secret + "'}}"},
		"deep":             {"--endpoint", server.URL, "--set", "models.judge={extra: {headers: [{Authorization: 'Bearer " + secret + "'}]}}", "--set=models.aggregator.extra={password: \"" + secret + "\"}"},
		"a user's flag":    {"--endpoint", withUser},
		"a user's setting": {"--set", "models.agent={endpoints: ['" + withUser + "']}"},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "YAML" {
				notUnderRace(t)
			}
			out := filepath.Join(t.TempDir(), "exp")
			args := append([]string{"experiment", x, "--dataset", questions, "--index", index, "--out", out, "--set", "agent.dialect=native"}, flags...)
			var stdout, stderr bytes.Buffer
			status := run(context.Background(), append(args, "--json"), env{stdout: &stdout, stderr: &stderr, getenv: os.LookupEnv})
			if status != 0 || strings.Contains(stdout.String()+stderr.String(), secret) {
				t.Fatalf("status %d, printed %s%s", status, &stdout, &stderr)
			}
			files := 0
			everyFile(t, out, func(path string, data []byte) {
				files++
				if bytes.Contains(data, []byte(secret)) {
					t.Errorf("%s has the secret", path)
				}
			})
			if page := readText(t, filepath.Join(out, "report", "x", "index.html")); files < 10 || !strings.Contains(page, "auth-token") {
				t.Errorf("%d files, or the page shows no command", files)
			}
		})
	}
	bad := writeFile(t, "bad.yaml", "title: T\nasks: Which?\narms: [{name: a}]\nvary: {key: models.agent.extra.apikey, values: [x, y]}\n")
	if got := fails(t, exitFailed, os.LookupEnv, "experiment", bad, "--dataset", questions, "--index", index, "--out", filepath.Join(t.TempDir(), "e")); !strings.Contains(got, "is a secret") {
		t.Errorf("stderr %q", got)
	}
}

// TestExperimentFolders: a folder that is none of the experiment's is refused before
// anything is run, and stays as it is.
func TestExperimentFolders(t *testing.T) {
	withoutRaceDetector(t)
	questions, index := world(t, 1)
	write := func(t *testing.T, out, name, text string) {
		t.Helper()
		path := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name, file, text string
		want             []string
	}{
		{"a folder of others", "letters/a.txt", "x", []string{"is not the folder of an experiment", "letters"}},
		{"a run folder", "manifest.json", "{}", []string{"is not the folder of an experiment"}},
		{"a damaged run folder", "rollouts.jsonl", "x", []string{"is not the folder of an experiment"}},
		{"an arm of others", "standard/a.txt", "x", []string{"arm standard", "holds a.txt"}},
		{"an arm that is a file", "standard", "x", []string{"arm standard"}},
		{"a report of others", "report/divinit-subset/a.txt", "x", []string{"is no report of trawl"}},
		{"a report that is a file", "report", "x", []string{"report"}},
		{"a marker that is none", "experiment.json", "{", []string{"experiment.json"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "exp")
			write(t, out, tt.file, tt.text)
			before := written(out)
			got := fails(t, exitFailed, os.LookupEnv, "experiment", "divinit-subset", "--dataset", questions, "--index", index, "--endpoint", "sim", "--out", out)
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("stderr %q, want %q in it", got, want)
				}
			}
			if written(out) != before {
				t.Error("something was written")
			}
		})
	}
	out := filepath.Join(t.TempDir(), "run")
	capture(t, "run", "--dataset", questions, "--index", index, "--endpoint", "sim", "-k", "1", "--out", out, "--quiet")
	for _, in := range []string{out, filepath.Join(out, "exp")} {
		if got := fails(t, exitFailed, os.LookupEnv, "experiment", "voting-gap", "--out", in); !strings.Contains(got, "run folder") {
			t.Errorf("stderr %q", got)
		}
	}
}

// TestExperimentsShareFolder: two experiments in one folder have a report each, and
// the folder names both.
func TestExperimentsShareFolder(t *testing.T) {
	withoutRaceDetector(t)
	out := filepath.Join(t.TempDir(), "exp")
	begun := filepath.Join(out, "report", "a", "index.html.tmp") // by a process that was killed
	if err := os.MkdirAll(filepath.Dir(begun), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(begun, []byte("<"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b", "a", "b"} {
		x := writeFile(t, name+".yaml", "title: About "+name+"\nasks: Which?\nsimulate: {classes: [[0.5, 0.5]], at: [1]}\n")
		capture(t, "experiment", x, "--out", out)
	}
	for _, name := range []string{"a", "b"} {
		if page := readText(t, filepath.Join(out, "report", name, "index.html")); !strings.Contains(page, "About "+name) {
			t.Errorf("the report of %s is of another", name)
		}
	}
	want := residents{Experiments: []resident{{Name: "a", Arms: []string{}}, {Name: "b", Arms: []string{}}}}
	var got residents
	if err := json.Unmarshal([]byte(readText(t, filepath.Join(out, markerFile))), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", markerFile, diff)
	}
}

// TestExperimentWithoutServer: an experiment whose arms are done, and whose decisions
// are kept, is told again without a model; one that is not whole needs it.
func TestExperimentWithoutServer(t *testing.T) {
	withoutRaceDetector(t)
	notUnderRace(t)
	questions, index := world(t, 3)
	for name, extra := range map[string][]string{
		"a model by its name": {"--model", "sim-base"}, "the only one that is served": nil,
		"rounds": {"--rounds", "2"}, "selectors that ask": {"--selector", "majority,solagg"},
	} {
		t.Run(name, func(t *testing.T) {
			x := writeFile(t, "x.yaml", "title: T\nasks: Which?\nsettings: {rollout: {count: 2}}\narms: [{name: a}]\nselect: {selectors: [majority]}\n")
			server := httptest.NewServer(sim.New(sim.Options{}))
			out := filepath.Join(t.TempDir(), "exp")
			args := append([]string{"experiment", x, "--dataset", questions, "--index", index, "--endpoint", server.URL, "--out", out, "--quiet"}, extra...)
			first := capture(t, append(args, "--limit", "2")...)
			server.Close()
			if again := capture(t, append(args, "--limit", "2")...); again != first {
				t.Errorf("printed at first and again:\n%s\n%s", first, again)
			}
			if got := fails(t, exitFailed, os.LookupEnv, args...); !strings.Contains(got, server.URL) {
				t.Errorf("stderr %q, want one of the server", got)
			}
		})
	}
}

// TestExperimentAsOtherModel: what an arm's run was made with is not taken for another
// model at another address.
func TestExperimentAsOtherModel(t *testing.T) {
	withoutRaceDetector(t)
	notUnderRace(t)
	questions, index := world(t, 1)
	x := writeFile(t, "x.yaml", "title: T\nasks: Which?\nsettings: {rollout: {count: 1}}\narms: [{name: a}]\n")
	out := filepath.Join(t.TempDir(), "exp")
	args := []string{"experiment", x, "--dataset", questions, "--index", index, "--out", out, "--quiet"}
	capture(t, append(args, "--endpoint", "sim")...)
	other := httptest.NewServer(sim.New(sim.Options{Skill: sim.Large}))
	defer other.Close()
	if got := fails(t, exitFailed, os.LookupEnv, append(args, "--endpoint", other.URL)...); !strings.Contains(got, "holds another run") {
		t.Errorf("stderr %q", got)
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	if got := fails(t, exitFailed, os.LookupEnv, append(args, "--endpoint", gone.URL)...); !strings.Contains(got, gone.URL) {
		t.Errorf("stderr %q", got)
	}
}

// TestExperimentWithoutGold: nothing is run where nothing could be compared.
func TestExperimentWithoutGold(t *testing.T) {
	withoutRaceDetector(t)
	_, index := world(t, 1)
	questions := writeFile(t, "q.jsonl", `{"id":"1","question":"Who?","golden_answers":[]}`+"\n")
	out := filepath.Join(t.TempDir(), "exp")
	got := fails(t, exitFailed, os.LookupEnv, "experiment", "divinit-subset", "--dataset", "flashrag:"+questions, "--index", index, "--endpoint", "sim", "--out", out)
	if !strings.Contains(got, "gold answer") {
		t.Errorf("stderr %q", got)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("something was written")
	}
}

// TestExperimentChecksAt: choosing among more rollouts than there are is refused at
// once, and K that is not compared may be changed.
func TestExperimentChecksAt(t *testing.T) {
	withoutRaceDetector(t)
	questions, _ := world(t, 1)
	x := writeFile(t, "x.yaml", "title: T\nasks: Which?\nsettings: {rollout: {count: 8}}\narms: [{name: a}]\nselect: {selectors: [first], at: [1, 8]}\n")
	common := []string{"--dataset", questions, "--index", filepath.Join(t.TempDir(), "none"), "--endpoint", "sim", "--out", filepath.Join(t.TempDir(), "exp"), "-k", "4"}
	if got := fails(t, exitFailed, os.LookupEnv, append([]string{"experiment", x}, common...)...); !strings.Contains(got, "select.at: 8 is beyond the 4 rollouts a question of the arm a") {
		t.Errorf("stderr %q", got)
	}
	if got := fails(t, exitFailed, os.LookupEnv, append(append([]string{"experiment", "selectors"}, common...), "-k", "1")...); !strings.Contains(got, "nothing to choose") {
		t.Errorf("stderr %q", got)
	}
	for _, name := range experiment.Names() {
		got := fails(t, map[bool]int{true: exitUsage, false: exitFailed}[name == "retrac"], os.LookupEnv, append([]string{"experiment", name}, common...)...)
		if want := map[bool]string{true: "sets rollout.count", false: "makes an index"}[name == "retrac"]; !strings.Contains(got, want) {
			t.Errorf("%s -k 4: stderr %q, want %q", name, got, want)
		}
	}
}

// TestExperimentPairs: the figure of the baseline stands against another one of each
// arm that has both, k and subsets reach the report, and no column of the table is of
// two numbers of rollouts.
func TestExperimentPairs(t *testing.T) {
	withoutRaceDetector(t)
	notUnderRace(t)
	questions, index := world(t, 4)
	x := writeFile(t, "x.yaml", "title: T\nasks: Which?\narms:\n  - name: a\n    settings: {rollout: {count: 4}}\n  - name: b\n    settings: {rollout: {count: 2}}\n"+
		"pairs: [[pass@4, majority@2], [majority@4, em]]\nselect: {selectors: [first, majority], at: [2], subsets: 3}\n")
	out := filepath.Join(t.TempDir(), "exp")
	said := capture(t, "experiment", x, "--dataset", questions, "--index", index, "--endpoint", "sim", "--out", out, "--quiet")
	head, _, _ := strings.Cut(said[strings.Index(said, "arm "):], "\n")
	want := []string{"arm", "questions", "k", "rounds", "exact", "match", "pass@2", "majority@2", "pass@4", "majority@4", "QPD", "complete", "failed", "missing"}
	if diff := cmp.Diff(want, strings.Fields(head)); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	paired := readText(t, filepath.Join(out, "report", "x", "paired.csv"))
	for _, want := range []string{"b,majority@2 less pass@4,4,", "b,em less majority@4,4,"} {
		if !strings.Contains(paired, want) {
			t.Errorf("%q is not in\n%s", want, paired)
		}
	}
	page := readText(t, filepath.Join(out, "report", "x", "index.html"))
	if !strings.Contains(page, "--at 2 --subsets 3") {
		t.Error("the command of the selectors has no --at 2 --subsets 3")
	}
	var got struct{ Arms []struct{ Command string } }
	if err := json.Unmarshal([]byte(capture(t, "experiment", x, "--dataset", questions, "--index", index, "--endpoint", "sim", "--out", out, "--quiet", "--json")), &got); err != nil {
		t.Fatal(err)
	}
	for _, a := range got.Arms {
		if !strings.Contains(page, a.Command) {
			t.Errorf("the page has not the whole of %s", a.Command)
		}
	}
}

// TestExperimentExample carries out the file that configs/README.md shows.
func TestExperimentExample(t *testing.T) {
	withoutRaceDetector(t)
	notUnderRace(t)
	questions, index := world(t, 6)
	x := filepath.Join(testutil.Root(t), "internal", "experiment", "testdata", "example.yaml")
	out := filepath.Join(t.TempDir(), "exp")
	said := capture(t, "experiment", x, "--dataset", questions, "--index", index, "--endpoint", "sim", "--out", out, "--quiet",
		"--selector", "majority,solagg")
	for _, want := range []string{"independent-temperature-0.5", "pass@4", "[simulated by a formula"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in\n%s", want, said)
		}
	}
	if rows := readText(t, filepath.Join(out, "report", "example", "ablations-crossed.csv")); !strings.Contains(rows, "no-cross") {
		t.Errorf("ablations:\n%s", rows)
	}
}
