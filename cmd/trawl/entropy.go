package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"trawl/agent"
	"trawl/agent/llm"
	"trawl/agent/llm/reply"
	"trawl/agent/tool"
	"trawl/eval/utility"
	"trawl/internal/config"
	"trawl/internal/seed"
	"trawl/internal/transcript"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

// The places where entropies come from.
const (
	fromLogprobs = "logprobs"
	fromImport   = "imported"
)

// entropies says where the entropies of the steps of runs come from, and has them
// resampled if that is asked for.
func (o evaluateOptions) entropies(ctx context.Context, e env, s *config.Settings, runs *evaluated) (from string, err error) {
	if o.resample > 0 {
		runs.resampled, err = resample(ctx, e, s, runs, o.resample)
		return fmt.Sprintf("resampled %d", o.resample), err
	}
	first := runs.folders[0]
	dialect, err := dialectOf(first.dir, first.manifest)
	if dialect == "" {
		return fromImport, err
	}
	return fromLogprobs, err
}

// A turnKey names a turn of a rollout.
type turnKey struct {
	question             string
	round, rollout, turn int
}

// A resampler asks the model of a run again what to do in each turn, several times,
// and keeps in the run folder what it did. What is there already is not asked for.
type resampler struct {
	runs     *evaluated
	times    int
	seed     int64
	options  agent.Options
	tools    tool.Set
	model    config.Model
	identity string // of all that decides beside the prompt

	roles  *roles
	mu     sync.Mutex
	client llm.Client // nil until it is needed

	entropies  map[turnKey]*float64
	unreadable int
	done       int
	bar        *progress
}

// resample finds the entropies of the turns of runs by asking their model times
// times in the place of each.
func resample(ctx context.Context, e env, s *config.Settings, runs *evaluated, times int) (_ *resampler, err error) {
	r, err := newResampler(e, s, runs, times)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.roles.close()) }()
	r.bar = newProgress(e, "turns resampled", 0, 0)
	defer r.bar.close()
	for _, f := range runs.folders {
		if err := r.folder(ctx, e, f, s.Rollout.Concurrency); err != nil {
			return nil, fmt.Errorf("--resample: %w\n  what was resampled is kept in %s: the same command goes on from there", err, filepath.Join(f.dir, "entropies.jsonl"))
		}
	}
	return r, nil
}

// newResampler returns a resampler of the model that the run was made with, which
// is looked for where the run had it if the settings name no place.
func newResampler(e env, s *config.Settings, runs *evaluated, times int) (*resampler, error) {
	first := runs.folders[0]
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
	r := &resampler{
		runs: runs, times: times, seed: first.manifest.Seed, model: model,
		options:   agent.Options{Dialect: dialect, FinalTokens: first.settings.Agent.FinalTokens, Sampling: sampling(model)},
		tools:     tool.NewSet(tool.NewSearch(noDocuments{}, 1)),
		roles:     newRoles(e, s.Rollout.Concurrency),
		entropies: map[turnKey]*float64{},
	}
	r.identity = store.Hash(map[string]any{
		"model": name, "sampling": r.options.Sampling, "final-tokens": r.options.FinalTokens, "dialect": dialect,
		"tools": r.tools.Specs(), "times": times, "seed": r.seed,
	})
	return r, nil
}

// folder resamples the rollouts in one folder.
func (r *resampler) folder(ctx context.Context, e env, f *selected, atOnce int) (err error) {
	kept, err := store.OpenEntropies(f.dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	tellCounts(e, filepath.Join(f.dir, "entropies.jsonl"), kept.Counts())
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, atOnce))
	for _, ex := range f.examples {
		all, err := f.lines.Rollouts(ex.ID)
		if err != nil {
			return errors.Join(err, g.Wait())
		}
		for _, t := range all {
			if t.Error != "" || t.Round > r.runs.round || t.Rollout >= f.settings.Rollout.Count {
				continue
			}
			for _, c := range chosenTurns(t) {
				if ctx.Err() != nil {
					return g.Wait()
				}
				g.Go(func() error { return r.turn(ctx, kept, t, c) })
			}
		}
	}
	return g.Wait()
}

