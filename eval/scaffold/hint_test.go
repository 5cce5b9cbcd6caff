package scaffold_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/corpus/dataset"
	"trawl/eval/scaffold"
	"trawl/internal/testutil"
	"trawl/trajectory"
)

func example(id, question string, golds ...string) dataset.Example {
	return dataset.Example{Question: trajectory.Question{ID: id, Text: question}, Golds: golds}
}

func step(query, doc, conclusion string) scaffold.Step {
	return scaffold.Step{Action: "search", Args: map[string]any{"query": query}, DocIDs: []string{doc}, Subconclusion: conclusion}
}

// says returns an observation for the documents that it has.
func says(docs map[string]string) scaffold.Observe {
	return func(ids []string) (string, error) {
		var lines []string
		for i, id := range ids {
			doc, ok := docs[id]
			if !ok {
				return "", errors.New("no document " + id)
			}
			lines = append(lines, fmt.Sprintf("Doc %d(Title: %s) %s", i+1, id, doc))
		}
		return strings.Join(lines, "\n"), nil
	}
}

// The river is the answer; the mill's page, of the second step, has it in passing.
var (
	river = example("q1", "Which river flows through the birthplace of the founder of Acme?", "River Ost", "Ost")
	docs  = map[string]string{
		"Acme": "Acme was founded by Ana Moss.", "Ana Moss": "Ana Moss was born in Tarn, where the Ost turns a mill.", "Tarn": "The River Ost flows through Tarn.",
	}
	riverSteps = []scaffold.Step{
		step("founder of Acme", "Acme", "Acme was founded by Ana Moss."),
		step("birthplace of  Ana Moss", "Ana Moss", "Ana Moss was born in Tarn."),
		step("river through Tarn", "Tarn", "The River Ost flows through Tarn; the answer is River Ost."),
	}
)

func newTask(t *testing.T, e dataset.Example, steps []scaffold.Step) *scaffold.Task {
	t.Helper()
	task, err := scaffold.NewTask(e, steps, says(docs))
	if err != nil {
		t.Fatal(err)
	}
	return task
}

func TestHintPrompts(t *testing.T) {
	task := newTask(t, river, riverSteps)
	testutil.Golden(t, "prompts/hint-two-steps.txt", task.Hint(0.7).Text)
	testutil.Golden(t, "prompts/hint-whole.txt", task.Hint(1).Text)
	several := scaffold.Step{Action: "find", Args: map[string]any{"pattern": "mill", "document": "Ana Moss"}, DocIDs: []string{"Ana Moss", "Acme"}, Subconclusion: "There is\na mill."}
	testutil.Golden(t, "prompts/hint-arguments.txt", newTask(t, river, []scaffold.Step{several, riverSteps[2]}).Hint(0.5).Text)
}

// Of a trajectory of ten steps, λ = 0.1·i stands for i of them, whatever becomes of
// 0.3·10 = 3 and 0.7·10 = 7.000000000000001 in floating point; of three, 0.3 stands
// for none (0.9), 0.4 for one (1.2), 0.7 for two (2.1), 0.9 for two (2.7).
func TestHintLength(t *testing.T) {
	harmless := func(n int) *scaffold.Task {
		var steps []scaffold.Step
		for i := range n {
			steps = append(steps, step(fmt.Sprint("query ", i), "Acme", fmt.Sprint("Fact ", i, ".")))
		}
		return newTask(t, river, steps)
	}
	ten, hundred := harmless(10), harmless(100)
	for i := range 101 {
		if got := hundred.Hint(float64(i) / 100).Steps; got != i {
			t.Errorf("%d hundredths of 100 steps = %d", i, got)
		}
		if got := ten.Hint(float64(i) / 100).Steps; got != i/10 {
			t.Errorf("%d hundredths of 10 steps = %d", i, got)
		}
	}
	sum := 0.0
	for range 3 {
		sum += 0.1 // 0.30000000000000004
	}
	three := harmless(3)
	var got []int
	for _, lambda := range []float64{0, sum, 1. / 3, 0.4, 0.7, 0.9, 0.9999999999999, 1} {
		got = append(got, three.Hint(lambda).Steps)
	}
	if diff := cmp.Diff([]int{0, 0, 1, 1, 2, 2, 2, 3}, got); diff != "" {
		t.Errorf("steps of three (-want +got):\n%s", diff)
	}
	if h := three.Hint(0.2); h.Text != "" {
		t.Errorf("a hint of nothing reads %q", h.Text)
	}
}

