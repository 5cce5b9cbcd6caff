package weave_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/corpus/weave"
	"trawl/internal/testutil"
	"trawl/internal/text"
	"trawl/search"
)

func mustNew(t testing.TB, opts weave.Options) *weave.World {
	t.Helper()
	w, err := weave.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// testdata/tiny is a whole world, so that a change of wording is a diff to be
// read. A change of these files is a new weave.Version.
func TestGolden(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tiny")
	if err := mustNew(t, weave.Options{Seed: 1, Entities: 60, Questions: 20}).Write(dir); err != nil {
		t.Fatal(err)
	}
	testutil.GoldenFolder(t, "tiny", dir)
}

func TestDeterminism(t *testing.T) {
	opts := weave.Options{Seed: 9, Entities: 400, Questions: 60}
	a, b := mustNew(t, opts), mustNew(t, opts)
	want := slices.Collect(a.Documents())
	if diff := cmp.Diff(want, slices.Collect(b.Documents())); diff != "" {
		t.Errorf("documents of equal options differ:\n%s", diff)
	}
	if diff := cmp.Diff(a.Questions(), b.Questions()); diff != "" {
		t.Errorf("questions of equal options differ:\n%s", diff)
	}
	opts.Seed++
	if cmp.Equal(want, slices.Collect(mustNew(t, opts).Documents())) {
		t.Error("the seed does not matter to documents")
	}
	opts.Seed, opts.Questions = 9, 10
	if !cmp.Equal(want, slices.Collect(mustNew(t, opts).Documents())) {
		t.Error("the number of questions changes the documents")
	}
}

// A world is read by many at once, and reading may stop at any document.
func TestDocumentsConcurrently(t *testing.T) {
	w := mustNew(t, weave.Options{Seed: 1, Entities: 200})
	want := slices.Collect(w.Documents())
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			n := 0
			for d := range w.Documents() {
				if d != want[n] {
					t.Errorf("document %d differs between readers", n)
				}
				if n++; n == 50*(i+1) {
					break
				}
			}
		})
	}
	wg.Wait()
}

func TestDocuments(t *testing.T) {
	w := mustNew(t, weave.Options{Seed: 6, Entities: 3000})
	titles := make(map[string]bool)
	n := 0
	for d := range w.Documents() {
		if d.ID != fmt.Sprint(n) || titles[d.Title] {
			t.Errorf("document %d: id %q, title %q", n, d.ID, d.Title)
		}
		titles[d.Title] = true
		if words := len(strings.Fields(d.Text)); words < 60 || words > 130 {
			t.Errorf("%q has %d words, want 60 to 130", d.Title, words)
		}
		if !strings.HasPrefix(strings.TrimPrefix(d.Text, "The "), strings.TrimPrefix(d.Title, "The ")) {
			t.Errorf("%q does not begin with its topic: %.80s", d.Title, d.Text)
		}
		if strings.ContainsAny(d.Text, "{}\n\"") || strings.Contains(d.Text, "  ") || !strings.HasSuffix(d.Text, ".") {
			t.Errorf("%q is not clean: %s", d.Title, d.Text)
		}
		n++
	}
	if n != w.Len() || n != 3000 {
		t.Errorf("%d documents, Len %d, want 3000", n, w.Len())
	}
}

func TestQuestionMix(t *testing.T) {
	mix := weave.Mix{Chain2: 1, Chain3: 2, Chain4: 3, Intersection: 2, Comparison: 2}
	w := mustNew(t, weave.Options{Seed: 2, Entities: 1500, Questions: 400, Mix: mix})
	forms := make(map[string]int)
	kinds := make(map[string]int)
	verdicts := make(map[string]int)
	for i, q := range w.Questions() {
		if q.ID != fmt.Sprintf("woven_%d", i) {
			t.Errorf("question %d has the id %s", i, q.ID)
		}
		kinds[q.AnswerKind]++
		switch q.Type {
		case weave.Chain:
			forms[fmt.Sprint(q.Type, q.Complexity.Hops)]++
		default:
			forms[string(q.Type)]++
		}
		if q.AnswerKind == "yes/no" {
			verdicts[q.Answers[0]]++
		}
	}
	want := map[string]int{"chain2": 40, "chain3": 80, "chain4": 120, "intersection": 80, "comparison": 80}
	if diff := cmp.Diff(want, forms); diff != "" {
		t.Errorf("forms mismatch (-want +got):\n%s", diff)
	}
	for _, k := range []string{"person", "city", "country", "year", "date", "number", "film", "novel", "company", "university", "river", "occupation", "yes/no"} {
		if kinds[k] < 4 {
			t.Errorf("%d answers of the kind %s: %v", kinds[k], k, kinds)
		}
	}
	if yes, no := verdicts["yes"], verdicts["no"]; 4*min(yes, no) < max(yes, no) {
		t.Errorf("%d yes, %d no", yes, no)
	}
}

