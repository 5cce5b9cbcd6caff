package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"trawl/internal/text"
	"trawl/trajectory"
)

// parseTongyi reads a line of Tongyi DeepResearch, and of WebSailor and
// WebResummer, which add rollout_id.
//
//	{"question":…, "answer":…, "messages":[…], "prediction":…, "termination":…}
//
// The number of the rollout is that of the file, iter{k}.jsonl.
func parseTongyi(line []byte, f file) (*Record, error) {
	d, err := newDraft(line)
	if err != nil {
		return nil, err
	}
	d.inText = true
	err = errors.Join(d.common(), d.number(numberIn(filepath.Base(f.name), iterFile), "rollout_id", "rollout_idx"), d.conversation(messageKeys...), d.predicted(), d.gold(), d.verdict(f.Verdict, f.Verdict))
	if err != nil {
		return nil, err
	}
	return d.record()
}

// parseParallelMuse reads a line of ParallelMuse: Tongyi's, with the messages under
// rollout. Of its perplexities of steps that of the call becomes an entropy; the others
// are lost, and so are its times. A line whose model could
// not be reached has no prediction.
func parseParallelMuse(line []byte, f file) (*Record, error) {
	d, err := newDraft(line)
	if err != nil {
		return nil, err
	}
	d.inText = true
	d.take("prepand_msg") // the messages that rollout begins with
	err = errors.Join(d.common(), d.number(nil, "rollout_id"), d.conversation("rollout", "messages"), d.predicted(), d.gold(), d.verdict(f.Verdict, f.Verdict))
	if err != nil {
		return nil, err
	}
	return d.record()
}

// parseWebDancer reads a line of WebDancer: chatml without a prediction, which is
// the answer of the last reply, and with the question behind its instructions.
func parseWebDancer(line []byte, f file) (*Record, error) {
	d, err := newDraft(line)
	if err != nil {
		return nil, err
	}
	d.inText = true
	kind := ""
	err = errors.Join(d.read("type", &kind), d.common(), d.number(nil, "rollout_id"), d.conversation(messageKeys...), d.gold(), d.verdict(f.Verdict, f.Verdict))
	switch {
	case err != nil:
		return nil, err
	case kind != "chatml":
		return nil, fmt.Errorf("key type: %q, want chatml", kind)
	}
	if d.question == "" {
		d.question = d.asked()
	}
	for _, m := range d.messages {
		if content, err := contentOf(m.Content); m.Role == "assistant" && err == nil {
			d.answer = ""
			if answerTag.MatchString(content) {
				d.answer = tagged(content)
			}
		}
	}
	return d.record()
}

// predicted reads a prediction that has to be there if the rollout did not fail,
// and the question where only the messages have it.
func (d *draft) predicted() error {
	raw := d.take("prediction")
	if d.question == "" {
		d.question = d.asked()
	}
	if len(raw) == 0 && d.fault == "" && d.word != "llm_error_occurred" {
		return missing("prediction")
	}
	err := scalar("prediction", raw, &d.answer)
	d.answer = tagged(d.answer)
	return err
}

// gold reads the gold answers under the keys of those programs.
func (d *draft) gold() error {
	if d.rec.Golds != nil {
		return nil // a second list is counted
	}
	return golds("answer", d.take("answer"), &d.rec.Golds)
}

// parseAggAgent reads a file of AggAgent, iter{k}/run_….json, or a row of its
// published tables: OpenAI's messages with results as the JSON of a text, the judge's
// verdict, time and tokens. Rows may leave out the question, which is that of the
// instance, and the prediction, which is the last reply.
func parseAggAgent(data []byte, f file) (*Record, error) {
	d, err := newDraft(data)
	if err != nil {
		return nil, err
	}
	d.quoted = true
	var seconds float64
	err = errors.Join(d.common(), d.number(numberIn(filepath.Base(filepath.Dir(f.name)), iterFolder), "rollout_id", "rollout_idx"), d.conversation("messages"), d.instance())
	if err == nil {
		d.lastReply()
		err = errors.Join(d.predicted(), d.gold(), d.judged(f.Verdict), d.debug(), d.read("time", &seconds))
	}
	if err != nil {
		return nil, err
	}
	d.millis = int64(max(0, min(seconds, 1e9)) * 1000)
	return d.record()
}

// lastReply puts the last words of the agent where a prediction is missing.
func (d *draft) lastReply() {
	if raw, ok := d.object["prediction"]; ok && string(raw) != "null" {
		return
	}
	if n := len(d.messages); n > 0 && d.messages[n-1].Role == "assistant" && len(d.messages[n-1].ToolCalls) == 0 {
		if content, err := contentOf(d.messages[n-1].Content); err == nil {
			d.object["prediction"] = quoted(content)
		}
	}
}

