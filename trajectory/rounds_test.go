package trajectory_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/trajectory"
)

// line is a rollout that is done in a round; without an answer it ran out of turns.
func line(round, rollout int, answer string) *trajectory.Trajectory {
	t := &trajectory.Trajectory{V: 1, QuestionID: "q", Round: round, Rollout: rollout, Answer: answer, Source: trajectory.AnswerTag, Termination: trajectory.Answered}
	if answer == "" {
		t.Source, t.Termination = trajectory.AnswerNone, trajectory.TurnLimit
	}
	return t
}

func broken(round, rollout int) *trajectory.Trajectory {
	t := line(round, rollout, "")
	t.Error, t.Termination = "unreachable", trajectory.Failed
	return t
}

// state is what a rollout's round ended in; "" is no answer.
func state(round, rollout int, answer string) trajectory.State {
	s := trajectory.State{V: 1, QuestionID: "q", Round: round, Rollout: rollout, Origin: trajectory.StateModel, Raw: "a text"}
	if answer != "" {
		s.CurrentAnswer = &answer
	}
	if rollout == trajectory.MergedRollout {
		s.Origin = trajectory.StateMerged
	}
	return s
}

func stopped(s trajectory.State) trajectory.State {
	s.Stopped = trajectory.Answered
	return s
}

func carried(s trajectory.State) trajectory.State {
	s.Origin = trajectory.StateCarried
	return s
}

func TestOutcomes(t *testing.T) {
	const merged = trajectory.MergedRollout
	type lines = []*trajectory.Trajectory
	type states = []trajectory.State
	tests := []struct {
		name   string
		lines  lines
		states states
		round  int
		want   []string // round and number of the line, answer, source or error
	}{
		{"nothing", nil, nil, 1, nil},
		{"no states, one round, by rollout", lines{line(1, 1, "b"), line(1, 0, "a")}, nil, 1, []string{"1.0 a tag", "1.1 b tag"}},
		{"no states, the round alone counts", lines{line(1, 0, "a"), line(2, 0, "b"), line(3, 0, "c")}, nil, 2, []string{"2.0 b tag"}},
		{"a round that is not reached", lines{line(1, 0, "a"), line(1, 1, "b"), line(2, 1, "c")}, states{state(1, 0, "a"), state(1, 1, "b"), state(2, 1, "c")}, 2, []string{"2.1 c tag"}},
		{"only a later round", lines{line(2, 0, "a")}, nil, 1, nil},
		{"stopped by its own state", lines{line(1, 0, "a"), line(1, 1, "b")}, states{stopped(state(1, 0, "a")), state(1, 1, "b")}, 3, []string{"1.0 a tag"}},
		{"stopped by the merged state", lines{line(1, 0, "a"), line(2, 0, "b"), line(1, 1, "c"), line(2, 1, "d")},
			states{state(2, 0, "b"), state(2, 1, "e"), stopped(state(2, merged, "b"))}, 4, []string{"2.0 b tag", "2.1 e state"}},
		{"a stop before a later line does not hold", lines{line(1, 0, "a"), line(2, 0, "b")}, states{stopped(state(1, 0, "a")), state(2, 0, "b")}, 3, nil},
		{"a stop later on does not show before", lines{line(1, 0, "a"), line(2, 0, "b")}, states{state(1, 0, "a"), stopped(state(2, 0, "b"))}, 1, []string{"1.0 a tag"}},
		{"failed in the round", lines{line(1, 0, "a"), broken(2, 0)}, states{state(1, 0, "a")}, 2, []string{"2.0 unreachable"}},
		{"failed before the round", lines{broken(1, 0), line(1, 1, "b"), line(2, 1, "c")}, nil, 2, []string{"1.0 unreachable", "2.1 c tag"}},
		{"failed, and went on from the merged state", lines{broken(1, 0), line(2, 0, "a")}, states{state(1, merged, "b")}, 2, []string{"2.0 a tag"}},
		{"a failed line takes no answer of a state", lines{broken(1, 0)}, states{state(1, 0, "a")}, 1, []string{"1.0 unreachable"}},
		{"the state's answer over its own", lines{line(1, 0, "a")}, states{state(1, 0, "b")}, 1, []string{"1.0 b state"}},
		{"the state's answer where it has none", lines{line(1, 0, "")}, states{state(1, 0, "b")}, 1, []string{"1.0 b state"}},
		{"its own where the state has none", lines{line(1, 0, "a")}, states{state(1, 0, "")}, 1, []string{"1.0 a tag"}},
		{"neither has one", lines{line(1, 0, "")}, states{state(1, 0, "")}, 1, []string{"1.0  none"}},
		{"its own over one that was carried", lines{line(2, 0, "b")}, states{carried(state(2, 0, "a"))}, 2, []string{"2.0 b tag"}},
		{"one that was carried where it has none", lines{line(2, 0, "")}, states{carried(state(2, 0, "a"))}, 2, []string{"2.0 a state"}},
		{"not the merged state's", lines{line(1, 0, "a")}, states{state(1, merged, "b")}, 1, []string{"1.0 a tag"}},
		{"not that of another round or rollout", lines{line(2, 0, "a")}, states{state(1, 0, "x"), state(3, 0, "y"), state(2, 1, "z")}, 2, []string{"2.0 a tag"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := written(t, tt.lines, tt.states)
			for _, order := range []string{"as they are", "turned"} {
				var got []string
				for _, o := range trajectory.Outcomes(tt.lines, tt.states, tt.round) {
					end := o.Error
					if end == "" {
						end = o.Answer + " " + string(o.Source)
					}
					got = append(got, fmt.Sprintf("%d.%d %s", o.Round, o.Rollout, end))
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("outcomes of lines %s (-want +got):\n%s", order, diff)
				}
				if order == "as they are" {
					if after := written(t, tt.lines, tt.states); after != before {
						t.Errorf("lines or states were changed:\n%s\n%s", before, after)
					}
				}
				slices.Reverse(tt.lines)
				slices.Reverse(tt.states)
			}
		})
	}
}

// A line that is as its record is the record itself; one that differs is another.
func TestOutcomesShare(t *testing.T) {
	lines := []*trajectory.Trajectory{line(1, 0, "a"), line(1, 1, "b")}
	got := trajectory.Outcomes(lines, []trajectory.State{state(1, 0, "a"), state(1, 1, "c")}, 1)
	if len(got) != 2 || got[0] != lines[0] || got[1] == lines[1] {
		t.Errorf("outcomes %v of lines %v", got, lines)
	}
}

func written(t *testing.T, lines []*trajectory.Trajectory, states []trajectory.State) string {
	t.Helper()
	raw, err := json.Marshal(struct {
		Lines  []*trajectory.Trajectory
		States []trajectory.State
	}{lines, states})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
