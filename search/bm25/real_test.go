package bm25_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	gocmp "github.com/google/go-cmp/cmp"

	"trawl/internal/testutil"
	"trawl/search"
	"trawl/search/bm25"
	"trawl/search/live"
)

// A question and what a good search finds for it: each of the needs is met by
// any of the documents with these ids.
type question struct {
	source, text string
	needs        [][]string
}

// realCorpora are paragraphs with questions. In the first, a question needs each
// of the paragraphs that its data set says support the answer. In the second,
// whose questions come with nothing but answers, it needs one that says, word
// for word, an answer; questions whose answer no paragraph says are left out. It
// proves the same of the code, so it takes its time only with $TRAWL_BENCH_CORPUS.
var realCorpora = []struct {
	folder    string
	questions func(t *testing.T, docs []search.Document) []question
}{
	{"multihop_601", supported},
	{"r1_searcher_rollouts", answered},
}

func supported(t *testing.T, _ []search.Document) (all []question) {
	type line struct {
		Question string
		Metadata struct {
			Source string
			Docs   []string `json:"supporting_docids"`
		}
	}
	eachLine(t, "multihop_601/questions.jsonl", func(l line) {
		q := question{source: l.Metadata.Source, text: l.Question}
		for _, id := range l.Metadata.Docs {
			q.needs = append(q.needs, []string{id})
		}
		all = append(all, q)
	})
	return all
}

func answered(t *testing.T, docs []search.Document) (all []question) {
	type line struct {
		Question string
		Answers  []string `json:"golden_answers"`
	}
	contents, having := make([]string, len(docs)), make(map[string][]int) // and the documents that have a word
	for i, doc := range docs {
		contents[i] = plain(doc.Title + " " + doc.Text)
		for word := range strings.FieldsSeq(contents[i]) {
			if have := having[word]; len(have) == 0 || have[len(have)-1] != i {
				having[word] = append(have, i)
			}
		}
	}
	for _, source := range []string{"2wiki", "bamboogle", "hotpotqa"} {
		eachLine(t, "r1_searcher_rollouts/"+source+"_questions.jsonl", func(l line) {
			var ids []string
			for _, a := range l.Answers {
				answer := plain(a)
				rarest := slices.MinFunc(strings.Fields(answer), func(v, w string) int { return len(having[v]) - len(having[w]) })
				for _, i := range having[rarest] {
					if strings.Contains(contents[i], answer) {
						ids = append(ids, docs[i].ID)
					}
				}
			}
			if len(ids) > 0 {
				all = append(all, question{source, l.Question, [][]string{ids}})
			}
		})
	}
	return all
}

// plain returns the words of a text in lower case, each between two blanks.
func plain(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return " " + strings.Join(words, " ") + " "
}

// ranks of recall.
var ranks = []int{3, 10, 20}

// A recall is, at each of the ranks, the sum over questions of the share of
// their needs that the hits up to there meet.
type recall [3]float64

func (r *recall) add(q question, hits []search.Hit) {
	for i, n := range ranks {
		met := 0
		for _, ids := range q.needs {
			if slices.ContainsFunc(hits[:min(n, len(hits))], func(h search.Hit) bool { return slices.Contains(ids, h.ID) }) {
				met++
			}
		}
		r[i] += float64(met) / float64(len(q.needs))
	}
}

// TestRealText asks both engines the questions of real corpora: the hits are the
// same, to the last bit of their scores, and so no source has less recall than
// with the growing index. A golden table says how much.
func TestRealText(t *testing.T) {
	t.Parallel()
	for i, corpus := range realCorpora {
		t.Run(corpus.folder, func(t *testing.T) {
			t.Parallel()
			if i > 0 && os.Getenv("TRAWL_BENCH_CORPUS") == "" {
				t.Skip("$TRAWL_BENCH_CORPUS is not set")
			}
			docs := paragraphs(t, corpus.folder)
			x, other := bothEngines(t, docs)
			var sources []string
			questions, ours, theirs := make(map[string]int), make(map[string]*recall), make(map[string]*recall)
			for _, q := range corpus.questions(t, docs) {
				if questions[q.source]++; questions[q.source] == 1 {
					sources = append(sources, q.source)
					ours[q.source], theirs[q.source] = new(recall), new(recall)
				}
				got, err := x.Search(t.Context(), q.text, 20)
				want, liveErr := other.Search(t.Context(), q.text, 20)
				if err := errors.Join(err, liveErr); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(want, got) {
					t.Errorf("the best 20 for %q mismatch (-live +got):\n%s", q.text, gocmp.Diff(want, got))
				}
				ours[q.source].add(q, got)
				theirs[q.source].add(q, want)
			}
			var table strings.Builder
			fmt.Fprintf(&table, "%-15s %9s %-6s %9s %9s %9s\n", "source", "questions", "engine", "recall@3", "recall@10", "recall@20")
			for _, source := range sources {
				n := float64(questions[source])
				for _, row := range []struct {
					engine string
					*recall
				}{{"bm25", ours[source]}, {"live", theirs[source]}} {
					fmt.Fprintf(&table, "%-15s %9.0f %-6s %9.4f %9.4f %9.4f\n", source, n, row.engine, row.recall[0]/n, row.recall[1]/n, row.recall[2]/n)
				}
				for i, k := range ranks {
					if ours[source][i] < theirs[source][i] {
						t.Errorf("recall@%d on %s is %v, and live's %v", k, source, ours[source][i]/n, theirs[source][i]/n)
					}
				}
			}
			testutil.Golden(t, "recall_"+corpus.folder+".txt", table.String())
		})
	}
}

// bothEngines makes an index of the documents with either engine.
func bothEngines(t *testing.T, docs []search.Document) (*bm25.Index, *live.Index) {
	dir, liveDir := t.TempDir(), t.TempDir()
	var builds sync.WaitGroup
	var err, liveErr error
	builds.Go(func() { _, err = bm25.Build(t.Context(), dir, stream(docs), defaults.WithWindow(1024)) })
	builds.Go(func() {
		_, liveErr = live.Build(t.Context(), liveDir, stream(docs), live.BuildOptions{Params: defaults.Params})
	})
	builds.Wait()
	if err := errors.Join(err, liveErr); err != nil {
		t.Fatal(err)
	}
	other, err := live.Open(liveDir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	return reopen(t, dir), other
}

// paragraphs returns the real paragraphs in a folder of the real data.
func paragraphs(t testing.TB, folder string) (docs []search.Document) {
	t.Helper()
	eachLine(t, folder+"/corpus.jsonl", func(l struct{ ID, Contents string }) {
		title, text, _ := strings.Cut(l.Contents, "\n")
		docs = append(docs, search.Document{ID: l.ID, Title: strings.Trim(title, `"`), Text: text})
	})
	return docs
}

// eachLine calls f with every line of a file of JSON lines beside the checkout.
func eachLine[Line any](t testing.TB, name string, f func(Line)) {
	t.Helper()
	file, err := os.Open(testutil.Shared(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l Line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		f(l)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}
