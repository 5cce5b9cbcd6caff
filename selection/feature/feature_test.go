package feature_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trawl/agent/llm"
	"trawl/agent/llm/hashing"
	"trawl/internal/seed"
	"trawl/selection/feature"
)

// A fake embeds a text by chance that the text decides, remembers what it was
// asked, and answers as vector or fail say.
type fake struct {
	dims   int // default 4
	vector func(text string) []float32
	fail   func(texts []string) error

	mu      sync.Mutex
	batches [][]string
}

func (f *fake) Embed(_ context.Context, texts []string) ([][]float32, error) {
	f.mu.Lock()
	f.batches = append(f.batches, slices.Clone(texts))
	f.mu.Unlock()
	if f.fail != nil {
		if err := f.fail(texts); err != nil {
			return nil, err
		}
	}
	vectors := make([][]float32, len(texts))
	for i, s := range texts {
		vectors[i] = f.of(s)
	}
	return vectors, nil
}

// of returns the vector of a text, at unit length.
func (f *fake) of(text string) []float32 {
	if f.vector != nil {
		return f.vector(text)
	}
	v := make([]float32, max(f.dims, 4))
	if f.dims > 0 {
		v = v[:f.dims]
	}
	chance, square := seed.Rand(1, text), 0.0
	for i := range v {
		v[i] = float32(chance.NormFloat64())
		square += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(square))
	}
	return v
}

// asked returns how often the fake was asked for each text.
func (f *fake) asked() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := make(map[string]int)
	for _, b := range f.batches {
		for _, s := range b {
			n[s]++
		}
	}
	return n
}

func open(t testing.TB, e llm.Embedder, o feature.Options) *feature.Table {
	t.Helper()
	table, err := feature.New(e, o)
	check(t, err)
	t.Cleanup(func() { table.Close() })
	return table
}

func rowsOf(t testing.TB, table *feature.Table, texts ...string) []int32 {
	t.Helper()
	rows, err := table.Rows(t.Context(), texts)
	check(t, err)
	return rows
}

