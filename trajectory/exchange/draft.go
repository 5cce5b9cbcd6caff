package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"trawl/agent/llm"
	"trawl/agent/llm/reply"
	"trawl/internal/text"
	"trawl/trajectory"
)

// A draft is what a form has read of a rollout before its record is made.
type draft struct {
	object   // what is left to read, and at the end what is lost
	rec      Record
	question string
	answer   string
	word     string // for how it ended, in the program's own words
	fault    string // why it failed
	messages []wireMessage
	inText   bool // calls and results stand in the text of messages
	quoted   bool // results are the JSON of what was shown
	usage    trajectory.CallUsage
	perTurn  []trajectory.CallUsage // where it is known
	millis   int64
	stated   *float64 // confidence, 0 to 1
}

func newDraft(data []byte) (*draft, error) {
	o, err := parseObject(data)
	if err != nil {
		return nil, err
	}
	return &draft{object: o, rec: Record{Lost: map[string]int{}}}, nil
}

// Keys under which programs write the same.
var (
	questionKeys = []string{"question", "problem", "query", "prompt"}
	messageKeys  = []string{"messages", "rollout", "trajectory"}
)

// common reads what most forms have under the same keys: question, ids, gold
// answers, the word for how it ended and the error.
func (d *draft) common() error {
	raw, key := d.first(questionKeys...)
	err := errors.Join(
		decode(key, raw, &d.question),
		d.scalar("question_id", &d.rec.QuestionID),
		list("golden_answers", d.take("golden_answers"), &d.rec.Golds),
		d.read("termination", &d.word),
		d.read("error", &d.fault),
	)
	if id := ""; d.rec.QuestionID == "" && err == nil {
		err = d.scalar("id", &id)
		d.rec.QuestionID = id
	}
	return err
}

// number reads the number of the rollout: that of the file's name, else of a key.
func (d *draft) number(fromName *int, keys ...string) error {
	for _, key := range keys {
		raw := d.object[key]
		if len(raw) > 0 && raw[0] == '[' { // the messages
			continue
		}
		d.take(key)
		if d.rec.Number != nil || len(raw) == 0 || string(raw) == `""` {
			continue
		}
		if err := decode(key, raw, &d.rec.Number); err != nil {
			return err
		}
		if fromName != nil && d.rec.Number != nil && *d.rec.Number != *fromName && key == keys[0] {
			d.rec.Lost[key+" (the name of the file has another)"]++
		}
	}
	if fromName != nil {
		d.rec.Number = fromName
	}
	return nil
}

// conversation reads the messages under a key, and counts what they have beside
// what is read.
func (d *draft) conversation(keys ...string) error {
	raw, key := d.first(keys...)
	raw, err := turned(raw)
	if err != nil {
		return within(key, err)
	}
	if err := decode(key, raw, &d.messages); err != nil {
		return err
	}
	var all []object
	if len(raw) > 0 && decode(key, raw, &all) == nil {
		for _, m := range all {
			leaveMessage(m, d.rec.Lost)
		}
	}
	return nil
}

// leaveMessage counts what a message has beside what is read of it: further keys,
// a second reasoning, parts that are no text, and further keys of calls.
func leaveMessage(m map[string]json.RawMessage, lost map[string]int) {
	o := make(object, len(m))
	for key, raw := range m {
		o[key] = raw
	}
	for _, known := range []string{"role", "reasoning", "tool_call_id", "name"} {
		o.take(known)
	}
	if second := o.take("reasoning_content"); !isEmpty(second) && !isEmpty(m["reasoning"]) && !bytes.Equal(second, m["reasoning"]) {
		lost["reasoning_content"]++
	}
	var parts, calls []object
	if json.Unmarshal(o.take("content"), &parts) == nil {
		for _, p := range parts {
			p.take("text")
			if kind := p.take("type"); len(kind) == 0 || string(kind) == `"text"` {
				p.leave("content.", lost)
			} else {
				lost["content of type "+strings.Trim(string(kind), `"`)]++
			}
		}
	}
	if json.Unmarshal(o.take("tool_calls"), &calls) == nil {
		for _, c := range calls {
			for _, known := range []string{"id", "type", "index", "function"} {
				c.take(known)
			}
			c.leave("tool_calls.", lost)
		}
	}
	o.leave("", lost)
}

