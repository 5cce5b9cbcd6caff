package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/eval"
	"trawl/eval/compare"
	"trawl/internal/testutil"
)

// paged writes a report and returns its page and what was printed.
func paged(t *testing.T, out string, args ...string) (page, stdout string) {
	t.Helper()
	stdout = capture(t, append([]string{"report", "--out", out, "--quiet"}, args...)...)
	data, err := os.ReadFile(filepath.Join(out, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data), stdout
}

// refused runs a command line that must fail and returns what it says.
func refused(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if status := run(context.Background(), args, env{stdout: &stdout, stderr: &stderr, getenv: os.LookupEnv}); status != exitFailed {
		t.Fatalf("trawl %s: exit status %d, want %d\n%s%s", strings.Join(args, " "), status, exitFailed, &stdout, &stderr)
	}
	return stderr.String()
}

// column returns the cells of a table's column by the cell of its first one.
func column(t *testing.T, out, table, name string) map[string]float64 {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(out, table+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for i, head := range rows[0] {
		for _, row := range rows[1:] {
			if v, err := strconv.ParseFloat(row[i], 64); head == name && err == nil {
				values[row[0]] = v
			}
		}
	}
	if len(values) == 0 {
		t.Fatalf("%s.csv has no numbers in a column %s: %q", table, name, rows[0])
	}
	return values
}

// loads finds what a browser would fetch: links inside the page and to the files
// beside it are none, and an icon without a byte is not either.
var loads = regexp.MustCompile(`(?i)(src|srcset|data|action|background|poster)\s*=|url\(|@import|<link [^>]*href="[^d]|<(a|use|image)[^>]+href="([a-z]+:)?//`)

func TestReport(t *testing.T) {
	dataset, index := world(t, 6)
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	capture(t, "run", "--dataset", dataset, "--index", index, "--endpoint", "sim", "-k", "4", "--out", a, "--quiet")
	capture(t, "run", "--dataset", dataset, "--index", index, "--endpoint", "sim", "-k", "4", "--first-query", "standard", "--seed", "7", "--out", b, "--quiet")
	before := written(a)
	out := filepath.Join(dir, "page")
	page, stdout := paged(t, out, a, b)
	if !strings.HasPrefix(stdout, filepath.Join(out, "index.html")) {
		t.Errorf("printed %q", stdout)
	}
	if written(a) != before {
		t.Error("a report writes to the run folder")
	}
	if at := loads.FindStringIndex(page); at != nil {
		t.Errorf("the page loads something: …%s…", page[max(0, at[0]-40):min(len(page), at[1]+40)])
	}
	for _, want := range []string{"SIMULATED MODEL", "rollout.first-query", "trawl score " + a, "Reconstructed by this project"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if !strings.Contains(page, "any language model: all runs<") {
		t.Error("the banner does not say that all runs are simulated")
	}
	for name, want := range map[string]string{"scores.csv": ",simulated model\n", "plot-pass.svg": ">simulated model<"} {
		data, err := os.ReadFile(filepath.Join(out, name))
		if err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s, alone, does not say of what model it is: %v", name, err)
		}
	}
	sameAsScore(t, out, a, "a")
	sameAsSelect(t, out, a, "a")
	again := filepath.Join(dir, "again")
	paged(t, again, a)
	for _, table := range []string{"scores", "pass", "gap-by-k", "distances", "utility-all", "every-question"} {
		one, err := os.ReadFile(filepath.Join(again, table+".csv"))
		if err != nil || len(one) == 0 {
			t.Errorf("%s of one run: %d bytes, %v", table, len(one), err)
		}
	}
	if _, err := os.Stat(filepath.Join(again, "paired.csv")); err == nil {
		t.Error("one run is compared with itself")
	}
}

// sameAsScore holds the tables of a report to what trawl score says of the run.
func sameAsScore(t *testing.T, out, run, name string) {
	t.Helper()
	var r eval.Report
	if err := json.Unmarshal([]byte(capture(t, "score", run, "--json")), &r); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		table, column string
		want          float64
	}{
		{"scores", "exact match", r.EM.Mean}, {"scores", "exact match low", r.EM.CI95[0]}, {"scores", "F1", r.F1.Mean}, {"scores", "contains high", r.Contains.CI95[1]},
		{"pass", "pass@4", r.PassAt[4].Mean}, {"majority", "majority@2", r.MajorityAt[2].Mean}, {"distances", "QPD", *r.Diversity.QPD}, {"distances", "ATD", *r.Diversity.ATD},
		{"recall", "recall@3", r.Retrieval.RecallAt[3]}, {"cost", "searches", float64(r.Cost.Searches)}, {"counts", "complete", float64(r.Complete)},
	} {
		if got := column(t, out, tt.table, tt.column)[name]; math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%s.csv: %s is %v, and trawl score says %v", tt.table, tt.column, got, tt.want)
		}
	}
}

