package feature_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/selection/feature"
)

// Sizes in a file of vectors of 4 numbers.
const (
	headerSize = 1024
	recordSize = 16 + 2*4 + 4
)

var named = feature.Options{Name: "fake"}

// files returns the paths of the file of vectors and of that of keys.
func files(t testing.TB, cache string) (vectors, keys string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(cache, "*", "vectors.*"))
	check(t, err)
	if len(found) != 2 {
		t.Fatalf("files %v, want two", found)
	}
	return found[0], found[1]
}

// in returns options for the cache.
func in(cache string) feature.Options { return feature.Options{Name: named.Name, Cache: cache} }

// filled returns a cache with the texts.
func filled(t testing.TB, texts ...string) (cache string) {
	t.Helper()
	cache = t.TempDir()
	table := open(t, &fake{}, in(cache))
	rowsOf(t, table, texts...)
	check(t, table.Close())
	return cache
}

// holds opens the cache, asks for the texts, makes sure that all vectors are
// right, and returns the counts and the texts that were embedded.
func holds(t testing.TB, cache string, texts ...string) (feature.Counts, []string) {
	t.Helper()
	f := &fake{}
	table := open(t, f, in(cache))
	for i, row := range rowsOf(t, table, texts...) {
		if diff := cmp.Diff(f.of(texts[i]), read(table, row), near); diff != "" {
			t.Errorf("vector of %q mismatch (-want +got):\n%s", texts[i], diff)
		}
	}
	check(t, table.Err())
	var embedded []string
	for _, s := range texts {
		if f.asked()[s] > 0 {
			embedded = append(embedded, s)
		}
	}
	counts := table.Counts()
	check(t, table.Close())
	return counts, embedded
}

func TestReopen(t *testing.T) {
	cache := filled(t, "a", "b", "c")
	counts, embedded := holds(t, cache, "c", "d", "a")
	if diff := cmp.Diff([]string{"d"}, embedded); diff != "" {
		t.Errorf("embedded texts mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(feature.Counts{Rows: 4, Stored: 3, Embedded: 1}, counts); diff != "" {
		t.Errorf("counts mismatch (-want +got):\n%s", diff)
	}
	table := open(t, none{}, in(cache))
	if got := table.Dims(); got != 4 {
		t.Errorf("%d dimensions before anything was asked for, want 4", got)
	}
}

// TestTornAnywhere cuts each file at every byte of what was written last, as a
// kill may leave it: what was whole is kept, the rest is embedded again.
func TestTornAnywhere(t *testing.T) {
	whole := filled(t, "a", "b")
	vectors, keys := files(t, whole)
	data, err := os.ReadFile(vectors)
	check(t, err)
	list, err := os.ReadFile(keys)
	check(t, err)
	if len(data) != headerSize+2*recordSize || len(list) != 2*16 {
		t.Fatalf("files of %d and %d bytes", len(data), len(list))
	}
	cut := func(size, keySize int, stored int) {
		t.Helper()
		check(t, os.WriteFile(vectors, data[:size], 0o644))
		check(t, os.WriteFile(keys, list[:keySize], 0o644))
		counts, _ := holds(t, whole, "a", "b")
		torn := max(0, size-headerSize) % recordSize
		if size < headerSize {
			torn = size
		}
		want := feature.Counts{Rows: 2, Stored: stored, Embedded: 2 - stored, Torn: int64(torn)}
		if diff := cmp.Diff(want, counts); diff != "" {
			t.Errorf("cut at %d and %d: counts mismatch (-want +got):\n%s", size, keySize, diff)
		}
		for _, f := range []struct {
			path string
			want []byte
		}{{vectors, data}, {keys, list}} {
			if got, err := os.ReadFile(f.path); err != nil || !cmp.Equal(f.want, got) {
				t.Errorf("cut at %d and %d: %s is not mended: %v", size, keySize, f.path, err)
			}
		}
	}
	for size := len(data); size >= len(data)-recordSize; size-- {
		stored := (size - headerSize) / recordSize
		cut(size, len(list), stored)
		cut(size, 16, stored)
	}
	for size := headerSize; size >= 0; size -= 31 {
		cut(size, 16, 0)
	}
	for size := range len(list) {
		cut(len(data), size, 2)
	}
}

// TestDamage turns over one byte of the first record, at each place.
func TestDamage(t *testing.T) {
	for at := range recordSize {
		for _, keepKeys := range []bool{true, false} {
			cache := filled(t, "a", "b")
			vectors, keys := files(t, cache)
			flip(t, vectors, int64(headerSize+at))
			stored := 2
			if !keepKeys {
				check(t, os.Remove(keys))
				stored = 1
			}
			counts, embedded := holds(t, cache, "a", "b")
			want := feature.Counts{Rows: 2, Stored: stored, Embedded: 1, Dropped: 1}
			if diff := cmp.Diff(want, counts); diff != "" {
				t.Errorf("byte %d, keys %v: counts mismatch (-want +got):\n%s", at, keepKeys, diff)
			}
			if diff := cmp.Diff([]string{"a"}, embedded); diff != "" {
				t.Errorf("byte %d, keys %v: embedded texts mismatch (-want +got):\n%s", at, keepKeys, diff)
			}
			if _, embedded := holds(t, cache, "a", "b"); embedded != nil {
				t.Errorf("byte %d: %v embedded again, want none", at, embedded)
			}
		}
	}
}

func flip(t testing.TB, path string, at int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	check(t, err)
	b := make([]byte, 1)
	_, err = f.ReadAt(b, at)
	check(t, err)
	b[0] ^= 0x10
	_, err = f.WriteAt(b, at)
	check(t, err)
	check(t, f.Close())
}

// TestForeignKeys: a file of keys that belongs to other records costs time, never
// a wrong vector.
func TestForeignKeys(t *testing.T) {
	cache, other := filled(t, "a", "b"), filled(t, "c", "a", "d")
	_, keys := files(t, cache)
	_, foreign := files(t, other)
	list, err := os.ReadFile(foreign)
	check(t, err)
	check(t, os.WriteFile(keys, list, 0o644))
	counts, embedded := holds(t, cache, "a", "b", "c")
	if diff := cmp.Diff([]string{"a", "b", "c"}, embedded); diff != "" {
		t.Errorf("embedded texts mismatch (-want +got):\n%s", diff)
	}
	if counts.Dropped != 2 {
		t.Errorf("%d records dropped, want those that were asked for as a and as c", counts.Dropped)
	}
}

func TestRefused(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(data []byte)
		o     feature.Options
		want  string
	}{
		{"another embedder's", func(b []byte) { copy(b, other(t)) }, named, "holds vectors of the embedder other, not of fake: delete it"},
		{"other dimensions", func([]byte) {}, feature.Options{Name: "fake", Dims: 8}, "holds vectors of 4 numbers, not of 8: delete it"},
		{"no such file", func(b []byte) { copy(b, "%PDF-1.4") }, named, "is no file of vectors"},
		{"later version", func(b []byte) { b[8] = 2 }, named, "has version 2; this program reads version 1"},
		{"damaged header", func(b []byte) { b[500] = 1 }, named, "has a damaged header"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.Cache = filled(t, "a")
			vectors, _ := files(t, tt.o.Cache)
			data, err := os.ReadFile(vectors)
			check(t, err)
			tt.spoil(data)
			check(t, os.WriteFile(vectors, data, 0o644))
			_, err = feature.New(&fake{}, tt.o)
			if want := "feature: cache of vectors: " + vectors + " "; err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("err = %v, want one with %q and %q", err, want, tt.want)
			}
			if now, err := os.ReadFile(vectors); err != nil || !cmp.Equal(data, now) {
				t.Errorf("what was refused was changed: %v", err)
			}
		})
	}
}