// asked is the question in the first words of the user, where no key has it:
// what follows the last "User:". (Tongyi DeepResearch, WebDancer)
func (d *draft) asked() string {
	for _, m := range d.messages {
		if said, err := contentOf(m.Content); m.Role == "user" && err == nil {
			if at := strings.LastIndex(said, userMark); at >= 0 {
				said = said[at+len(userMark):]
			}
			return said
		}
	}
	return ""
}

const userMark = "User:"

// noAnswers are what programs write for an answer where there is none: Tongyi
// DeepResearch the first two, ParallelMuse the third.
var noAnswers = []string{"no answer found.", "no answer found after 2h30mins", "[no prediction]"}

// serverErrors are what WebSailor and Tongyi DeepResearch write for a reply, and so
// for an answer, where their model server gave none.
var serverErrors = []string{"SGLang server error", "SGLang server empty response", "vllm server error!!!"}

// failures are the words for a rollout that failed, whatever its answer says.
var failures = []string{"error", "llm_error_occurred", string(trajectory.Cancelled)}

// failedMark is what Tongyi's scripts, and those that follow them, write for the
// prediction of a rollout that failed.
const failedMark = "[Failed]"

// record makes the record.
func (d *draft) record() (*Record, error) {
	d.question = strings.TrimSpace(d.question) // as the data sets do
	d.answer = text.Collapse(d.answer)
	d.fault = text.Collapse(d.fault)
	failed := slices.Contains(failures, strings.ToLower(d.word))
	switch {
	case d.fault != "":
	case d.answer == failedMark:
		d.fault = "the rollout failed"
	case slices.Contains(serverErrors, d.answer):
		d.fault = d.answer
	case failed && d.answer != "":
		d.fault = d.answer
	case failed:
		d.fault = d.word
	}
	if d.fault != "" || slices.Contains(noAnswers, strings.ToLower(d.answer)) {
		d.answer = ""
	}
	switch {
	case d.question == "":
		return nil, missing("question")
	case len(d.messages) == 0 && d.fault == "":
		return nil, missing("messages")
	case d.stated != nil && !(*d.stated >= 0 && *d.stated <= 1):
		return nil, fmt.Errorf("key confidence: %v, want 0 to 1", *d.stated)
	}
	d.leave("", d.rec.Lost)
	d.rec.Ended = strings.TrimSpace(d.word)
	t, unread, err := d.trajectory()
	d.rec.Trajectory, d.rec.Unread = t, unread
	return &d.rec, err
}

// A missingError names a key that has to be there.
type missingError struct{ key string }

func (e missingError) Error() string { return fmt.Sprintf("key %s: missing or empty", e.key) }

func missing(key string) error { return missingError{key} }

// trajectory makes the rollout, and counts the calls whose documents are unread.
func (d *draft) trajectory() (*trajectory.Trajectory, int, error) {
	t := &trajectory.Trajectory{
		V: trajectory.Version, Round: 1, Question: d.question, Answer: d.answer, Source: trajectory.AnswerNone,
		Confidence: d.stated, Error: d.fault, Millis: d.millis,
	}
	t.Termination = ended(d.word, t)
	c := conversation{t: t, last: replies(d.messages), inText: d.inText, quoted: d.quoted}
	for i, m := range d.messages {
		if err := c.add(m); err != nil {
			return nil, 0, fmt.Errorf("key messages[%d].%w", i, err)
		}
	}
	t.Usage.Prompt, t.Usage.Completion = d.usage.Prompt, d.usage.Completion
	d.spread(t)
	if t.Answer != "" {
		t.Source = sourceOf(c.said)
	}
	return t, c.unread, nil
}

// spread gives each turn what its call cost, if as many are known as there are
// turns; else only the sum is carried over.
func (d *draft) spread(t *trajectory.Trajectory) {
	all := turns(t)
	if len(d.perTurn) != len(all) {
		if len(d.perTurn) > 0 {
			d.rec.Lost["tokens of each turn"]++
		}
		return
	}
	at := 0
	for i, steps := range all {
		t.Steps[at].Usage = d.perTurn[i]
		at += len(steps)
	}
}

// tagged returns the answer that a whole last reply gives in a tag or on a line of
// its own; the reply itself if it does neither.
func tagged(said string) string {
	if m := answerTag.FindAllStringSubmatch(said, -1); m != nil {
		return m[len(m)-1][1]
	}
	r := reply.Parse(&llm.Response{Message: llm.Message{Content: said}}, reply.Native)
	if r.Tagged && len(r.Calls) == 0 {
		return r.Answer
	}
	return said
}

var answerTag = regexp.MustCompile(`(?s)<answer>(.*?)(?:</answer>|$)`)
