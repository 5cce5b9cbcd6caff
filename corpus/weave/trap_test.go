package weave

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/testutil"
	"trawl/internal/text"
	"trawl/search"
	"trawl/search/index"
	"trawl/search/live"
)

// indexIn returns an [Index] in folders of the test.
func indexIn(t testing.TB) Index {
	return func(ctx context.Context, docs iter.Seq[search.Document]) (search.Engine, func() error, error) {
		dir := t.TempDir()
		faultless := func(yield func(search.Document, error) bool) {
			for d := range docs {
				if !yield(d, nil) {
					return
				}
			}
		}
		if _, err := live.Build(ctx, dir, faultless, live.BuildOptions{Params: index.DefaultParams()}); err != nil {
			return nil, nil, err
		}
		x, err := live.Open(dir)
		if err != nil {
			return nil, nil, err
		}
		return x, x.Close, nil
	}
}

func mustProve(t testing.TB, opts Options) (*World, *Report) {
	t.Helper()
	w, r, err := Prove(t.Context(), opts, indexIn(t))
	if err != nil {
		t.Fatal(err)
	}
	return w, r
}

// Every promise about traps holds of a world with more than two hundred.
func TestTraps(t *testing.T) {
	opts := Options{Seed: 3, Entities: 2500, Questions: 210, Traps: 1, Mix: Mix{Chain2: 2, Chain3: 2, Chain4: 1, Intersection: 2, Chain5: 1, Chain6: 1, Braid: 1}}
	w, report := mustProve(t, opts)
	if len(w.traps) != 210 || w.Len() != 2710 || report.Trapped != 210 {
		t.Fatalf("%d traps among %d documents, report %+v", len(w.traps), w.Len(), report)
	}
	for _, k := range turns {
		if report.Kinds[k] < 20 {
			t.Errorf("%d traps are %s, want 20 or more: %v", report.Kinds[k], k, report.Kinds)
		}
	}
	t.Run("are found where the oracle searches", func(t *testing.T) { trapsAreFound(t, w) })
	t.Run("are plausible lies", func(t *testing.T) { trapsLie(t, w) })
	t.Run("change no other document", func(t *testing.T) { articlesStay(t, w) })
	t.Run("concern no other question", func(t *testing.T) { trapsStayApart(t, w) })
	t.Run("do not matter to the answer", func(t *testing.T) {
		without := *w
		without.traps, without.trapDocs = nil, nil
		r := read(&without)
		articlesStateTheFacts(t, &without, r)
		questionsHaveOneAnswer(t, &without, r)
		oracleFinds(t, &without, r)
	})
}

// The oracle's queries find its documents and the traps among the first ten
// hits, and something true about the trap's subject finds what contradicts it.
func trapsAreFound(t *testing.T, w *World) {
	engine, end, err := indexIn(t)(t.Context(), w.Documents())
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	ids := func(query string) []string {
		hits, err := engine.Search(t.Context(), query, 10)
		if err != nil {
			t.Fatal(err)
		}
		found := make([]string, len(hits))
		for i, h := range hits {
			found[i] = h.ID
		}
		return found
	}
	for i, q := range w.questions {
		for _, s := range q.Oracle {
			if found := ids(s.Args.Query); !slices.Contains(found, s.DocIDs[0]) {
				t.Errorf("%s: %q finds %v, not %s", q.ID, s.Args.Query, found, s.DocIDs[0])
			}
		}
		trap := w.traps[i]
		if found := ids(q.Oracle[trap.Step].Args.Query); !slices.Contains(found, trap.Doc) {
			t.Errorf("%s: %q finds %v, not the trap %s", q.ID, q.Oracle[trap.Step].Args.Query, found, trap.Doc)
		}
		if found := ids(trap.True); !slices.Contains(found, trap.Contradicted[0]) {
			t.Errorf("%s: %q finds %v, not %s", q.ID, trap.True, found, trap.Contradicted[0])
		}
	}
}

var asOf = regexp.MustCompile(`(?:A|a)s of (\d{4}), `)

// A trap says its false claim, which an article denies, later than a stale one.
func trapsLie(t *testing.T, w *World) {
	docs := make(map[string]search.Document)
	titles := make(map[string]int)
	for d := range w.Documents() {
		docs[d.ID] = d
		titles[d.Title]++
	}
	for i, trap := range w.traps {
		q, d, truth := w.questions[i], docs[trap.Doc], docs[trap.Contradicted[0]]
		if trap.Question != q.ID || slices.Contains(q.Supporting, trap.Doc) || titles[d.Title] != 1 {
			t.Errorf("%s: trap %+v with the title %q", q.ID, trap, d.Title)
		}
		if trap.False == trap.True || trap.Answer == q.Answers[0] || tells(q.Text, []string{trap.Value}) || len(trap.Triggers) == 0 {
			t.Errorf("%s: %s leads nowhere: %+v", q.ID, q.Text, trap)
		}
		if words := len(strings.Fields(d.Text)); words < 60 || words > 130 || strings.ContainsAny(d.Text, "{}\n\"") || !strings.HasSuffix(d.Text, ".") {
			t.Errorf("%s is not clean: %s", d.ID, d.Text)
		}
		if !strings.Contains(text.Answer(d.Title+" "+d.Text), text.Answer(trap.Value)) {
			t.Errorf("%s does not speak of %q: %s", d.ID, trap.Value, d.Text)
		}
		then, now := asOf.FindStringSubmatch(d.Text), asOf.FindStringSubmatch(truth.Text)
		if trap.Kind == Stale && (then == nil || now == nil || then[1] >= now[1]) {
			t.Errorf("%s says %v, the article %v", d.ID, then, now)
		}
		if plain := q.Complexity; !plain.Trap || plain.C != newComplexity(plain.Hops, plain.Constraints, plain.Branching).C+0.5 {
			t.Errorf("%s: complexity %+v", q.ID, q.Complexity)
		}
	}
}

