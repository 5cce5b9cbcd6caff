package bm25

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/search"
	"trawl/search/index"
)

// zipfDocs returns documents of 30 words each, and all words.
func zipfDocs(n int) (docs []search.Document, words []string) {
	r := rand.New(rand.NewPCG(9, 9))
	zipf := rand.NewZipf(r, 1.1, 3, 1000)
	for i := range n {
		var text []string
		for range 30 {
			text = append(text, fmt.Sprint("q", zipf.Uint64()))
		}
		if i%50 == 0 {
			text = append(text, strings.Repeat("q0 ", 300))
		}
		words = append(words, text...)
		docs = append(docs, search.Document{ID: fmt.Sprint(n - i), Text: strings.Join(text, " ")})
	}
	return docs, words
}

// TestBulkEqualsMaxScore searches for few and for many terms in each of the two
// ways, and in both in turn: the hits are the same.
func TestBulkEqualsMaxScore(t *testing.T) {
	docs, words := zipfDocs(1000)
	x := openSimply(t, docs, 256, index.DefaultParams())
	s := scratches.New().(*scratch)
	for _, terms := range []int{1, 3, 20, 60, 2000} {
		query := strings.Join(words[7:7+terms], " ")
		for _, n := range []int{1, 10, 1000} {
			s.few = math.MaxInt
			want, err := s.search(t.Context(), x, query, n)
			if err != nil || len(want) == 0 {
				t.Fatalf("%d hits, %v", len(want), err)
			}
			for _, few := range []int{0, 2, fewTerms} {
				s.few = few
				got, err := s.search(t.Context(), x, query, n)
				if diff := cmp.Diff(want, got); err != nil || diff != "" {
					t.Errorf("the best %d for %d terms, few being %d: %v, mismatch (-MaxScore +got):\n%s", n, terms, few, err, diff)
				}
			}
		}
	}
}

// TestLongQueryWork: a search for many terms touches each posting once.
func TestLongQueryWork(t *testing.T) {
	docs, words := zipfDocs(1000)
	x := openSimply(t, docs, 1<<16, index.DefaultParams())
	s := scratches.New().(*scratch)
	if _, err := s.search(t.Context(), x, strings.Join(words, " "), 100); err != nil {
		t.Fatal(err)
	}
	want := work{windows: 1, summed: int(x.meta.Postings)}
	if diff := cmp.Diff(want, s.did, cmp.AllowUnexported(work{})); diff != "" {
		t.Errorf("work of a search for all words mismatch (-want +got):\n%s", diff)
	}
}

// A fuse is a context that ends when it was looked at so often.
type fuse struct {
	context.Context
	looks int
}

func (f *fuse) Err() error {
	if f.looks--; f.looks < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// looks returns how often f looks at its context, and checks that it stops at
// each of the looks, or at each so many of them, without leaving anything behind:
// then does.
func looks(t *testing.T, f func(ctx context.Context) error, then func()) int {
	t.Helper()
	for n := 0; ; n += 1 + n/16 {
		ctx := &fuse{t.Context(), n}
		err := f(ctx)
		then()
		if err == nil {
			return n - ctx.looks
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("at look %d: %v", n, err)
		}
	}
}

// TestCancelled ends searches wherever they look at their context, which is
// often: the next search with the same scratch finds what it should.
func TestCancelled(t *testing.T) {
	docs, words := zipfDocs(20_000)
	x := openSimply(t, docs[:10_000], 1<<16, index.DefaultParams())
	var unknown strings.Builder
	for i := range 5000 {
		fmt.Fprint(&unknown, " zyx", i)
	}
	s := scratches.New().(*scratch)
	want, err := s.search(t.Context(), x, "q1 q2 q3", 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, query string
		n, least    int
	}{
		{"spans of a window", "q0 q1 q2", 10, 6 + 3},
		{"hits", "q0", 5000, 20},
		{"terms that no document has", unknown.String(), 10, 5000/lookEvery + unknown.Len()/pieceBytes},
		{"postings of a window", strings.Join(words[:40_000], " "), 10, int(x.meta.Postings) * 9 / 10 / lookPostings},
	} {
		got := looks(t, func(ctx context.Context) error {
			_, err := s.search(ctx, x, tt.query, tt.n)
			return err
		}, func() {
			for _, s.few = range []int{0, fewTerms} {
				hits, err := s.search(t.Context(), x, "q1 q2 q3", 10)
				if diff := cmp.Diff(want, hits); err != nil || diff != "" {
					t.Fatalf("after a search for %s was stopped: %v, mismatch (-want +got):\n%s", tt.name, err, diff)
				}
			}
		})
		if got < tt.least {
			t.Errorf("%s: %d looks at the context, want at least %d", tt.name, got, tt.least)
		}
	}
	got := looks(t, func(ctx context.Context) error {
		_, _, err := x.Explain(ctx, unknown.String(), "20000")
		return err
	}, func() {})
	if want := 5000/lookEvery + unknown.Len()/pieceBytes; got < want {
		t.Errorf("Explain looks %d times at its context, want at least %d", got, want)
	}
}

// TestSumWindowStops: adding up a window stops in its midst, and leaves its sums
// zeros.
func TestSumWindowStops(t *testing.T) {
	docs, words := zipfDocs(10_000)
	x := openSimply(t, docs, 1<<16, index.DefaultParams())
	s := scratches.New().(*scratch)
	err := errors.Join(s.start(t.Context(), x, strings.Join(words[:40_000], " "), 10), s.enter(t.Context(), 0))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.sumWindow(&fuse{t.Context(), 0}, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("sumWindow = %v", err)
	}
	for at, sum := range s.wide {
		if sum != 0 {
			t.Fatalf("document %d has %v of a search that was stopped", at, sum)
		}
	}
}

// TestPieceEnd: a text is cut only where that changes no term.
func TestPieceEnd(t *testing.T) {
	long := strings.Repeat("x", pieceBytes)
	for _, tt := range []struct {
		text string
		want int
	}{
		{"", 0}, {"a b", 3}, {long, pieceBytes}, {long + " a", pieceBytes + 1},
		{long + " \u0301a b", pieceBytes + 5}, // an accent on a blank
		{long + " é b", pieceBytes + 4}, {long + "\u00a0a", pieceBytes + 3},
	} {
		if got := pieceEnd(tt.text); got != tt.want {
			t.Errorf("pieceEnd(… %q) = %d, want %d", tt.text[min(len(tt.text), pieceBytes):], got, tt.want)
		}
	}
	var a, whole analyzer
	query := strings.Repeat("the cat's ﬁsh l'été it's 3.5 naïve\u0301 中文 – wa was ", 4000)
	got, _, err := a.analyze(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	whole.english.Each(query, func(term string, stop bool) {
		if !stop {
			whole.content = append(whole.content, term)
		}
	})
	if diff := cmp.Diff(whole.content, got); diff != "" {
		t.Errorf("terms of a query in pieces mismatch (-whole +got):\n%s", diff)
	}
}
