package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"trawl/agent"
	"trawl/agent/llm"
	"trawl/agent/llm/reply"
	"trawl/agent/tool"
	"trawl/eval/utility"
	"trawl/internal/config"
	"trawl/internal/seed"
	"trawl/internal/transcript"
	"trawl/trajectory/store"
)

// An asker asks the model of a run again what to do in a turn, several times. It is
// safe for concurrent use.
type asker struct {
	times    int
	seed     int64
	options  agent.Options
	tools    tool.Set
	model    config.Model
	identity string // of all that decides beside the prompt

	roles   *roles
	opening sync.Mutex
	client  llm.Client // nil until it is needed
}

// newAsker returns an asker of the model that the run in the folder first was made
// with, which is looked for where the run had it if the settings name no place.
func newAsker(e env, s *config.Settings, first *selected, times int) (*asker, error) {
	dialect, err := dialectOf(first.dir, first.manifest)
	if err != nil {
		return nil, err
	}
	name := first.manifest.Models["agent"]
	if dialect == "" || name == "" {
		return nil, fmt.Errorf("--resample: %s was imported: its tools and its model's settings are not known, and the model cannot be asked again", first.dir)
	}
	if given := s.Models.Agent.Name; given != "" && given != name {
		return nil, fmt.Errorf("--resample asks the model that made the run, %s, and not %s; a judge of its own is --set models.judge.name=%s", name, given, given)
	}
	was, model := first.settings.Models.Agent, s.Models.Agent
	if env, ok := e.getenv("TRAWL_ENDPOINT"); len(model.Endpoints) == 0 && !(ok && env != "") {
		model.Endpoints = was.Endpoints
	}
	model.Name, model.Temperature, model.TopP, model.MaxTokens, model.Extra = name, was.Temperature, was.TopP, was.MaxTokens, was.Extra
	a := &asker{
		times: times, seed: first.manifest.Seed, model: model,
		options: agent.Options{Dialect: dialect, FinalTokens: first.settings.Agent.FinalTokens, Sampling: sampling(model)},
		tools:   tool.NewSet(tool.NewSearch(noDocuments{}, 1)),
		roles:   newRoles(e, s.Rollout.Concurrency),
	}
	a.identity = store.Hash(map[string]any{
		"model": name, "sampling": a.options.Sampling, "final-tokens": a.options.FinalTokens, "dialect": dialect,
		"tools": a.tools.Specs(), "times": times, "seed": a.seed,
	})
	return a, nil
}

// open returns the client of the model, opened once.
func (a *asker) open(ctx context.Context) (llm.Client, error) {
	a.opening.Lock()
	defer a.opening.Unlock()
	if a.client == nil {
		b, err := a.roles.open(ctx, "agent", a.model)
		if err != nil {
			return nil, err
		}
		a.client = b.client
	}
	return a.client, nil
}

// ask asks the model in the place of a turn, each time with a seed of its own. A
// prompt that does not fit, though a rollout went on from it, has no entropy.
func (a *asker) ask(ctx context.Context, client llm.Client, key store.EntropyKey, c chosenTurn) (store.Entropy, error) {
	out, stubs := store.Entropy{EntropyKey: key, Resampled: a.times}, 0
	var actions []string
	for i := 0; i < a.times; {
		resp, err := client.Complete(ctx, a.request(key, c, stubs, i))
		if errors.Is(err, llm.ErrContextLength) {
			more := transcript.More(stubs, transcript.Observations(c.messages))
			if more <= stubs {
				out.Reason = "the prompt does not fit"
				return out, nil
			}
			stubs = more
			continue
		}
		if err != nil && !errors.Is(err, llm.ErrMalformed) {
			return out, err
		}
		if action, ok := a.action(resp, c.final); err == nil && ok {
			actions = append(actions, action)
		} else {
			out.Unreadable++
		}
		i++
	}
	if h, ok := utility.ActionEntropy(actions); ok {
		out.Entropy = &h
	}
	out.Actions = drawn(actions)
	return out, nil
}

// request returns what is asked for the i-th time, without the first stubs results.
func (a *asker) request(key store.EntropyKey, c chosenTurn, stubs, i int) *llm.Request {
	req := a.options.Request(transcript.Wire(c.messages, stubs), a.tools.Specs(), c.final)
	drawn := seed.Derive(a.seed, "resample", key.QuestionID, key.Round, key.Rollout, key.Turn, i)
	req.Seed, req.Affinity = &drawn, key.QuestionID
	return req
}

// action returns what a response does, as [symbol] has it; none does nothing.
func (a *asker) action(resp *llm.Response, final bool) (string, bool) {
	if resp == nil {
		return "", false
	}
	form := reply.Native
	if a.options.Dialect == agent.Tags {
		form = reply.Tags
	}
	return symbol(a.tools, reply.Parse(resp, form), final)
}

// drawn counts actions, the most frequent first.
func drawn(actions []string) []store.Drawn {
	var out []store.Drawn
	for _, action := range actions {
		i := slices.IndexFunc(out, func(d store.Drawn) bool { return d.Action == action })
		if i < 0 {
			i = len(out)
			out = append(out, store.Drawn{Action: action})
		}
		out[i].Count++
	}
	slices.SortStableFunc(out, func(a, b store.Drawn) int { return b.Count - a.Count })
	return out
}
