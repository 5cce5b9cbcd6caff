package bm25_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"trawl/search/bm25"
	"trawl/search/index"
	"trawl/search/searchtest"
)

// files are the files of an index that are not index.json.
var files = []string{"terms", "postings", "lengths", "ranks", "texts", "offsets"}

// small makes an index with both kinds of lists, and a copy of it that tests
// may spoil.
func small(t testing.TB) string {
	return write(t, random(rand.New(rand.NewPCG(1, 2)), 150), 64)
}

func TestTruncated(t *testing.T) {
	dir := small(t)
	for _, name := range files {
		path := filepath.Join(dir, name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{0, 1, 8, 15, 16, 17, len(whole) / 2, len(whole) - 1} {
			put(t, path, whole[:n])
			refused(t, dir, name)
		}
		put(t, path, append(whole[:len(whole):len(whole)], 0))
		refused(t, dir, name)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		refused(t, dir, name)
		put(t, path, whole)
	}
	reopen(t, dir)
}

// refused checks that the index does not open, for a reason that names the file.
func refused(t *testing.T, dir, name string) {
	t.Helper()
	x, err := bm25.Open(dir)
	if err == nil {
		x.Close()
	}
	if !errors.Is(err, index.ErrDamaged) || !strings.Contains(err.Error(), "("+name+" ") {
		t.Errorf("Open = %v, want ErrDamaged that names %s", err, name)
	}
}

func put(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestFlippedBytes changes one byte at a time. Open or Verify must see it, and
// whatever is done with the index must end without a panic.
func TestFlippedBytes(t *testing.T) {
	dir := small(t)
	for _, name := range files {
		path := filepath.Join(dir, name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		step := max(1, len(whole)/20)
		for i := 0; i < len(whole); i += step {
			spoiled := append([]byte(nil), whole...)
			spoiled[i] ^= byte(1 + i%255)
			put(t, path, spoiled)
			x, err := bm25.Open(dir)
			if err == nil {
				useAll(t, x)
				err = x.Verify(t.Context())
				x.Close()
			}
			if !errors.Is(err, index.ErrDamaged) || !strings.Contains(err.Error(), name) {
				t.Errorf("byte %d of %s is not seen: %v", i, name, err)
			}
		}
		put(t, path, whole)
	}
}

// useAll does with an index what can be done, which may only fail by damage.
func useAll(t testing.TB, x *bm25.Index) {
	t.Helper()
	var errs []error
	for _, query := range []string{"q0 q1 q2 q3", "q5 q6 q17 q90 q200", "the of"} {
		for _, n := range []int{1, 10, 1000} {
			_, err := x.Search(t.Context(), query, n)
			errs = append(errs, err)
		}
		_, _, err := x.Explain(t.Context(), query, "77")
		errs = append(errs, err)
	}
	_, _, err := x.Get("140")
	for _, err := range append(errs, err) {
		if err != nil && !errors.Is(err, index.ErrDamaged) {
			t.Errorf("a damaged index fails with %v", err)
		}
	}
}

// TestCutWhileOpen: a file that is cut under an open index makes searches fail,
// and does not end the process.
func TestCutWhileOpen(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere files cannot be cut while they are mapped, or are not mapped")
	}
	for _, name := range []string{"terms", "postings", "lengths", "texts"} {
		dir := small(t)
		x := reopen(t, dir)
		if err := os.Truncate(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
		if hits, err := x.Search(t.Context(), "q0 q1", 10); !errors.Is(err, index.ErrDamaged) {
			t.Errorf("without %s: Search = %d hits, %v", name, len(hits), err)
		}
	}
}

func TestForeignFolders(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join(small(t), "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, file, content string
		want                error
		reason              string
	}{
		{"an empty folder", "", "", index.ErrForeign, "it has no index.json"},
		{"another program's", "index.json", "{}", index.ErrForeign, "another program's"},
		{"no JSON", "index.json", "index", index.ErrForeign, "another program's"},
		{"cut short", "index.building", "", index.ErrIncomplete, "run trawl index again"},
		{"without its files", "index.json", string(whole), index.ErrDamaged, "terms is missing"},
		{"a version to come", "index.json", strings.Replace(string(whole), `"version":1`, `"version":2`, 1), nil, "says version 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if tt.file != "" {
				put(t, filepath.Join(dir, tt.file), []byte(tt.content))
			}
			_, err := bm25.Open(dir)
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.reason) {
				t.Errorf("Open = %v, want %v for the reason %q", err, tt.want, tt.reason)
			}
		})
	}
}

// TestOddQueriesOfNothing: an index without documents is an index.
func TestOddQueriesOfNothing(t *testing.T) {
	x := reopen(t, write(t, nil, 1<<16))
	for _, query := range searchtest.OddQueries() {
		if hits, err := x.Search(t.Context(), query, 10); len(hits) > 0 || err != nil {
			t.Errorf("Search(%.40q) = %v, %v", query, hits, err)
		}
	}
	if _, ok, err := x.Get("1"); ok || err != nil {
		t.Errorf("Get = %v, %v", ok, err)
	}
}