// other returns the header of another embedder's file.
func other(t testing.TB) []byte {
	t.Helper()
	cache := t.TempDir()
	table := open(t, &fake{}, feature.Options{Name: "other", Cache: cache})
	rowsOf(t, table, "a")
	check(t, table.Close())
	vectors, _ := files(t, cache)
	data, err := os.ReadFile(vectors)
	check(t, err)
	return data[:headerSize]
}

// TestSecondWriter: it reads what is there, keeps its own in memory, and says so.
func TestSecondWriter(t *testing.T) {
	cache := t.TempDir()
	f := &fake{}
	first := open(t, f, in(cache))
	rowsOf(t, first, "a")
	second := open(t, f, in(cache))
	if note := second.Counts().Note; !strings.Contains(note, "is being written by another process: vectors of further texts are kept in memory only") {
		t.Errorf("note %q", note)
	}
	rowsOf(t, first, "b")
	texts := []string{"a", "b", "c"}
	for i, row := range rowsOf(t, second, texts...) {
		if diff := cmp.Diff(f.of(texts[i]), read(second, row), near); diff != "" {
			t.Errorf("vector of %q mismatch (-want +got):\n%s", texts[i], diff)
		}
	}
	if diff := cmp.Diff(map[string]int{"a": 1, "b": 2, "c": 1}, f.asked()); diff != "" {
		t.Errorf("how often each text was asked for (-want +got):\n%s", diff)
	}
	check(t, second.Close())
	check(t, first.Close())
	if _, embedded := holds(t, cache, texts...); !cmp.Equal([]string{"c"}, embedded) {
		t.Errorf("%v embedded, want c: it was never stored", embedded)
	}
}

// TestTwoEmbedders share a cache folder and no vector.
func TestTwoEmbedders(t *testing.T) {
	cache := t.TempDir()
	for _, name := range []string{"a/b", "a_b", "a b"} {
		f := &fake{}
		table := open(t, f, feature.Options{Name: name, Cache: cache})
		rowsOf(t, table, "text")
		if f.asked()["text"] != 1 {
			t.Errorf("%q has the vector of another", name)
		}
		check(t, table.Close())
	}
}

// TestLostRow: a file that shrinks while it is read is a fault, and zeros.
func TestLostRow(t *testing.T) {
	cache := t.TempDir()
	table := open(t, &fake{}, in(cache))
	rows := rowsOf(t, table, "a", "b")
	vectors, _ := files(t, cache)
	check(t, os.Truncate(vectors, headerSize+recordSize+20))
	if diff := cmp.Diff(make([]float32, 4), read(table, rows[1])); diff != "" {
		t.Errorf("vector mismatch (-want +got):\n%s", diff)
	}
	if err := table.Err(); err == nil || !strings.HasPrefix(err.Error(), "feature: row 1: ") {
		t.Errorf("Err() = %v, want one that names the row", err)
	}
}

// TestLarge makes sure that rows in memory and on disk are found beyond the first
// piece of memory and the first batch.
func TestLarge(t *testing.T) {
	texts := make([]string, 3000)
	for i := range texts {
		texts[i] = fmt.Sprint("text ", i)
	}
	for _, cache := range []string{"", filled(t, texts[:1500]...)} {
		f := &fake{}
		table := open(t, f, in(cache))
		rows := rowsOf(t, table, texts...)
		for i := range texts {
			if diff := cmp.Diff(f.of(texts[i]), read(table, rows[i]), near); diff != "" {
				t.Fatalf("vector of %q mismatch (-want +got):\n%s", texts[i], diff)
			}
		}
	}
}