// Articles are those of the world without traps, some with one more sentence.
func articlesStay(t *testing.T, w *World) {
	var stale int
	plain := mustNew(t, Options{Seed: w.opts.Seed, Entities: w.entities()})
	got := slices.Collect(w.Documents())
	for i, want := range slices.Collect(plain.Documents()) {
		rest, ok := strings.CutPrefix(got[i].Text, want.Text)
		if got[i].ID != want.ID || got[i].Title != want.Title || !ok || rest != "" && !strings.HasPrefix(rest, " As of 20") {
			t.Errorf("article %s has become %+v, want %+v", want.ID, got[i], want)
		}
		if rest != "" {
			stale++
		}
	}
	if stale == 0 {
		t.Error("no article is dated")
	}
}

// No trap lies about a fact that another question rests on.
func trapsStayApart(t *testing.T, w *World) {
	for i, q := range w.questions {
		for j, trap := range w.traps {
			for _, s := range q.Oracle {
				if i != j && s.Subconclusion == trap.True {
					t.Errorf("%s rests on %q, about which the trap of %s lies", q.ID, trap.True, w.questions[j].ID)
				}
			}
		}
	}
}

// testdata/trapped is a world with traps, so that a change of wording is a diff
// to be read.
func TestTrappedGolden(t *testing.T) {
	w, _ := mustProve(t, Options{Seed: 1, Entities: 150, Questions: 8, Traps: 0.5, Mix: Mix{Chain2: 1, Chain3: 1, Intersection: 1}})
	dir := filepath.Join(t.TempDir(), "trapped")
	if err := w.Write(dir); err != nil {
		t.Fatal(err)
	}
	testutil.GoldenFolder(t, "trapped", dir)
}

func TestProveIsDeterministic(t *testing.T) {
	opts := Options{Seed: 5, Entities: 500, Questions: 12, Traps: 0.5}
	a, ra := mustProve(t, opts)
	b, rb := mustProve(t, opts)
	opts.Seed = 6
	c, _ := mustProve(t, opts)
	if diff := cmp.Diff(slices.Collect(a.Documents()), slices.Collect(b.Documents())); diff != "" {
		t.Errorf("equal options give other documents:\n%s", diff)
	}
	if diff := cmp.Diff(a.questions, b.questions) + cmp.Diff(a.traps, b.traps) + cmp.Diff(ra, rb); diff != "" {
		t.Errorf("equal options give other questions, traps or reports:\n%s", diff)
	}
	if cmp.Equal(a.questions, c.questions) || cmp.Equal(a.traps, c.traps) {
		t.Error("the seed does not matter")
	}
}

func TestSuites(t *testing.T) {
	start := time.Now()
	for _, s := range Suites() {
		t.Run(s.Name, func(t *testing.T) {
			w, r := mustProve(t, Options{Seed: 42, Suite: s.Name})
			sum, trapped := 0.0, 0
			for _, q := range w.questions {
				sum += q.Complexity.C
				if q.Complexity.Trap {
					trapped++
				}
				if tells(q.Text, q.Answers) {
					t.Errorf("%s holds its answer %q", q.Text, q.Answers[0])
				}
			}
			mean := sum / float64(len(w.questions))
			if len(w.questions) != s.Questions || mean < s.Mean-MeanTolerance || mean > s.Mean+MeanTolerance || mean != r.MeanC {
				t.Errorf("%d questions of the mean complexity %v, reported %v; want %d of %v", len(w.questions), mean, r.MeanC, s.Questions, s.Mean)
			}
			if want := int(s.Traps * float64(s.Questions)); trapped != want || len(w.traps) != want {
				t.Errorf("%d questions with %d traps, want %d", trapped, len(w.traps), want)
			}
			if r.Guess > 0.4 {
				t.Errorf("a guess is right for %.2f of the questions", r.Guess)
			}
		})
	}
	if took := time.Since(start); took > 60*time.Second {
		t.Errorf("the suites took %s, want a minute at most", took)
	}
}

