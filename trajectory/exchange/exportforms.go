package exchange

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"trawl/internal/text"
	"trawl/trajectory"
)

// A messagesLine is a line of the form messages.
type messagesLine struct {
	QuestionID  string                 `json:"question_id"`
	Question    string                 `json:"question"`
	RolloutID   int                    `json:"rollout_id"`
	Prediction  *string                `json:"prediction"`
	Termination trajectory.Termination `json:"termination"`
	Confidence  *float64               `json:"confidence,omitempty"`
	Error       string                 `json:"error,omitempty"`
	Golds       []string               `json:"golden_answers,omitempty"`
	Judged      *bool                  `json:"judged,omitempty"` // read with --verdicts judged
	Messages    []trajectory.Message   `json:"messages"`
}

// asMessages writes a line that [Messages] reads.
func asMessages(it Item) (Piece, error) {
	w, t := newWriting(it), it.Trajectory
	w.losesDocuments()
	w.losesUsage()
	w.losesTraces()
	w.losesTime()
	w.loses("judge", it.Verdict != nil)
	messages := w.native()
	return w.piece("", messagesLine{
		QuestionID: t.QuestionID, Question: t.Question, RolloutID: t.Rollout, Prediction: prediction(t), Termination: t.Termination,
		Confidence: t.Confidence, Error: t.Error, Golds: it.Golds, Judged: it.Verdict, Messages: messages,
	})
}

// prediction returns the answer; nil if there is none.
func prediction(t *trajectory.Trajectory) *string {
	if t.Answer == "" {
		return nil
	}
	return &t.Answer
}

// native returns the conversation with tool calls apart from the text: the messages
// as they are if all calls of the steps stand in them so, or else made of the steps.
func (w *writing) native() []trajectory.Message {
	messages, same := native(w.Trajectory)
	if !same {
		w.losesMessages()
	}
	said := ""
	for _, m := range messages {
		if m.Role == "assistant" {
			said = m.Content
		}
	}
	w.losesSource(said)
	w.losesReading(wire(messages), false)
	return messages
}

// native is the conversation itself; same says that it is the rollout's own.
func native(t *trajectory.Trajectory) (messages []trajectory.Message, same bool) {
	ids := map[string]bool{}
	for _, m := range t.Messages {
		for _, c := range m.ToolCalls {
			ids[c.ID] = true
		}
	}
	if len(t.Messages) > 0 && !slices.ContainsFunc(t.Steps, func(s trajectory.Step) bool { return s.Call != nil && !ids[s.Call.ID] }) {
		return t.Messages, true
	}
	out := opening(t)
	all := turns(t)
	for i, steps := range all {
		m := trajectory.Message{Role: "assistant", Reasoning: steps[0].Thought}
		var results []trajectory.Message
		for j, s := range steps {
			if s.Call == nil {
				m.Content, m.Reasoning = answering(t, s, i == len(all)-1), ""
				continue
			}
			id := fmt.Sprintf("t%di%d", s.Turn, j) // ids of text calls repeat
			m.ToolCalls = append(m.ToolCalls, trajectory.ToolCall{ID: id, Name: s.Call.Name, Arguments: string(s.Call.Arguments)})
			results = append(results, trajectory.Message{Role: "tool", ToolCallID: id, Name: s.Call.Name, Content: s.Shown})
		}
		out = append(append(out, m), results...)
	}
	return out, false
}

// A plainMessage is a message of a form whose calls stand in the text.
type plainMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// A tongyiLine is a line of Tongyi DeepResearch. A failed rollout has the keys of
// its scripts' error lines.
type tongyiLine struct {
	Question    string         `json:"question"`
	Answer      *string        `json:"answer,omitempty"`
	RolloutIdx  *int           `json:"rollout_idx,omitempty"`
	RolloutID   *int           `json:"rollout_id,omitempty"`
	Error       string         `json:"error,omitempty"`
	Messages    []plainMessage `json:"messages"`
	Prediction  string         `json:"prediction"`
	Termination string         `json:"termination,omitempty"`
}

// tongyiEndings are Tongyi DeepResearch's words for how a rollout ended.
var tongyiEndings = map[trajectory.Termination]string{
	trajectory.Answered: "answer", trajectory.TurnLimit: "exceed available llm calls", trajectory.TokenLimit: "generate an answer as token limit reached",
	trajectory.TimeLimit: "No answer found after 2h30mins", trajectory.Loop: "exceed available llm calls",
}

// asTongyi writes a line of iter{k}.jsonl.
func asTongyi(it Item) (Piece, error) {
	w, t := newWriting(it), it.Trajectory
	w.losesDocuments()
	w.losesUsage()
	w.losesTraces()
	w.losesTime()
	w.losesVerdict()
	w.losesMessages()
	w.loses("question_id", true)
	w.loses("confidence", t.Confidence != nil)
	w.loses("termination loop", t.Termination == trajectory.Loop)
	w.losesAnswer()
	k := w.iter()
	line := tongyiLine{Question: t.Question, Answer: w.gold(), Messages: []plainMessage{}, Prediction: t.Answer, Termination: tongyiEndings[t.Termination]}
	switch {
	case t.Error != "":
		w.loses("messages of a failed rollout", len(t.Steps) > 0)
		line.RolloutIdx, line.RolloutID, line.Error, line.Prediction = &t.Rollout, &k, t.Error, failedMark
	default:
		line.Messages = inText(t)
		w.losesReading(plainWire(line.Messages), true)
		w.losesSource(line.Messages[len(line.Messages)-1].Content)
		if t.Answer == "" {
			line.Prediction = "No answer found."
		}
	}
	return w.piece(fmt.Sprintf("iter%d.jsonl", k), line)
}

