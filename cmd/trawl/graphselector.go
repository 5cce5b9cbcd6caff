package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"trawl/internal/config"
	"trawl/selection"
	"trawl/selection/gnn"
)

// A graphSelectors opens trained selectors, all on one device and with the vectors
// of one embedder.
type graphSelectors struct {
	device  *gnn.Device
	vectors *vectors
	models  []*gnn.Model[float32]
}

// An unfitError says that a checkpoint was trained with another embedder.
type unfitError struct{ err error }

func (u unfitError) Error() string { return u.err.Error() }

func (u unfitError) Unwrap() error { return u.err }

// open opens the checkpoint at path. The device and the embedder that the settings
// name are opened with the first one.
func (g *graphSelectors) open(ctx context.Context, e env, s *config.Settings, path string) (selection.Selector, error) {
	if path == "" {
		return nil, errors.New("selector gnn needs a checkpoint, which trawl train makes: name it with --model, or in ask with --selector-model")
	}
	if g.device == nil {
		device, err := gnn.OpenDevice(s.Selection.Device)
		if err != nil {
			return nil, err
		}
		g.device = device
	}
	m, err := gnn.Open(path, g.device)
	if err != nil {
		return nil, err
	}
	g.models = append(g.models, m)
	if g.vectors == nil {
		v, err := openVectors(ctx, e, s.Models.Embedder)
		if err != nil {
			return nil, err
		}
		g.vectors = v
	}
	if err := m.Fits(m.Config().Variant, g.vectors.Name(), g.vectors.Dims()); err != nil {
		return nil, unfitError{fmt.Errorf("%s: %w; --embedder says which to use", path, err)}
	}
	return gnn.Selector{Name: path, Model: m, Table: g.vectors}, nil
}

// close gives everything back.
func (g *graphSelectors) close() error {
	var errs []error
	for _, m := range g.models {
		m.Close()
	}
	if g.vectors != nil {
		errs = append(errs, g.vectors.Err(), g.vectors.close())
	}
	if g.device != nil {
		errs = append(errs, g.device.Close())
	}
	return errors.Join(errs...)
}

// chosenSelector returns the selector that the settings name. Auto is the trained
// one if a checkpoint is named and fits the embedder, otherwise majority, and says
// why.
func chosenSelector(ctx context.Context, e env, s *config.Settings, g *graphSelectors) (selection.Selector, string, error) {
	name := s.Selection.Selector
	if name == "auto" && s.Selection.Model != "" {
		sel, err := g.open(ctx, e, s, s.Selection.Model)
		var unfit unfitError
		if !errors.As(err, &unfit) {
			return sel, "gnn", err
		}
		fmt.Fprintf(e.stderr, "trawl: choosing by majority: %v\n", err)
	}
	return newSelector(name, selectorOptions{seed: s.Seed, graphs: func(checkpoint string) (selection.Selector, error) {
		return g.open(ctx, e, s, cmp.Or(checkpoint, s.Selection.Model))
	}})
}