// No two questions ask the same: no two have the same words in another order,
// or rest on the same facts.
func TestNoNearDuplicates(t *testing.T) {
	w := mustNew(t, weave.Options{Seed: 2, Entities: 1000, Questions: 500})
	words, facts := make(map[string]string), make(map[string]string)
	check := func(seen map[string]string, parts []string, question string) {
		slices.Sort(parts)
		key := strings.Join(parts, " ")
		if other, ok := seen[key]; ok {
			t.Errorf("%q asks the same as %q", question, other)
		}
		seen[key] = question
	}
	for _, q := range w.Questions() {
		check(words, strings.Fields(text.Answer(q.Text)), q.Text)
		var steps []string
		for _, s := range q.Oracle {
			plain, _, _ := strings.Cut(strings.TrimSuffix(s.Subconclusion, "."), "; the answer is ")
			steps = append(steps, plain)
		}
		check(facts, steps, q.Text)
	}
}

// A question names neither its answer nor what lies between, a choice of two
// apart.
func TestQuestionsHideTheirAnswers(t *testing.T) {
	w := mustNew(t, weave.Options{Seed: 12, Entities: 800, Questions: 400})
	for _, q := range w.Questions() {
		if q.Type != weave.Comparison && strings.Contains(" "+text.Answer(q.Text)+" ", " "+text.Answer(q.Answers[0])+" ") {
			t.Errorf("%s: holds its answer %q", q.Text, q.Answers[0])
		}
		if len(q.Supporting) == 0 || len(q.Oracle) < 2 {
			t.Errorf("%s: %d documents, %d steps", q.Text, len(q.Supporting), len(q.Oracle))
		}
	}
}

func TestNewFails(t *testing.T) {
	tests := []struct {
		name string
		opts weave.Options
		want string
	}{
		{"too small", weave.Options{Entities: 10}, "10 entities"},
		{"too large", weave.Options{Entities: 1 << 40}, "weave: a world of 1099511627776 entities: want 50 to 2000000"},
		{"negative", weave.Options{Questions: -1}, "weave: -1 questions, want 0 or more"},
		{"negative share", weave.Options{Mix: weave.Mix{Chain2: 2, Chain3: -1}}, "weave: a negative share in the mix of questions: 2 chains of 2, -1 of 3, 0 of 4, 0 intersections, 0 comparisons"},
		{"too many questions", weave.Options{Entities: 50, Questions: 5000}, "a world of 50 entities holds"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := weave.New(tt.opts); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("New(%+v) = %v, want an error that says %q", tt.opts, err, tt.want)
			}
		})
	}
}

func TestWrite(t *testing.T) {
	w := mustNew(t, weave.Options{Seed: 3, Entities: 80, Questions: 15})
	parent := t.TempDir()
	dir := filepath.Join(parent, "deep", "world")
	if err := w.Write(dir); err != nil {
		t.Fatal(err)
	}
	first := testutil.Files(t, dir)
	if err := w.Write(dir); err != nil {
		t.Errorf("writing the same world again: %v", err)
	}
	if diff := cmp.Diff(first, testutil.Files(t, dir)); diff != "" {
		t.Errorf("writing again changed the folder:\n%s", diff)
	}
	if left, _ := os.ReadDir(filepath.Join(parent, "deep")); len(left) != 1 {
		t.Errorf("beside the folder lie %v", left)
	}
	checkCorpus(t, first[weave.CorpusFile], slices.Collect(w.Documents()))
	checkQuestions(t, first, w.Questions())
}

// checkCorpus reads corpus as Search-R1 does.
func checkCorpus(t *testing.T, corpus string, want []search.Document) {
	t.Helper()
	var got []search.Document
	for line := range bytes.Lines([]byte(corpus)) {
		var d struct{ ID, Contents string }
		if err := json.Unmarshal(line, &d); err != nil {
			t.Fatal(err)
		}
		title, body, _ := strings.Cut(d.Contents, "\n")
		got = append(got, search.Document{ID: d.ID, Title: strings.Trim(title, `"`), Text: body})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("corpus mismatch (-want +got):\n%s", diff)
	}
}

