// Package divinit gives the parallel rollouts of a question first queries that
// differ: one model call proposes a pool of candidates, and those that lie
// furthest apart are taken, one for each rollout. Left alone, the rollouts of a
// question begin with nearly the same query and never separate. [Seeder] asks
// and chooses, [Select] is the choice alone.
//
// The method is DivInit, arXiv:2606.17209; where its code and its paper differ,
// this follows the paper, but for what stands under Departures.
//
// # Departures
//
// The paper has one round. Where there are more, [Known] tells what the rounds
// before found out: the model is asked to begin with what they left open, what
// was searched for is no candidate, and open leads come before the question where
// too few candidates can be read.
//
// [Seeder.Propose] is the extension to later turns, which the paper found to gain
// nothing. The paper speaks of a pool and its selection at each turn. This follows
// its code: a rollout has a pool of its own and takes the candidate whose nearest
// earlier query of this rollout is furthest. The other rollouts, λ and Pick have
// no part in the choice.
//
// The paper says nothing of ties: they go to the smallest indices. Candidates
// with the same set of tokens count once. Where too few candidates can be read,
// the paper's code pads the pool with "… variant i", words that a lexical index
// would search for; here the model is asked once more for the missing ones, then
// come open leads, spans of them and spans of the question, and a rollout that
// still has no query chooses its own, as every rollout does without DivInit.
//
// Everything here is safe for concurrent use.
package divinit

import (
	"context"
	"errors"
	"fmt"

	"trawl/agent/llm"
	"trawl/internal/seed"
	"trawl/internal/text"
	"trawl/trajectory"
)

// Options set the pool and the choice. The zero value is the paper's setting.
type Options struct {
	Pool     int          // candidates asked for; default 16, at least one for each rollout
	Lambda   float64      // weight of closeness to the question, 0 to 1; the paper's best is 0
	Pick     Pick         // default MaxMin
	Sampling llm.Sampling // of the pool request; default temperature 1.0, 2,048 tokens
}

const (
	defaultPool        = 16
	defaultTemperature = 1.0
	defaultMaxTokens   = 2048
)

// A Seeder chooses the first queries of the rollouts of a question.
type Seeder struct {
	client llm.Client
	opts   Options
}

// New returns a Seeder that asks client.
func New(client llm.Client, opts Options) (*Seeder, error) {
	switch {
	case opts.Pool < 0:
		return nil, fmt.Errorf("divinit: a pool of %d", opts.Pool)
	case !(opts.Lambda >= 0 && opts.Lambda <= 1):
		return nil, fmt.Errorf("divinit: lambda %v, want 0 to 1", opts.Lambda)
	case opts.Pick != "" && opts.Pick != MaxMin && opts.Pick != Random:
		return nil, fmt.Errorf("divinit: unknown pick %q", opts.Pick)
	}
	if opts.Pool == 0 {
		opts.Pool = defaultPool
	}
	if opts.Sampling.Temperature == nil {
		t := defaultTemperature
		opts.Sampling.Temperature = &t
	}
	if opts.Sampling.MaxTokens == 0 {
		opts.Sampling.MaxTokens = defaultMaxTokens
	}
	return &Seeder{client: client, opts: opts}, nil
}

// Known is what earlier rounds found out about a question. The zero value is the
// first round.
type Known struct {
	Facts     []string // settled
	Conflicts []string // what the rollouts found out against each other
	Open      []string // leads that nobody followed, the most promising first
	Tried     []string // searches that were made, in order: a candidate that says the same (equal token set) is dropped; the last 64 are shown
}

// Pool returns one first query for each of k rollouts of q. It makes one model
// call, and a second one only if the first leaves a rollout without a query. A
// reply that cannot be used is no error, as there is always a query to fall back
// on; a server that cannot be reached or refuses the request is, and so is the
// end of ctx. Round and Config of the pool are left to the caller.
func (s *Seeder) Pool(ctx context.Context, q trajectory.Question, k int, known Known, base int64) (trajectory.Pool, error) {
	pool := trajectory.Pool{QuestionID: q.ID}
	found := &candidates{tried: tokenSets(known.Tried)}
	n := max(s.opts.Pool, k)
	for attempt, source := range []trajectory.SeedSource{trajectory.SeedPool, trajectory.SeedRetry} {
		ask := request{ID: q.ID, Question: text.Collapse(q.Text), N: n - len(found.texts), Have: found.texts, Known: known.shown()}
		reply, err := s.ask(ctx, ask, seed.Derive(base, "pool", attempt))
		if err != nil {
			return pool, fmt.Errorf("divinit: %w", err)
		}
		pool.Calls++
		pool.Usage.Add(trajectory.CallUsage(reply.Usage))
		read := Parse(reply.Message.Content, ask.N)
		pool.Candidates = append(pool.Candidates, read...)
		found.add(source, read...)
		if len(found.texts) >= k {
			break
		}
	}
	pool.Queries = s.choose(q.Text, found, k, seed.Derive(base, "pick"))
	pool.Queries = fill(pool.Queries, k, found, fallbacks(q.Text, known.Open))
	return pool, nil
}