// sameAsSelect holds the last accuracy of the table of selectors, that of the oracle
// among all rollouts, to what trawl select says of the run.
func sameAsSelect(t *testing.T, out, run, name string) {
	t.Helper()
	var r compare.Report
	if err := json.Unmarshal([]byte(capture(t, "select", run, "--json", "--quiet")), &r); err != nil {
		t.Fatal(err)
	}
	rows := r.At[4]
	want := rows[len(rows)-1]
	if got := column(t, out, "chosen", "right")[name]; want.Selector != oracleName || got != want.Accuracy.Mean {
		t.Errorf("chosen.csv: %v, and trawl select says %v of %s", got, want.Accuracy.Mean, want.Selector)
	}
}

// What cannot be compared is refused with a way out, and nothing is written.
func TestReportRefuses(t *testing.T) {
	withoutRaceDetector(t)
	tiny := func(seed string) string {
		dir := t.TempDir()
		name := filepath.Join(dir, "world")
		capture(t, "weave", "--out", name, "--entities", "300", "--questions", "3", "--seed", seed)
		capture(t, "index", filepath.Join(name, "corpus.jsonl"), "--out", filepath.Join(dir, "idx"), "--quiet")
		run := filepath.Join(dir, "run"+seed)
		capture(t, "run", "--dataset", "woven:"+filepath.Join(name, "questions.jsonl"), "--index", filepath.Join(dir, "idx"), "--endpoint", "sim", "-k", "2", "--out", run, "--quiet")
		return run
	}
	a, b := tiny("1"), tiny("2")
	out := filepath.Join(t.TempDir(), "page")
	if said := refused(t, "report", a, b, "--out", out); !strings.Contains(said, "over different data") || !strings.Contains(said, "--unpaired") {
		t.Errorf("said %q", said)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("there is a page on runs over different data")
	}
	page, _ := paged(t, out, a, b, "--unpaired", "--no-evaluate")
	if _, err := os.Stat(filepath.Join(out, "paired.csv")); err == nil || !strings.Contains(page, "not compared question by question") {
		t.Error("runs side by side are compared, or the page does not say that they are not")
	}
	if said := refused(t, "report", a, "--out", a); !strings.Contains(said, "is in the run folder") {
		t.Errorf("into a run folder: %q", said)
	}
	if said := refused(t, "report", a, "--selector", "solagg", "--out", out); !strings.Contains(said, "asks a model") {
		t.Errorf("a selector that asks a model: %q", said)
	}
}

