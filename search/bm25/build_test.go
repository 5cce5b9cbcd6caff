package bm25_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"trawl/search"
	"trawl/search/bm25"
	"trawl/search/index"
	"trawl/search/live"
	"trawl/search/searchtest"
)

var defaults = bm25.Options{Params: index.DefaultParams()}

func stream(docs []search.Document) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		for _, doc := range docs {
			if !yield(doc, nil) {
				return
			}
		}
	}
}

// contentOf returns the files of a folder.
func contentOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

func TestBuildConforms(t *testing.T) {
	searchtest.RunBM25(t, func(t *testing.T, docs []search.Document) search.Engine {
		dir := t.TempDir()
		if _, err := bm25.Build(t.Context(), dir, stream(docs), defaults); err != nil {
			t.Fatal(err)
		}
		return reopen(t, dir)
	})
}

// build makes an index of the documents and returns its folder.
func build(t *testing.T, docs iter.Seq2[search.Document, error], opts bm25.Options) string {
	t.Helper()
	dir := t.TempDir()
	if _, err := bm25.Build(t.Context(), dir, docs, opts); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestBuildSameBytes compares with the index that is made the plain way, file by
// file: the same bytes, however many workers and however little memory there is,
// so that windows, and documents too, become several runs.
func TestBuildSameBytes(t *testing.T) {
	with := func(workers int, memory, inverter int64, batch int) bm25.Options {
		opts := defaults.WithInverter(inverter).WithBatch(batch)
		opts.Workers, opts.Memory = workers, memory
		return opts
	}
	ways := []bm25.Options{
		with(1, 0, 0, 0), with(4, 128<<20, 0, 0), with(16, 2<<30, 0, 0),
		with(1, 3<<20, 4<<10, 64), with(16, 4<<20, 4<<10, 1<<10),
		with(3, 3<<20, 1200, 0), // 30 postings in a run
	}
	for _, tt := range []struct{ docs, window int }{{0, 64}, {1, 64}, {64, 64}, {65, 64}, {2000, 64}, {1500, 1024}, {500, 1 << 16}} {
		docs := random(rand.New(rand.NewPCG(3, 4)), tt.docs)
		for i := range docs {
			docs[i].Text += []string{"", " wa", " was", " was wa was"}[i%4] // a term of both classes
		}
		want := contentOf(t, write(t, docs, tt.window))
		var first map[string]string
		for _, opts := range ways {
			dir := build(t, stream(docs), opts.WithWindow(tt.window))
			got := contentOf(t, dir)
			if first == nil {
				first = got
				reopen(t, dir)
			}
			name := fmt.Sprintf("%+v, %d workers, %d bytes", tt, opts.Workers, opts.Memory)
			if got["index.json"] != first["index.json"] {
				t.Errorf("%s: index.json differs from that of one worker", name)
			}
			for file := range want {
				if file != "index.json" && got[file] != want[file] {
					t.Errorf("%s: %s differs from that made the plain way", name, file)
				}
			}
			if len(got) != len(want) {
				t.Errorf("%s: the folder has %d files, want %d", name, len(got), len(want))
			}
		}
	}
}

// TestBuildEqualsLive asks both engines the same: hits and scores are the same
// to the last bit, and so is the sum of the documents.
func TestBuildEqualsLive(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	docs := random(rng, 1500)
	dir, liveDir := t.TempDir(), t.TempDir()
	stats, err := bm25.Build(t.Context(), dir, stream(docs), defaults.WithWindow(256))
	if err != nil {
		t.Fatal(err)
	}
	liveStats, err := live.Build(t.Context(), liveDir, stream(docs), live.BuildOptions{Params: index.DefaultParams()})
	if err != nil {
		t.Fatal(err)
	}
	if stats.SHA256 != liveStats.SHA256 || stats.Terms != liveStats.Terms || stats.Documents != liveStats.Documents {
		t.Errorf("built %+v, and live %+v", stats, liveStats)
	}
	other, err := live.Open(liveDir)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	x := reopen(t, dir)
	for range 200 {
		query := randomQuery(rng)
		got, err := x.Search(t.Context(), query, 10)
		want, liveErr := other.Search(t.Context(), query, 10)
		if err := errors.Join(err, liveErr); err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("hits of %q mismatch (-live +bm25):\n%s", query, diff)
		}
	}
}

