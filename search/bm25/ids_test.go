package bm25

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestIDs has more ids than a page, many of which begin alike.
func TestIDs(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	want := []string{"abcdefgh", "abcdefg", "abcdefgh\x00", "a", "a\x00", "\xff", "é"}
	for i := range idsInPage + 100 {
		want = append(want, fmt.Sprintf("%.*s%d", rng.IntN(12), "https://example.org", i))
	}
	s := newIDs()
	for i, id := range want {
		if err := s.add(id); err != nil {
			t.Fatal(err)
		}
		if got := string(s.at(uint32(i))); got != id {
			t.Fatalf("id %d is %q, want %q", i, got, id)
		}
	}
	for _, i := range []int{0, 4, idsInPage, len(want) - 1} {
		err := s.add(want[i])
		if err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("documents %d and %d both have the id", i+1, len(want)+1)) {
			t.Errorf("adding id %d again: %v", i, err)
		}
	}
	rank, order, err := s.ranks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := make([]string, len(want))
	for i, doc := range order {
		got[i] = want[doc]
		if rank[doc] != uint32(i) {
			t.Fatalf("document %d has rank %d, want %d", doc, rank[doc], i)
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want[:50], got[:50]); diff != "" || !slices.Equal(want, got) {
		t.Errorf("order mismatch (-want +got):\n%s", diff)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := s.ranks(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("sorting that is cancelled: %v", err)
	}
}

// TestRunTerm writes a term as it stands in a run by hand: twice the gap, plus
// one if a tf follows.
func TestRunTerm(t *testing.T) {
	postings := []posting{{0, 1}, {3, 2}, {4, 1}, {200, 300}}
	got, _ := appendRunTerm(nil, nil, localTerm{term: "owl", class: byAll}, postings)
	want := []byte{3, 'o', 'w', 'l', 1, 4, 8, 0, 3<<1 | 1, 2, 1 << 1, 0x89, 3, 0xac, 2} // 196<<1|1 = 393 = 3·128 + 9; 300 = 2·128 + 44
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bytes mismatch (-want +got):\n%s", diff)
	}
	moved := appendRunPostings(nil, got[7:], 1000)
	for i, p := range postings {
		if moved[i] != (posting{1000 + p.doc, p.tf}) {
			t.Errorf("posting %d comes back as %v, want %v", i, moved[i], p)
		}
	}
}
