package scaffold

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"trawl/corpus/dataset"
	"trawl/internal/text"
)

// A Step is one action of an oracle trajectory, as a file of references has it.
type Step struct {
	Action        string         `json:"action"`
	Args          map[string]any `json:"args"`
	DocIDs        []string       `json:"obs_doc_ids"`
	Subconclusion string         `json:"subconclusion"`
}

// call returns the action and its arguments on one line.
func (s Step) call() string {
	var args []string
	for _, name := range slices.Sorted(maps.Keys(s.Args)) {
		value := fmt.Sprint(s.Args[name])
		if len(s.Args) > 1 {
			value = name + " = " + value
		}
		args = append(args, value)
	}
	return text.Collapse(s.Action + ": " + strings.Join(args, ", "))
}

// An Observe returns what a search that found the documents, and no others, would
// show of them.
type Observe func(docIDs []string) (string, error)

// A Task is a question with the oracle trajectory that hints are made of.
type Task struct {
	Example dataset.Example

	steps   []shown
	leak    int // the first step whose action or conclusion states the answer; the number of steps if none does
	evident int // likewise for observations
}

// A shown step is one as it stands in a hint.
type shown struct {
	Number                          int // from 1
	Action, Observation, Conclusion string
}

// NewTask returns the task of an example, whose oracle must have steps with
// conclusions.
func NewTask(e dataset.Example, oracle []Step, observe Observe) (*Task, error) {
	if len(oracle) == 0 {
		return nil, fmt.Errorf("scaffold: %s: the oracle has no steps", e.ID)
	}
	t := &Task{Example: e, leak: len(oracle), evident: len(oracle)}
	secrets := secretsOf(e)
	for i, s := range oracle {
		observation, err := observe(s.DocIDs)
		if err == nil && text.Blank(s.Subconclusion) {
			err = errors.New("no subconclusion")
		}
		if err != nil {
			return nil, fmt.Errorf("scaffold: %s: step %d of the oracle: %w", e.ID, i+1, err)
		}
		t.steps = append(t.steps, shown{i + 1, s.call(), strings.TrimSpace(observation), text.Collapse(s.Subconclusion)})
		if states(s.Subconclusion, secrets) || states(s.call(), secrets) {
			t.leak = min(t.leak, i)
		}
		if states(observation, secrets) {
			t.evident = min(t.evident, i)
		}
	}
	return t, nil
}

// secretsOf returns the normal forms of the gold answers that the question does not
// state itself, as one that offers two things does.
func secretsOf(e dataset.Example) []string {
	var out []string
	for _, gold := range e.Golds {
		if g := text.Answer(gold); g != "" && !states(e.Text, []string{g}) {
			out = append(out, g)
		}
	}
	return out
}

// states reports whether a text holds one of the normal forms, as whole tokens.
func states(s string, normals []string) bool {
	s = " " + text.Answer(s) + " "
	return slices.ContainsFunc(normals, func(n string) bool { return strings.Contains(s, " "+n+" ") })
}

// A Hint is what a rollout is told; Text is empty if that is nothing.
type Hint struct {
	Text     string
	Steps    int  // of the oracle that it has
	Withheld int  // steps that λ stands for and that would have told the answer
	Evident  bool // an observation in it holds an answer
}

// Steps returns L, the length of the oracle trajectory.
func (t *Task) Steps() int { return len(t.steps) }

// Hint returns hint(λ), the first ⌊λL⌋ steps of the oracle. Unless λ is 1 it ends
// before the first step whose action or conclusion states a gold answer, in normal form
// and as whole tokens; that is never later than before the last step.
func (t *Task) Hint(lambda float64) Hint {
	due := stepsAt(lambda, len(t.steps))
	h := Hint{Steps: due}
	if lambda < 1 {
		h.Steps = min(due, t.leak)
	}
	h.Withheld, h.Evident = due-h.Steps, h.Steps > t.evident
	if h.Steps > 0 {
		h.Text = prompts.Render("hint", struct{ Steps []shown }{t.steps[:h.Steps]})
	}
	return h
}

// stepsAt returns ⌊λL⌋, all but the last step at most unless λ is 1. Products such as
// 0.7·10 = 7.000000000000001 and 0.29·100 = 28.999999999999996 are rounded to what
// is meant.
func stepsAt(lambda float64, length int) int {
	if lambda >= 1 {
		return length
	}
	const slack = 1e-9
	return max(0, min(int(math.Floor(lambda*float64(length)+slack)), length-1))
}
