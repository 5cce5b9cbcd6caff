package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"

	"golang.org/x/sync/errgroup"

	"trawl/agent/llm"
	"trawl/eval"
	"trawl/eval/judge"
	"trawl/trajectory/store"
)

// ask has a model rule on the answers that it has not ruled on before.
func (b *judging) ask(ctx context.Context, answers []eval.Answered) (_ *ruled, err error) {
	roles := newRoles(b.env, b.settings.Rollout.Concurrency)
	defer func() { err = errors.Join(err, roles.close()) }()
	model := b.settings.Models.In(b.settings.Models.Judge)
	backend, err := roles.open(ctx, "judge", model)
	if err != nil {
		return nil, err
	}
	j, err := judge.New(backend.client, judge.Options{Style: judge.Style(b.name), Sampling: sampling(model), Seed: b.settings.Seed})
	if err != nil {
		return nil, err
	}
	h := &hearing{
		judging: b, judge: j, id: store.Hash(backend.model + "\n" + j.Identity()), kept: map[string]*store.Verdicts{},
		ruled: &ruled{Jury: eval.Jury{Name: b.name + " by " + backend.model, Rulings: map[eval.Answered]bool{}}, simulated: backend.simulated, asked: len(answers)},
	}
	if err := h.open(); err != nil {
		return nil, errors.Join(err, h.close())
	}
	err = h.hear(ctx, answers)
	if err = errors.Join(err, h.close()); err != nil {
		return nil, h.interrupted(ctx, err)
	}
	h.tell()
	return h.ruled, nil
}

// A hearing is a model ruling on answers.
type hearing struct {
	*judging
	judge *judge.Judge
	id    string                     // of judge and model
	kept  map[string]*store.Verdicts // by folder; none where they may not be written
	where map[string]string          // folder by id of the question

	mu       sync.Mutex
	ruled    *ruled
	fresh    int // answers ruled on, or tried, now
	unscored int
	calls    int
	usage    llm.Usage
}

// open opens the verdicts of the folders.
func (h *hearing) open() error {
	h.where = map[string]string{}
	for _, run := range h.runs {
		for _, ex := range run.examples {
			h.where[ex.ID] = run.dir
		}
		kept, err := store.OpenVerdicts(run.dir)
		if errors.Is(err, fs.ErrPermission) {
			fmt.Fprintf(h.env.stderr, "trawl: %v: the verdicts count and are not kept\n", err)
			continue
		}
		if err != nil {
			return err
		}
		h.kept[run.dir] = kept
		tellCounts(h.env, filepath.Join(run.dir, "verdicts.jsonl"), kept.Counts())
	}
	return nil
}

func (h *hearing) close() error {
	var errs []error
	for _, kept := range h.kept {
		errs = append(errs, kept.Close())
	}
	return errors.Join(errs...)
}

// hear rules on all answers, those that are not known in parallel.
func (h *hearing) hear(ctx context.Context, answers []eval.Answered) error {
	var open []eval.Answered
	for _, a := range answers {
		if v, ok := h.known(a); ok {
			h.ruled.Rulings[a] = v.Correct
		} else {
			open = append(open, a)
		}
	}
	bar := newProgress(h.env, "answers judged", len(answers)-len(open), len(answers))
	defer bar.close()
	group, going := errgroup.WithContext(ctx)
	group.SetLimit(h.settings.Rollout.Concurrency)
	for _, a := range open {
		if going.Err() != nil {
			break
		}
		group.Go(func() error {
			err := h.one(going, a)
			if err == nil {
				bar.add()
			}
			return err
		})
	}
	return errors.Join(group.Wait(), ctx.Err())
}

// known returns the verdict that was given on an answer before, by the same golds.
// One that says that there is none is asked for again.
func (h *hearing) known(a eval.Answered) (store.Verdict, bool) {
	kept := h.kept[h.where[a.QuestionID]]
	if kept == nil {
		return store.Verdict{}, false
	}
	v, ok := kept.Find(h.id, a.QuestionID, a.Answer)
	return v, ok && !v.Unscored && v.Golds == askedOf(h.examples[a.QuestionID])
}

// one asks for a ruling and keeps it before it counts.
func (h *hearing) one(ctx context.Context, a eval.Answered) error {
	ex := h.examples[a.QuestionID]
	r, err := h.judge.Judge(ctx, ex.Text, ex.Golds, a.Answer)
	if err != nil {
		return err
	}
	if kept := h.kept[h.where[a.QuestionID]]; kept != nil {
		_, err := kept.Add(store.Verdict{
			QuestionID: a.QuestionID, Answer: a.Answer, Correct: r.Verdict == judge.Correct, Judge: h.ruled.Name, Model: h.id, Golds: askedOf(ex),
			Unscored: r.Verdict == judge.Unscored, Reason: r.Reason, Confidence: r.Confidence, Extracted: r.Extracted,
		})
		if err != nil {
			return err
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fresh++
	h.calls += r.Calls
	h.usage.Prompt += r.Usage.Prompt
	h.usage.Completion += r.Usage.Completion
	if r.Verdict == judge.Unscored {
		h.unscored++
		h.ruled.unscored = min(r.Reason, cmp.Or(h.ruled.unscored, r.Reason)) // one that no order decides
		return nil
	}
	h.ruled.Rulings[a] = r.Verdict == judge.Correct
	return nil
}

// interrupted says what is kept when the judge cannot go on.
func (h *hearing) interrupted(ctx context.Context, err error) error {
	done := fmt.Sprintf("%d of %d answers are judged and kept; the same command goes on", len(h.ruled.Rulings), h.ruled.asked)
	if ctx.Err() != nil {
		return errors.New(done)
	}
	return fmt.Errorf("--judge: %w\n  %s", err, done)
}

// tell says what judging cost.
func (h *hearing) tell() {
	if h.env.isQuiet() {
		return
	}
	fmt.Fprintf(h.env.stderr, "trawl: %s: %d answers judged, %d judged before, %d of them unscored; %d calls, %d + %d tokens\n",
		h.ruled.Name, h.fresh, h.ruled.asked-h.fresh, h.unscored, h.calls, h.usage.Prompt, h.usage.Completion)
}
