package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/search"
	"trawl/search/english"
)

// smallQueries is how many questions a small benchmark asks.
const smallQueries = 50

// TestBenchBM25 runs all of a small benchmark, with its processes.
func TestBenchBM25(t *testing.T) {
	t.Parallel()
	questions, err := queriesFromPassages(1, somePassages(500), smallQueries)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "questions")
	putFile(t, file, strings.Join(questions, "\n"))
	out := capture(t, "bench", "bm25", "--passages", "2000", "--queries", file, "--goroutines", "4", "--measure", "10ms", "--json", "--quiet")
	var r bm25Result
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		t.Fatal(err)
	}
	if r.Passages != 2000 || r.Distinct != 2000 || r.Queries != smallQueries || r.Goroutines != 4 || r.PassageBytes < 2000*300 {
		t.Errorf("%d passages, %d distinct, of %d bytes, %d queries, %d goroutines; want 2000, 2000, 600000 or more, %d, 4",
			r.Passages, r.Distinct, r.PassageBytes, r.Queries, r.Goroutines, smallQueries)
	}
	if c := r.Check; c.Passages != 2000 || c.Queries != smallQueries || c.Equal != smallQueries || c.Hits < 9*smallQueries {
		t.Errorf("comparison with search/live = %+v, want all of %d queries equal, with ten hits each", c, smallQueries)
	}
	for name, cost := range map[string]*engineCost{"bm25": r.BM25, "bleve": r.Bleve} {
		checkEngineCost(t, name, cost)
	}
	if b := r.BM25.Build; b.Postings == 0 || b.PerPosting != float64(b.Files["postings"])/float64(b.Postings) || b.WithTerms <= b.PerPosting || b.TextEach <= 0 {
		t.Errorf("bytes of postings and texts do not fit together: %+v", b)
	}
	checkConclusions(t, &r)
}

// checkEngineCost makes sure that the figures of an engine fit together.
func checkEngineCost(t *testing.T, name string, c *engineCost) {
	t.Helper()
	if c == nil {
		t.Fatalf("%s has no figures", name)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if !(got > 0) || math.Abs(got-want) > 1e-6*want {
			t.Errorf("%s: %s = %v, want %v", name, what, got, want)
		}
	}
	b := c.Build
	near("passages a second", b.PerSecond, 2000/b.WallS)
	near("passages a CPU-second", b.PerCPUSecond, 2000/b.CPUS)
	near("cores", b.Cores, b.CPUS/b.WallS)
	if b.PeakRSS < 10<<20 || b.PeakRSS > 2<<30 || b.Bytes < 100_000 {
		t.Errorf("%s: peak of %d bytes, %d on disk", name, b.PeakRSS, b.Bytes)
	}
	var goroutines []int
	for _, s := range c.Search {
		goroutines = append(goroutines, s.Goroutines)
		if !(0 < s.P50 && s.P50 <= s.P95 && s.P95 <= s.P99) || s.CPUEach <= 0 || s.PerSecond <= 0 || s.Hits < 5 || s.Hits > benchTop || s.Queries%smallQueries != 0 {
			t.Errorf("%s: %+v do not fit together", name, s)
		}
	}
	if diff := cmp.Diff([]int{1, 4}, goroutines); diff != "" {
		t.Errorf("%s: goroutines (-want +got):\n%s", name, diff)
	}
}

// checkConclusions makes sure that what is concluded follows from the figures.
func checkConclusions(t *testing.T, r *bm25Result) {
	t.Helper()
	for i, x := range r.Ratios {
		if want := r.Bleve.Search[i].P50 / r.BM25.Search[i].P50; x.P50 != want {
			t.Errorf("ratio of p50 = %v, want %v", x.P50, want)
		}
	}
	met := map[string]bool{}
	for _, target := range r.Targets {
		met[target.What] = target.Met
		if want := target.AtMost == (target.Value <= target.Target); target.Value != target.Target && target.Met != want {
			t.Errorf("%+v, want met: %v", target, want)
		}
	}
	if ratio := met["p50 of bleve / p50 of bm25, goroutines: 1"]; len(r.Ratios) != 2 || ratio != (r.Ratios[0].P50 >= targetRatio) {
		t.Errorf("ratios %v with targets met %v", r.Ratios, met)
	}
	if got, want := r.Wikipedia.BuildS, 21_015_324/r.BM25.Build.PerSecond; math.Abs(got-want) > 1e-6*want {
		t.Errorf("extrapolated building = %v s, want %v", got, want)
	}
	if got, want := r.Wikipedia.P50[1], r.BM25.Search[1].P50*21_015_324/2000; math.Abs(got-want) > 1e-6*want {
		t.Errorf("extrapolated p50 = %v ms, want %v", got, want)
	}
}

