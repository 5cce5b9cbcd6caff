package live_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/search"
	"trawl/search/index"
	"trawl/search/live"
)

func TestReplace(t *testing.T) {
	x := create(t)
	add(t, x, three...)
	add(t, x, search.Document{ID: "1", Title: "Owl", Text: "An owl hunts at night.", URL: "https://example.org/owl"})
	if diff := cmp.Diff([]string{"3"}, found(t, x, "bird")); diff != "" {
		t.Errorf("found by what was replaced (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"1"}, found(t, x, "night")); diff != "" {
		t.Errorf("found by what replaced it (-want +got):\n%s", diff)
	}
	stats, err := x.Stats()
	if err != nil {
		t.Fatal(err)
	}
	// owl owl hunt night, elk elk deer, fox fox bird deer
	if stats.Documents != 3 || stats.Terms != 11 {
		t.Errorf("%d documents with %d terms, want 3 with 11", stats.Documents, stats.Terms)
	}
	got, ok, err := x.Get("1")
	want := search.Document{ID: "1", Title: "Owl", Text: "An owl hunts at night.", URL: "https://example.org/owl"}
	if diff := cmp.Diff(want, got); err != nil || !ok || diff != "" {
		t.Errorf("Get: %v, %v (-want +got):\n%s", ok, err, diff)
	}
	for _, id := range []string{"", "4", "1 ", "bird"} {
		if _, ok, err := x.Get(id); ok || err != nil {
			t.Errorf("Get(%q): %v, %v, want nothing", id, ok, err)
		}
	}
	add(t, x, search.Document{ID: "2", Text: "one"}, search.Document{ID: "2", Text: "two"})
	if got, _, _ := x.Get("2"); got.Text != "two" {
		t.Errorf("of two in one batch %q stays, want the last", got.Text)
	}
}

// TestReplacedScoresAlike compares an index in which documents were replaced,
// in several batches, with one that never had the others: N, df and average
// length must count only what is there.
func TestReplacedScoresAlike(t *testing.T) {
	var docs []search.Document
	for i := range 40 {
		docs = append(docs, search.Document{ID: fmt.Sprint(i), Title: fmt.Sprintf("Page %d", i%7), Text: strings.Repeat("owl ", i%5) + strings.Repeat("elk fox ", i%3)})
	}
	fresh := reopen(t, build(t, docs))
	grown := create(t)
	for i, doc := range docs[:20] {
		if err := grown.Add(search.Document{ID: doc.ID, Text: strings.Repeat("owl elk ", i)}); err != nil {
			t.Fatal(err)
		}
		if i%5 == 0 {
			add(t, grown)
		}
	}
	add(t, grown, docs[:10]...)
	add(t, grown, docs[10:]...)
	for _, query := range []string{"owl", "elk owl page", "fox", "to be", "page 3"} {
		want, err := fresh.Search(t.Context(), query, 40)
		if err != nil {
			t.Fatal(err)
		}
		got, err := grown.Search(t.Context(), query, 40)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-fresh +grown):\n%s", query, diff)
		}
	}
}

