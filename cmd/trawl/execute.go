package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"trawl/agent"
	"trawl/internal/config"
	"trawl/recursion"
	"trawl/rollout"
	"trawl/rollout/divinit"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

// A runJob is rollouts to be done into a run folder.
type runJob struct {
	settings  *config.Settings
	questions []trajectory.Question
	dataset   store.Dataset
	out       string
	limit     int // of questions; 0 for all
	shard     rollout.Shard
}

// runSettings is what a manifest keeps of the settings: all of them, without
// secrets, and which part of the questions the run is to answer.
type runSettings struct {
	*config.Settings
	Limit     int           `json:"limit"`
	Shard     rollout.Shard `json:"shard"`
	Simulated bool          `json:"simulated"` // the model is the simulated one
}

// execute does what of the job is not done yet, over the pipeline p.
func execute(ctx context.Context, e env, p *pipeline, j runJob) (sum rollout.Summary, err error) {
	m, err := p.manifest(j)
	if err != nil {
		return sum, err
	}
	if err := sameShard(j); err != nil {
		return sum, err
	}
	st, err := store.Open(j.out, m)
	if err != nil {
		return sum, fmt.Errorf("%w%s%s", err, oneRound(j, err), wayOut(err))
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	tellFound(e, j, st.Found())

	loop, err := p.loop(st)
	if err != nil {
		return sum, err
	}
	plan := rollout.Plan{
		Questions: limited(j.questions, j.limit), Count: j.settings.Rollout.Count, Rounds: j.settings.Recursion.Rounds,
		Concurrency: j.settings.Rollout.Concurrency, Seed: j.settings.Seed, Config: m.Config, Shard: j.shard,
	}
	var bar *progress
	sum, err = rollout.Run(ctx, plan, rollout.Deps{Runner: loop, Store: st, Seeder: loop, Sequel: loop, Progress: func(now rollout.Progress) {
		if bar == nil {
			bar = newProgress(e, "rollouts", now.Done, now.Total)
		}
		bar.expect(now.Total)
		bar.set(now.Done, now.Failed)
		bar.fail(now.Err)
	}})
	if bar != nil {
		bar.close()
	}
	return sum, err
}

// limited returns the first n of list, or all of it if n is 0.
func limited[T any](list []T, n int) []T {
	if n == 0 {
		return list
	}
	return list[:min(n, len(list))]
}

// sameShard makes sure that a run folder holds one shard: its manifest says
// which questions it is to answer.
func sameShard(j runJob) error {
	old, err := store.ReadManifest(j.out)
	if errors.Is(err, store.ErrNoRun) {
		return nil
	}
	if err != nil {
		return err
	}
	s, err := settingsOf(old)
	if err == nil && s.Shard != j.shard {
		err = fmt.Errorf("%s holds part %d/%d of the questions, not %d/%d: give each part a folder of its own with --out", j.out, s.Shard.I, s.Shard.N, j.shard.I, j.shard.N)
	}
	return err
}

// settingsOf returns the settings that a manifest keeps.
func settingsOf(m store.Manifest) (runSettings, error) {
	s := runSettings{Settings: config.Default()}
	if err := json.Unmarshal(m.Settings, &s); err != nil {
		return s, fmt.Errorf("the settings in the manifest: %w", err)
	}
	return s, nil
}

// oneRound says why rounds cannot be added to a run that began with one, or taken
// from one that began with several.
func oneRound(j runJob, refused error) string {
	m, err := store.ReadManifest(j.out)
	if err != nil || !errors.Is(refused, store.ErrOtherRun) {
		return ""
	}
	old, err := settingsOf(m)
	was, is := old.Recursion.Rounds, j.settings.Recursion.Rounds
	if err != nil || (was == 1) == (is == 1) {
		return ""
	}
	return fmt.Sprintf("\n  it has --rounds %d, and this is --rounds %d: only a run that begins with several rounds has states to go on from, and may have more or fewer later", was, is)
}

// wayOut says what to do about a run folder that is refused.
func wayOut(err error) string {
	switch {
	case errors.Is(err, store.ErrOtherRun):
		return "\n  nothing was changed; give the settings of that run to go on with it, or name another folder with --out"
	case errors.Is(err, store.ErrNoRun):
		return "\n  nothing was changed; name another folder with --out"
	}
	return ""
}

// tellFound says on stderr what an earlier process left.
func tellFound(e env, j runJob, f store.Found) {
	if f.Done+f.Failed > 0 && !e.isQuiet() {
		fmt.Fprintf(e.stderr, "trawl: going on with %s: %d rollouts done, %d failed before\n", j.out, f.Done, f.Failed)
	}
	tellCounts(e, filepath.Join(j.out, "rollouts.jsonl"), f.Rollouts)
	tellCounts(e, filepath.Join(j.out, "states.jsonl"), f.States)
	if lost := f.Done - f.States.Parsed; lost > 0 && j.settings.Recursion.Rounds > 1 {
		fmt.Fprintf(e.stderr, "trawl: %s: at least %d rollouts have no state there: a round after one of them starts from nothing\n", filepath.Join(j.out, "states.jsonl"), lost)
	}
	tellCounts(e, filepath.Join(j.out, "journal.jsonl"), f.Journal)
}

func tellCounts(e env, path string, c store.Counts) {
	if c.Torn > 0 {
		fmt.Fprintf(e.stderr, "trawl: %s: cut off an unfinished last line of %d bytes\n", path, c.Torn)
	}
	for _, bad := range c.Dropped {
		fmt.Fprintf(e.stderr, "trawl: %s: skipped a line that cannot be read: %v\n", filepath.Dir(path), bad)
	}
}

// manifest describes the run of a job.
func (p *pipeline) manifest(j runJob) (store.Manifest, error) {
	identity, err := p.fixed()
	if err != nil {
		return store.Manifest{}, err
	}
	settings, err := json.Marshal(runSettings{j.settings.Redacted(), j.limit, j.shard, p.simulated()})
	if err != nil {
		return store.Manifest{}, err
	}
	var endpoints []string
	for _, url := range p.backend.endpoints {
		endpoints = append(endpoints, config.RedactURL(url))
	}
	made := store.Manifest{
		Config: store.Hash(identity), Fixed: identity, Settings: settings, Seed: j.settings.Seed, Dataset: j.dataset, Index: p.index.identity,
		Endpoints: endpoints,
		Models:    map[string]string{"agent": p.backend.model},
		Prompts:   map[string]string{"agent": agent.PromptHash(), "divinit": divinit.PromptHash()},
		Versions:  []string{version()},
	}
	if p.compressor != nil {
		made.Models["compressor"] = p.compressor.model
		made.Prompts["recursion"] = recursion.PromptHash()
	}
	return made, nil
}

// knownDialect returns the dialect of the run that is in dir already, so that
// going on with it needs no probe; "" if there is none.
func knownDialect(dir string) (agent.Dialect, error) {
	m, err := store.ReadManifest(dir)
	if errors.Is(err, store.ErrNoRun) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return dialectOf(dir, m)
}

// dialectOf returns the dialect of a run; "" for rollouts of other programs.
func dialectOf(dir string, m store.Manifest) (agent.Dialect, error) {
	var f fixed
	if err := json.Unmarshal(m.Fixed, &f); err != nil {
		return "", fmt.Errorf("%s: %w", dir, err)
	}
	return f.Dialect, nil
}