// TestBenchBM25OfFiles takes passages and questions from files, keeps the folder,
// and prints for people.
func TestBenchBM25OfFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	corpus, queries, work := filepath.Join(dir, "corpus.jsonl"), filepath.Join(dir, "queries"), filepath.Join(dir, "work")
	putFile(t, corpus, `{"id":"a","contents":"Otters\nOtters eat fish."}`+"\n"+`{"id":"b","contents":"Owls\nOwls eat mice."}`+"\n")
	putFile(t, queries, "who eats fish?\n"+`{"id":"2","question":"who eats mice?"}`+"\n\n")
	out := capture(t, "bench", "bm25", "--corpus", corpus, "--queries", queries, "--passages", "5", "--against", "none",
		"--goroutines", "1", "--measure", "1ms", "--dir", work, "--quiet")
	for _, want := range []string{
		"5 passages (" + corpus + ")", "2 of them are distinct; the others are the same under other ids", "2 questions of " + queries + ", top 10",
		"top 10 equal to search/live on 5 of these passages, 2 queries", "21,015,324", "bytes a posting",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "bleve") {
		t.Errorf("bleve is in the output, though it was not asked for:\n%s", out)
	}
	hits := capture(t, "search", "who eats fish?", "--index", filepath.Join(work, engineStatic))
	if strings.Count(hits, "Otters eat fish.") != 3 {
		t.Errorf("the index that was kept finds\n%s, want otters three times", hits)
	}
}

func putFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestBenchBM25Refuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	putFile(t, filepath.Join(dir, "empty"), "")
	putFile(t, filepath.Join(dir, "list.json"), `[{"question":"who?"}]`)
	putFile(t, filepath.Join(dir, "broken.jsonl"), `{"id":"1","contents":"A\nb"}`+"\n{\n")
	tests := []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"no passages", []string{"--passages", "0"}, exitUsage, "--passages"},
		{"no goroutines", []string{"--goroutines", "-1"}, exitUsage, "--goroutines"},
		{"no time", []string{"--measure", "0s"}, exitUsage, "--measure"},
		{"another engine", []string{"--against", "lucene"}, exitUsage, "--against lucene: want bleve or none"},
		{"memory that is no size", []string{"--memory", "lots"}, exitUsage, "512MiB"},
		{"a file without questions", []string{"--passages", "10", "--queries", filepath.Join(dir, "empty")}, exitFailed, "holds no questions"},
		{"an argument", []string{"more"}, exitUsage, "more"},
		{"a folder in use", []string{"--dir", dir}, exitFailed, "--dir " + dir + " is not empty"},
		{"a corpus that is not there", []string{"--corpus", filepath.Join(dir, "none.jsonl")}, exitFailed, "none.jsonl"},
		{"a corpus that is broken", []string{"--corpus", filepath.Join(dir, "broken.jsonl")}, exitFailed, "broken.jsonl:2"},
		{"questions that are not there", []string{"--passages", "10", "--queries", filepath.Join(dir, "none")}, exitFailed, "none"},
		{"questions of another shape", []string{"--passages", "10", "--queries", filepath.Join(dir, "list.json")}, exitFailed, `list.json:1: want a question, or a JSON object with a "question"`},
		{"too little memory", []string{"--passages", "200", "--memory", "1MiB"}, exitFailed, "allow 12 MiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			args := append([]string{"bench", "bm25", "--quiet"}, tt.args...)
			status := run(t.Context(), args, env{stdout: &stdout, stderr: &stderr, getenv: os.LookupEnv})
			if status != tt.status || !strings.Contains(stderr.String(), tt.want) || strings.Count(stderr.String(), "trawl: ") != 1 {
				t.Errorf("status %d and %q, want %d and one error with %q", status, &stderr, tt.status, tt.want)
			}
			if stdout.Len() > 0 {
				t.Errorf("a failure wrote %q to stdout", &stdout)
			}
		})
	}
}

// TestBenchBM25CleansUp interrupts a benchmark when the process that builds the
// index has begun; its folder is empty afterwards.
func TestBenchBM25CleansUp(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	go func() {
		for range time.Tick(time.Millisecond) {
			if _, err := os.Stat(filepath.Join(work, engineStatic)); err == nil || ctx.Err() != nil {
				interrupt()
				return
			}
		}
	}()
	var stdout, stderr bytes.Buffer
	status := run(ctx, []string{"bench", "bm25", "--passages", "1000", "--dir", work, "--quiet"}, env{stdout: &stdout, stderr: &stderr, getenv: os.LookupEnv})
	if status != exitInterrupted || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("status %d and %q, want %d", status, &stderr, exitInterrupted)
	}
	if left, err := os.ReadDir(work); err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
}