// instance reads the item of the data set that AggAgent keeps.
func (d *draft) instance() error {
	in, err := d.inner("instance")
	if err != nil {
		return err
	}
	if err := golds("instance.answer", in.take("answer"), &d.rec.Golds); err != nil {
		return err
	}
	for _, key := range []string{"question_id", "query_id", "id", "prompt_id", "qid"} {
		if raw := in[key]; d.rec.QuestionID == "" && !isEmpty(raw) {
			if err := in.scalar(key, &d.rec.QuestionID); err != nil {
				return err
			}
		}
	}
	asked := ""
	if err := in.scalar("question", &asked); err != nil {
		return within("instance", err)
	}
	if d.question == "" {
		d.question = asked
	}
	in.leave("instance.", d.rec.Lost)
	return nil
}

// judged reads what AggAgent's judge said: the verdict, and in percent the
// confidence that the reply states.
func (d *draft) judged(verdictKey string) error {
	if verdictKey != "" {
		return d.verdict(verdictKey, verdictKey)
	}
	in, err := d.inner("auto_judge")
	if err != nil {
		return err
	}
	var (
		said    string
		percent *float64
	)
	if err := errors.Join(in.scalar("correctness", &said), in.read("confidence", &percent)); err != nil {
		return within("auto_judge", err)
	}
	if d.rec.Verdict, err = verdictOf("auto_judge.correctness", said); err != nil {
		return err
	}
	d.rec.Judge = "auto_judge"
	if percent != nil && *percent > 0 {
		share := *percent / 100
		d.stated = &share
	}
	in.leave("auto_judge.", d.rec.Lost)
	return nil
}

// debug reads the tokens of AggAgent's model calls.
func (d *draft) debug() error {
	in, err := d.inner("debug_data")
	if err != nil {
		return err
	}
	var calls []struct {
		Input  int `json:"input_tokens"`
		Output int `json:"output_tokens"`
	}
	if err := in.read("token_lengths_each_step", &calls); err != nil {
		return within("debug_data", err)
	}
	for _, c := range calls {
		one := trajectory.CallUsage{Prompt: max(0, c.Input), Completion: max(0, c.Output)}
		d.usage.Add(one)
		d.perTurn = append(d.perTurn, one)
	}
	in.take("tool_usage") // the steps have it
	in.leave("debug_data.", d.rec.Lost)
	return nil
}

// parseR1Searcher reads a line of R1-Searcher's evaluation: one text, with its
// queries and documents in tags. Files have no numbers: of a question's lines the
// first is rollout 0.
func parseR1Searcher(line []byte, f file) (*Record, error) {
	d, err := newDraft(line)
	if err != nil {
		return nil, err
	}
	all, verdict := "", f.Verdict
	if verdict == "" {
		verdict = "gpt4o_output"
	}
	raw, ok := d.object["pred_ans"]
	d.take("pred_ans")
	err = errors.Join(d.common(), d.number(nil, "rollout_id"), d.read("gen_text_store", &all), d.read("stop_reason_final", &d.word), d.gold(),
		scalar("pred_ans", raw, &d.answer), d.verdict(verdict, verdict))
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, missing("pred_ans")
	case strings.TrimSpace(all) == "":
		return nil, missing("gen_text_store")
	}
	d.oneText(all)
	return d.record()
}

// oneText makes messages of a text that holds the whole rollout.
func (d *draft) oneText(all string) {
	d.inText = true
	d.messages = append([]wireMessage{said("user", d.question)}, pieces(all)...)
}

// textKeys are those under which FlashRAG's pipelines keep the text of a rollout.
var textKeys = []string{"final_response", "raw_pred", "response"}

// parseFlashRAG reads an item of FlashRAG's intermediate_data.json, or a line of
// such items.
func parseFlashRAG(data []byte, f file) (*Record, error) {
	d, err := newDraft(data)
	if err != nil {
		return nil, err
	}
	var (
		all                string
		prompt, completion int
	)
	out, err := d.inner("output")
	if err != nil {
		return nil, err
	}
	raw, ok := out["pred"]
	out.take("pred")
	full, key := out.first(textKeys...)
	err = errors.Join(d.common(), d.number(nil, "rollout_id"), d.verdict(f.Verdict, f.Verdict), scalar("output.pred", raw, &d.answer), decode("output."+key, full, &all),
		decode("output.stop_reason", out.take("stop_reason"), &d.word), decode("output.prompt_tokens", out.take("prompt_tokens"), &prompt), decode("output.completion_tokens", out.take("completion_tokens"), &completion))
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, missing("output.pred")
	}
	if query := ""; json.Unmarshal(out["query"], &query) == nil && text.Normal(query) == text.Normal(d.question) {
		out.take("query")
	}
	d.usage = trajectory.CallUsage{Prompt: max(0, prompt), Completion: max(0, completion)}
	out.leave("output.", d.rec.Lost)
	d.oneText(all)
	return d.record()
}
