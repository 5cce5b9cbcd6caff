package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trawl/trajectory"
)

// parseMessages reads a line of messages.
func parseMessages(line []byte, f file) (*Record, error) {
	d, err := newDraft(line)
	if err != nil {
		return nil, err
	}
	prediction, ok := d.object["prediction"]
	err = errors.Join(d.common(), d.number(nil, "rollout_id", "rollout"), d.conversation("messages"),
		d.scalar("prediction", &d.answer), d.read("confidence", &d.stated), d.verdict(f.Verdict, f.Verdict))
	if d.rec.Golds == nil {
		err = errors.Join(err, list("answer", d.take("answer"), &d.rec.Golds))
	}
	switch {
	case err != nil:
		return nil, err
	case strings.TrimSpace(d.question) == "":
		return nil, missing("question")
	case !ok || len(prediction) == 0:
		return nil, missing("prediction")
	}
	return d.record()
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
	word = strings.ToLower(word)
	switch {
	case t.Error != "" && word == string(trajectory.Cancelled):
		return trajectory.Cancelled
	case t.Error != "":
		return trajectory.Failed
	}
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

// verdict reads the verdict under key, "" for none, of a judge of this name.
func (d *draft) verdict(key, judge string) error {
	if key == "" {
		return nil
	}
	var said string
	err := d.scalar(key, &said)
	if err == nil {
		d.rec.Verdict, err = verdictOf(key, said)
	}
	d.rec.Judge = judge
	return err
}

// verdictOf reads a verdict. It is one of a few whole words: whatever else stands
// there is an error and not a no.
func verdictOf(key, said string) (*bool, error) {
	var is bool
	switch strings.ToLower(strings.TrimSpace(said)) {
	case "":
		return nil, nil
	case "true", "1", "yes", "correct", "right":
		is = true
	case "false", "0", "no", "incorrect", "wrong":
	default:
		return nil, fmt.Errorf("key %s: %q is no verdict: want true or false, correct or incorrect", key, said)
	}
	return &is, nil
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

// golds reads gold answers: what [list] reads, and lists of lists, as WebDancer has
// them.
func golds(key string, raw json.RawMessage, into *[]string) error {
	var nested []json.RawMessage
	if json.Unmarshal(raw, &nested) != nil {
		return list(key, raw, into)
	}
	var all []string
	for _, inner := range nested {
		if err := list(key, inner, &all); err != nil {
			return err
		}
	}
	for _, gold := range all {
		if !slices.Contains(*into, gold) {
			*into = append(*into, gold)
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
