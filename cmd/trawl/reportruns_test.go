package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/eval"
	sections "trawl/internal/report"
	"trawl/trajectory/store"
)

// misused runs a command line that nobody can carry out and returns what it says.
func misused(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if status := run(context.Background(), args, env{stdout: &stdout, stderr: &stderr, getenv: os.LookupEnv}); status != exitUsage {
		t.Fatalf("trawl %s: exit status %d, want %d\n%s", strings.Join(args, " "), status, exitUsage, &stderr)
	}
	return stderr.String()
}

// A folder that cannot take the report is refused before anything is read: the data set
// of this run is gone, which would be told otherwise.
func TestReportFolderComesFirst(t *testing.T) {
	withoutRaceDetector(t)
	dir := stored(t, 2, 2)
	m, err := store.ReadManifest(dir)
	if err != nil || os.Remove(m.Dataset.Path) != nil {
		t.Fatal(err)
	}
	link, foreign := filepath.Join(t.TempDir(), "link"), t.TempDir()
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(foreign, "index.html"), []byte("<title>mine</title>"), 0o600); err != nil {
		t.Fatal(err)
	}
	for out, want := range map[string]string{
		dir: "in the run folder " + dir, filepath.Join(dir, "report", "x"): "in the run folder " + dir, filepath.Join(link, "report"): "in the run folder " + dir,
		foreign: "no report of trawl", filepath.Join(foreign, "index.html"): "index.html",
	} {
		if said := refused(t, "report", dir, "--out", out); !strings.Contains(said, want) {
			t.Errorf("--out %s: %q, want %q", out, said, want)
		}
	}
	if said := refused(t, "report", dir, "--out", filepath.Join(t.TempDir(), "new")); !strings.Contains(said, "if it has moved") {
		t.Errorf("the data set is not missed: %q", said)
	}
}

