package trajectory

import (
	"errors"
	"fmt"
	"slices"
)

// ErrVersion marks a record of a schema version that this program does not read.
var ErrVersion = errors.New("trajectory: unknown schema version")

// Validate reports the first rule of the format that t breaks: a known version,
// a key, turns that do not go back, ranks from 1 upwards, known enumerations,
// and an answer exactly when there is a source for it. A failed rollout
// (Error not empty) has no answer.
func (t *Trajectory) Validate() error {
	switch {
	case t.V != Version:
		return fmt.Errorf("%w: %d, want %d", ErrVersion, t.V, Version)
	case t.QuestionID == "":
		return errors.New("trajectory: question_id is empty")
	case t.Round < 1:
		return fmt.Errorf("trajectory: round %d, want 1 or more", t.Round)
	case t.Rollout < 0:
		return fmt.Errorf("trajectory: rollout %d, want 0 or more", t.Rollout)
	case !slices.Contains([]Termination{Answered, TurnLimit, TokenLimit, TimeLimit, Loop, Failed, Cancelled}, t.Termination):
		return fmt.Errorf("trajectory: unknown termination %q", t.Termination)
	case !slices.Contains([]AnswerSource{AnswerTag, AnswerTool, AnswerFinalCall, AnswerFallback, AnswerNone}, t.Source):
		return fmt.Errorf("trajectory: unknown answer_source %q", t.Source)
	case (t.Answer == "") != (t.Source == AnswerNone):
		return fmt.Errorf("trajectory: answer %q with answer_source %q", t.Answer, t.Source)
	case t.Error != "" && t.Answer != "":
		return errors.New("trajectory: a failed rollout has an answer")
	case (t.Error != "") != (t.Termination == Failed || t.Termination == Cancelled):
		return fmt.Errorf("trajectory: error %q with termination %q", t.Error, t.Termination)
	}
	return validateSteps(t.Steps)
}

func validateSteps(steps []Step) error {
	turn := 1
	for i, s := range steps {
		switch {
		case s.Turn < turn:
			return fmt.Errorf("trajectory: step %d: turn %d after turn %d", i, s.Turn, turn)
		case !slices.Contains([]Kind{KindSearch, KindOpen, KindFind, KindAnswer, KindNone}, s.Kind):
			return fmt.Errorf("trajectory: step %d: unknown kind %q", i, s.Kind)
		}
		turn = s.Turn
		for j, r := range s.Results {
			if r.Rank != j+1 {
				return fmt.Errorf("trajectory: step %d: result %d has rank %d", i, j, r.Rank)
			}
		}
	}
	return nil
}
