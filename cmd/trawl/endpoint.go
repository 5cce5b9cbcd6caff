package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"trawl/agent/llm"
	"trawl/agent/llm/openai"
	"trawl/agent/llm/sim"
	"trawl/internal/config"
)

// simEndpoint is the endpoint that stands for the simulated model, started
// inside the process.
const simEndpoint = "sim"

// loopbackServers are the model servers that people run, at the addresses at
// which they listen if nobody says otherwise.
var loopbackServers = []struct{ name, url string }{
	{"vLLM", "http://127.0.0.1:8000/v1"},
	{"llama.cpp", "http://127.0.0.1:8080/v1"},
	{"Ollama", "http://127.0.0.1:11434/v1"},
	{"LM Studio", "http://127.0.0.1:1234/v1"},
}

// probeTime bounds the wait for one server that may not be there.
const probeTime = 2 * time.Second

// A backend is the model behind one role, ready to be asked.
type backend struct {
	client    llm.Client
	servers   []*openai.Client // one for each endpoint
	endpoints []string         // as the user knows them
	model     string           // as served
	window    int              // context length in tokens; 0 if the server does not say
	simulated bool
	close     func() error
}

// openBackend finds the endpoints of m, makes sure that they serve the model,
// and decorates the client.
func openBackend(ctx context.Context, e env, m config.Model, inFlight int) (*backend, error) {
	b := &backend{close: func() error { return nil }}
	urls, err := b.locate(ctx, e, m)
	if err != nil {
		return nil, err
	}
	if err := b.connect(ctx, e, m, urls, inFlight); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

// locate returns the addresses to use, starting the simulated model if it is
// asked for, and finding a server if none is named.
func (b *backend) locate(ctx context.Context, e env, m config.Model) ([]string, error) {
	b.endpoints = m.Endpoints
	if v, ok := e.getenv("TRAWL_ENDPOINT"); ok && v != "" && len(b.endpoints) == 0 {
		b.endpoints = strings.Fields(strings.ReplaceAll(v, ",", " "))
	}
	if len(b.endpoints) == 0 {
		found, err := findServer(ctx, e)
		if err != nil {
			return nil, err
		}
		b.endpoints = []string{found}
	}
	urls := make([]string, 0, len(b.endpoints))
	for _, url := range b.endpoints {
		if url != simEndpoint {
			urls = append(urls, url)
			continue
		}
		if len(b.endpoints) > 1 {
			return nil, errors.New("the endpoint sim cannot be mixed with others")
		}
		started, err := b.simulate(m)
		if err != nil {
			return nil, err
		}
		urls = append(urls, started)
	}
	return urls, nil
}

// simulate starts the simulated model on a loopback port.
func (b *backend) simulate(m config.Model) (string, error) {
	skill := sim.Base
	if m.Name != "" {
		s, err := parseSkill(m.Name)
		if err != nil {
			return "", fmt.Errorf("the endpoint sim does not serve %s: it serves sim-small, sim-base or sim-large", m.Name)
		}
		skill = s
	}
	server, err := sim.Start(sim.Options{Skill: skill})
	if err != nil {
		return "", err
	}
	b.simulated, b.close = true, server.Close
	return server.URL(), nil
}

// findServer returns the address of the first server that answers on loopback.
func findServer(ctx context.Context, e env) (string, error) {
	for _, s := range loopbackServers {
		if answers(ctx, s.url) {
			fmt.Fprintf(e.stderr, "trawl: no endpoint named; using %s at %s\n", s.name, s.url)
			return s.url, nil
		}
	}
	return "", errors.New("no model server: none named (--endpoint, TRAWL_ENDPOINT), none answers on loopback (vLLM :8000, llama.cpp :8080, Ollama :11434, LM Studio :1234).\n" +
		"  start one:          vllm serve Qwen/Qwen3-8B --enable-auto-tool-choice --tool-call-parser hermes\n" +
		"  try trawl without:  trawl demo, or --endpoint sim for the simulated model")
}

// answers reports whether something that speaks the protocol is at url.
func answers(ctx context.Context, url string) bool {
	_, err := openai.New(url, openai.Options{Listing: probeTime}).Models(ctx)
	return err == nil || status(err) == http.StatusUnauthorized
}

// connect makes a client for each address and settles the model.
func (b *backend) connect(ctx context.Context, e env, m config.Model, urls []string, inFlight int) error {
	key, keyName := apiKey(e, m)
	opts := openai.Options{
		Key: key, KeyName: keyName, Timeout: time.Duration(m.Timeout) * time.Second,
		Stream: m.Stream, FirstToken: time.Duration(m.FirstToken) * time.Second, Gap: time.Duration(m.Gap) * time.Second,
	}
	if !b.simulated {
		b.model = m.Name
	}
	var (
		limited []llm.Client
		gone    []error
	)
	for i, url := range urls {
		opts.Model, opts.Window = b.model, 0
		told := e.waiting("waiting for %s to answer", config.RedactURL(b.endpoints[i]))
		served, err := b.served(ctx, openai.New(url, opts), config.RedactURL(b.endpoints[i]))
		told()
		if errors.Is(err, llm.ErrUnreachable) && len(urls) > 1 && ctx.Err() == nil {
			fmt.Fprintf(e.stderr, "trawl: doing without an endpoint: %v\n", err)
			gone = append(gone, err)
			continue
		}
		if err != nil {
			return err
		}
		b.model, b.window = served.ID, served.MaxLen
		b.simulated = b.simulated || isSimulated(served.ID)
		opts.Model, opts.Window = served.ID, served.MaxLen
		server := openai.New(url, opts)
		b.servers = append(b.servers, server)
		limited = append(limited, llm.Limit(server, inFlight))
	}
	if len(limited) == 0 {
		return errors.Join(gone...)
	}
	b.client = llm.Retry(llm.Route(limited), m.Retries+1, time.Duration(m.RetryWait*float64(time.Second)))
	return nil
}

// served returns the model to use of those that a server lists: the one named,
// or the only one. A server that refuses to list its models is believed to
// serve the one named.
func (b *backend) served(ctx context.Context, server *openai.Client, endpoint string) (openai.Model, error) {
	models, err := server.Models(ctx)
	switch {
	case err != nil && status(err) == http.StatusNotFound && b.model != "":
		return openai.Model{ID: b.model}, nil
	case err != nil && status(err) == http.StatusNotFound:
		return openai.Model{}, fmt.Errorf("%w\n  it does not list its models: name one with --model", err)
	case err != nil:
		return openai.Model{}, err
	}
	var names []string
	for _, m := range models {
		names = append(names, m.ID)
		if m.ID == b.model || b.model == "" && len(models) == 1 {
			return m, nil
		}
	}
	list := strings.Join(names, ", ")
	switch {
	case len(names) == 0 && b.model != "":
		return openai.Model{ID: b.model}, nil
	case len(names) == 0:
		return openai.Model{}, fmt.Errorf("%s lists no model: name one with --model", endpoint)
	case b.model == "":
		return openai.Model{}, fmt.Errorf("%s serves %d models: %s; choose one with --model", endpoint, len(names), list)
	}
	return openai.Model{}, fmt.Errorf("%s does not serve %s; it serves %s", endpoint, b.model, list)
}

// isSimulated reports whether a model id is one of the simulated model's, which
// may be served by another process.
func isSimulated(id string) bool {
	skill, ok := strings.CutPrefix(id, "sim-")
	_, err := sim.ParseSkill(skill)
	return ok && err == nil
}

// status returns the HTTP status behind an error of a model call, 0 if none.
func status(err error) int {
	var e *llm.Error
	if errors.As(err, &e) {
		return e.Status
	}
	return 0
}

// apiKey returns the key for the servers of m and the name of its variable.
func apiKey(e env, m config.Model) (key, name string) {
	names := []string{"TRAWL_API_KEY", "OPENAI_API_KEY"}
	if m.KeyEnv != "" {
		names = []string{m.KeyEnv}
	}
	for _, n := range names {
		if v, ok := e.getenv(n); ok && v != "" {
			return v, n
		}
	}
	return "", names[0]
}
