package agent_test

import (
	"path/filepath"
	"strings"
	"testing"

	"trawl/agent"
	"trawl/agent/llm"
	"trawl/agent/llm/llmtest"
	"trawl/internal/testutil"
)

// Every prompt as a model sees it. A change of words is a change of these files.
func TestPrompts(t *testing.T) {
	type data = map[string]any
	question := agent.Render("question", data{"Text": "Who founded the company?"})
	tests := map[string]string{
		"native":          agent.Render("native", data{"Turns": 8}),
		"tags":            agent.Render("tags", data{"Turns": 8, "Question": question}),
		"question":        question,
		"final":           agent.Render("final", nil),
		"reminder-native": agent.Render("reminder-native", data{"Tools": "search, open"}),
		"reminder-tags":   agent.Render("reminder-tags", nil),
		"repeated":        agent.Render("repeated", data{"Turn": 2}),
		"not-run":         agent.Render("not-run", data{"Reason": "the time is used up"}),
		"failed":          agent.Render("failed", data{"Reason": "the search failed: no route to host"}),
	}
	files, err := filepath.Glob("prompts/*.tmpl")
	if err != nil || len(files) != len(tests) {
		t.Errorf("%d prompts, %d tested (%v)", len(files), len(tests), err)
	}
	for name, got := range tests {
		t.Run(name, func(t *testing.T) {
			testutil.Golden(t, "prompts/"+name+".txt", got+"\n")
		})
	}
}

// The shapes that other parts rely on.
func TestPromptShapes(t *testing.T) {
	for _, d := range []agent.Dialect{agent.Native, agent.Tags} {
		script := llmtest.NewScript(ask(d, "a"), answer("x"))
		mustRun(t, script, agent.Options{Dialect: d, Turns: 2}, testTask())
		first, last := script.Requests()[0], script.Requests()[1]
		if !strings.Contains("\n"+opening(first)+"\n", "\nQuestion: Who founded the company?\n") {
			t.Errorf("%s: no line with the question in:\n%s", d, opening(first))
		}
		if !strings.Contains(opening(first), "2 turns") {
			t.Errorf("%s: the number of turns is not stated", d)
		}
		if asksFinal(&first) {
			t.Errorf("%s: the first request asks for the final answer", d)
		}
		if end := last.Messages[len(last.Messages)-1]; end.Role != llm.User || !asksFinal(&last) || !strings.Contains(end.Content, "<answer>") {
			t.Errorf("%s: the last message is %q", d, end.Content)
		}
	}
}

func opening(req llm.Request) string {
	var parts []string
	for _, m := range req.Messages {
		parts = append(parts, m.Content)
	}
	return strings.Join(parts, "\n")
}

func TestPromptHash(t *testing.T) {
	h := agent.PromptHash()
	if !strings.HasPrefix(h, "sha256:") || len(h) != len("sha256:")+64 || h != agent.PromptHash() {
		t.Errorf("PromptHash() = %q", h)
	}
}