// inText returns the conversation with thoughts, calls and results in tags.
func inText(t *trajectory.Trajectory) []plainMessage {
	var out []plainMessage
	for _, m := range opening(t) {
		out = append(out, plainMessage{m.Role, m.Content})
	}
	all := turns(t)
	for i, steps := range all {
		var calls, results strings.Builder
		for _, s := range steps {
			if s.Call == nil {
				continue
			}
			args := s.Call.Arguments
			if len(args) == 0 {
				args = json.RawMessage("{}")
			}
			name, err := text.JSON(s.Call.Name)
			if err != nil {
				panic("exchange: a string has no JSON form")
			}
			fmt.Fprintf(&calls, "\n<tool_call>\n{\"name\": %s, \"arguments\": %s}\n</tool_call>", name, args)
			fmt.Fprintf(&results, "\n<tool_response>\n%s\n</tool_response>", s.Shown)
		}
		if calls.Len() == 0 {
			out = append(out, plainMessage{"assistant", answering(t, steps[0], i == len(all)-1)})
			continue
		}
		out = append(out, plainMessage{"assistant", "<think>\n" + steps[0].Thought + "\n</think>" + calls.String()}, plainMessage{"user", results.String()[1:]})
	}
	return out
}

// An aggAgentFile is a file of AggAgent.
type aggAgentFile struct {
	Question    string               `json:"question"`
	Instance    aggAgentInstance     `json:"instance"`
	Prediction  string               `json:"prediction"`
	Termination string               `json:"termination"`
	Error       string               `json:"error,omitempty"`
	Time        float64              `json:"time"`
	Messages    []trajectory.Message `json:"messages"`
	Debug       aggAgentDebug        `json:"debug_data"`
	Judge       *aggAgentJudge       `json:"auto_judge,omitempty"`
}

// An aggAgentJudge is what a judge said. Confidence is in percent, 0 if the answer
// states none.
type aggAgentJudge struct {
	Correctness string  `json:"correctness"`
	Confidence  float64 `json:"confidence"`
}

type aggAgentInstance struct {
	ID       string  `json:"id"`
	Question string  `json:"question"`
	Answer   *string `json:"answer,omitempty"`
}

type aggAgentDebug struct {
	Tokens []aggAgentTokens `json:"token_lengths_each_step"`
	Tools  map[string]int   `json:"tool_usage"`
}

type aggAgentTokens struct {
	Iteration int `json:"iteration"`
	Input     int `json:"input_tokens"`
	Output    int `json:"output_tokens"`
}

// asAggAgent writes a file iter{k}/run_….json. Confidence has a place in it only
// beside a verdict: it is the judge's to read.
func asAggAgent(it Item) (Piece, error) {
	w, t := newWriting(it), it.Trajectory
	w.losesDocuments()
	w.losesTraces()
	w.losesTime()
	w.losesCalls()
	w.loses("judge", it.Verdict != nil)
	w.loses("confidence", t.Confidence != nil && (it.Verdict == nil || *t.Confidence == 0))
	w.loses("usage.cached", t.Usage.Cached > 0)
	w.loses("usage.estimated", t.Usage.Estimated)
	w.losesAnswer()
	f := aggAgentFile{
		Question: t.Question, Instance: aggAgentInstance{t.QuestionID, t.Question, w.gold()}, Prediction: t.Answer, Termination: "no_tool_call",
		Error: t.Error, Time: float64(t.Millis) / 1000, Messages: slices.Clone(w.native()), Debug: aggAgentDebug{[]aggAgentTokens{}, map[string]int{}},
		Judge: aggAgentVerdict(it),
	}
	switch {
	case t.Error != "":
		f.Prediction, f.Termination = failedMark, "error"
	case t.Termination != trajectory.Answered:
		w.loses("termination "+string(t.Termination), t.Termination != trajectory.TurnLimit)
		f.Termination = "max_exceed"
	case t.Answer != "":
		f.Termination = "answer"
	}
	for i, m := range f.Messages {
		if m.Role == "tool" { // as the program has them
			quoted, err := text.JSON(m.Content)
			if err != nil {
				return Piece{}, err
			}
			f.Messages[i].Content = string(quoted)
		}
	}
	var sum trajectory.CallUsage
	for _, s := range t.Steps {
		sum.Add(s.Usage)
		if s.Usage != (trajectory.CallUsage{}) {
			f.Debug.Tokens = append(f.Debug.Tokens, aggAgentTokens{s.Turn, s.Usage.Prompt, s.Usage.Completion})
		}
		if s.Call != nil {
			f.Debug.Tools[s.Call.Name]++
		}
	}
	if len(f.Debug.Tokens) == 0 && t.Usage.Prompt+t.Usage.Completion > 0 { // known as a whole only
		f.Debug.Tokens = []aggAgentTokens{{1, t.Usage.Prompt, t.Usage.Completion}}
		sum = trajectory.CallUsage{Prompt: t.Usage.Prompt, Completion: t.Usage.Completion}
	}
	w.loses("usage beyond that of the steps", sum.Prompt != t.Usage.Prompt || sum.Completion != t.Usage.Completion)
	return w.piece(w.runFile("iter"), f)
}