// An engine that misses some documents costs the questions that need them.
func TestProveReplaces(t *testing.T) {
	opts := Options{Seed: 2, Entities: 800, Questions: 20, Traps: 0.5, Mix: Mix{Chain2: 1, Chain3: 1}}
	lossy := func(hides func(id string) bool) Index {
		return func(ctx context.Context, docs iter.Seq[search.Document]) (search.Engine, func() error, error) {
			engine, end, err := indexIn(t)(ctx, docs)
			return hiding{engine, hides}, end, err
		}
	}
	w, r, err := Prove(t.Context(), opts, lossy(func(id string) bool { return len(id) == 3 && id[0] == '6' }))
	if err != nil {
		t.Fatal(err)
	}
	if r.Replaced[Lost] == 0 {
		t.Errorf("no question was replaced: %+v", r)
	}
	for _, q := range w.questions {
		if slices.ContainsFunc(q.Supporting, func(id string) bool { return len(id) == 3 && id[0] == '6' }) {
			t.Errorf("%s rests on a document that is not found: %v", q.ID, q.Supporting)
		}
	}
	_, _, err = Prove(t.Context(), opts, lossy(func(id string) bool { return len(id) == 3 && id[0] == '8' }))
	if err == nil || !strings.Contains(err.Error(), "trap-not-found") {
		t.Errorf("Prove without any trap in sight = %v, want an error that says so", err)
	}
	broken := errors.New("disk full")
	_, _, err = Prove(t.Context(), opts, func(context.Context, iter.Seq[search.Document]) (search.Engine, func() error, error) {
		return nil, nil, broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("Prove = %v, want %v", err, broken)
	}
}

// A hiding engine does not show some of its hits.
type hiding struct {
	search.Engine
	hides func(id string) bool
}

func (h hiding) Search(ctx context.Context, query string, n int) ([]search.Hit, error) {
	hits, err := h.Engine.Search(ctx, query, n)
	return slices.DeleteFunc(hits, func(hit search.Hit) bool { return h.hides(hit.ID) }), err
}

func TestProveFails(t *testing.T) {
	tests := []struct {
		name string
		opts Options
		want string
	}{
		{"unknown suite", Options{Suite: "hard"}, `weave: unknown suite "hard": want one of core, robustness, scaffolding`},
		{"a share above one", Options{Traps: 1.5}, "a share of 1.5 of traps"},
		{"a suite with a share", Options{Suite: "core", Traps: 0.5}, "suite core has its own share of traps"},
		{"too small for its suite", Options{Suite: "scaffolding", Entities: 60}, "weave more entities"},
		{"comparisons alone", Options{Questions: 5, Traps: 1, Mix: Mix{Comparison: 1}}, "weave: 0 questions are left of 20, want 5 (traps fit 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, _, err := Prove(t.Context(), tt.opts, indexIn(t)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Prove(%+v) = %v, want an error that says %q", tt.opts, err, tt.want)
			}
		})
	}
	if _, err := New(Options{Traps: 0.5}); err == nil || !strings.Contains(err.Error(), "proved by a search engine") {
		t.Errorf("New with traps = %v, want an error", err)
	}
}

func TestSample(t *testing.T) {
	// Numbers 0 to 9 have the complexity 2, 10 to 19 have 3, 20 to 29 have 4.
	c := func(i int) float64 { return 2 + float64(i/10) }
	var pool []int
	for i := range 30 {
		pool = append(pool, i)
	}
	tests := []struct {
		n    int
		mean float64
		want [3]int
	}{
		{9, 3, [3]int{3, 3, 3}}, // λ = 0: each a third
		// With x = e^λ the expected mean 3 + (x−1/x)/(1/x+1+x) = 3.5 gives x² − x − 3 = 0,
		// x = 2.30: shares 0.43, 1, 2.30 of 3.73, or 1.16, 2.68 and 6.16 of ten, 1 + 3 + 6.
		{10, 3.5, [3]int{1, 3, 6}},
		{10, 4, [3]int{0, 0, 10}},
		{12, 4, [3]int{0, 2, 10}}, // there are no more: 46/12 is the nearest
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.n, " of mean ", tt.mean), func(t *testing.T) {
			var got [3]int
			for _, i := range sample(pool, c, tt.n, tt.mean) {
				got[i/10]++
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("sample mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTrappedComplexity(t *testing.T) {
	// 4 + 0.5·2 + 0.5·1 + 0.5: the specification's example of 6.0.
	want := Complexity{Hops: 4, Constraints: 3, Branching: 2, Trap: true, C: 6}
	if diff := cmp.Diff(want, newComplexity(4, 3, 2).trapped()); diff != "" {
		t.Errorf("complexity mismatch (-want +got):\n%s", diff)
	}
}

func TestGuessed(t *testing.T) {
	of := func(kind, answer string) Question { return Question{AnswerKind: kind, Answers: []string{answer}} }
	pool := []Question{of("city", "A"), of("city", "B"), of("city", "B"), of("year", "1950"), of("year", "1940")}
	// B is the city asked for most; of the years, asked for alike, 1940 comes first.
	if got := guessed(pool, []Question{of("city", "B"), of("city", "A"), of("year", "1940"), of("river", "C")}); got != 2 {
		t.Errorf("guessed = %d, want 2", got)
	}
}