func TestSyntheticPassages(t *testing.T) {
	t.Parallel()
	const n = 3000
	s, again, other := newSynthetic(1), newSynthetic(1), newSynthetic(2)
	var docs []search.Document
	titles := map[string]int{}
	for i := range n {
		docs = append(docs, s.passage(i))
		titles[docs[i].Title]++
	}
	for _, i := range []int{n - 1, 7, 0} { // in another order
		if diff := cmp.Diff(docs[i], again.passage(i)); diff != "" {
			t.Errorf("passage %d differs when it is made again (-first +again):\n%s", i, diff)
		}
		if docs[i] == other.passage(i) {
			t.Errorf("passage %d is the same for two seeds", i)
		}
	}
	if len(titles) < n/10 || len(titles) > n/2 {
		t.Errorf("%d passages have %d titles, want some passages to a title", n, len(titles))
	}
	all, content, distinct := 0, 0, 0
	for _, doc := range docs {
		terms := english.Analyze(doc.Title + "\n" + doc.Text)
		content += len(terms)
		all += len(english.AnalyzeAll(doc.Title + "\n" + doc.Text))
		slices.Sort(terms)
		distinct += len(slices.Compact(terms))
	}
	// The 33 stop words are 29.4 % of the words of Wikipedia; of the others in a
	// paragraph some six in seven are distinct.
	if share := 1 - float64(content)/float64(all); share < 0.27 || share > 0.31 {
		t.Errorf("%.3f of the words are stop words, want 0.29", share)
	}
	if share := float64(distinct) / float64(content); share < 0.78 || share > 0.9 {
		t.Errorf("%.3f of the other words of a passage are distinct, want some 0.85", share)
	}
	if each := float64(all) / n; each < 80 || each > 105 {
		t.Errorf("%.1f words a passage, want some 95", each)
	}
}

// TestAliasTable draws with evenly spread bits, so that counts are expectations.
func TestAliasTable(t *testing.T) {
	weights := []float64{1, 0, 6, 3}
	table := newAliasTable(weights)
	const steps = 1000
	got := make([]float64, len(weights))
	for i := range uint64(len(weights)) {
		for j := range uint64(steps) {
			high, low := (i<<32)/uint64(len(weights))+1, j<<32/steps
			got[table.draw(high<<32|low)] += 10 / float64(steps*len(weights))
		}
	}
	for i, want := range weights {
		if math.Abs(got[i]-want) > 0.02 {
			t.Errorf("entry %d comes %.3f of ten times, want %v", i, got[i], want)
		}
	}
}

func TestPassagesFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "passages")
	docs := []search.Document{{ID: "1", Title: "A", URL: "u", Text: strings.Repeat("long ", 100_000)}, {ID: "2"}, {ID: "3", Text: "ü"}}
	info, err := writePassages(t.Context(), path, each(docs), 2)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]search.Document{docs[0], docs[2]}, info.sample); diff != "" || info.count != 3 || info.bytes != 500_003 {
		t.Errorf("wrote %d passages of %d bytes, want 3 of 500003; sample (-want +got):\n%s", info.count, info.bytes, diff)
	}
	got, err := allPassages(path)
	if diff := cmp.Diff(docs, got); diff != "" || err != nil {
		t.Errorf("read: %v (-want +got):\n%s", err, diff)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	putFile(t, path, string(raw[:len(raw)-1]))
	if got, err := allPassages(path); err == nil || len(got) != 2 || !strings.Contains(err.Error(), path) {
		t.Errorf("a file that was cut gives %d passages and error %v, want two and one with the path", len(got), err)
	}
}

func allPassages(path string) (docs []search.Document, err error) {
	for doc, err := range readPassages(path) {
		if err != nil {
			return docs, err
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

func somePassages(n int) (docs []search.Document) {
	s := newSynthetic(1)
	for i := range n {
		docs = append(docs, s.passage(i))
	}
	return docs
}

func TestQueriesFromPassages(t *testing.T) {
	sample := somePassages(500)
	queries, err := queriesFromPassages(1, sample, 100)
	if err != nil {
		t.Fatal(err)
	}
	again, err := queriesFromPassages(1, sample, 100)
	if diff := cmp.Diff(queries, again); diff != "" || err != nil {
		t.Errorf("the same seed makes other questions: %v\n%s", err, diff)
	}
	for _, q := range queries {
		if n := len(strings.Fields(q)); n < 5 || n > 12 {
			t.Errorf("%q has %d words, want 5 to 12", q, n)
		}
	}
	if _, err := queriesFromPassages(1, []search.Document{{ID: "1", Text: "of the"}}, 3); err == nil || !strings.Contains(err.Error(), "--queries") {
		t.Errorf("passages without words give the error %v, want one that names --queries", err)
	}
}

// TestSearchMeter measures a search that takes no time but the tenth time, and
// counts.
func TestSearchMeter(t *testing.T) {
	m := searchMeter{goroutines: 3, queries: []string{"a", "b"}, find: func(_ context.Context, q string) (int, error) {
		return len(q), nil
	}}
	if err := m.run(t.Context(), 5); err != nil {
		t.Fatal(err)
	}
	for i := range m.took {
		m.took[i] = time.Duration(10-i) * time.Millisecond
	}
	got := m.cost()
	got.CPUEach, got.PerSecond = 0, 0 // of this machine
	if diff := cmp.Diff(searchCost{Goroutines: 3, Queries: 10, P50: 6, P95: 10, P99: 10, Hits: 1}, got); diff != "" {
		t.Errorf("cost mismatch (-want +got):\n%s", diff)
	}
	m.find = func(context.Context, string) (int, error) { return 0, fmt.Errorf("broken") }
	if err := m.run(t.Context(), 1); err == nil {
		t.Error("a search that fails is no error")
	}
}
