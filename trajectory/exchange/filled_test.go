package exchange_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"trawl/internal/testutil"
	"trawl/trajectory"
	"trawl/trajectory/exchange"
)

// inTags is a conversation of Tongyi DeepResearch and of those that follow it; more is
// what its replies have beside.
func inTags(more string) string {
	return `[{"role":"system","content":"You are a deep research assistant."},{"role":"user","content":"Who wrote it?"},` +
		`{"role":"assistant","content":"<think>\nI look.\n</think>\n<tool_call>\n{\"name\": \"search\", \"arguments\": {\"query\": [\"first program\", \"program author\"]}}\n</tool_call>"` + more + `},` +
		`{"role":"user","content":"<tool_response>\nA Google search for 'first program' found 1 results:\n\n## Web Results\n1. [Ada](https://a.org/ada)\nDate published: 2024\n\nShe wrote it.\n=======\nNo results found for 'program author'.\n</tool_response>"},` +
		`{"role":"assistant","content":"<think>\nSo.\n</think>\n<tool_call>\n{\"name\": \"visit\", \"arguments\": {\"url\": [\"https://a.org/ada\"], \"goal\": \"author\"}}\n</tool_call>"},` +
		`{"role":"user","content":"<tool_response>\nThe useful information in https://a.org/ada for user goal author as follows: \n\nEvidence in page: \nby Ada\n\nSummary: \nAda\n\n</tool_response>"},` +
		`{"role":"assistant","content":"<think>\nDone.\n</think>\n<answer>Ada Lovelace</answer>"}]`
}

// natively is a conversation with calls apart from the text, whose results are written
// by quote.
func natively(quote func(string) string) string {
	result := func(id, shown string) string {
		content, err := json.Marshal(quote(shown))
		if err != nil {
			panic(err)
		}
		return `{"role":"tool","tool_call_id":"` + id + `","name":"search","content":` + string(content) + `},`
	}
	return `[{"role":"system","content":"Research."},{"role":"user","content":"Who wrote it?"},` +
		`{"role":"assistant","content":"","reasoning":"I look.","tool_calls":[{"id":"c1","type":"function","function":{"name":"search","arguments":"{\"query\": \"first program\"}"}}]},` +
		result("c1", "Doc 1(Title: \"Ada\") born in\nLondon\nDoc 2(Title: B) other") +
		`{"role":"assistant","content":"More.","tool_calls":[{"id":"c2","type":"function","function":{"name":"get_document","arguments":"{\"id\": \"7\"}"}}]},` +
		result("c2", "The whole page.") +
		`{"role":"assistant","content":"So.\n<answer>Ada Lovelace</answer>","reasoning":"Done."}]`
}