// A run is named once, and a baseline means one run.
func TestReportNames(t *testing.T) {
	withoutRaceDetector(t)
	dir := stored(t, 2, 2)
	parent := t.TempDir()
	a, b := filepath.Join(parent, "a", "run"), filepath.Join(parent, "b", "run")
	for _, to := range []string{a, b} {
		if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(t.TempDir(), "page")
	for _, twice := range []string{a, a + "/", filepath.Join(a, "..", "run")} {
		if said := misused(t, "report", a, twice, "--out", out); !strings.Contains(said, "are one folder") {
			t.Errorf("%s and %s: %q", a, twice, said)
		}
	}
	if said := misused(t, "report", a, b, "--baseline", "run", "--out", out); !strings.Contains(said, a+" and "+b+" are of that name") {
		t.Errorf("an ambiguous baseline: %q", said)
	}
	if said := misused(t, "report", a, b, "--baseline", "c", "--out", out); !strings.Contains(said, "want one of "+a+", "+b) {
		t.Errorf("an unknown baseline: %q", said)
	}
	for _, name := range []string{b, b + "/"} {
		if i, err := baselineOf([]reportRun{{dir: a}, {dir: b}}, name); i != 1 || err != nil {
			t.Errorf("--baseline %s is %d, %v", name, i, err)
		}
	}
	if i, err := baselineOf([]reportRun{{dir: "x"}, {dir: "y", shards: []string{"z/s2"}}}, "s2"); i != 1 || err != nil {
		t.Errorf("a shard as baseline is %d, %v", i, err)
	}
}

// Shards of a run are one run, with the figures that trawl score has for them, and stand
// beside other runs.
func TestReportShards(t *testing.T) {
	withoutRaceDetector(t)
	dataset, index := world(t, 6)
	dir := t.TempDir()
	flags := []string{"--dataset", dataset, "--index", index, "--endpoint", "sim", "-k", "2", "--quiet"}
	one, two, other := filepath.Join(dir, "sh1"), filepath.Join(dir, "sh2"), filepath.Join(dir, "other")
	capture(t, append([]string{"run", "--shard", "1/2", "--out", one}, flags...)...)
	capture(t, append([]string{"run", "--shard", "2/2", "--out", two}, flags...)...)
	capture(t, append([]string{"run", "--seed", "7", "--out", other}, flags...)...)
	out := filepath.Join(dir, "page")
	page, _ := paged(t, out, one, other, two)
	var r eval.Report
	if err := json.Unmarshal([]byte(capture(t, "score", one, two, "--json")), &r); err != nil {
		t.Fatal(err)
	}
	const name = "sh1 + sh2"
	if got := column(t, out, "scores", "exact match"); len(got) != 2 || got[name] != r.EM.Mean {
		t.Errorf("exact match %v, and trawl score says %v of %s", got, r.EM.Mean, name)
	}
	if got := column(t, out, "counts", "complete")[name]; got != 12 {
		t.Errorf("%v rollouts of both shards, want 12", got)
	}
	if got := column(t, out, "chosen", "right"); len(got) == 0 {
		t.Error("no selector chose among the rollouts of shards")
	}
	for _, want := range []string{"trawl score " + one + " " + two, "1, 2 of 2"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// Everything can change a result that is not known not to.
func TestDifferingSettings(t *testing.T) {
	manifest := func(settings string) store.Manifest {
		return store.Manifest{Config: "sha256:same", Fixed: json.RawMessage(`{"recursion":{"mode":"merged"}}`), Settings: json.RawMessage(settings)}
	}
	got := map[string]bool{}
	all := differingSettings([]store.Manifest{
		manifest(`{"limit":0,"shard":{"i":1,"n":2},"recursion":{"rounds":2,"mode":"merged"},"rollout":{"concurrency":4},"models":{"agent":{"retries":1,"stream":true,"endpoints":["a"],"logprobs":0}},"selection":{"subsets":3},"unheard-of":1}`),
		manifest(`{"limit":9,"shard":{"i":2,"n":2},"recursion":{"rounds":3,"mode":"merged"},"rollout":{"concurrency":8},"models":{"agent":{"retries":8,"stream":false,"endpoints":["b"],"logprobs":16}},"selection":{"subsets":4},"unheard-of":2}`),
	})
	for i, x := range all {
		got[x.Name] = x.Fixed
		if i > 0 && x.Fixed && !all[i-1].Fixed {
			t.Errorf("%s can change a result and stands behind %s, which cannot", x.Name, all[i-1].Name)
		}
	}
	want := map[string]bool{
		"limit": true, "shard.i": true, "recursion.rounds": true, "models.agent.logprobs": true, "unheard-of": true,
		"rollout.concurrency": false, "models.agent.retries": false, "models.agent.stream": false, "models.agent.endpoints": false, "selection.subsets": false,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("can change a result (-want +got):\n%s", diff)
	}
}

// The command of a run stands whole in the facts, whatever its length.
func TestFactsOf(t *testing.T) {
	long := "trawl run " + strings.Repeat("--set rollout.count=8 ", 20)
	m := store.Manifest{Settings: json.RawMessage(`{"limit":0,"shard":{"i":1,"n":1}}`)}
	facts := factsOf(reportRun{command: long}, []scored{{manifest: m}})
	if want := (sections.Fact{Name: "made by", Value: long}); facts[0] != want {
		t.Errorf("made by %q", facts[0].Value)
	}
}

// A command that is interrupted ends soon, also where its work does not.
func TestEndWith(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	failed, release := errors.New("failed"), make(chan struct{})
	if err := endWith(ctx, func() error { return failed }); !errors.Is(err, failed) {
		t.Errorf("error %v, want that of the work", err)
	}
	defer close(release)
	time.AfterFunc(10*time.Millisecond, cancel)
	begun := time.Now()
	err := endWith(ctx, func() error { <-release; return nil })
	if took := time.Since(begun); !errors.Is(err, context.Canceled) || took > 2*graceful {
		t.Errorf("error %v after %v", err, took)
	}
}
