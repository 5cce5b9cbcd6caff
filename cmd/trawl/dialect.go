package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"trawl/agent"
	"trawl/agent/llm"
	"trawl/agent/tool"
	"trawl/search"
)

// probeTokens bounds the reply to a probe; a thinking model needs some room.
const probeTokens = 512

// probeLimit bounds the time for finding out. It is long, for a large model on a
// slow machine.
const probeLimit = 5 * time.Minute

// settleDialect returns the dialect of the settings; for auto it is known, or
// else the one that a probe finds.
func (p *pipeline) settleDialect(ctx context.Context, e env, known agent.Dialect) (agent.Dialect, error) {
	if d := agent.Dialect(p.settings.Agent.Dialect); d != "auto" {
		return d, nil
	}
	if known != "" {
		return known, nil
	}
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	defer e.waiting("waiting for the model's reply to a probe for tool calls")()
	called, err := probeTools(ctx, p.backend.client, p.settings.Models.Agent.Extra)
	if errors.Is(err, llm.ErrBadRequest) { // because of the tools, or for another reason
		_, err = p.backend.client.Complete(ctx, probe(p.settings.Models.Agent.Extra))
	}
	if err != nil {
		return "", fmt.Errorf("the model does not answer a probe: %w", err)
	}
	if called {
		return agent.Native, nil
	}
	fmt.Fprintln(e.stderr, "trawl: the server made no tool call of three probes; using the tags dialect (--set agent.dialect=native insists)")
	return agent.Tags, nil
}

// probe returns a request for one search. It has no tools.
func probe(extra map[string]any) *llm.Request {
	zero, seed := 0.0, int64(1)
	return &llm.Request{
		Sampling: llm.Sampling{Temperature: &zero, MaxTokens: probeTokens, Extra: extra},
		Messages: []llm.Message{
			{Role: llm.System, Content: "You look things up with the search tool before you answer."},
			{Role: llm.User, Content: "Question: Who directed the film The Third Man? Call the search tool."},
		},
		Seed: &seed,
	}
}

// probeTries is how often a model may miss the form before it counts as one that
// does not make tool calls.
const probeTries = 3

// probeTools asks for one search and reports whether the server turned a reply
// into a tool call, the first one greedy and the others sampled. A server without
// a tool-call parser refuses the request, or leaves the call in the text.
func probeTools(ctx context.Context, client llm.Client, extra map[string]any) (bool, error) {
	spec := searchSpec()
	req := probe(extra)
	req.Tools = []llm.Tool{spec}
	for try := range probeTries {
		seed, temperature := int64(try+1), min(float64(try), 1)
		req.Seed, req.Temperature = &seed, &temperature
		resp, err := client.Complete(ctx, req)
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(resp.Message.ToolCalls, func(c llm.ToolCall) bool { return c.Name == spec.Name }) {
			return true, nil
		}
	}
	return false, nil
}

// searchSpec is what models are told of the search tool.
func searchSpec() llm.Tool { return tool.NewSearch(noDocuments{}, 1).Spec() }

// noDocuments is an engine over nothing, for the description of the tool.
type noDocuments struct{}

// Search implements [search.Engine].
func (noDocuments) Search(context.Context, string, int) ([]search.Hit, error) { return nil, nil }