// filled are files of one rollout as their programs write them, with a search that
// found something.
var filled = map[string]string{
	"messages": `{"id":"7","question":"Who wrote it?","golden_answers":["Ada Lovelace"],"prediction":"Ada Lovelace","termination":"answer","rollout_id":2,"confidence":0.5,"model":"m","messages":` +
		natively(func(s string) string { return s }) + `}`,
	"tongyi":    `{"question":"Who wrote it?","answer":"Ada Lovelace","messages":` + inTags("") + `,"prediction":"Ada Lovelace","termination":"answer"}`,
	"websailor": `{"question":"Who wrote it?","answer":"Ada Lovelace","rollout_id":3,"messages":` + inTags("") + `,"prediction":"Ada Lovelace","termination":"answer"}`,
	"parallelmuse": `{"question":"Who wrote it?","answer":"Ada Lovelace","prediction":"Ada Lovelace","termination":"answer","prepand_msg":[],"rollout_type":"traj_level_rollout","rollout":` +
		inTags(`,"step_ppl":{"think_ppl":1.5,"tool_call_ppl":1,"all_ppl":1.4},"previous_turn_time_consumption":{"llm_response_time":1.5}`) + `}`,
	"aggagent": `{"metadata":{"model":"m","temperature":1.0},"question":"Who wrote it?","instance":{"id":"i7","question":"Who wrote it?","answer":"Ada Lovelace"},"prediction":"So.\n<answer>Ada Lovelace</answer>","termination":"answer","time":1.5,"cost":{"rollout":0.1,"tool":0.2},` +
		`"auto_judge":{"extracted_final_answer":"Ada","correctness":"correct","confidence":80,"reasoning":"same","judge_text":"t"},"messages":` + natively(func(s string) string { return string(quotedText(s)) }) +
		`,"debug_data":{"token_lengths_each_step":[{"iteration":1,"input_tokens":10,"output_tokens":1},{"iteration":2,"input_tokens":20,"output_tokens":2},{"iteration":3,"input_tokens":30,"output_tokens":3}],"tool_usage":{"search":1,"get_document":1},"full_messages":[]}}`,
	"r1-searcher": `{"question":"Who wrote it?","answer":"Ada Lovelace","pred_ans":" Ada Lovelace ","stop_reason_final":"finished","gen_text_store":"I look: <|begin_of_query|> first program<|end_of_query|>\n\n<|begin_of_documents|>\n(1)Title: Ada Text:  She wrote it.\n(2)B   other\n<|end_of_documents|>\n\nSo.</think>\n<answer> Ada Lovelace </answer>","gpt4o_output":"True"}`,
	"flashrag": `[{"id":"test_0","question":"Who wrote it?","golden_answers":["Ada Lovelace"],"metadata":{"type":"bridge"},"output":{"query":"Who wrote it?","pred":"Ada Lovelace",` +
		`"final_response":"<think>I look.</think><search> first program </search>\n\n<information>Doc 1(Title: \"Ada\") She wrote it.\nDoc 2(Title: \"B\") other</information>\n\n<think>So.</think><answer> Ada Lovelace </answer>","metric_score":{"em":1.0},"stop_reason":"stop","prompt_tokens":7,"completion_tokens":2}}]`,
	"reflexion": "########################################\nBEGIN TRIAL 1\nTrial summary: Correct: 1, Incorrect: 0, Halted: 0\n#######################################\n\n------------- BEGIN CORRECT AGENTS -------------\n\n" +
		"Question: Who wrote it?\nThought 1: I look.\nAction 1: Search[first program]\nObservation 1: Ada was a mathematician.\nShe wrote it.\nThought 2: I look on.\nAction 2: Lookup[wrote]\nObservation 2: (Result 1 / 1) She wrote it.\n" +
		"Thought 3: So.\nAction 3: Finish[Ada Lovelace]\nObservation 3: Answer is CORRECT\nCorrect answer: Ada Lovelace\n",
	"webdancer": `{"type":"chatml","task":"web","tag":"x","functions":[{"name_for_human":"search"}],"tool_calls":[],"messages":` + strings.Replace(inTags(""), "Who wrote it?", "Use tools.\\n\\nUser: Who wrote it?", 1) + `,"answer":[["Ada Lovelace"]]}`,
}

// quotedText is a text as JSON.
func quotedText(s string) []byte {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return data
}

// Every form fills question, answer, steps with what was asked, shown and found,
// messages, how it ended and usage; what it has no room for is counted. The golden
// files hold all of it.
func TestEveryFormFills(t *testing.T) {
	for _, form := range exchange.Forms() {
		t.Run(form.Name, func(t *testing.T) {
			var (
				records []*exchange.Record
				err     error
			)
			if form.Name == "parquet" {
				records, err = readTable(form.Name, table(t, full()))
			} else {
				records, err = readAs(form.Name, filled[form.Name], "x/iter2/iter2.jsonl")
			}
			if err != nil || len(records) != 1 {
				t.Fatalf("%d records, error %v", len(records), err)
			}
			rec := records[0]
			tr := rec.Trajectory
			searched := slices.ContainsFunc(tr.Steps, func(s trajectory.Step) bool {
				return s.Kind == trajectory.KindSearch && s.Query != "" && s.Shown != "" && len(s.Results) > 0 && s.Thought != "" && s.Call != nil
			})
			if tr.Question == "" || tr.Answer == "" || !searched || len(tr.Messages) == 0 || tr.Termination == "" || tr.Usage.LLMCalls == 0 || tr.Usage.Searches == 0 || len(rec.Golds) == 0 || rec.Unread > 0 {
				t.Errorf("something is not filled: %+v", tr)
			}
			var b bytes.Buffer
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			if err := enc.Encode(rec); err != nil {
				t.Fatal(err)
			}
			testutil.Golden(t, "forms/"+form.Name+".json", b.String())
		})
	}
}
