package trajectory

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrVersion marks a record of a schema version that this program does not read.
var ErrVersion = errors.New("trajectory: unknown schema version")

// Validate reports the first rule of the format that t breaks: a known version,
// a key, turns that do not go back, ranks from 1 upwards, known enumerations,
// numbers and arguments that JSON can hold, and an answer exactly when there is
// a source for it. A failed rollout (Error not empty) has no answer. A valid
// trajectory can always be written.
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
	case t.Confidence != nil && !(*t.Confidence >= 0 && *t.Confidence <= 1): // NaN is neither
		return fmt.Errorf("trajectory: confidence %v, want 0 to 1", *t.Confidence)
	case t.Started.Year() < 0 || t.Started.Year() > 9999:
		return fmt.Errorf("trajectory: started in the year %d", t.Started.Year())
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
		case s.Call != nil && !json.Valid(s.Call.Arguments):
			return fmt.Errorf("trajectory: step %d: arguments are not JSON", i)
		case s.Entropy != nil && !(*s.Entropy >= 0 && *s.Entropy <= math.MaxFloat64): // NaN is neither
			return fmt.Errorf("trajectory: step %d: entropy %v, want 0 or more", i, *s.Entropy)
		}
		turn = s.Turn
		for j, r := range s.Results {
			switch {
			case r.Rank != j+1:
				return fmt.Errorf("trajectory: step %d: result %d has rank %d", i, j, r.Rank)
			case math.IsNaN(r.Score) || math.IsInf(r.Score, 0):
				return fmt.Errorf("trajectory: step %d: result %d has score %v", i, j, r.Score)
			}
		}
	}
	return nil
}
