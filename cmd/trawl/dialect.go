package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"trawl/agent"
	"trawl/agent/llm"
	"trawl/agent/tool"
	"trawl/search"
)

// probeTokens bounds the reply to a probe; a thinking model needs some room.
const probeTokens = 512

// settleDialect returns the dialect of the settings; for auto it is known, or
// else the one that a probe finds.
func (p *pipeline) settleDialect(ctx context.Context, e env, known agent.Dialect) (agent.Dialect, error) {
	if d := agent.Dialect(p.settings.Agent.Dialect); d != "auto" {
		return d, nil
	}
	if known != "" {
		return known, nil
	}
	called, err := probeTools(ctx, p.backend.client, p.settings.Models.Agent.Extra)
	if err != nil && !errors.Is(err, llm.ErrBadRequest) {
		return "", fmt.Errorf("finding out whether the server reads tool calls: %w", err)
	}
	if called {
		return agent.Native, nil
	}
	fmt.Fprintln(e.stderr, "trawl: the server made no tool call of a probe; using the tags dialect (--set agent.dialect=native insists)")
	return agent.Tags, nil
}

// probeTools asks for one search and reports whether the server turned the reply
// into a tool call. A server without a tool-call parser refuses the request, or
// leaves the call in the text.
func probeTools(ctx context.Context, client llm.Client, extra map[string]any) (bool, error) {
	zero, seed := 0.0, int64(1)
	spec := tool.NewSearch(noDocuments{}, 1).Spec()
	resp, err := client.Complete(ctx, &llm.Request{
		Sampling: llm.Sampling{Temperature: &zero, MaxTokens: probeTokens, Extra: extra},
		Messages: []llm.Message{
			{Role: llm.System, Content: "You look things up with the search tool before you answer."},
			{Role: llm.User, Content: "Question: Who directed the film The Third Man? Call the search tool."},
		},
		Tools: []llm.Tool{spec},
		Seed:  &seed,
	})
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(resp.Message.ToolCalls, func(c llm.ToolCall) bool { return c.Name == spec.Name }), nil
}

// noDocuments is an engine over nothing, for the description of the tool.
type noDocuments struct{}

// Search implements [search.Engine].
func (noDocuments) Search(context.Context, string, int) ([]search.Hit, error) { return nil, nil }
