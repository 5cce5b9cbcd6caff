package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"trawl/internal/text"
	"trawl/trajectory"
)

func trim(line []byte) []byte { return bytes.TrimSpace(line) }

// A wireLine is a line of messages.
type wireLine struct {
	Question    string          `json:"question"`
	QuestionID  json.RawMessage `json:"question_id"`
	ID          json.RawMessage `json:"id"`
	Answer      json.RawMessage `json:"answer"`
	Golds       json.RawMessage `json:"golden_answers"`
	Prediction  json.RawMessage `json:"prediction"`
	Termination string          `json:"termination"`
	RolloutID   *int            `json:"rollout_id"`
	Rollout     *int            `json:"rollout"`
	Confidence  *float64        `json:"confidence"`
	Error       string          `json:"error"`
	Messages    []wireMessage   `json:"messages"`
}

// failedMark is what Tongyi's scripts, and those that follow them, write for the
// prediction of a rollout that failed.
const failedMark = "[Failed]"

func parseLine(line []byte, o Options) (*Record, error) {
	var w wireLine
	if err := json.Unmarshal(line, &w); err != nil {
		return nil, text.JSONError(err)
	}
	w.Question = strings.TrimSpace(w.Question) // as the data sets do
	switch {
	case w.Question == "":
		return nil, missing("question")
	case len(w.Prediction) == 0:
		return nil, missing("prediction")
	case len(w.Messages) == 0:
		return nil, missing("messages")
	case w.Confidence != nil && !(*w.Confidence >= 0 && *w.Confidence <= 1):
		return nil, fmt.Errorf("key confidence: %v, want 0 to 1", *w.Confidence)
	}
	rec := &Record{Number: w.RolloutID}
	if rec.Number == nil {
		rec.Number = w.Rollout
	}
	err := errors.Join(
		scalar("question_id", w.QuestionID, &rec.QuestionID),
		list("golden_answers", w.Golds, &rec.Golds),
		verdict(line, o.Verdict, rec),
	)
	if rec.QuestionID == "" {
		err = errors.Join(err, scalar("id", w.ID, &rec.QuestionID))
	}
	if rec.Golds == nil {
		err = errors.Join(err, list("answer", w.Answer, &rec.Golds))
	}
	var prediction string
	if err = errors.Join(err, scalar("prediction", w.Prediction, &prediction)); err != nil {
		return nil, err
	}
	rec.Trajectory, rec.Unread, err = w.trajectory(text.Collapse(prediction))
	return rec, err
}

func missing(key string) error { return fmt.Errorf("key %s: missing or empty", key) }

// trajectory makes the record of a rollout with this answer.
func (w *wireLine) trajectory(answer string) (*trajectory.Trajectory, int, error) {
	t := &trajectory.Trajectory{
		V: trajectory.Version, Round: 1, Question: w.Question,
		Answer: answer, Source: trajectory.AnswerNone, Confidence: w.Confidence, Error: text.Collapse(w.Error),
	}
	if answer == failedMark && t.Error == "" {
		t.Error = "the rollout failed"
	}
	if t.Error != "" {
		t.Answer = ""
	}
	t.Termination = ended(w.Termination, t)
	c := conversation{t: t, last: replies(w.Messages)}
	for i, m := range w.Messages {
		if err := c.add(m); err != nil {
			return nil, 0, fmt.Errorf("key messages[%d].%w", i, err)
		}
	}
	if t.Answer != "" {
		t.Source = sourceOf(c.said)
	}
	return t, c.unread, nil
}

// sourceOf says how an answer was given, by the last words of the agent.
func sourceOf(said string) trajectory.AnswerSource {
	if strings.Contains(said, "<answer>") || strings.Contains(said, "Finish[") {
		return trajectory.AnswerTag
	}
	return trajectory.AnswerTool
}

// endings are the words of other programs for how a rollout ended, each by a part
// that tells it. (Tongyi DeepResearch, ParallelMuse, AggAgent, Reflexion)
var endings = []struct {
	part string
	is   trajectory.Termination
}{
	{"token limit", trajectory.TokenLimit}, {"token-limit", trajectory.TokenLimit}, {"length", trajectory.TokenLimit},
	{"after 2h", trajectory.TimeLimit}, {"time", trajectory.TimeLimit},
	{"exceed", trajectory.TurnLimit}, {"turn", trajectory.TurnLimit}, {"halted", trajectory.TurnLimit}, {"answer not found", trajectory.TurnLimit},
	{"loop", trajectory.Loop},
}

// ended translates how a rollout ended. A word that nobody knows counts as a
// turn limit where there is no answer, and as an answer where there is one.
func ended(word string, t *trajectory.Trajectory) trajectory.Termination {
	if t.Error != "" {
		return trajectory.Failed
	}
	word = strings.ToLower(word)
	for _, e := range endings {
		if strings.Contains(word, e.part) {
			return e.is
		}
	}
	if t.Answer == "" {
		return trajectory.TurnLimit
	}
	return trajectory.Answered
}

// verdict reads the verdict under key, "" for none. A verdict is one of a few
// whole words: whatever else stands there is an error and not a no.
func verdict(line []byte, key string, rec *Record) error {
	if key == "" {
		return nil
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(line, &keys); err != nil {
		return text.JSONError(err)
	}
	var said string
	if err := scalar(key, keys[key], &said); err != nil {
		return err
	}
	var is bool
	switch strings.ToLower(strings.TrimSpace(said)) {
	case "":
		return nil
	case "true", "1", "yes", "correct", "right":
		is = true
	case "false", "0", "no", "incorrect", "wrong":
	default:
		return fmt.Errorf("key %s: %q is no verdict: want true or false, correct or incorrect", key, said)
	}
	rec.Verdict = &is
	return nil
}

// scalar reads a string, a number or a truth value as text; null and nothing are
// "".
func scalar(key string, raw json.RawMessage, into *string) error {
	switch {
	case len(raw) == 0 || raw[0] == 'n':
		*into = ""
	case raw[0] == '"':
		return json.Unmarshal(raw, into)
	case raw[0] == '{' || raw[0] == '[':
		return fmt.Errorf("key %s: neither a string nor a number", key)
	default:
		*into = string(raw)
		if f, err := strconv.ParseFloat(*into, 64); err == nil && f == float64(int64(f)) {
			*into = strconv.FormatInt(int64(f), 10) // 3.0 is 3
		}
	}
	return nil
}

// list reads a scalar, or a list of scalars, without blanks and repetitions.
func list(key string, raw json.RawMessage, into *[]string) error {
	items := []json.RawMessage{raw}
	if len(raw) > 0 && raw[0] == '[' {
		if err := json.Unmarshal(raw, &items); err != nil {
			return err
		}
	}
	seen := map[string]bool{"": true}
	for _, item := range items {
		var s string
		if err := scalar(key, item, &s); err != nil {
			return err
		}
		if s = strings.TrimSpace(s); !seen[s] {
			seen[s] = true
			*into = append(*into, s)
		}
	}
	return nil
}