func TestBuildCounts(t *testing.T) {
	docs := []search.Document{
		{ID: "b", Title: "Owl", Text: "The owl hoots."}, // owl owl hoot, and the
		{ID: "a", Title: "Owl", Text: "The owl hoots."}, // a duplicate
		{ID: "c", URL: "u", Title: "Owl", Text: "The owl hoots."},
		{ID: "d", Title: "Ow", Text: "lThe owl hoots."},
		{ID: "e", Text: "..."},
		{ID: "f"},
		{ID: "g"}, // a duplicate
	}
	opts := defaults
	opts.Source = "a test"
	got, err := bm25.Build(t.Context(), t.TempDir(), stream(docs), opts)
	if err != nil {
		t.Fatal(err)
	}
	got.SHA256 = ""
	want := bm25.Stats{
		Stats: index.Stats{
			Params: index.DefaultParams(), Documents: 7, Source: "a test",
			Terms: 13, // 3·3 and ow lthe owl hoot
		},
		AllTerms:      16, // with the, three times
		Duplicates:    2,
		DistinctTerms: 5,  // owl hoot the ow lthe
		Postings:      13, // owl 4, hoot 4, the 3, ow 1, lthe 1
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("stats mismatch (-want +got):\n%s", diff)
	}
}

// TestBuildProgress has three thousand documents and more than a batch to merge.
func TestBuildProgress(t *testing.T) {
	docs := make([]search.Document, 3500)
	r := rand.New(rand.NewPCG(7, 8))
	for i := range docs {
		words := make([]string, 300)
		for j := range words {
			words[j] = word(r.IntN(50_000))
		}
		docs[i] = search.Document{ID: fmt.Sprint(i), Text: strings.Join(words, " ")}
	}
	var told []bm25.Progress
	opts := defaults.WithWindow(64)
	opts.Progress = func(p bm25.Progress) { told = append(told, p) }
	if _, err := bm25.Build(t.Context(), t.TempDir(), stream(docs), opts); err != nil {
		t.Fatal(err)
	}
	want := []bm25.Progress{{Documents: 1000}, {Documents: 2000}, {Documents: 3000}}
	if diff := gocmp.Diff(want, told[:3]); diff != "" {
		t.Errorf("progress before the merging mismatch (-want +got):\n%s", diff)
	}
	merging := told[3:]
	if last := merging[len(merging)-1]; len(merging) < 2 || last != (bm25.Progress{Documents: 3500, Merged: 1}) {
		t.Errorf("progress of the merging: %v", merging)
	}
	for i, p := range merging {
		if p.Documents != 3500 || p.Merged <= 0 || i > 0 && p.Merged <= merging[i-1].Merged {
			t.Errorf("progress of the merging is not monotone: %v", merging)
		}
	}
}

// longIDs returns empty documents with ids of 2 KiB.
func longIDs(n int) []search.Document {
	docs := make([]search.Document, n)
	for i := range docs {
		docs[i].ID = fmt.Sprintf("%0*d", 2<<10, i)
	}
	return docs
}

func TestBuildFails(t *testing.T) {
	little := defaults.WithInverter(4 << 10)
	little.Memory = 6 << 20
	broken := errors.New("line 7 is broken")
	tests := []struct {
		name string
		docs iter.Seq2[search.Document, error]
		opts bm25.Options
		want string
	}{
		{"an id twice", stream([]search.Document{{ID: "x"}, {ID: "y"}, {ID: "x"}}), defaults, `documents 1 and 3 both have the id "x"`},
		{"no id", stream([]search.Document{{ID: "x"}, {Text: "y"}}), defaults, "document 2 has no id"},
		{"an error among the documents", func(yield func(search.Document, error) bool) { yield(search.Document{}, broken) }, defaults, broken.Error()},
		{"odd parameters", stream(nil), bm25.Options{Params: index.Params{K1: -1}}, "k1 is -1"},
		{"too little memory", stream([]search.Document{{ID: "x"}}), bm25.Options{Memory: 1 << 20}, `1 MiB of memory have no room for document "x" of 1 bytes`},
		{"a long document in little memory", stream([]search.Document{{ID: "short"}, {ID: "x", Text: strings.Repeat("owl ", 1<<22)}}), bm25.Options{Memory: 100 << 20}, `100 MiB of memory have no room for document "x" of 16777217 bytes`},
		{"long ids in little memory", stream(longIDs(3000)), little, "beside 1 MiB for ids: allow 14 MiB"}, // of 3 MiB an inverter takes one; else it takes 5, and the ids less than 2
		{"many documents", stream(longIDs(4)), defaults.WithMaxima(3, 0), "more than 3 documents"},
		{"a very long document", stream([]search.Document{{ID: "x", Title: "ab", Text: "cd"}}), defaults.WithMaxima(0, 4), `document "x" has 5 bytes, more than 4`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			_, err := bm25.Build(t.Context(), dir, tt.docs, tt.opts)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "bm25: build "+dir) {
				t.Errorf("Build: %v, want %q", err, tt.want)
			}
			if got := contentOf(t, dir); len(got) != 0 {
				t.Errorf("the folder holds %d files", len(got))
			}
			if _, err := bm25.Build(t.Context(), dir, stream(nil), defaults); err != nil {
				t.Errorf("the next building: %v", err)
			}
		})
	}
}

