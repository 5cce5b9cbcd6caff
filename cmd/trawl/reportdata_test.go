package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trawl/eval"
	"trawl/eval/utility"
	"trawl/trajectory/store"
)

// rewritten copies the questions of a run's data set, each as change has it, and returns
// the copy as --dataset takes it.
func rewritten(t *testing.T, run string, change func(i int, question map[string]any)) string {
	t.Helper()
	m, err := store.ReadManifest(run)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(m.Dataset.Path)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var q map[string]any
		if err := json.Unmarshal(line, &q); err != nil {
			t.Fatal(err)
		}
		change(i, q)
		if err := json.NewEncoder(&out).Encode(q); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "questions.jsonl")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return "woven:" + path
}

// A data set with the run's ids and other questions is another one.
func TestReportOtherQuestions(t *testing.T) {
	withoutRaceDetector(t)
	dir := stored(t, 3, 2)
	other := rewritten(t, dir, func(i int, q map[string]any) {
		if i == 1 {
			q["question"] = "Who else?"
		}
	})
	out := filepath.Join(t.TempDir(), "page")
	said := refused(t, "report", dir, "--dataset", other, "--out", out)
	for _, want := range []string{`under the id "woven_1" the run asked "`, `and the data set has "Who else?"`} {
		if !strings.Contains(said, want) {
			t.Errorf("said %q, want %q", said, want)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("there is a page")
	}
	paged(t, out, dir, "--dataset", rewritten(t, dir, func(int, map[string]any) {}), "--no-evaluate")
}

// Where some questions have no gold answers, captions have the n of the others, and a
// note says what is unscored.
func TestReportHalfGold(t *testing.T) {
	withoutRaceDetector(t)
	dir := stored(t, 4, 2)
	half := rewritten(t, dir, func(i int, q map[string]any) {
		if i%2 == 0 {
			q["golden_answers"] = []string{}
		}
	})
	page, _ := paged(t, filepath.Join(t.TempDir(), "page"), dir, "--dataset", half, "--no-evaluate")
	for _, want := range []string{
		"n = 2 questions; of 4 questions × 2 rollouts, 8 complete, 4 unscored, without gold answers",
		"stored: 4 of 8 completed rollouts are of questions without gold answers",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// Of many lines that cannot be read the first few are told, and the others counted; so
// is one that was cut short.
func TestReportUnreadableLines(t *testing.T) {
	withoutRaceDetector(t)
	dir := stored(t, 2, 2)
	f, err := os.OpenFile(filepath.Join(dir, "rollouts.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(strings.Repeat("no line\n", 9) + `{"v":1,`)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "page")
	var stdout, stderr bytes.Buffer
	e := env{stdout: &stdout, stderr: &stderr, getenv: os.LookupEnv}
	if status := run(context.Background(), []string{"report", dir, "--no-evaluate", "--quiet", "--out", out}, e); status != exitDone {
		t.Fatalf("exit status %d\n%s", status, &stderr)
	}
	if n := strings.Count(stderr.String(), unreadLine); n != mostLines || !strings.Contains(stderr.String(), "and 6 more lines that cannot be read") {
		t.Errorf("%d lines are told:\n%s", n, &stderr)
	}
	page, err := os.ReadFile(filepath.Join(out, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"9 lines cannot be read and are in no figure: rollouts.jsonl:5: ", "; and 6 more", "a last line was cut short, of which 7 bytes are there"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// --selector says whose choices are shown, be they worked out or kept, each once.
func TestReportSelectors(t *testing.T) {
	withoutRaceDetector(t)
	dir := stored(t, 3, 2)
	capture(t, "select", dir, "--selector", "solagg", "--endpoint", "sim", "--quiet")
	chosen := func(args ...string) (selectors []string, page string) {
		out := filepath.Join(t.TempDir(), "page")
		page, _ = paged(t, out, append([]string{dir, "--no-evaluate"}, args...)...)
		data, err := os.ReadFile(filepath.Join(out, "chosen.csv"))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
			cells := strings.Split(line, ",")
			name, _, _ := strings.Cut(cells[1], " ") // without the hash of its model and settings
			selectors = append(selectors, name+"@"+cells[2])
		}
		return selectors, page
	}
	rows, page := chosen("--selector", "majority,majority,first")
	if want := []string{"majority@1", "first@1", "majority@2", "first@2"}; !slices.Equal(rows, want) {
		t.Errorf("rows %q, want %q", rows, want)
	}
	if !strings.Contains(page, "trawl select "+dir+" --selector majority,first\n") && !strings.Contains(page, "trawl select "+dir+" --selector majority,first<") {
		t.Error("no caption has the command that makes the rows")
	}
	rows, page = chosen("--selector", "solagg,majority")
	if want := []string{"majority@1", "majority@2", "solagg@2"}; !slices.Equal(rows, want) {
		t.Errorf("rows %q, want %q", rows, want)
	}
	if want := "trawl select " + dir + " --selector solagg --at 2"; !strings.Contains(page, want) || !strings.Contains(page, "nobody was asked again") {
		t.Errorf("no caption says %q", want)
	}
	if said := refused(t, "report", dir, "--selector", "summagg", "--out", filepath.Join(t.TempDir(), "page")); !strings.Contains(said, "of summagg there are none") {
		t.Errorf("said %q", said)
	}
}

// What was resampled and kept makes E_A as it does in trawl evaluate, and no model is
// asked.
func TestReportKeptEntropies(t *testing.T) {
	withoutRaceDetector(t)
	dir := stored(t, 6, 2)
	var want utility.Report
	if err := json.Unmarshal([]byte(capture(t, "evaluate", dir, "--resample", "3", "--endpoint", "sim", "--json", "--quiet")), &want); err != nil || want.EA == nil {
		t.Fatalf("E_A %v, %v", want.EA, err)
	}
	out := filepath.Join(t.TempDir(), "page")
	page, _ := paged(t, out, dir)
	if got := column(t, out, "utility-parts", "E_A")["stored"]; got != want.EA.Mean {
		t.Errorf("E_A %v, and trawl evaluate says %v", got, want.EA.Mean)
	}
	if !strings.Contains(page, "trawl evaluate "+dir+" --resample 3") {
		t.Error("no caption has the command that makes E_A")
	}
}

// An experiment has figures of other names compared, and says at which k.
func TestReportPairs(t *testing.T) {
	withoutRaceDetector(t)
	dataset, index := world(t, 4)
	dir := t.TempDir()
	var runs []reportRun
	for _, seed := range []string{"1", "2"} {
		out := filepath.Join(dir, "run"+seed)
		capture(t, "run", "--dataset", dataset, "--index", index, "--endpoint", "sim", "-k", "4", "--seed", seed, "--out", out, "--quiet")
		runs = append(runs, reportRun{dir: out})
	}
	out := filepath.Join(dir, "page")
	e := env{stdout: io.Discard, stderr: io.Discard, getenv: os.LookupEnv}
	o := reportOptions{out: out, pairs: []eval.MetricPair{{A: "majority@4", B: "em"}}, at: []int{3, 1, 3, 9}, noEvaluate: true}
	if err := makeReport(t.Context(), e, runs, o); err != nil {
		t.Fatal(err)
	}
	paired, err := os.ReadFile(filepath.Join(out, "paired.csv"))
	if err != nil || !strings.Contains(string(paired), "run2,em less majority@4,4,") {
		t.Errorf("paired.csv, %v:\n%s", err, paired)
	}
	chosen, err := os.ReadFile(filepath.Join(out, "chosen.csv"))
	if err != nil {
		t.Fatal(err)
	}
	ks := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(string(chosen)), "\n")[1:] {
		ks[strings.Split(line, ",")[2]] = true
	}
	if got := fmt.Sprint(ks); got != "map[1:true 3:true]" {
		t.Errorf("k of the selectors: %s, want 1 and 3", got)
	}
}
