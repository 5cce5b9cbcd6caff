package hashing_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trawl/agent/llm/hashing"
	"trawl/internal/seed"
)

func embed(t testing.TB, e hashing.Embedder, texts ...string) [][]float32 {
	t.Helper()
	vectors, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return vectors
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestClosest(t *testing.T) {
	tests := []struct{ query, near, far string }{
		{"director of Titanic", "who was the director of the film Titanic", "length of the river Danube"},
		{"Zürich", "ZÜRICH!", "Geneva"},
		{"photographer", "photographers", "mathematician"}, // pieces of words
		{"new york city", "the city of New York", "the new city of old York"},
		{"東京都", "東京", "大阪"},
	}
	for _, tt := range tests {
		v := embed(t, hashing.Embedder{}, tt.query, tt.near, tt.far)
		if near, far := dot(v[0], v[1]), dot(v[0], v[2]); near <= far {
			t.Errorf("%q: cosine with %q = %.3f, with %q = %.3f", tt.query, tt.near, near, tt.far, far)
		}
	}
}

func TestOrderMatters(t *testing.T) {
	v := embed(t, hashing.Embedder{}, "dog bites man", "man bites dog")
	// Words and pieces are the same, pairs are not: 6 of 8 squares are shared.
	if got := dot(v[0], v[1]); math.Abs(got-0.75) > 0.1 {
		t.Errorf("cosine = %.3f, want about 0.75", got)
	}
}

func TestGolden(t *testing.T) {
	// A change here changes every vector that is cached on disk.
	got := embed(t, hashing.Embedder{Dims: 8}, "Ada Lovelace, 1843")[0]
	want := []float32{0.74055105, 0.093860745, -0.16643505, -0.18282402, 0.49930516, 0.046930373, 0.3607506, 0}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
		t.Errorf("vector mismatch (-want +got):\n%s", diff)
	}
}

func TestGoldenIDF(t *testing.T) {
	// A change here needs another Name: caches and checkpoints go by it.
	got := embed(t, hashing.Embedder{Dims: 8, IDF: true}, "the director of Titanic")[0]
	want := []float32{-0.48087978, 0.11373153, 0.050268553, -0.5001255, 0.013417522, 0.2341532, 0.65030503, -0.1589432}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
		t.Errorf("vector mismatch (-want +got):\n%s", diff)
	}
}

func TestName(t *testing.T) {
	tests := []struct {
		e    hashing.Embedder
		want string
	}{
		{hashing.Embedder{}, "hashing/512/v1"},
		{hashing.Embedder{IDF: true}, "hashing/512/v2"},
		{hashing.Embedder{Dims: 64, IDF: true}, "hashing/64/v2"},
	}
	for _, tt := range tests {
		if got := tt.e.Name(); got != tt.want {
			t.Errorf("Name of %+v = %q, want %q", tt.e, got, tt.want)
		}
	}
}

func TestRareWordsCount(t *testing.T) {
	for _, idf := range []bool{false, true} {
		v := embed(t, hashing.Embedder{IDF: idf}, "who was the director of the film Titanic", "who was the author of the book Ivanhoe", "Titanic")
		function, rare := dot(v[0], v[1]), dot(v[0], v[2])
		if (rare > function) != idf {
			t.Errorf("IDF %v: cosine by common words %.3f, by the rare one %.3f", idf, function, rare)
		}
	}
	// Words of no list weigh the same: the vectors are those without IDF.
	a, b := embed(t, hashing.Embedder{}, "東京都 Zürich"), embed(t, hashing.Embedder{IDF: true}, "東京都 Zürich")
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("vectors of words without a weight mismatch (-want +got):\n%s", diff)
	}
}

func TestOneLetter(t *testing.T) {
	// "<a>" is the only piece of "a", so its vector is one feature: ±1.
	v := embed(t, hashing.Embedder{}, "a")[0]
	ones := 0
	for _, x := range v {
		switch x {
		case 0:
		case 1, -1:
			ones++
		default:
			t.Errorf("number %v, want 0 or ±1", x)
		}
	}
	if ones != 1 {
		t.Errorf("%d features, want 1", ones)
	}
}

func TestZero(t *testing.T) {
	for _, s := range []string{"", "  \n", "?!…"} {
		v := embed(t, hashing.Embedder{}, s)[0]
		if len(v) != hashing.DefaultDims || dot(v, v) != 0 {
			t.Errorf("%q: %d dimensions of square %v, want %d zeros", s, len(v), dot(v, v), hashing.DefaultDims)
		}
	}
}

func TestUnbiased(t *testing.T) {
	// Texts that share nothing are as often above as below 0: the mean of 2,000
	// cosines, of variance about 1/512 each, is within 4·√(1/512/2000) of 0.
	const n = 2000
	chance := seed.Rand(1)
	texts := make([]string, 2*n)
	for i := range texts {
		for range 9 {
			texts[i] += string(rune('a' + chance.IntN(26)))
		}
	}
	v := embed(t, hashing.Embedder{}, texts...)
	sum := 0.0
	for i := range n {
		sum += dot(v[2*i], v[2*i+1])
	}
	if mean := sum / n; math.Abs(mean) > 4*math.Sqrt(1.0/512/n) {
		t.Errorf("mean cosine of strangers = %.4f", mean)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (hashing.Embedder{}).Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want context.Canceled", err)
	}
}

func FuzzEmbed(f *testing.F) {
	f.Add("Who directed Titanic?", "a")
	f.Add("é\xff東", "̈̈")
	f.Fuzz(func(t *testing.T, a, b string) {
		v := embed(t, hashing.Embedder{Dims: 64, IDF: len(a)%2 == 0}, a, b, a)
		if diff := cmp.Diff(v[0], v[2]); diff != "" {
			t.Errorf("the same text has two vectors:\n%s", diff)
		}
		for _, x := range v {
			if n := dot(x, x); n != 0 && math.Abs(n-1) > 1e-5 {
				t.Errorf("square of length = %v, want 0 or 1", n)
			}
		}
	})
}

func BenchmarkEmbed(b *testing.B) {
	passage := ""
	for i := range 100 {
		passage += fmt.Sprintf("word%d ", i*i)
	}
	b.ReportAllocs()
	b.SetBytes(int64(len(passage)))
	for b.Loop() {
		embed(b, hashing.Embedder{}, passage)
	}
}
