package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"trawl/agent/llm"
	"trawl/internal/config"
)

// A roles opens the models behind the roles of the settings. Roles that one
// model plays share its client, and so its limit of requests at a time.
type roles struct {
	env      env
	inFlight int
	opened   map[string]*backend
}

func newRoles(e env, inFlight int) *roles {
	return &roles{env: e, inFlight: inFlight, opened: map[string]*backend{}}
}

// open returns the model m, opened once. role names it in errors.
func (r *roles) open(ctx context.Context, role string, m config.Model) (*backend, error) {
	key := strings.Join(append([]string{m.Name, m.KeyEnv}, m.Endpoints...), "\x00")
	if b, ok := r.opened[key]; ok {
		return b, nil
	}
	b, err := openBackend(ctx, r.env, m, r.inFlight)
	if errors.Is(err, llm.ErrUnreachable) && !errors.Is(err, llm.ErrServer) {
		err = fmt.Errorf("%w\n  is a server running there? trawl doctor tells more", err)
	}
	if err != nil {
		return nil, fmt.Errorf("models.%s: %w", role, err)
	}
	r.opened[key] = b
	return b, nil
}

// close lets go of all of them.
func (r *roles) close() error {
	var errs []error
	for _, b := range r.opened {
		errs = append(errs, b.close())
	}
	return errors.Join(errs...)
}