func TestGrow(t *testing.T) {
	dir := build(t, three)
	x, err := live.Grow(dir)
	if err != nil {
		t.Fatal(err)
	}
	add(t, x, search.Document{ID: "4", Title: "Bat", Text: "A bat is no bird."})
	if err := x.Add(search.Document{ID: "5", Text: "A late bird."}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1", "4", "3"}, found(t, x, "bird")); diff != "" {
		t.Errorf("before Close (-want +got):\n%s", diff)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	y := reopen(t, dir)
	if diff := cmp.Diff([]string{"5", "1", "4", "3"}, found(t, y, "bird")); diff != "" {
		t.Errorf("after Close (-want +got):\n%s", diff)
	}
	if err := y.Add(three[0]); err == nil || !strings.Contains(err.Error(), "open for searching only") {
		t.Errorf("Add to an index open for searching: %v", err)
	}
}

func TestClosed(t *testing.T) {
	x := reopen(t, build(t, three))
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	_, searchErr := x.Search(t.Context(), "bird", 3)
	_, _, getErr := x.Get("1")
	_, statsErr := x.Stats()
	for name, err := range map[string]error{"Search": searchErr, "Get": getErr, "Stats": statsErr, "Flush": x.Flush(), "Close": x.Close()} {
		if !errors.Is(err, index.ErrClosed) {
			t.Errorf("%s of a closed index: %v, want ErrClosed", name, err)
		}
	}
}

func TestCancelledSearch(t *testing.T) {
	x := reopen(t, build(t, three))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Search(ctx, "bird", 3); !errors.Is(err, context.Canceled) {
		t.Errorf("Search: %v, want context.Canceled", err)
	}
}

// TestGrowWhileSearched adds documents under searches that must each see a whole
// number of batches.
func TestGrowWhileSearched(t *testing.T) {
	x := create(t)
	const batches, size = 6, 5
	var g sync.WaitGroup
	for range 4 {
		g.Go(func() {
			for last := 0; last < batches*size; {
				hits, err := x.Search(t.Context(), "owl", 1000)
				if err != nil {
					t.Error(err)
					return
				}
				if len(hits)%size != 0 || len(hits) < last {
					t.Errorf("%d hits after %d", len(hits), last)
					return
				}
				last = len(hits)
			}
		})
	}
	for b := range batches {
		var docs []search.Document
		for i := range size {
			docs = append(docs, search.Document{ID: fmt.Sprint(b, i), Text: "owl"})
		}
		add(t, x, docs...)
	}
	g.Wait()
}

// TestContents makes sure that the hash of an index follows from the documents
// that are there, and from each part of each of them.
func TestContents(t *testing.T) {
	hash := func(x *live.Index) string {
		t.Helper()
		stats, err := x.Stats()
		if err != nil {
			t.Fatal(err)
		}
		return stats.SHA256
	}
	x := create(t)
	if got, want := hash(x), strings.Repeat("0", 64); got != want {
		t.Errorf("of nothing: %s, want %s", got, want)
	}
	add(t, x, search.Document{ID: "1", Text: "old"}, three[1])
	add(t, x, three[2], search.Document{ID: "1", Text: "older"}, search.Document{ID: "1", Text: "oldest"})
	add(t, x, three[0], three[1])
	if got := hash(x); got != threeHash {
		t.Errorf("after replacements: %s, want %s", got, threeHash)
	}
	doc := search.Document{ID: "4", Title: "Bat", URL: "u", Text: "A bat"}
	seen := map[string]string{threeHash: "without it"}
	for _, doc := range []search.Document{
		doc, {ID: "5", Title: "Bat", URL: "u", Text: "A bat"}, {ID: "4", Title: "Bats", URL: "u", Text: "A bat"},
		{ID: "4", Title: "Bat", URL: "uA", Text: " bat"}, {ID: "4", Title: "Bat", URL: "u", Text: "A bat\xff"}, {ID: "4"},
	} {
		y := reopen(t, build(t, append([]search.Document{doc}, three...)))
		if other, ok := seen[hash(y)]; ok {
			t.Errorf("%+v has the hash of %s", doc, other)
		}
		seen[hash(y)] = fmt.Sprintf("%+v", doc)
	}
}

// TestContentsOfADeadWriter copies an index after a flush, as a process that is
// killed would leave it: index.json knows nothing of the new documents.
func TestContentsOfADeadWriter(t *testing.T) {
	dir := build(t, three[:2])
	x, err := live.Grow(dir)
	if err != nil {
		t.Fatal(err)
	}
	add(t, x, three[2])
	left := filepath.Join(t.TempDir(), "left")
	if err := os.CopyFS(left, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	stats, err := reopen(t, left).Stats()
	if err != nil || stats.SHA256 != threeHash || stats.Documents != 3 {
		t.Errorf("Stats = %+v, %v; want the three documents", stats, err)
	}
}

// TestExtend adds to an index a new document, one that replaces another, and one
// as it is there already.
func TestExtend(t *testing.T) {
	dir := build(t, three)
	more := []search.Document{
		{ID: "4", Title: "Emu", Text: "An emu is a bird."},
		{ID: "2", Title: "Elk", Text: "An elk is a large deer."},
		three[0],
	}
	change, err := live.Extend(t.Context(), dir, stream(more), live.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if change.Added != 1 || change.Replaced != 2 || change.Documents != 4 || change.Params != index.DefaultParams() {
		t.Errorf("change %+v, want 1 added and 2 replaced of 4, and the parameters that were there", change)
	}
	x := reopen(t, dir)
	for query, want := range map[string][]string{"emu": {"4"}, "large": {"2"}, "bird": {"1", "4", "3"}} {
		if diff := cmp.Diff(want, found(t, x, query)); diff != "" {
			t.Errorf("%s found mismatch (-want +got):\n%s", query, diff)
		}
	}
	if got, err := x.Stats(); err != nil || got != change.Stats {
		t.Errorf("the open index says %+v, %v, want %+v", got, err, change.Stats)
	}
}

func TestExtendFails(t *testing.T) {
	dir := build(t, three)
	broken := errors.New("line 7 is broken")
	if _, err := live.Extend(t.Context(), dir, stream(nil, broken), live.BuildOptions{}); !errors.Is(err, broken) || !strings.Contains(err.Error(), dir) {
		t.Errorf("error %v, want the documents' and the folder", err)
	}
	other := live.BuildOptions{Params: index.Params{K1: 7, B: 1}}
	if _, err := live.Extend(t.Context(), dir, stream(three), other); err == nil || !strings.Contains(err.Error(), "it has k1=0.9 b=0.4") {
		t.Errorf("with other parameters: %v", err)
	}
	if _, err := live.Extend(t.Context(), t.TempDir(), stream(three), live.BuildOptions{}); !errors.Is(err, index.ErrForeign) {
		t.Errorf("of an empty folder: %v, want ErrForeign", err)
	}
	if diff := cmp.Diff([]string{"1", "3"}, found(t, reopen(t, dir), "bird")); diff != "" {
		t.Errorf("found mismatch (-want +got):\n%s", diff)
	}
}
