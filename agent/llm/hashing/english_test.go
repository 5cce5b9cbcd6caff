package hashing

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"trawl/internal/testutil"
)

// shares adds to share, where it is larger, the share of the texts that have each
// word. The texts are the field of each line of the files.
func shares(t *testing.T, share map[string]float64, field string, files ...string) {
	t.Helper()
	texts, count := 0, make(map[string]int)
	for _, file := range files {
		eachLine(t, file, func(line map[string]any) {
			texts++
			seen := make(map[string]bool)
			for _, w := range words(line[field].(string)) {
				if !seen[w] {
					seen[w] = true
					count[w]++
				}
			}
		})
	}
	for w, n := range count {
		share[w] = max(share[w], float64(n)/float64(texts))
	}
}

func eachLine(t *testing.T, file string, f func(line map[string]any)) {
	t.Helper()
	in, err := os.Open(testutil.Shared(t, file))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var line map[string]any
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		f(line)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// TestList makes the list of words from the texts that it was made of; make
// golden writes it.
func TestList(t *testing.T) {
	share := make(map[string]float64)
	shares(t, share, "contents", "r1_searcher_rollouts/corpus.jsonl")
	shares(t, share, "question", "r1_searcher_rollouts/2wiki_questions.jsonl",
		"r1_searcher_rollouts/bamboogle_questions.jsonl", "r1_searcher_rollouts/hotpotqa_questions.jsonl")
	sorted := slices.SortedFunc(maps.Keys(share), func(a, b string) int {
		return cmp.Or(cmp.Compare(share[b], share[a]), strings.Compare(a, b))
	})
	var list strings.Builder
	for _, w := range sorted[:500] {
		fmt.Fprintf(&list, "%s %.3f\n", w, math.Log(1/share[w])/math.Log(560))
	}
	if os.Getenv("TRAWL_UPDATE_GOLDEN") != "" {
		if err := os.WriteFile("english.txt", []byte(list.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := gocmp.Diff(list.String(), english); diff != "" {
		t.Errorf("list mismatch (-want +got):\n%s", diff)
	}
}

func TestRarity(t *testing.T) {
	tests := []struct {
		word string
		want float64
	}{
		{"the", 0.017}, // 0.8983 of the paragraphs: 0.1073 / 6.3279
		{"zeugma", 1},
		{"The", 1}, // words come in lower case
	}
	for _, tt := range tests {
		if got := rarity(tt.word); got != tt.want {
			t.Errorf("rarity(%q) = %v, want %v", tt.word, got, tt.want)
		}
	}
	if rarity("which") > rarity("film") || rarity("film") > rarity("album") {
		t.Error("a word that more texts have weighs more")
	}
	if n := len(weights()); n != 500 {
		t.Errorf("%d words, want 500", n)
	}
	for w, x := range weights() {
		if x <= 0 || x >= 1 {
			t.Errorf("%q weighs %v, want a number between 0 and 1", w, x)
		}
	}
}
