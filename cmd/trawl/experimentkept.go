package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"trawl/agent"
	"trawl/eval/compare"
	"trawl/internal/atomicfile"
	"trawl/internal/config"
	"trawl/internal/experiment"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

// isDone reports whether the run of an arm is there and whole, as far as that can be
// said without asking a model which one it is.
func (t *trial) isDone(b *trialBench, a *arm) (bool, error) {
	old, err := store.ReadManifest(a.dir)
	if errors.Is(err, store.ErrNoRun) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	was, err := settingsOf(old)
	job := t.job(b, a)
	if err != nil || was.Limit != job.limit || was.Shard != job.shard || was.Recursion.Rounds != a.settings.Recursion.Rounds {
		return false, err
	}
	p, err := t.recorded(b, a, old, was)
	if err != nil || p == nil {
		return false, err
	}
	now, err := p.manifest(job)
	if err != nil {
		return false, err
	}
	if diff, err := store.Differences(old, now); err != nil || len(diff) > 0 {
		return false, err
	}
	return isWhole(a.dir, old, limited(job.questions, job.limit), a.settings)
}

// recorded returns a pipeline of the models that a run was made with, closed; nil if
// the settings may mean others.
func (t *trial) recorded(b *trialBench, a *arm, m store.Manifest, was runSettings) (*pipeline, error) {
	s := a.settings
	known, err := dialectOf(a.dir, m)
	if err != nil {
		return nil, err
	}
	x := b.indexes[s.Retrieval.Index]
	p := &pipeline{settings: s, index: x, dialect: known}
	if d := agent.Dialect(s.Agent.Dialect); d != "auto" {
		p.dialect = d
	}
	if !t.asRecorded(s.Models.Agent, m.Models["agent"], m.Endpoints) {
		return nil, nil
	}
	p.backend = &backend{model: m.Models["agent"], endpoints: m.Endpoints, simulated: was.Simulated}
	if s.Recursion.Rounds == 1 {
		return p, nil
	}
	at := m.Endpoints
	if len(was.Models.Compressor.Endpoints) > 0 {
		at = was.Models.Compressor.Endpoints
	}
	if !t.asRecorded(s.Models.In(s.Models.Compressor), m.Models["compressor"], at) {
		return nil, nil
	}
	p.compressor = &backend{model: m.Models["compressor"]}
	return p, nil
}

// asRecorded reports whether m is the model of that name at those addresses: by its
// name, or as the only one that is served there.
func (t *trial) asRecorded(m config.Model, name string, endpoints []string) bool {
	at := m.Endpoints
	if v, ok := t.env.getenv("TRAWL_ENDPOINT"); ok && len(at) == 0 {
		at = strings.Fields(strings.ReplaceAll(v, ",", " "))
	}
	same := slices.EqualFunc(at, endpoints, func(now, old string) bool { return config.RedactURL(now) == old })
	return m.Name == name || m.Name == "" && (len(at) == 0 || same)
}

// isWhole reports whether every rollout of the questions is done.
func isWhole(dir string, m store.Manifest, questions []trajectory.Question, s *config.Settings) (bool, error) {
	wanted := map[string]bool{}
	for _, q := range questions {
		wanted[q.ID] = true
	}
	done := map[trajectory.Key]bool{}
	for line, err := range store.Scan(dir) {
		var bad *store.LineError
		if errors.As(err, &bad) {
			continue
		}
		if err != nil {
			return false, err
		}
		if line.Error == "" && line.Config == m.Config && wanted[line.QuestionID] && line.Rollout < s.Rollout.Count && line.Round <= s.Recursion.Rounds {
			done[line.Key()] = true
		}
	}
	return len(done) == len(wanted)*s.Rollout.Count*s.Recursion.Rounds, nil
}

// hashOfRun stands for what a run folder holds of rollouts.
func hashOfRun(dir string) (string, error) {
	hash := sha256.New()
	for _, name := range []string{"manifest.json", "rollouts.jsonl", "states.jsonl"} {
		f, err := os.Open(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = io.Copy(hash, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// A keptChoice is what came of a comparison of selectors, as it is kept on disk.
type keptChoice struct {
	Key    string          `json:"key"` // stands for all that decides
	Report *compare.Report `json:"report"`
}

// comparedOn returns what is kept of a comparison of selectors on the run of an arm,
// so that a finished one needs no model, or carries it out and keeps it.
func (t *trial) comparedOn(ctx context.Context, a *arm, o selectOptions) (*compare.Report, error) {
	rows, err := hashOfRun(a.dir)
	if err != nil {
		return nil, err
	}
	key, err := t.choiceKey(a, o, rows)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(t.folder(experiment.ChoiceFolder), a.name+"-"+short(strings.TrimPrefix(key, hashPrefix))+".json")
	var kept keptChoice
	if data, err := os.ReadFile(path); err == nil && json.Unmarshal(data, &kept) == nil && kept.Key == key && kept.Report != nil {
		return kept.Report, nil
	}
	r, err := t.compareOn(ctx, a, o)
	if err != nil || r.Undecided > 0 {
		return r, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return r, atomicfile.Write(path, func(w io.Writer) error { return writeJSON(w, keptChoice{key, r}) })
}

// choiceKey stands for all that decides a comparison of selectors.
func (t *trial) choiceKey(a *arm, o selectOptions, rows string) (string, error) {
	var checkpoints []string
	for _, name := range o.selectors {
		path, named := strings.CutPrefix(name, "gnn:")
		if name == "gnn" {
			path, named = a.settings.Selection.Model, true
		}
		if !named {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("selector %s: %w", name, err)
		}
		sum := sha256.Sum256(data)
		checkpoints = append(checkpoints, hex.EncodeToString(sum[:]))
	}
	s := a.settings.Redacted()
	s.Selection.Device, s.Selection.Model = "", ""
	m := s.Models.In(s.Models.Aggregator)
	found, _ := t.env.getenv("TRAWL_ENDPOINT")
	return store.Hash([]any{rows, o.selectors, o.at, o.subsets, checkpoints, s.Seed, s.Selection, s.Models.Embedder, config.RedactURL(found),
		m.Endpoints, m.Name, m.Temperature, m.TopP, m.MaxTokens, m.Extra, version()}), nil
}