// aggAgentVerdict returns the verdict of an item; nil if there is none.
func aggAgentVerdict(it Item) *aggAgentJudge {
	if it.Verdict == nil {
		return nil
	}
	j := &aggAgentJudge{Correctness: "incorrect"}
	if *it.Verdict {
		j.Correctness = "correct"
	}
	if c := it.Trajectory.Confidence; c != nil {
		j.Confidence = 100 * *c
	}
	return j
}

// A runFile is a run file of BrowseComp-Plus.
type runFile struct {
	QueryID   string         `json:"query_id"`
	Calls     map[string]int `json:"tool_call_counts"`
	Status    string         `json:"status"`
	Documents []string       `json:"retrieved_docids"`
	Result    []runEntry     `json:"result"`
	Metadata  map[string]any `json:"metadata"`
}

type runEntry struct {
	Type      string          `json:"type"`
	Tool      *string         `json:"tool_name"`
	Arguments json.RawMessage `json:"arguments"`
	Output    string          `json:"output"`
}

// asBrowseCompPlus writes a file run{k}/run_….json. Scripts there take a rollout
// whose status is not "completed" for one without an answer.
func asBrowseCompPlus(it Item) (Piece, error) {
	w, t := newWriting(it), it.Trajectory
	w.losesUsage()
	w.losesTraces()
	w.losesVerdict()
	w.loses("messages", len(t.Messages) > 0)
	w.loses("answer_source", t.Answer != "")
	w.loses("started", !t.Started.IsZero())
	w.loses("confidence", t.Confidence != nil)
	f := runFile{
		QueryID: t.QuestionID, Calls: map[string]int{}, Status: "completed", Documents: []string{}, Result: []runEntry{},
		Metadata: map[string]any{"question": t.Question, "round": t.Round, "rollout": t.Rollout, "termination": t.Termination, "error": t.Error},
	}
	if t.Answer == "" {
		f.Status = string(t.Termination)
	}
	for _, s := range t.Steps {
		if s.Thought != "" {
			f.Result = append(f.Result, runEntry{Type: "reasoning", Output: s.Thought})
		}
		if s.Call != nil {
			f.Calls[s.Call.Name]++
			f.Result = append(f.Result, runEntry{Type: "tool_call", Tool: &s.Call.Name, Arguments: s.Call.Arguments, Output: s.Shown})
		}
		for _, r := range s.Results {
			w.loses("documents without an id", r.ID == "")
			w.loses("scores and texts of documents", true)
			if r.ID != "" && !slices.Contains(f.Documents, r.ID) {
				f.Documents = append(f.Documents, r.ID)
			}
		}
	}
	if t.Answer != "" {
		f.Result = append(f.Result, runEntry{Type: "output_text", Output: t.Answer})
	}
	return w.piece(w.runFile("run"), f)
}

const csvHead = "question_id,question,round,rollout,answer,answer_source,confidence,termination,error,turns,llm_calls,prompt_tokens,completion_tokens,cached_tokens,searches,opens,started,ms\n"

// asCSV writes a row of the table.
func asCSV(it Item) (Piece, error) {
	w, t := newWriting(it), it.Trajectory
	w.loses("steps", len(t.Steps) > 0)
	w.loses("messages", len(t.Messages) > 0)
	w.loses("usage.estimated", t.Usage.Estimated)
	w.losesVerdict()
	confidence, started := "", ""
	if t.Confidence != nil {
		confidence = strconv.FormatFloat(*t.Confidence, 'g', -1, 64)
	}
	if !t.Started.IsZero() {
		started = t.Started.UTC().Format(time.RFC3339Nano)
	}
	var b bytes.Buffer
	row := csv.NewWriter(&b)
	u := t.Usage
	err := row.Write([]string{
		t.QuestionID, t.Question, strconv.Itoa(t.Round), strconv.Itoa(t.Rollout), t.Answer, string(t.Source), confidence, string(t.Termination), t.Error,
		strconv.Itoa(lastTurn(t)), strconv.Itoa(u.LLMCalls), strconv.Itoa(u.Prompt), strconv.Itoa(u.Completion), strconv.Itoa(u.Cached),
		strconv.Itoa(u.Searches), strconv.Itoa(u.Opens), started, strconv.FormatInt(t.Millis, 10),
	})
	row.Flush()
	return Piece{Data: b.Bytes(), Lost: w.lost}, err
}
