package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"trawl/agent"
	"trawl/corpus/dataset"
	"trawl/rollout"
	"trawl/trajectory/store"
)

// A trialBench is what the arms of an experiment are run over, opened once: the
// questions, indexes and models.
type trialBench struct {
	set     *dataset.Set
	indexes map[string]*openedIndex // by folder or address; most experiments have one
	roles   *roles
}

// run does the rollouts of all arms that are not done yet. What can be wrong with an
// arm is looked for before the first rollout of any.
func (t *trial) run(ctx context.Context) (err error) {
	set, err := dataset.Open(t.options.dataset)
	if err != nil {
		return err
	}
	if set.LeftOut > 0 {
		t.step("%s: %d records are no questions of their own and are left out", set.Path, set.LeftOut)
	}
	if !slices.ContainsFunc(limited(set.Examples, t.options.limit), func(ex dataset.Example) bool { return len(ex.Golds) > 0 }) {
		return fmt.Errorf("%s: no question has a gold answer, so nothing would say which arm is better: nothing was run\n  trawl run makes the rollouts of an arm all the same, and trawl report shows what can be said of them", set.Path)
	}
	most := 0
	for _, a := range t.arms {
		most = max(most, a.settings.Rollout.Concurrency)
	}
	b := &trialBench{set: set, indexes: map[string]*openedIndex{}, roles: newRoles(t.env, most)}
	defer func() { err = errors.Join(err, b.close()) }()
	pipelines := make([]*pipeline, len(t.arms))
	for i, a := range t.arms {
		if err := b.openIndex(ctx, t.env, a.settings.Retrieval.Index); err != nil {
			return fmt.Errorf("arm %s: %w", a.name, err)
		}
		if a.finished, err = t.isDone(b, a); err != nil {
			return fmt.Errorf("arm %s: %w", a.name, err)
		}
		if a.finished {
			continue
		}
		if pipelines[i], err = t.open(ctx, b, a, pipelines[:i]); err != nil {
			return fmt.Errorf("arm %s: %w", a.name, err)
		}
		if err := t.fits(b, a, pipelines[i]); err != nil {
			return fmt.Errorf("arm %s: %w", a.name, err)
		}
	}
	if err := t.mark(); err != nil {
		return err
	}
	for i, a := range t.arms {
		if a.finished {
			t.step("arm %d of %d: %s is done", i+1, len(t.arms), a.name)
			continue
		}
		t.step("arm %d of %d: %s", i+1, len(t.arms), a.name)
		if err := t.runArm(ctx, b, a, pipelines[i]); err != nil {
			return fmt.Errorf("arm %s: %w", a.name, err)
		}
	}
	return nil
}

// openIndex opens an index, once.
func (b *trialBench) openIndex(ctx context.Context, e env, where string) error {
	if _, ok := b.indexes[where]; ok {
		return nil
	}
	x, err := openIndex(ctx, e, where)
	if err != nil {
		return err
	}
	x.tellDoubt(e)
	b.indexes[where] = x
	return nil
}

// open wires the pipeline of an arm over what is open already.
func (t *trial) open(ctx context.Context, b *trialBench, a *arm, before []*pipeline) (*pipeline, error) {
	known, err := knownDialect(a.dir)
	if err != nil {
		return nil, err
	}
	x := b.indexes[a.settings.Retrieval.Index]
	p := &pipeline{settings: a.settings, index: x, roles: b.roles}
	if err := p.openModels(ctx); err != nil {
		return nil, err
	}
	if p.dialect, err = p.settleDialect(ctx, t.env, dialectLike(p, before, known)); err != nil {
		return nil, err
	}
	return p, p.build(p.index)
}

// dialectLike returns a dialect that need not be asked for: known, that of the arm's
// folder, or that of an arm before with the same model.
func dialectLike(p *pipeline, before []*pipeline, known agent.Dialect) agent.Dialect {
	for _, other := range before {
		if known == "" && other != nil && other.backend == p.backend && other.settings.Agent.Dialect == "auto" {
			known = other.dialect
		}
	}
	return known
}

// job is the run of an arm.
func (t *trial) job(b *trialBench, a *arm) runJob {
	return runJob{
		settings: a.settings, questions: questionsOf(b.set.Examples), out: a.dir, limit: t.options.limit,
		shard: rollout.Shard{I: 1, N: 1}, dataset: datasetOf(b.set),
	}
}

// fits makes sure that the folder of an arm is free or holds its run.
func (t *trial) fits(b *trialBench, a *arm, p *pipeline) error {
	old, err := store.ReadManifest(a.dir)
	if errors.Is(err, store.ErrNoRun) {
		return nil
	}
	if err != nil {
		return err
	}
	job := t.job(b, a)
	now, err := p.manifest(job)
	if err != nil {
		return err
	}
	if err := sameShard(job); err != nil {
		return err
	}
	diff, err := store.Differences(old, now)
	if err == nil && len(diff) > 0 {
		err = fmt.Errorf("%s holds another run: %s\n  nothing was changed; name another folder with --out, or go on with the settings of that run", a.dir, strings.Join(diff, "; "))
	}
	return err
}

// runArm does what of an arm is not done.
func (t *trial) runArm(ctx context.Context, b *trialBench, a *arm, p *pipeline) error {
	sum, err := execute(ctx, t.env, p, t.job(b, a))
	a.ran = a.ran || sum.Planned > 0
	a.finished = err == nil && sum.Failed == 0
	t.failed += sum.Failed
	if err != nil {
		return err
	}
	if sum.Done > 0 && sum.Unanswered == sum.Done {
		t.errs = append(t.errs, fmt.Errorf("arm %s: none of the %d rollouts has an answer: does the model keep to the format? trawl doctor looks", a.name, sum.Done))
	}
	return nil
}

// close lets go of indexes and models.
func (b *trialBench) close() error {
	errs := []error{b.roles.close()}
	for _, x := range b.indexes {
		errs = append(errs, x.Close())
	}
	return errors.Join(errs...)
}
