package main

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"trawl/agent"
	"trawl/agent/llm"
	"trawl/agent/tool"
	"trawl/internal/config"
	"trawl/recursion"
	"trawl/rollout/divinit"
	"trawl/search"
)

// A pipeline is everything that rollouts need, wired as the settings say.
type pipeline struct {
	settings   *config.Settings
	index      *openedIndex
	roles      *roles
	backend    *backend // the agent's
	compressor *backend // nil if there is one round
	dialect    agent.Dialect
	agent      *agent.Agent
	tools      tool.Set
	seeder     recursion.Seeder // nil: every rollout chooses its own first query
	hints      *hints           // nil: no rollout is told anything of an oracle
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
	if p.index, err = openIndex(ctx, e, s.Retrieval.Index); err != nil {
		return err
	}
	p.index.tellDoubt(e)
	p.roles = newRoles(e, s.Rollout.Concurrency)
	if err := p.openModels(ctx); err != nil {
		return err
	}
	if p.dialect, err = p.settleDialect(ctx, e, known); err != nil {
		return err
	}
	return p.build(p.index)
}

// openModels opens the agent's model and, if there are several rounds, that of
// the compressor.
func (p *pipeline) openModels(ctx context.Context) (err error) {
	m := p.settings.Models
	if p.backend, err = p.roles.open(ctx, "agent", m.Agent); err != nil || p.settings.Recursion.Rounds == 1 {
		return err
	}
	p.compressor, err = p.roles.open(ctx, "compressor", m.In(m.Compressor))
	return err
}

// simulated reports whether a model of the pipeline is the simulated one.
func (p *pipeline) simulated() bool {
	return p.backend.simulated || p.compressor != nil && p.compressor.simulated
}

// close lets go of what the pipeline holds.
func (p *pipeline) close() error {
	var errs []error
	if p.roles != nil {
		errs = append(errs, p.roles.close())
	}
	if p.index != nil {
		errs = append(errs, p.index.Close())
	}
	return errors.Join(errs...)
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
		Logprobs:         s.Models.Agent.Logprobs,
		Tokens:           s.Rollout.Budget.Tokens,
		Time:             time.Duration(s.Rollout.Budget.Seconds) * time.Second,
	}
	if s.Rollout.FirstQuery == "divinit" && s.Agent.Turns > 1 { // one turn is the answer: nothing is searched
		p.seeder = seeder
		opts.Proposer, opts.ProposeTurns = seeder, s.Rollout.DivInit.Turns
	}
	engine = search.Cached(search.Shared(engine), int64(s.Retrieval.CacheMB)<<20)
	p.tools = tool.NewSet(tool.NewSearch(engine, s.Retrieval.Top))
	p.agent = agent.New(p.backend.client, p.tools, opts)
	return nil
}

// loop returns the rounds of the settings around the agent, with their states
// in st. One round is the agent and the seeder, as they are.
func (p *pipeline) loop(st recursion.Store) (*recursion.Loop, error) {
	r := p.settings.Recursion
	o := recursion.Options{
		Rounds: r.Rounds, Count: p.settings.Rollout.Count,
		Mode: recursion.Mode(r.Mode), Variant: recursion.Variant(r.Variant), Plain: r.Continue == "plain", EarlyStop: r.EarlyStop,
		Tokens: r.Budget.Tokens, Time: time.Duration(r.Budget.Seconds) * time.Second,
		Sampling: sampling(p.settings.Models.In(p.settings.Models.Compressor)),
	}
	if p.dialect == agent.Native {
		o.Tools = p.tools.Specs()
	}
	client := p.backend.client
	if p.compressor != nil {
		client = p.compressor.client
	}
	return recursion.New(p.hints.around(p.agent), p.seeder, client, st, o)
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
// else there is, endpoints, concurrency, limits, logprobs, may differ when it is
// resumed.
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

	Recursion *fixedRecursion `json:"recursion,omitempty"`
	Scaffold  *fixedHints     `json:"scaffold,omitempty"`
}

// A fixedRecursion is what is fixed of a run with several rounds. Their number
// may grow when the run goes on, as the limit of questions may.
type fixedRecursion struct {
	Mode        string         `json:"mode"`
	Variant     string         `json:"variant"`
	Continue    string         `json:"continue"`
	EarlyStop   bool           `json:"early-stop"`
	Budget      config.Budget  `json:"budget"`
	Model       string         `json:"compressor.name"`
	Temperature *float64       `json:"compressor.temperature"`
	TopP        *float64       `json:"compressor.top-p"`
	MaxTokens   int            `json:"compressor.max-tokens"`
	Extra       map[string]any `json:"compressor.extra,omitempty"`
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
		Scaffold: p.hints.identity(),
	}
	if s.Rollout.FirstQuery == "divinit" {
		f.DivInit = &s.Rollout.DivInit
	}
	if r := s.Recursion; r.Rounds > 1 {
		models := s.Redacted().Models
		c := models.In(models.Compressor)
		f.Recursion = &fixedRecursion{
			Mode: r.Mode, Variant: r.Variant, Continue: r.Continue, EarlyStop: r.EarlyStop, Budget: r.Budget,
			Model: p.compressor.model, Temperature: c.Temperature, TopP: c.TopP, MaxTokens: c.MaxTokens, Extra: c.Extra,
		}
	}
	return json.Marshal(f)
}