// checkQuestions reads the question files and the relevance judgements.
func checkQuestions(t *testing.T, content map[string]string, want []weave.Question) {
	t.Helper()
	questions := strings.Split(strings.TrimSpace(content[weave.QuestionsFile]), "\n")
	tasks := strings.Split(strings.TrimSpace(content[weave.OracleFile]), "\n")
	if len(questions) != len(want) || len(tasks) != len(want) {
		t.Fatalf("%d questions, %d tasks, want %d", len(questions), len(tasks), len(want))
	}
	var qrels strings.Builder
	for i, q := range want {
		var got struct {
			ID            string
			Question      string
			GoldenAnswers []string `json:"golden_answers"`
			Metadata      struct {
				Source, Type string
				AnswerKind   string `json:"answer_kind"`
				Hops         int
				Complexity   weave.Complexity
				Supporting   []string `json:"supporting_docids"`
			}
		}
		var task struct{ Oracle []weave.Step }
		if err := json.Unmarshal([]byte(questions[i]), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(tasks[i]), &task); err != nil {
			t.Fatal(err)
		}
		m := got.Metadata
		back := weave.Question{
			ID: got.ID, Text: got.Question, Answers: got.GoldenAnswers, AnswerKind: m.AnswerKind, Type: weave.Type(m.Type),
			Complexity: m.Complexity, Supporting: m.Supporting, Oracle: task.Oracle,
		}
		if diff := cmp.Diff(q, back); diff != "" || m.Source != "woven" || m.Hops != q.Complexity.Hops {
			t.Errorf("question mismatch (-want +got):\n%s", diff)
		}
		for _, id := range q.Supporting {
			fmt.Fprintf(&qrels, "%s Q0 %s 1\n", q.ID, id)
		}
	}
	if diff := cmp.Diff(qrels.String(), content[weave.QrelsFile]); diff != "" {
		t.Errorf("qrels mismatch (-want +got):\n%s", diff)
	}
}

func TestWriteRefuses(t *testing.T) {
	w := mustNew(t, weave.Options{Seed: 3, Entities: 60})
	other := mustNew(t, weave.Options{Seed: 4, Entities: 60})
	tests := []struct {
		name string
		fill func(dir string) error
		want string
	}{
		{"foreign files", func(dir string) error { return os.WriteFile(filepath.Join(dir, "thesis.tex"), []byte("x"), 0o644) }, "no woven world"},
		{"another world", func(dir string) error { return other.Write(dir) }, "another world: seed 4"},
		{"a broken manifest", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, weave.ManifestFile), []byte("{"), 0o644)
		}, weave.ManifestFile},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := tt.fill(dir); err != nil {
				t.Fatal(err)
			}
			before := testutil.Files(t, dir)
			if err := w.Write(dir); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Write = %v, want an error that says %q", err, tt.want)
			}
			if diff := cmp.Diff(before, testutil.Files(t, dir)); diff != "" {
				t.Errorf("the folder was changed:\n%s", diff)
			}
		})
	}
	t.Run("a file", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := w.Write(path); err == nil {
			t.Error("Write over a file succeeds")
		}
	})
}

// A world without its texts takes less than 300 bytes an entity.
func TestMemory(t *testing.T) {
	const n = 50000
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	w := mustNew(t, weave.Options{Entities: n})
	if used := float64(heap()-before) / n; used > 300 {
		t.Errorf("%.0f bytes an entity, want at most 300", used)
	}
	runtime.KeepAlive(w)
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		mustNew(b, weave.Options{Entities: 20000, Questions: 200})
	}
}

func BenchmarkDocuments(b *testing.B) {
	w := mustNew(b, weave.Options{Entities: 20000})
	b.ReportAllocs()
	n, size := 0, 0
	for b.Loop() {
		for d := range w.Documents() {
			n++
			size += len(d.Text)
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "docs/s")
	b.SetBytes(int64(size) / int64(b.N))
}

func Example() {
	w, err := weave.New(weave.Options{Seed: 1, Entities: 60, Questions: 1})
	if err != nil {
		panic(err)
	}
	q := w.Questions()[0]
	fmt.Println(q.Text)
	for _, s := range q.Oracle {
		fmt.Println("-", s.Args.Query, "->", s.Subconclusion)
	}
	fmt.Println(q.Answers[0])
	// Output:
	// Who founded the employer of Lucas Branin?
	// - employer of Lucas Branin -> Lucas Branin worked for the Hazelberg Museum of Armour.
	// - founder of Hazelberg Museum of Armour -> The Hazelberg Museum of Armour was founded by Daria Acklin.
	// Daria Acklin
}
