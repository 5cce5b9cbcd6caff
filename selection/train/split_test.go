package train_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/selection/train"
)

func TestSplitGolden(t *testing.T) {
	var golden struct {
		Splits []struct {
			Question, Split string
		}
	}
	readGolden(t, "text.json", &golden)
	if len(golden.Splits) == 0 {
		t.Fatal("no splits")
	}
	for _, s := range golden.Splits {
		if got, want := train.Split(s.Question), s.Split == "validation"; got != want {
			t.Errorf("Split(%q) = %v, want %v", s.Question, got, want)
		}
	}
}

func TestSplit(t *testing.T) {
	for question, want := range map[string]bool{"Q1": false, "Q4": true, "Q7": true, " Q4\u3000": true} { // methods A.1
		if got := train.Split(question); got != want {
			t.Errorf("Split(%q) = %v, want %v", question, got, want)
		}
	}
	n := 0
	for i := range 4000 {
		if train.Split(fmt.Sprint("question ", i)) {
			n++
		}
	}
	if n < 160 || n > 240 { // 200 ± 3 standard deviations
		t.Errorf("%d of 4000 questions are for validation, want about 200", n)
	}
}

func TestFolds(t *testing.T) {
	var questions []string
	for i := range 103 {
		questions = append(questions, fmt.Sprint("question ", i))
	}
	folds := train.Folds(questions, 5)
	size := make([]int, 5)
	for _, f := range folds {
		size[f]++
	}
	if diff := cmp.Diff([]int{21, 21, 21, 20, 20}, size); diff != "" {
		t.Errorf("sizes mismatch (-want +got):\n%s", diff)
	}
	// Neither the order of questions nor their repetition moves one.
	var again []string
	for i := range questions {
		again = append(again, questions[len(questions)-1-i], "  "+questions[i])
	}
	for i, f := range train.Folds(again, 5) {
		want := folds[len(questions)-1-i/2]
		if i%2 == 1 {
			want = folds[i/2]
		}
		if f != want {
			t.Errorf("question %q moved from fold %d to %d", again[i], want, f)
		}
	}
}

func ExampleSplit() {
	for _, question := range []string{"Q1", "Q4"} {
		fmt.Println(question, train.Split(question))
	}
	// Output:
	// Q1 false
	// Q4 true
}
