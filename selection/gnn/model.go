package gnn

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"trawl/selection/graph"
	"trawl/selection/internal/compute"
)

// A Model is a graph network with its parameters. Its passes share memory, so one
// goroutine at a time uses it, except that [Model.Prepare] may run beside a pass,
// and that any number may call [Model.Scores].
type Model[T compute.Float] struct {
	config  Config
	backend compute.Backend[T]
	params  []*Param[T]
	notes   map[string]string // of the checkpoint that it was read from
	hash    string            // likewise

	known     []relation // that a graph of the variant may have
	relations []relation // along which this model passes messages
	encoders  [kinds]*encoder[T]
	votes     *Param[T] // d×2
	orphan    *Param[T] // d; long-horizon only
	document  *Param[T] // d; where documents are nodes
	layers    []*layer[T]
	attention *attention[T]
	ffn       *feedForward[T]
	score     *score[T]

	pass Pass[T]
	lock *sync.Mutex // held by Scores; a device's models share one

	mu    sync.Mutex
	spare []*Batch[T]
}

// New returns a model with the first parameters that the seed gives (methods.md
// A.5), whose products run on the backend. It fails if the settings are no model's.
func New[T compute.Float](c Config, seed int64, b compute.Backend[T]) (*Model[T], error) {
	m, err := build(c, &seed, b)
	if err != nil {
		return nil, fmt.Errorf("gnn: %w", err)
	}
	return m, nil
}

// build makes a model; without a seed all parameters are 0.
func build[T compute.Float](c Config, seed *int64, b compute.Backend[T]) (*Model[T], error) {
	c = c.withDefaults()
	if err := c.validate(); err != nil {
		return nil, err
	}
	whole := Config{Variant: c.Variant, Ranks: c.Ranks, Ablation: Ablation{Links: LinksBoth}}
	m := &Model[T]{config: c, backend: b, relations: c.relations(), known: whole.relations(), lock: new(sync.Mutex)}
	p := &params[T]{seed: seed, backend: b}
	for _, k := range encoded {
		m.encoders[k] = p.encoder("encoder."+encoderName(c.Variant, k), c.Hidden, c.Embedding)
	}
	if c.Variant == graph.WebQA {
		m.votes = p.add("vote.weight", zeros, c.Hidden, 2)
	} else {
		m.votes = p.add("vote.weight", fanIn(2), c.Hidden, 2)
		m.orphan = p.add("orphan", zeros, c.Hidden)
	}
	if c.hasDocuments() {
		m.document = p.add("document", zeros, c.Hidden)
	}
	if !c.Ablation.NoNetwork {
		for l := range c.Layers {
			m.layers = append(m.layers, p.layer(l, c, m.relations))
		}
	}
	m.attention = p.attention(c)
	m.ffn = p.feedForward(c)
	m.score = p.score(c)
	m.params = p.all
	m.pass.model = m
	return m, nil
}

// Config returns the settings, with the defaults filled in.
func (m *Model[T]) Config() Config { return m.config }

// Params returns all parameters, in an order that the settings alone decide.
// Whoever writes to a Value calls [Model.Changed] after it.
func (m *Model[T]) Params() []*Param[T] { return m.params }

// ZeroGrad sets all gradients to 0, and makes them at its first call.
func (m *Model[T]) ZeroGrad() {
	var memory compute.Slab[T]
	for _, p := range m.params {
		p.Reached = false
		if p.Grad.Data == nil {
			p.Grad = memory.Matrix(p.Value.Rows, p.Value.Cols)
			continue
		}
		clear(p.Grad.Data)
	}
}

// Changed says that values of parameters have been written to.
func (m *Model[T]) Changed() {
	for _, p := range m.params {
		if p.weights != nil {
			p.weights.Changed()
		}
	}
	m.attention.changed()
}

// Err returns the first fault of the device, if there was one. What a pass made
// counts only if there was none.
func (m *Model[T]) Err() error {
	if err := m.backend.Err(); err != nil {
		return fmt.Errorf("gnn: %s: %w", m.backend.Name(), err)
	}
	return nil
}

// Close gives back what the backend holds for the model. It is not used again.
func (m *Model[T]) Close() {
	for _, p := range m.params {
		if p.weights != nil {
			p.weights.Free()
		}
	}
	m.attention.free()
}

func (m *Model[T]) takeBatch() *Batch[T] {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.spare); n > 0 {
		b := m.spare[n-1]
		m.spare = m.spare[:n-1]
		return b
	}
	return &Batch[T]{model: m}
}

func (m *Model[T]) giveBatch(b *Batch[T]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spare = append(m.spare, b)
}

// Forward scores the candidates of a batch. Chance is for the dropout of
// training; without it nothing is dropped. The pass is valid until the model's
// next one.
func (m *Model[T]) Forward(b *Batch[T], chance *rand.Rand) *Pass[T] {
	b.transpose()
	p := &m.pass
	p.batch, p.chance, p.keep = b, chance, true
	p.forward()
	return p
}
