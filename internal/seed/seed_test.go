package seed_test

import (
	"testing"

	"trawl/internal/seed"
)

func TestDerive(t *testing.T) {
	// The value is a golden: changing it changes every run.
	if got, want := seed.Derive(42, "q1", 0), int64(1080995554); got != want {
		t.Errorf("Derive(42, q1, 0) = %d, want %d", got, want)
	}
	if seed.Derive(42, "a", "b") == seed.Derive(42, "ab") {
		t.Error("parts are not told apart")
	}
	if seed.Derive(1, "a") == seed.Derive(2, "a") {
		t.Error("the base does not matter")
	}
	seen := map[int64]bool{}
	for i := range 1000 {
		s := seed.Derive(42, i)
		if s < 0 || s >= 1<<31 || seen[s] {
			t.Fatalf("Derive(42, %d) = %d: out of range or twice", i, s)
		}
		seen[s] = true
	}
}
