package bm25_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"trawl/internal/testutil"
	"trawl/search"
	"trawl/search/index"
	"trawl/search/live"
)

// TestEqualsLiveOnRealText asks the 601 real questions of 11,951 real paragraphs.
func TestEqualsLiveOnRealText(t *testing.T) {
	t.Parallel()
	var docs []search.Document
	eachLine(t, "multihop_601/corpus.jsonl", func(l struct{ ID, Contents string }) {
		title, text, _ := strings.Cut(l.Contents, "\n")
		docs = append(docs, search.Document{ID: l.ID, Title: strings.Trim(title, `"`), Text: text})
	})
	dir := t.TempDir()
	if _, err := live.Build(t.Context(), dir, func(yield func(search.Document, error) bool) {
		for _, doc := range docs {
			if !yield(doc, nil) {
				return
			}
		}
	}, live.BuildOptions{Params: index.DefaultParams()}); err != nil {
		t.Fatal(err)
	}
	other, err := live.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	x := reopen(t, write(t, docs, 1024))
	eachLine(t, "multihop_601/questions.jsonl", func(q struct{ Question string }) {
		want, err := other.Search(t.Context(), q.Question, 20)
		if err != nil {
			t.Fatal(err)
		}
		got, err := x.Search(t.Context(), q.Question, 20)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("the best 20 for %q mismatch (-live +got):\n%s", q.Question, diff)
		}
	})
}

// eachLine calls f with every line of a file of JSON lines beside the checkout.
func eachLine[Line any](t *testing.T, name string, f func(Line)) {
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