func TestBuildCancelled(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(1, 1)), 2000)
	for _, at := range []int{0, 1, 500, 1999} {
		ctx, cancel := context.WithCancel(t.Context())
		dir := t.TempDir()
		_, err := bm25.Build(ctx, dir, func(yield func(search.Document, error) bool) {
			for i, doc := range docs {
				if i == at {
					cancel()
				}
				if !yield(doc, nil) {
					return
				}
			}
		}, defaults.WithWindow(64))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at document %d: %v", at, err)
		}
		if got := contentOf(t, dir); len(got) != 0 {
			t.Errorf("cancelled at document %d: the folder holds %d files", at, len(got))
		}
	}
}

// TestBuildFolder has folders as others left them.
func TestBuildFolder(t *testing.T) {
	complete := contentOf(t, write(t, random(rand.New(rand.NewPCG(1, 2)), 10), 64))
	with := func(change func(files map[string]string)) map[string]string {
		files := make(map[string]string)
		for name, data := range complete {
			files[name] = data
		}
		change(files)
		return files
	}
	tests := []struct {
		name  string
		files map[string]string
		want  error
	}{
		{"empty", nil, nil},
		{"killed while it was inverting", map[string]string{"index.building": "", "texts": "trawl", "runs/00000.terms": "x", "runs/00000.records": "x"}, nil},
		{"killed before the mark was taken away", with(func(files map[string]string) { files["index.building"] = "" }), index.ErrExists},
		{"killed before index.json", with(func(files map[string]string) { files["index.building"] = ""; delete(files, "index.json") }), nil},
		{"complete", complete, index.ErrExists},
		{"damaged", with(func(files map[string]string) { files["postings"] += "x" }), nil},
		{"somebody's files", map[string]string{"thesis.tex": "x"}, index.ErrForeign},
		{"another program's index", map[string]string{"index.json": "{}"}, index.ErrForeign},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, data := range tt.files {
				file := filepath.Join(dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(data), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			_, err := bm25.Build(t.Context(), dir, stream([]search.Document{{ID: "new", Text: "owl"}}), defaults)
			if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
				t.Fatalf("Build: %v, want %v", err, tt.want)
			}
			if tt.want != nil {
				if diff := gocmp.Diff(tt.files, contentOf(t, dir)); diff != "" {
					t.Errorf("the folder changed (-before +after):\n%s", diff)
				}
				return
			}
			if hits, err := reopen(t, dir).Search(t.Context(), "owl", 1); err != nil || len(hits) != 1 {
				t.Errorf("Search finds %v, %v", hits, err)
			}
			if got := contentOf(t, dir); len(got) != len(complete) {
				t.Errorf("the folder has %d files, want %d", len(got), len(complete))
			}
		})
	}
}

// TestBuildAllows builds with as much memory as the error asks for.
func TestBuildAllows(t *testing.T) {
	docs := []search.Document{{ID: "a", Text: "owl"}, {ID: "b", Text: strings.Repeat("owl ", 1<<20)}}
	for _, workers := range []int{1, 16} {
		opts := defaults
		opts.Workers, opts.Memory = workers, 20<<20
		_, err := bm25.Build(t.Context(), t.TempDir(), stream(docs), opts)
		if err == nil {
			t.Fatal("no error")
		}
		_, allow, _ := strings.Cut(err.Error(), "allow ")
		if _, scanErr := fmt.Sscanf(allow, "%d MiB", &opts.Memory); scanErr != nil {
			t.Fatalf("%v: %v", err, scanErr)
		}
		opts.Memory <<= 20
		if opts.Memory > 100<<20 {
			t.Errorf("%v", err)
		}
		build(t, stream(docs), opts)
	}
}
