package live_test

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/search"
	"trawl/search/index"
	"trawl/search/live"
)

// many is a corpus of which each document has a word of its own.
func many(n int) []search.Document {
	docs := make([]search.Document, n)
	for i := range docs {
		docs[i] = search.Document{ID: fmt.Sprint(i), Title: fmt.Sprint("Title ", i), Text: fmt.Sprintf("common words and word%dx alone", i)}
	}
	return docs
}

// segments returns the paths of the segments of an index.
func segments(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "store", "*.zap"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("segments %q, %v", paths, err)
	}
	return paths
}

// change rewrites a file.
func change(t *testing.T, path string, f func(content []byte) []byte) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err == nil {
		err = os.Chmod(path, 0o600)
	}
	if err == nil {
		err = os.WriteFile(path, f(content), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestDamage(t *testing.T) {
	segment := func(f func([]byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, dir string) { change(t, segments(t, dir)[0], f) }
	}
	root := func(f func([]byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, dir string) { change(t, filepath.Join(dir, "store", "root.bolt"), f) }
	}
	fill := func(from, to float64, with byte) func([]byte) []byte {
		return func(b []byte) []byte {
			for i := int(from * float64(len(b))); i < int(to*float64(len(b))); i++ {
				b[i] = with
			}
			return b
		}
	}
	tests := []struct {
		name   string
		damage func(t *testing.T, dir string)
		want   string // in parentheses; "" for anything
	}{
		{"no segments", func(t *testing.T, dir string) {
			for _, path := range segments(t, dir) {
				os.Remove(path)
			}
		}, "300 documents expected, 0 found"},
		{"no store", func(t *testing.T, dir string) { os.RemoveAll(filepath.Join(dir, "store")) }, "its store/root.bolt is missing or empty"},
		{"no list of segments", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "store", "root.bolt")) }, "its store/root.bolt is missing or empty"},
		{"empty segment", segment(func(b []byte) []byte { return nil }), ""},
		{"half a segment", segment(func(b []byte) []byte { return b[:len(b)/2] }), ""},
		{"a few bytes of a segment", segment(func(b []byte) []byte { return b[:7] }), ""},
		{"zeros", segment(fill(0, 1, 0)), ""},
		{"ones", segment(fill(0, 1, 0xff)), ""},
		{"zeros in the middle", segment(fill(0.4, 0.6, 0)), ""},
		{"one byte", segment(func(b []byte) []byte { b[len(b)/3] ^= 1; return b }), "a segment does not have its checksum"},
		{"text over it", segment(func(b []byte) []byte { return append([]byte("garbage"), b[7:]...) }), "a segment does not have its checksum"},
		{"a wild count", segment(func(b []byte) []byte { b[len(b)-36] = 0x7f; return b }), ""},
		{"an empty list of segments", root(func(b []byte) []byte { return nil }), "its store/root.bolt is missing or empty"},
		{"a page of the list", root(func(b []byte) []byte { return b[:4096] }), ""},
		{"zeros for the list", root(fill(0, 1, 0)), ""},
		{"ones in the list", root(fill(0.2, 1, 0xff)), ""},
		{"another count in index.json", func(t *testing.T, dir string) {
			change(t, filepath.Join(dir, "index.json"), func(b []byte) []byte {
				return bytes.Replace(b, []byte(`"documents": 300`), []byte(`"documents": 299`), 1)
			})
		}, "299 documents expected, 300 found"},
		{"other terms in index.json", func(t *testing.T, dir string) {
			change(t, filepath.Join(dir, "index.json"), func(b []byte) []byte {
				return bytes.Replace(b, []byte(`"terms": `), []byte(`"terms": 9`), 1)
			})
		}, "91800 terms expected, 1800 found"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := build(t, many(300))
			tt.damage(t, dir)
			var said bytes.Buffer
			defer log.SetOutput(log.Writer())
			log.SetOutput(&said)
			x, err := live.Open(dir)
			if err == nil {
				x.Close()
			}
			if !errors.Is(err, index.ErrDamaged) {
				t.Fatalf("Open: %v, want ErrDamaged", err)
			}
			want := fmt.Sprintf("live: open %s: the index is damaged (", dir)
			if msg := err.Error(); !strings.HasPrefix(msg, want+tt.want) || !strings.HasSuffix(msg, "): remove it and run trawl index again") || strings.Contains(msg, "\n") {
				t.Errorf("Open: %v, want %s%s", err, want, tt.want)
			}
			if said.Len() > 0 {
				t.Errorf("logged %q", said.String())
			}
			if _, err := live.Grow(dir); !errors.Is(err, index.ErrDamaged) && !errors.Is(err, index.ErrBusy) {
				t.Errorf("Grow: %v, want ErrDamaged", err)
			}
			if _, err := live.Build(t.Context(), dir, stream(three), live.BuildOptions{Params: index.DefaultParams()}); err != nil {
				t.Fatalf("Build in its place: %v", err)
			}
			if diff := cmp.Diff([]string{"1", "3"}, found(t, reopen(t, dir), "bird")); diff != "" {
				t.Errorf("the index built anew (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDamageWhileOpen checks that searches fail, and do not panic, on files that
// change after the index was opened.
func TestDamageWhileOpen(t *testing.T) {
	overwrite := func(t *testing.T, path string, size int64) error {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		_, err = f.WriteAt(bytes.Repeat([]byte{0xff}, int(size)), 0)
		return err
	}
	tests := []struct {
		name   string
		damage func(t *testing.T, path string, size int64) error
	}{
		{"overwritten", overwrite},
		{"truncated", func(_ *testing.T, path string, _ int64) error { return os.Truncate(path, 0) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := build(t, many(3000))
			x := reopen(t, dir)
			path := segments(t, dir)[0]
			os.Chmod(path, 0o600)
			info, err := os.Stat(path)
			if err == nil {
				err = tt.damage(t, path, info.Size())
			}
			if err != nil {
				t.Fatal(err)
			}
			if hits, err := x.Search(t.Context(), "common words", 5); !errors.Is(err, index.ErrDamaged) {
				t.Errorf("Search: %d hits, %v, want ErrDamaged", len(hits), err)
			}
			if _, ok, err := x.Get("1234"); ok || err == nil {
				t.Errorf("Get: %v, %v, want an error", ok, err)
			}
		})
	}
}

// TestGrownAndKilled checks that documents which index.json does not count are
// no damage: they come from a process that was killed while it added them.
func TestGrownAndKilled(t *testing.T) {
	dir := build(t, three)
	before, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	x, err := live.Grow(dir)
	if err != nil {
		t.Fatal(err)
	}
	add(t, x, search.Document{ID: "1", Text: "A heron is a bird."}, search.Document{ID: "4", Text: "A wren is a bird."})
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	change(t, filepath.Join(dir, "index.json"), func([]byte) []byte { return before })
	if diff := cmp.Diff([]string{"1", "4", "3"}, found(t, reopen(t, dir), "bird")); diff != "" {
		t.Errorf("found mismatch (-want +got):\n%s", diff)
	}
}
