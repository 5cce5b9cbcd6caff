package bm25_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"trawl/internal/testutil"
	"trawl/search"
)

// goldenDocs returns documents for three windows of 64, the last one not full:
// words that are in all, in every third and in one; "wa" of both classes; a word
// 254, 255 and 700 times; ids beyond ASCII; URLs; duplicates; a text of more than
// a block; one without terms.
func goldenDocs() []search.Document {
	docs := make([]search.Document, 150)
	for i := range docs {
		text := fmt.Sprintf("common word%d", i)
		if i%3 == 0 {
			text += " third thirds the was"
		}
		docs[i] = search.Document{ID: fmt.Sprintf("p%03d", (i*37)%150), Title: fmt.Sprintf("Title %d", i%10), Text: text}
	}
	docs[1].ID, docs[2].ID, docs[3].ID = "é", "日本", "p\xff"
	docs[5].Text, docs[70].Text = "wa common", "wa wa was"
	docs[10].Text, docs[11].Text = strings.Repeat("many ", 254), strings.Repeat("many ", 255)
	docs[140].Text = strings.Repeat("many ", 700) + strings.Repeat("the ", 300)
	docs[20].URL, docs[21].URL = "https://example.org/a?b=c", "https://example.org/ü"
	docs[30].Title, docs[30].Text = docs[29].Title, docs[29].Text
	docs[40].Text = strings.Repeat("abc def ghi ", 500)
	docs[50].Title, docs[50].Text = "", "..."
	return docs
}

// sums are what index.json says of files that may differ between processors,
// since S2 may compress otherwise there, and of itself.
var sums = regexp.MustCompile(`("(texts|offsets)": \{\s*"size": )\d+(,\s*"crc32c": )\d+|("crc32c": )\d+(\s*\}\s*)$`)

// TestGoldenIndex sees that an index is what it was when version 1 was made.
func TestGoldenIndex(t *testing.T) {
	docs := goldenDocs()
	opts := defaults.WithWindow(64)
	opts.Source = "golden"
	dir := build(t, stream(docs), opts)
	if os.Getenv("TRAWL_UPDATE_GOLDEN") != "" {
		testutil.GoldenFolder(t, "v1/index", dir)
	}
	want, got := testutil.Files(t, "testdata/v1/index"), testutil.Files(t, dir)
	for _, files := range []map[string]string{want, got} {
		delete(files, "texts")
		delete(files, "offsets")
		files["index.json"] = sums.ReplaceAllString(files["index.json"], "$1$3$4$5")
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("files mismatch (-want +got):\n%s", diff)
	}
	for _, n := range []string{"texts", "offsets"} {
		if want, got := head(t, "testdata/v1/index/"+n), head(t, dir+"/"+n); want != got {
			t.Errorf("%s begins with %q, want %q", n, got, want)
		}
	}
}

// head returns the header of a file.
func head(t *testing.T, name string) string {
	data, err := os.ReadFile(name)
	if err != nil || len(data) < 16 {
		t.Fatalf("%s has %d bytes, %v", name, len(data), err)
	}
	return string(data[:16])
}

// TestGoldenHits searches the index that was made then.
func TestGoldenHits(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/v1/index")); err != nil {
		t.Fatal(err)
	}
	x := reopen(t, dir)
	for _, doc := range goldenDocs() {
		if got, ok, err := x.Get(doc.ID); got != doc || !ok || err != nil {
			t.Errorf("Get %q = %+v, %v, %v", doc.ID, got, ok, err)
		}
	}
	var b strings.Builder
	for _, query := range []string{"common", "third", "wa", "was", "the", "many", "word149 many third", "abc ghi", "title 7", "nothing"} {
		hits, err := x.Search(t.Context(), query, 4)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n", query)
		for _, h := range hits {
			fmt.Fprintf(&b, "\t%+q %v\n", h.ID, h.Score)
		}
	}
	testutil.Golden(t, "v1/hits.txt", b.String())
}