func read(table *feature.Table, row int32) []float32 {
	v := make([]float32, table.Dims())
	table.Read(row, v)
	return v
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// near compares what float16 keeps of numbers in [-1, 1]: 11 bits.
var near = cmpopts.EquateApprox(0x1p-11, 0x1p-24)

func TestRows(t *testing.T) {
	for _, cache := range []string{"", t.TempDir()} {
		f := &fake{}
		table := open(t, f, feature.Options{Name: "fake", Cache: cache, Batch: 2, Concurrent: 1})
		rows := rowsOf(t, table, "b", "", "a", "b", "c", "")
		if diff := cmp.Diff([]int32{0, -1, 1, 0, 2, -1}, rows); diff != "" {
			t.Errorf("rows mismatch (-want +got):\n%s", diff)
		}
		rows = rowsOf(t, table, "d", "a", "d")
		if diff := cmp.Diff([]int32{3, 1, 3}, rows); diff != "" {
			t.Errorf("later rows mismatch (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([][]string{{"b", "a"}, {"c"}, {"d"}}, f.batches); diff != "" {
			t.Errorf("batches mismatch (-want +got):\n%s", diff)
		}
		for row, text := range []string{"b", "a", "c", "d"} {
			if diff := cmp.Diff(f.of(text), read(table, int32(row)), near); diff != "" {
				t.Errorf("vector of %q mismatch (-want +got):\n%s", text, diff)
			}
		}
		if diff := cmp.Diff(make([]float32, 4), read(table, feature.NoText)); diff != "" {
			t.Errorf("vector of no text mismatch (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(feature.Counts{Rows: 4, Embedded: 4}, table.Counts()); diff != "" {
			t.Errorf("counts mismatch (-want +got):\n%s", diff)
		}
		check(t, table.Err())
	}
}

// TestOrder makes sure that rows do not depend on which call ends first.
func TestOrder(t *testing.T) {
	texts := make([]string, 500)
	want := make([]int32, len(texts))
	for i := range texts {
		texts[i], want[i] = fmt.Sprint("text ", i), int32(i)
	}
	table := open(t, &fake{}, feature.Options{Name: "fake", Batch: 3, Concurrent: 16})
	if diff := cmp.Diff(want, rowsOf(t, table, texts...)); diff != "" {
		t.Errorf("rows mismatch (-want +got):\n%s", diff)
	}
}

// TestLimits: no call has more texts than a batch, and no more calls are under way
// than may be, but so many are.
func TestLimits(t *testing.T) {
	const batch, concurrent = 4, 3
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		under, most := 0, 0
		f := &fake{fail: func(texts []string) error {
			if len(texts) > batch {
				t.Errorf("a batch of %d texts, want at most %d", len(texts), batch)
			}
			mu.Lock()
			under++
			most = max(most, under)
			mu.Unlock()
			<-time.After(time.Second) // until all that may be are under way
			mu.Lock()
			under--
			mu.Unlock()
			return nil
		}}
		texts := make([]string, 30)
		for i := range texts {
			texts[i] = fmt.Sprint("text ", i)
		}
		rowsOf(t, open(t, f, feature.Options{Name: "fake", Batch: batch, Concurrent: concurrent}), texts...)
		if most != concurrent {
			t.Errorf("%d calls at a time, want %d", most, concurrent)
		}
	})
}

func TestUnitLength(t *testing.T) {
	tests := []struct {
		name      string
		from, got []float32
	}{
		{"longer", []float32{3, 4}, []float32{0.6, 0.8}},
		{"shorter", []float32{-3e-30, 4e-30}, []float32{-0.6, 0.8}},
		{"larger than float16 knows", []float32{3e38, 0}, []float32{1, 0}},
		{"zero", []float32{0, 0}, []float32{0, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			table := open(t, &fake{vector: func(string) []float32 { return tt.from }}, feature.Options{Name: "fake"})
			if diff := cmp.Diff(tt.got, read(table, rowsOf(t, table, "a")[0]), near); diff != "" {
				t.Errorf("vector mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBadVectors(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	const who = "feature: embed with fake: 2 of 3 texts done: the vector of the text that begins \"text 2 "
	tests := []struct {
		name string
		bad  []float32
		dims int
		want string
	}{
		{"NaN", []float32{1, nan}, 0, who + `xxxxx`},
		{"infinite", []float32{inf, 1}, 0, "has a number that is NaN or infinite"},
		{"empty", nil, 0, "has 0 numbers; want 2"},
		{"longer", []float32{1, 2, 3}, 0, "has 3 numbers; want 2"},
		{"other than asked for", []float32{1, 2}, 3, "has 2 numbers; want 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &fake{vector: func(text string) []float32 {
				if strings.HasPrefix(text, "text 2") {
					return tt.bad
				}
				return []float32{1, 0}
			}}
			table := open(t, f, feature.Options{Name: "fake", Batch: 2, Dims: tt.dims})
			_, err := table.Rows(t.Context(), []string{"text 0", "text 1", "text 2 " + strings.Repeat("x", 1000)})
			if err == nil || !strings.Contains(err.Error(), tt.want) || len(err.Error()) > 300 {
				t.Errorf("err = %v, want a short one with %q", err, tt.want)
			}
		})
	}
	t.Run("fewer than texts", func(t *testing.T) {
		table := open(t, none{}, feature.Options{Name: "none"})
		want := "feature: embed with none: 0 of 1 texts done: the embedder gave 0 vectors for 1 texts"
		if _, err := table.Rows(t.Context(), []string{"a"}); err == nil || err.Error() != want {
			t.Errorf("err = %v, want %s", err, want)
		}
	})
}

// none is an embedder that returns nothing.
type none struct{}

func (none) Embed(context.Context, []string) ([][]float32, error) { return nil, nil }

// TestGoesOn: a batch fails; those before and beside it are kept.
func TestGoesOn(t *testing.T) {
	for _, cache := range []string{"", t.TempDir()} {
		down := true
		f := &fake{fail: func(texts []string) error {
			if down && slices.Contains(texts, "t3") {
				return &llm.Error{Kind: llm.ErrUnreachable, Err: errors.New("down")}
			}
			return nil
		}}
		table := open(t, f, feature.Options{Name: "fake", Cache: cache, Batch: 2, Concurrent: 3})
		texts := []string{"t0", "t1", "t2", "t3", "t4", "t5", "t6"}
		_, err := table.Rows(t.Context(), texts)
		if want := "4 of 7 texts done"; !errors.Is(err, llm.ErrUnreachable) || !strings.Contains(err.Error(), want) {
			t.Errorf("err = %v, want %s and what was wrong", err, want)
		}
		down = false
		rowsOf(t, table, texts...)
		want := map[string]int{"t0": 1, "t1": 1, "t2": 2, "t3": 2, "t4": 1, "t5": 1, "t6": 1}
		if diff := cmp.Diff(want, f.asked()); diff != "" {
			t.Errorf("how often each text was asked for (-want +got):\n%s", diff)
		}
	}
}

func TestTooLong(t *testing.T) {
	f := &fake{fail: func(texts []string) error {
		for _, s := range texts {
			if len([]rune(s)) > 10 {
				return &llm.Error{Kind: llm.ErrContextLength, Err: errors.New("too long")}
			}
		}
		return nil
	}}
	texts := []string{"short", "äöüäöüäöüäöü", "äöüäöüäöüäß"}
	table := open(t, f, feature.Options{Name: "fake"})
	_, err := table.Rows(t.Context(), texts)
	if want := `has 12 and begins "äöüäöüäöüäöü"`; !errors.Is(err, llm.ErrContextLength) || !strings.Contains(err.Error(), want) {
		t.Errorf("err = %v, want one with %s", err, want)
	}

	limited := open(t, f, feature.Options{Name: "fake", Chars: 10})
	if diff := cmp.Diff([]int32{0, 1, 1}, rowsOf(t, limited, texts...)); diff != "" {
		t.Errorf("rows of cut texts mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("fake/chars=10", limited.Name()); diff != "" {
		t.Errorf("name mismatch (-want +got):\n%s", diff)
	}
}

func TestConcurrent(t *testing.T) {
	for _, cache := range []string{"", t.TempDir()} {
		f := &fake{}
		table := open(t, f, feature.Options{Name: "fake", Cache: cache, Batch: 5, Concurrent: 2})
		var wg sync.WaitGroup
		for g := range 16 {
			wg.Go(func() {
				chance := seed.Rand(2, g)
				for range 20 {
					texts := make([]string, 12)
					for i := range texts {
						texts[i] = fmt.Sprint("text ", chance.IntN(300))
					}
					rows, err := table.Rows(t.Context(), texts)
					if err != nil {
						t.Error(err)
						return
					}
					for i, row := range rows {
						if diff := cmp.Diff(f.of(texts[i]), read(table, row), near); diff != "" {
							t.Errorf("vector of %q mismatch (-want +got):\n%s", texts[i], diff)
						}
					}
				}
			})
		}
		wg.Wait()
		for text, n := range f.asked() {
			if n != 1 {
				t.Errorf("%q was embedded %d times", text, n)
			}
		}
	}
}

// TestWaiter: who waits for another's text gets it, or makes it himself when the
// other gives up.
func TestWaiter(t *testing.T) {
	begun, broken := make(chan struct{}), make(chan struct{})
	first := true
	f := &fake{}
	f.fail = func([]string) error {
		if !first {
			return nil
		}
		first = false
		close(begun)
		<-broken
		return errors.New("gone")
	}
	table := open(t, f, feature.Options{Name: "fake"})
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := table.Rows(t.Context(), []string{"a"}); err == nil {
			t.Error("no error from an embedder that fails")
		}
	})
	<-begun
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := table.Rows(ended, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v of a call that may not wait, want context.Canceled", err)
	}
	wg.Go(func() {
		if rows, err := table.Rows(t.Context(), []string{"a", "b"}); err != nil || len(rows) != 2 {
			t.Errorf("rows %v, err = %v", rows, err)
		}
	})
	close(broken)
	wg.Wait()
}

func TestBadOptions(t *testing.T) {
	tests := []struct {
		name string
		o    feature.Options
		want string
	}{
		{"no name", feature.Options{}, "feature: the embedder has no name"},
		{"negative dimensions", feature.Options{Name: "x", Dims: -1}, "feature: x: -1 dimensions"},
		{"negative limit", feature.Options{Name: "x", Chars: -1}, "-1 characters"},
		{"long name", feature.Options{Name: strings.Repeat("x", 2000), Cache: t.TempDir()}, "the name of the embedder has 2000 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := feature.New(&fake{}, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("err = %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestBadRow(t *testing.T) {
	for _, cache := range []string{"", t.TempDir()} {
		table := open(t, &fake{}, feature.Options{Name: "fake", Cache: cache})
		rowsOf(t, table, "a")
		for _, call := range []func(){
			func() { table.Read(-2, make([]float32, 4)) },
			func() { table.Read(0, make([]float32, 3)) },
			func() { table.Read(5000, make([]float32, 4)) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Error("no panic")
					}
				}()
				call()
			}()
		}
	}
}

func TestNames(t *testing.T) {
	tests := []struct{ model, want string }{
		{"Qwen/Qwen3-Embedding-8B", "endpoint/Qwen3-Embedding-8B/4096"},
		{"bge-m3", "endpoint/bge-m3/4096"},
		{`C:\models\bge-m3.gguf`, "endpoint/bge-m3.gguf/4096"},
	}
	for _, tt := range tests {
		if got := feature.EndpointName(tt.model, 4096); got != tt.want {
			t.Errorf("EndpointName(%q) = %q, want %q", tt.model, got, tt.want)
		}
	}
}

func TestProbe(t *testing.T) {
	if dims, err := feature.Probe(t.Context(), hashing.Embedder{Dims: 64}); dims != 64 || err != nil {
		t.Errorf("Probe = %d, %v; want 64", dims, err)
	}
	if _, err := feature.Probe(t.Context(), none{}); err == nil {
		t.Error("no error from an embedder without vectors")
	}
	gone := &fake{fail: func([]string) error { return llm.ErrUnreachable }}
	if _, err := feature.Probe(t.Context(), gone); !errors.Is(err, llm.ErrUnreachable) {
		t.Errorf("err = %v, want the embedder's", err)
	}
}