// Rollouts of other programs, without gold answers: what can be told is.
func TestReportWithoutGold(t *testing.T) {
	withoutRaceDetector(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "rollouts.jsonl")
	lines := `{"question":"Who?","prediction":"Ada","messages":[{"role":"user","content":"Who?"},{"role":"assistant","content":"<answer>Ada</answer>"}]}
{"question":"Where?","prediction":"Lyon","messages":[{"role":"user","content":"Where?"},{"role":"assistant","content":"<answer>Lyon</answer>"}]}
`
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	run, out := filepath.Join(dir, "run"), filepath.Join(dir, "page")
	capture(t, "import", "messages", file, "--out", run, "--quiet")
	page, _ := paged(t, out, run)
	for _, want := range []string{"no completed rollout is of a question with gold answers", "the data set has no answers", "import.format"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	for _, table := range []string{"scores", "pass", "chosen", "gap-by-k"} {
		if _, err := os.Stat(filepath.Join(out, table+".csv")); err == nil {
			t.Errorf("there is a table %s without gold answers", table)
		}
	}
	if got := column(t, out, "counts", "unscored")["run"]; got != 2 {
		t.Errorf("%v unscored, want 2", got)
	}
}

// A line that cannot be read is skipped, and the page says so.
func TestReportOfADamagedRun(t *testing.T) {
	withoutRaceDetector(t)
	dir := stored(t, 3, 2)
	path := filepath.Join(dir, "rollouts.jsonl")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	if err := os.WriteFile(path, append(append(first[:len(first)/2:len(first)/2], '\n'), rest...), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "page")
	page, _ := paged(t, out, dir, "--no-evaluate")
	if !strings.Contains(page, "1 lines cannot be read and are in no figure: rollouts.jsonl:1") {
		t.Error("the page does not say that a line cannot be read")
	}
	if got := column(t, out, "counts", "missing"); len(got) != 1 || got[filepath.Base(dir)] != 1 {
		t.Errorf("missing %v, want 1", got)
	}
}

// The decisions of selectors that ask a model are shown where all of them are kept,
// and no model is asked for them.
func TestReportKeptDecisions(t *testing.T) {
	withoutRaceDetector(t)
	dir := stored(t, 3, 2)
	capture(t, "select", dir, "--selector", "solagg", "--endpoint", "sim", "--quiet")
	out := filepath.Join(t.TempDir(), "page")
	page, _ := paged(t, out, dir, "--no-evaluate")
	if !strings.Contains(page, "solagg") || column(t, out, "selector-cost", "model calls")["stored"] != 3 {
		t.Error("kept decisions are not on the page, or not what they cost")
	}
	kept := decisions(t, dir)
	path := filepath.Join(dir, "selections.jsonl")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := bytes.Cut(data, []byte("\n"))
	if err := os.WriteFile(path, append(first, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	page, _ = paged(t, out, dir, "--no-evaluate")
	if left := decisions(t, dir); len(left) >= len(kept) || !strings.Contains(page, "are not kept, so it is left out") {
		t.Errorf("%d of %d decisions are left, and the page does not say that some are missing", len(left), len(kept))
	}
}

// Real rollouts of another program: the reference values stand on the page, those of
// the stored verdicts too.
func TestReportImported(t *testing.T) {
	withoutRaceDetector(t)
	file := testutil.Shared(t, "r1_searcher_rollouts/bamboogle_rollouts.jsonl")
	dir := t.TempDir()
	run, out := filepath.Join(dir, "run"), filepath.Join(dir, "page")
	capture(t, "import", "messages", file, "--verdicts", "judge_gpt4o", "--out", run, "--quiet")
	_, stdout := paged(t, out, run, "--json")
	var said struct {
		Page     string
		Files    []string
		Sections []string
	}
	if err := json.Unmarshal([]byte(stdout), &said); err != nil || said.Page != filepath.Join(out, "index.html") || len(said.Files) < 20 {
		t.Errorf("printed %q, %v", stdout, err)
	}
	if at := column(t, out, "pass", "pass@1")["run"]; math.Abs(at-0.448) > 5e-4 {
		t.Errorf("pass@1 %v, want .448", at)
	}
	if at := column(t, out, "judged", "right")["run"]; math.Abs(at-0.544) > 5e-4 {
		t.Errorf("judged %v, want .544", at)
	}
}

// Runs of one folder name go by their paths, and words are quoted as a shell takes them.
func TestNameRuns(t *testing.T) {
	var names []string
	for _, r := range nameRuns([]reportRun{{dir: "x/run"}, {dir: "y/run"}, {dir: "z/"}, {name: "run", dir: "v"}}) {
		names = append(names, r.name)
	}
	if diff := cmp.Diff([]string{"x/run", "y/run", "z", "run"}, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	for word, want := range map[string]string{"a/b.c": "a/b.c", "it's here": `'it'\''s here'`, "": "''"} {
		if got := quoted(word); got != want {
			t.Errorf("quoted(%q) = %s, want %s", word, got, want)
		}
	}
}

// A demo ends with the report, in which standard sampling is what DivInit is held
// against.
func TestDemoReport(t *testing.T) {
	withoutRaceDetector(t)
	out := filepath.Join(t.TempDir(), "demo")
	args := []string{"demo", "--questions", "4", "--rollouts", "2", "--entities", "300", "--out", out, "--quiet"}
	if stdout := capture(t, args...); !strings.Contains(stdout, filepath.Join(out, "report", "index.html")) {
		t.Errorf("printed %q", stdout)
	}
	if got := column(t, filepath.Join(out, "report"), "paired", "standard"); len(got) != 1 {
		t.Errorf("compared to standard sampling: %v", got)
	}
	capture(t, args...) // again, over the same report
}