// turn finds the entropy of one turn.
func (r *resampler) turn(ctx context.Context, kept *store.Entropies, t *trajectory.Trajectory, c chosenTurn) error {
	key := store.EntropyKey{
		Model: r.identity, Prompt: store.Hash([]any{c.messages, c.final}),
		QuestionID: t.QuestionID, Round: t.Round, Rollout: t.Rollout, Turn: c.number,
	}
	found, ok := kept.Find(key)
	if !ok {
		client, err := r.open(ctx)
		if err != nil {
			return err
		}
		if found, err = r.ask(ctx, client, key, c); err != nil {
			return err
		}
		if err := kept.Add(found); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entropies[turnKey{t.QuestionID, t.Round, t.Rollout, c.number}] = found.Entropy
	r.unreadable += found.Unreadable
	r.done++
	r.bar.set(r.done, 0)
	return nil
}

// open returns the client of the model, opened once.
func (r *resampler) open(ctx context.Context) (llm.Client, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.client == nil {
		b, err := r.roles.open(ctx, "agent", r.model)
		if err != nil {
			return nil, err
		}
		r.client = b.client
	}
	return r.client, nil
}

// ask asks the model in the place of a turn, each time with a seed of its own. A
// prompt that does not fit, though a rollout went on from it, has no entropy.
func (r *resampler) ask(ctx context.Context, client llm.Client, key store.EntropyKey, c chosenTurn) (store.Entropy, error) {
	form, stubs := reply.Native, 0
	if r.options.Dialect == agent.Tags {
		form = reply.Tags
	}
	out := store.Entropy{EntropyKey: key, Resampled: r.times}
	var actions []string
	for i := 0; i < r.times; {
		req := r.options.Request(transcript.Wire(c.messages, stubs), r.tools.Specs(), c.final)
		drawn := seed.Derive(r.seed, "resample", key.QuestionID, key.Round, key.Rollout, key.Turn, i)
		req.Seed, req.Affinity = &drawn, key.QuestionID
		resp, err := client.Complete(ctx, req)
		switch {
		case errors.Is(err, llm.ErrContextLength):
			more := transcript.More(stubs, transcript.Observations(c.messages))
			if more <= stubs {
				out.Reason = "the prompt does not fit"
				return out, nil
			}
			stubs = more
			continue
		case errors.Is(err, llm.ErrMalformed):
			out.Unreadable++
		case err != nil:
			return out, err
		default:
			if action, ok := symbol(r.tools, reply.Parse(resp, form), c.final); ok {
				actions = append(actions, action)
			} else {
				out.Unreadable++
			}
		}
		i++
	}
	if h, ok := utility.ActionEntropy(actions); ok {
		out.Entropy = &h
	}
	out.Actions = drawn(actions)
	return out, nil
}

// drawn counts actions, the most frequent first.
func drawn(actions []string) []store.Drawn {
	var out []store.Drawn
	for _, a := range actions {
		i := slices.IndexFunc(out, func(d store.Drawn) bool { return d.Action == a })
		if i < 0 {
			i = len(out)
			out = append(out, store.Drawn{Action: a})
		}
		out[i].Count++
	}
	slices.SortStableFunc(out, func(a, b store.Drawn) int { return b.Count - a.Count })
	return out
}

// read returns what the rollouts of a question came to, with the entropies that were
// resampled in the place of any that they have.
func (r *resampler) read(id string) ([]*trajectory.Trajectory, error) {
	all, states, err := recordsOf(r.runs.at[id].lines, id)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		last := 0
		for i := range t.Steps {
			s := &t.Steps[i]
			s.Entropy = nil
			if s.Turn != last {
				s.Entropy = r.entropies[turnKey{id, t.Round, t.Rollout, s.Turn}]
			}
			last = s.Turn
		}
	}
	return trajectory.Whole(trajectory.Outcomes(all, states, r.runs.round), all), nil
}
