package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"trawl/agent"
	"trawl/agent/llm"
	"trawl/agent/tool"
	"trawl/internal/config"
	"trawl/rollout"
	"trawl/rollout/divinit"
	"trawl/search"
	"trawl/search/live"
)

// A pipeline is everything that rollouts need, wired as the settings say.
type pipeline struct {
	settings *config.Settings
	index    *live.Index
	stats    live.Stats
	backend  *backend
	dialect  agent.Dialect
	agent    *agent.Agent
	seeder   rollout.Seeder // nil: every rollout chooses its own first query
}

// openPipeline opens the index, finds the model and builds the agent. The
// dialect is that of the settings or, if they say auto, known if it is not
// empty, or else what a probe of the server tells.
func openPipeline(ctx context.Context, e env, s *config.Settings, known agent.Dialect) (*pipeline, error) {
	p := &pipeline{settings: s}
	if err := p.open(ctx, e, known); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

func (p *pipeline) open(ctx context.Context, e env, known agent.Dialect) (err error) {
	s := p.settings
	if p.index, p.stats, err = openIndex(s.Retrieval.Index); err != nil {
		return err
	}
	if p.backend, err = openBackend(ctx, e, s.Models.Agent, s.Rollout.Concurrency); err != nil {
		if errors.Is(err, llm.ErrUnreachable) && !errors.Is(err, llm.ErrServer) {
			err = fmt.Errorf("%w\n  is a server running there? trawl doctor tells more", err)
		}
		return err
	}
	if p.dialect, err = p.settleDialect(ctx, e, known); err != nil {
		return err
	}
	return p.build(p.index)
}

// close lets go of what the pipeline holds.
func (p *pipeline) close() error {
	var errs []error
	if p.backend != nil {
		errs = append(errs, p.backend.close())
	}
	if p.index != nil {
		errs = append(errs, p.index.Close())
	}
	return errors.Join(errs...)
}

// errNoIndex says that a command needs an index and was given none.
var errNoIndex = errors.New("no index: name one with --index DIR; trawl index corpus.jsonl --out DIR makes it")

// openIndex opens an index folder for searching.
func openIndex(dir string) (*live.Index, live.Stats, error) {
	if dir == "" {
		return nil, live.Stats{}, errNoIndex
	}
	x, err := live.Open(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, live.ErrForeign) {
		err = fmt.Errorf("%w\n  trawl index corpus.jsonl --out DIR makes an index", err)
	}
	if err != nil {
		return nil, live.Stats{}, err
	}
	stats, err := x.Stats()
	if err != nil {
		return nil, live.Stats{}, errors.Join(err, x.Close())
	}
	return x, stats, nil
}

// build makes the agent and the seeder, over an engine.
func (p *pipeline) build(engine search.Engine) error {
	s := p.settings
	seeder, err := divinit.New(p.backend.client, divinit.Options{
		Pool:     s.Rollout.DivInit.Pool,
		Lambda:   s.Rollout.DivInit.Lambda,
		Pick:     divinit.Pick(s.Rollout.DivInit.Pick),
		Sampling: p.poolSampling(),
	})
	if err != nil {
		return err
	}
	opts := agent.Options{
		Dialect:          p.dialect,
		Turns:            s.Agent.Turns,
		FinalTokens:      s.Agent.FinalTokens,
		ObservationChars: s.Retrieval.ObservationChars,
		Sampling:         sampling(s.Models.Agent),
		Tokens:           s.Rollout.Budget.Tokens,
		Time:             time.Duration(s.Rollout.Budget.Seconds) * time.Second,
	}
	if s.Rollout.FirstQuery == "divinit" && s.Agent.Turns > 1 { // one turn is the answer: nothing is searched
		p.seeder = seeder
		opts.Proposer, opts.ProposeTurns = seeder, s.Rollout.DivInit.Turns
	}
	engine = search.Cached(search.Shared(engine), int64(s.Retrieval.CacheMB)<<20)
	p.agent = agent.New(p.backend.client, tool.NewSet(tool.NewSearch(engine, s.Retrieval.Top)), opts)
	return nil
}

// sampling returns how the model of a role chooses its tokens.
func sampling(m config.Model) llm.Sampling {
	return llm.Sampling{Temperature: m.Temperature, TopP: m.TopP, MaxTokens: m.MaxTokens, Extra: m.Extra}
}

// poolSampling is the agent's sampling at the temperature of the pool. Its
// length is the paper's, 2,048 tokens, whatever a turn may have.
func (p *pipeline) poolSampling() llm.Sampling {
	out := sampling(p.settings.Models.Agent)
	out.Temperature, out.MaxTokens = &p.settings.Rollout.DivInit.Temperature, 0
	return out
}

// A fixed is the settings that can change a result: the run's identity. What
// else there is, endpoints, concurrency, limits, may differ when it is resumed.
type fixed struct {
	Model       string         `json:"models.agent.name"`
	Temperature *float64       `json:"models.agent.temperature"`
	TopP        *float64       `json:"models.agent.top-p"`
	MaxTokens   int            `json:"models.agent.max-tokens"`
	Extra       map[string]any `json:"models.agent.extra,omitempty"`

	Top              int `json:"retrieval.top"`
	ObservationChars int `json:"retrieval.observation-chars"`

	Dialect     agent.Dialect `json:"agent.dialect"`
	Turns       int           `json:"agent.turns"`
	FinalTokens int           `json:"agent.final-tokens"`

	Count      int             `json:"rollout.count"`
	FirstQuery string          `json:"rollout.first-query"`
	DivInit    *config.DivInit `json:"rollout.divinit,omitempty"`
	Budget     config.Budget   `json:"rollout.budget"`
}

// fixed returns the identity of the run that the pipeline would make.
func (p *pipeline) fixed() (json.RawMessage, error) {
	s := p.settings
	m := s.Redacted().Models.Agent
	f := fixed{
		Model: p.backend.model, Temperature: m.Temperature, TopP: m.TopP, MaxTokens: m.MaxTokens, Extra: m.Extra,
		Top: s.Retrieval.Top, ObservationChars: s.Retrieval.ObservationChars,
		Dialect: p.dialect, Turns: s.Agent.Turns, FinalTokens: s.Agent.FinalTokens,
		Count: s.Rollout.Count, FirstQuery: s.Rollout.FirstQuery, Budget: s.Rollout.Budget,
	}
	if s.Rollout.FirstQuery == "divinit" {
		f.DivInit = &s.Rollout.DivInit
	}
	return json.Marshal(f)
}
