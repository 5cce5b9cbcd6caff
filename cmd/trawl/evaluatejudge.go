package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"

	"trawl/agent/llm"
	"trawl/eval/utility"
	"trawl/internal/config"
	"trawl/trajectory/store"
)

// A claimJudge is the model that lists and judges claims, with what it said before.
type claimJudge struct {
	env       env
	options   evaluateOptions
	asked     utility.Asked
	name      string                          // of the model, for people
	ids       map[store.EntailmentKind]string // hashes of all that decides what it says of a kind
	simulated bool
	runs      *evaluated
	kept      map[string]*store.Entailments // by folder; none where they may not be written
	metered   *metered

	mu                      sync.Mutex
	before, fresh, unscored int
}

// openClaimJudge opens the model of models.judge and what it said before.
func openClaimJudge(ctx context.Context, r *roles, s *config.Settings, o evaluateOptions, runs *evaluated) (*claimJudge, error) {
	model := s.Models.In(s.Models.Judge)
	b, err := r.open(ctx, "judge", model)
	if err != nil {
		return nil, fmt.Errorf("entailment: %w", err)
	}
	j := &claimJudge{
		env: r.env, options: o, name: b.model, simulated: b.simulated, runs: runs, kept: map[string]*store.Entailments{},
		metered: &metered{client: b.client}, ids: map[store.EntailmentKind]string{},
	}
	j.asked = utility.Asked{Client: j.metered, Sampling: sampling(model), Seed: s.Seed, Words: o.weights.Words}
	for _, kind := range []store.EntailmentKind{store.Entails, store.Claims, store.Keypoint} { // named as the prompts are
		j.ids[kind] = store.Hash(b.model + "\n" + j.asked.Identity(string(kind)))
	}
	for _, f := range runs.folders {
		kept, err := store.OpenEntailments(f.dir)
		if errors.Is(err, fs.ErrPermission) {
			fmt.Fprintf(r.env.stderr, "trawl: %v: what the judge says counts and is not kept\n", err)
			continue
		}
		if err != nil {
			return nil, errors.Join(err, j.close())
		}
		j.kept[f.dir] = kept
		tellCounts(r.env, filepath.Join(f.dir, "entailments.jsonl"), kept.Counts())
	}
	return j, nil
}

func (j *claimJudge) close() error {
	var errs []error
	for _, kept := range j.kept {
		errs = append(errs, kept.Close())
	}
	return errors.Join(errs...)
}

// of returns who judges the rollouts of a question.
func (j *claimJudge) of(questionID string) utility.Judges {
	k := keptJudge{j, questionID, j.kept[j.runs.at[questionID].dir]}
	var out utility.Judges
	if j.options.entailment == endpointEntailment {
		out.Entailer, out.Checker = k, k
	}
	if j.options.claims == endpointClaims {
		out.Extractor = k
	}
	return out
}

// tell says what judging cost.
func (j *claimJudge) tell() {
	if j.env.isQuiet() {
		return
	}
	fmt.Fprintf(j.env.stderr, "trawl: %s: %d claims and facts judged or listed, %d before, %d unscored; %d calls, %d + %d tokens\n",
		j.name, j.fresh, j.before, j.unscored, j.metered.calls, j.metered.usage.Prompt, j.metered.usage.Completion)
}

// interrupted says what is kept when the judge cannot go on.
func (j *claimJudge) interrupted(ctx context.Context, err error) error {
	done := fmt.Sprintf("what the judge said %d times is kept; the same command goes on", j.before+j.fresh)
	if len(j.kept) == 0 {
		return err
	}
	if ctx.Err() != nil {
		return errors.New(done)
	}
	return fmt.Errorf("%w\n  %s", err, done)
}

// A keptJudge is the judge of the rollouts of one question: what it says is on disk
// before it counts, and what it said is not asked for again.
type keptJudge struct {
	*claimJudge
	questionID string
	kept       *store.Entailments // nil: not kept
}

var (
	_ utility.Entailer  = keptJudge{}
	_ utility.Extractor = keptJudge{}
	_ utility.Checker   = keptJudge{}
)

// Entails implements [utility.Entailer].
func (k keptJudge) Entails(ctx context.Context, claim string, evidence []string) (float64, error) {
	v, err := k.say(store.Entailment{Kind: store.Entails, Text: claim, Shown: store.Hash(evidence)}, func(v *store.Entailment) error {
		p, err := k.asked.Entails(ctx, claim, evidence)
		v.P = &p
		return err
	})
	if err != nil {
		return 0, err
	}
	return *v.P, nil
}

// Extract implements [utility.Extractor].
func (k keptJudge) Extract(ctx context.Context, explanation string) ([]string, error) {
	v, err := k.say(store.Entailment{Kind: store.Claims, Shown: store.Hash(explanation)}, func(v *store.Entailment) error {
		claims, err := k.asked.Extract(ctx, explanation)
		v.Claims = append([]string{}, claims...) // an empty list is one
		return err
	})
	return v.Claims, err
}

// Check implements [utility.Checker].
func (k keptJudge) Check(ctx context.Context, p utility.Point) (utility.Stance, error) {
	v, err := k.say(store.Entailment{Kind: store.Keypoint, Text: p.Fact, Shown: store.Hash([]string{p.Question, p.Response})}, func(v *store.Entailment) error {
		s, err := k.asked.Check(ctx, p)
		v.Stance = string(s)
		return err
	})
	return utility.Stance(v.Stance), err
}

// say returns what was said of v before, or else what ask puts into it.
func (k keptJudge) say(v store.Entailment, ask func(v *store.Entailment) error) (store.Entailment, error) {
	v.QuestionID, v.Judge, v.Model = k.questionID, k.name, k.ids[v.Kind]
	if k.kept != nil {
		if said, ok := k.kept.Find(v); ok {
			k.count(&k.before)
			return said, nil
		}
	}
	err := ask(&v)
	switch {
	case errors.Is(err, utility.ErrNoVerdict):
		k.count(&k.unscored)
		return store.Entailment{}, err
	case err != nil:
		return store.Entailment{}, err
	case k.kept != nil:
		if err := k.kept.Add(v); err != nil {
			return store.Entailment{}, err
		}
	}
	k.count(&k.fresh)
	return v, nil
}

func (j *claimJudge) count(n *int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	*n++
}

// A metered client counts what its calls cost.
type metered struct {
	client llm.Client

	mu    sync.Mutex
	calls int
	usage llm.Usage
}

// Complete implements [llm.Client].
func (m *metered) Complete(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	resp, err := m.client.Complete(ctx, req)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	if err == nil {
		m.usage.Prompt += resp.Usage.Prompt
		m.usage.Completion += resp.Usage.Completion
	}
	return resp, err
}
