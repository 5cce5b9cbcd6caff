package bm25

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trawl/search"
)

// TestDeal has 200 documents of 5,000 bytes, each a block, which take 160 + 16,250
// bytes. Of 4 MiB, one inverter takes two, and a part half of half of the whole,
// less a quarter of some 40 bytes for each document before: 64 documents.
func TestDeal(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, runsFolder), 0o755); err != nil {
		t.Fatal(err)
	}
	b := &builder{dir: dir, ids: newIDs(), opts: Options{window: 1 << 16, Workers: 1, inverter: 1 << 20}.withDefaults()}
	b.budget = newBudget(4<<20, 1<<20, 1, b.newInverter)
	b.texts = &outFile{w: bufio.NewWriter(io.Discard)}
	b.records = bufio.NewWriter(io.Discard)
	text := strings.Repeat("owl ", 2000)
	err := b.deal(t.Context(), func(yield func(search.Document, error) bool) {
		for i := range 200 {
			if !yield(search.Document{ID: fmt.Sprintf("%03d", i), Text: text[:4997]}, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer b.closeRuns()
	if len(b.runs) != 4 || len(b.firsts) != 200 {
		t.Errorf("%d runs of 200 documents in %d blocks, want 64, 64, 64 and 8", len(b.runs), len(b.firsts))
	}
	if b.budget.used != 0 || b.budget.out != 0 || b.budget.kept != 200*(3+idCost+blockCost) {
		t.Errorf("afterwards %d bytes and %d inverters are in use, and %d kept", b.budget.used, b.budget.out, b.budget.kept)
	}
}

// TestBudget lends two inverters of 3 MiB, with what is fixed, out of 8 MiB.
func TestBudget(t *testing.T) {
	made := 0
	b := newBudget(8<<20, 2<<20, 3, func() (*inverter, error) {
		made++
		return &inverter{tuples: make([]tuple, 1)}, nil
	})
	reserve := func(need, own int64, fits, alone bool) {
		t.Helper()
		if f, a := b.reserve(need, 0, own); f != fits || a != alone {
			t.Errorf("reserve(%d, %d) = %v, %v with %d in use, want %v, %v", need, own, f, a, b.used, fits, alone)
		}
	}
	lend := func(want bool) *inverter {
		t.Helper()
		v, err := b.tryLend()
		if (v != nil) != want || err != nil {
			t.Fatalf("lent %v, %v with %d out", v, err, b.out)
		}
		return v
	}
	reserve(5<<20+1, 0, false, true) // there must be room for an inverter
	first, second := lend(true), lend(true)
	lend(false) // no room, though there is a third worker
	reserve(2<<20+1, 0, false, false)
	reserve(2<<20, 0, true, false)
	b.giveBack(first)
	b.giveBack(second)
	reserve(1, 2<<20, true, false) // one of them gives up its memory
	if second.tuples != nil || first.tuples == nil {
		t.Error("not the one that was given back last gave up its memory")
	}
	if v := lend(true); v != first {
		t.Error("the one that has memory is not lent")
	}
	lend(false)
	b.release(2<<20 + 1)
	if v := lend(true); v != second || made != 2 {
		t.Errorf("%d were made", made)
	}
	b.giveBack(first)
	b.giveBack(second)
	if b.warm[0] != first || len(b.bare) != 0 || b.used != 0 {
		t.Errorf("%d warm, %d bare, %d in use", len(b.warm), len(b.bare), b.used)
	}
	b.limit = 64 << 20
	lend(true)
	lend(true)
	lend(true)
	lend(false) // there is no fourth worker
	reserve(64<<20, 0, false, false)
}
