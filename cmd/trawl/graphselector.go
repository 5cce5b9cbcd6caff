package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"trawl/internal/config"
	"trawl/selection"
	"trawl/selection/gnn"
	"trawl/selection/graph"
)

// A graphSelectors opens trained selectors, each once, all on one device and with
// the vectors of one embedder.
type graphSelectors struct {
	env      env
	settings *config.Settings
	device   *gnn.Device
	vectors  *vectors
	opened   map[string]gnn.Selector // by path
}

func newGraphSelectors(e env, s *config.Settings) *graphSelectors {
	return &graphSelectors{env: e, settings: s, opened: map[string]gnn.Selector{}}
}

// An unfitError says that a checkpoint was trained for other rollouts, or with
// another embedder.
type unfitError struct{ err error }

func (u unfitError) Error() string { return u.err.Error() }

func (u unfitError) Unwrap() error { return u.err }

// open opens the checkpoint at path, or that of the settings if path is empty, to
// be used on rollouts of a variant; "" is any. The device and the embedder that the
// settings name are opened with the first one.
func (g *graphSelectors) open(ctx context.Context, path string, v graph.Variant) (selection.Selector, error) {
	path = cmp.Or(path, g.settings.Selection.Model)
	if path == "" {
		return nil, errors.New("selector gnn needs a checkpoint, which trawl train makes: name it with --model, or in ask with --selector-model")
	}
	if s, ok := g.opened[path]; ok {
		return s, nil
	}
	var err error
	if g.device == nil {
		if g.device, err = gnn.OpenDevice(g.settings.Selection.Device); err != nil {
			return nil, err
		}
	}
	if g.vectors == nil {
		if g.vectors, err = openVectors(ctx, g.env, g.settings.Models.Embedder); err != nil {
			return nil, err
		}
	}
	m, err := gnn.Open(path, g.device)
	if err != nil {
		return nil, err
	}
	if err := m.Fits(cmp.Or(v, m.Config().Variant), g.vectors.Name(), g.vectors.Dims()); err != nil {
		m.Close()
		return nil, unfitError{fmt.Errorf("%s: %w", path, err)}
	}
	s := gnn.Selector{Name: path, Model: m, Table: g.vectors}
	g.opened[path] = s
	if m.Notes()[simulatedKey] != "" {
		fmt.Fprintf(g.env.stderr, "trawl: %s was trained on rollouts of the simulated model\n", path)
	}
	return s, nil
}

// simulatedKey is the note of a checkpoint that was trained on rollouts of the
// simulated model.
const simulatedKey = "simulated"

// auto returns the trained selector, for rollouts of a variant, if a checkpoint is
// named and fits, and otherwise none, with the name of the one to choose by; it
// says which and why.
func (g *graphSelectors) auto(ctx context.Context, v graph.Variant) (selection.Selector, string, error) {
	if g.settings.Selection.Model == "" {
		g.tell("choosing by majority; a checkpoint that trawl train makes can choose too (--selector-model)")
		return nil, "majority", nil
	}
	s, err := g.open(ctx, "", v)
	var unfit unfitError
	switch {
	case errors.As(err, &unfit):
		fmt.Fprintf(g.env.stderr, "trawl: choosing by majority: %v\n", err)
		return nil, "majority", nil
	case err != nil:
		return nil, "", err
	}
	g.tell("choosing by the graph selector %s", g.settings.Selection.Model)
	return s, "gnn", nil
}

func (g *graphSelectors) tell(format string, args ...any) {
	if !g.env.isQuiet() {
		fmt.Fprintf(g.env.stderr, "trawl: "+format+"\n", args...)
	}
}

// checkpointOf returns the hash of the checkpoint that a selector is; "" if it is
// none.
func checkpointOf(s selection.Selector) string {
	if trained, ok := s.(gnn.Selector); ok {
		return trained.Model.Hash()
	}
	return ""
}

// close gives everything back.
func (g *graphSelectors) close() error {
	var errs []error
	for _, s := range g.opened {
		s.Model.Close()
	}
	if g.vectors != nil {
		errs = append(errs, g.vectors.Err(), g.vectors.close())
	}
	if g.device != nil {
		errs = append(errs, g.device.Close())
	}
	return errors.Join(errs...)
}