// choose returns the first queries of at most k rollouts from those found.
func (s *Seeder) choose(question string, found *candidates, k int, base int64) []trajectory.SeedQuery {
	params := Params{Lambda: s.opts.Lambda, Pick: s.opts.Pick, Seed: base}
	queries := make([]trajectory.SeedQuery, 0, k)
	for _, i := range Select(question, found.texts, k, params) {
		queries = append(queries, trajectory.SeedQuery{Text: found.texts[i], Source: found.sources[i]})
	}
	return queries
}

// fill gives the rest of k rollouts the fallbacks that say something new, in
// order, then none.
func fill(queries []trajectory.SeedQuery, k int, found *candidates, fallbacks []string) []trajectory.SeedQuery {
	have := len(found.texts)
	found.add(trajectory.SeedHeuristic, fallbacks...)
	for i := have; i < len(found.texts) && len(queries) < k; i++ {
		queries = append(queries, trajectory.SeedQuery{Text: found.texts[i], Source: trajectory.SeedHeuristic})
	}
	for len(queries) < k {
		queries = append(queries, trajectory.SeedQuery{Source: trajectory.SeedSelf})
	}
	return queries
}

// Propose chooses the query of a later turn of a rollout: the model proposes a
// pool from what the rollout has seen, and the candidate is taken whose nearest
// earlier query of the rollout is furthest. The query has source self and no
// text if the reply holds none that is new. The errors are those of Pool; the
// number is that of model calls.
func (s *Seeder) Propose(ctx context.Context, q trajectory.Question, steps []trajectory.Step, base int64) (trajectory.SeedQuery, trajectory.CallUsage, int, error) {
	self := trajectory.SeedQuery{Source: trajectory.SeedSelf}
	ask := request{ID: q.ID, Question: text.Collapse(q.Text), N: s.opts.Pool, History: history(steps)}
	turn := 1
	if len(steps) > 0 {
		turn = steps[len(steps)-1].Turn + 1
	}
	reply, err := s.ask(ctx, ask, seed.Derive(base, "propose", turn))
	if err != nil {
		return self, trajectory.CallUsage{}, 0, fmt.Errorf("divinit: turn %d: %w", turn, err)
	}
	usage := trajectory.CallUsage(reply.Usage)
	read := Parse(reply.Message.Content, ask.N)
	if i := furthest(read, ask.History); i >= 0 {
		return trajectory.SeedQuery{Text: read[i], Source: trajectory.SeedPool}, usage, 1, nil
	}
	return self, usage, 1, nil
}

// ask makes one request. A reply that cannot be read, or a prompt that does not
// fit the model, comes back as an empty reply.
func (s *Seeder) ask(ctx context.Context, r request, callSeed int64) (*llm.Response, error) {
	reply, err := s.client.Complete(ctx, &llm.Request{
		Sampling: s.opts.Sampling,
		Messages: []llm.Message{{Role: llm.User, Content: r.prompt()}},
		Seed:     &callSeed,
		Affinity: r.ID,
	})
	switch {
	case err == nil:
		return reply, nil
	case ctx.Err() == nil && (errors.Is(err, llm.ErrMalformed) || errors.Is(err, llm.ErrContextLength)):
		return &llm.Response{}, nil
	}
	return nil, err
}

// candidates are queries with different token sets, none of them tried before.
type candidates struct {
	texts   []string
	sources []trajectory.SeedSource
	tokens  []text.TokenSet
	tried   []text.TokenSet
}

// add takes those texts that say something new.
func (c *candidates) add(source trajectory.SeedSource, texts ...string) {
	for _, t := range texts {
		tokens := text.Tokens(t)
		if len(tokens) == 0 || nearest(tokens, c.tokens) == 0 || nearest(tokens, c.tried) == 0 {
			continue
		}
		c.texts = append(c.texts, t)
		c.sources = append(c.sources, source)
		c.tokens = append(c.tokens, tokens)
	}
}