// What a hint may not tell before λ = 1, and that what is told only grows.
func TestLeaks(t *testing.T) {
	early := step("rivers", "Acme", "One of the rivers is the ost.") // in other case
	asks := step("mills on the Ost", "Ana Moss", "There is one mill.")
	opens := scaffold.Step{Action: "open", Args: map[string]any{"at": 1, "id": "River Ost"}, DocIDs: []string{"Ana Moss"}, Subconclusion: "There is one mill."}
	first := example("q", "Which is older, Acme or Tarn?", "Acme")
	tests := []struct {
		name  string
		e     dataset.Example
		steps []scaffold.Step
		want  []scaffold.Hint // at 0, 0.4, 0.7 and 1, without texts
	}{
		{"no leak, and a document that holds the answer", river, riverSteps,
			[]scaffold.Hint{{}, {Steps: 1}, {Steps: 2, Evident: true}, {Steps: 3, Evident: true}}},
		{"the second step states it", river, []scaffold.Step{riverSteps[0], early, riverSteps[2]},
			[]scaffold.Hint{{}, {Steps: 1}, {Steps: 1, Withheld: 1}, {Steps: 3, Evident: true}}},
		{"the first step states it", river, []scaffold.Step{early, riverSteps[0], riverSteps[2]},
			[]scaffold.Hint{{}, {Withheld: 1}, {Withheld: 2}, {Steps: 3, Evident: true}}},
		{"the second step asks for it by name", river, []scaffold.Step{riverSteps[0], asks, riverSteps[2]},
			[]scaffold.Hint{{}, {Steps: 1}, {Steps: 1, Withheld: 1}, {Steps: 3, Evident: true}}},
		{"the first step opens it", river, []scaffold.Step{opens, riverSteps[0], riverSteps[2]},
			[]scaffold.Hint{{}, {Withheld: 1}, {Withheld: 2}, {Steps: 3, Evident: true}}},
		{"a step asks for what the question states", first, []scaffold.Step{step("age of Acme", "Acme", "It is old."), riverSteps[1], riverSteps[2]},
			[]scaffold.Hint{{}, {Steps: 1}, {Steps: 2}, {Steps: 3}}},
		{"part of a word states nothing", example("q", "Which?", "Mos"), riverSteps,
			[]scaffold.Hint{{}, {Steps: 1}, {Steps: 2}, {Steps: 3}}},
		{"the question states it itself", first, riverSteps,
			[]scaffold.Hint{{}, {Steps: 1}, {Steps: 2}, {Steps: 3}}},
		{"a gold without words is no secret", example("q", "Which?", "!!", "the"), riverSteps,
			[]scaffold.Hint{{}, {Steps: 1}, {Steps: 2}, {Steps: 3}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			task := newTask(t, tt.e, tt.steps)
			var got []scaffold.Hint
			before := ""
			for _, lambda := range []float64{0, 0.4, 0.7, 1} {
				h := task.Hint(lambda)
				if told := body(h.Text); !strings.HasPrefix(told, before) {
					t.Errorf("at %v the hint takes back what it told:\n%s", lambda, h.Text)
				} else {
					before = told
				}
				h.Text = ""
				got = append(got, h)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("hints (-want +got):\n%s", diff)
			}
		})
	}
}

// body returns a hint without its last paragraph.
func body(hint string) string { return hint[:max(0, strings.LastIndex(hint, "\n\n"))] }

func TestBadOracles(t *testing.T) {
	for want, steps := range map[string][]scaffold.Step{
		"scaffold: q1: the oracle has no steps":                nil,
		"scaffold: q1: step 1 of the oracle: no document Lost": {step("a", "Lost", "A fact.")},
		"scaffold: q1: step 2 of the oracle: no subconclusion": {riverSteps[0], step("a", "Acme", " \n")},
	} {
		if _, err := scaffold.NewTask(river, steps, says(docs)); err == nil || err.Error() != want {
			t.Errorf("NewTask: %v, want %s", err, want)
		}
	}
}
