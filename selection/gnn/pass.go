package gnn

import (
	"math/rand/v2"

	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/vector"
)

// A Pass is the way of a batch through a model, with what [Pass.Backward] needs.
type Pass[T compute.Float] struct {
	Logits []T // the score of each candidate of the batch, see [Batch.Offsets]

	model  *Model[T]
	batch  *Batch[T]
	chance *rand.Rand
	keep   bool // a backward pass follows

	encodings [kinds]encoding[T]
	h         []compute.Matrix[T] // the states before layer 0, 1, …, and after the last; nodes and sums×d
	answers   compute.Matrix[T]   // answers×d, h_a
	rounds    []round[T]
	attention attending[T]
	ffn       feeding[T]
	score     scoring[T]

	states      []buffer[T]
	answerState buffer[T]

	dAnswer, dQuery compute.Matrix[T] // derivatives by h_a, and by h_q past the layers

	// Scratch that layers share.
	products, dGathered, sum buffer[T]
	dStates                  [2]buffer[T]
	dAnswers, dQueries       buffer[T]
	dTexts, voteColumns      buffer[T]
}

func (p *Pass[T]) forward() {
	m, b := p.model, p.batch
	d := m.config.Hidden
	p.rounds = resizeKeeping(p.rounds, len(m.layers))
	p.states = resizeKeeping(p.states, len(m.layers)+1)
	p.h = resize(p.h, len(m.layers)+1)
	for l := range p.h {
		at := l
		if !p.keep {
			at = l % 2 // a state is read by the next layer only
		}
		p.h[l] = p.states[min(at, len(p.states)-1)].matrix(b.nodes+b.sums.rows(), d)
	}
	p.encode()
	for l, layer := range m.layers {
		layer.forward(p, &p.rounds[l], p.h[l+1], p.h[l], m.topologyOf(b, l))
	}
	read := m.attention.forward(p, &p.attention)
	state := m.ffn.forward(p, &p.ffn, read)
	p.Logits = m.score.forward(p, &p.score, state)
}

// encode makes the states that enter layer 0.
func (p *Pass[T]) encode() {
	m, b, d := p.model, p.batch, p.model.config.Hidden
	h := p.h[0]
	p.answers = p.answerState.matrix(b.count[answer], d)
	for _, k := range encoded {
		e := &p.encodings[k]
		m.encoders[k].forward(m.backend, e, b.texts[k].vectors)
		if k == answer {
			b.texts[k].of.set(m.backend, p.answers, e.y)
			continue
		}
		b.texts[k].of.set(m.backend, h.RowRange(b.base[k], b.base[k]+b.count[k]), e.y)
	}
	columns := p.voteColumns.matrix(2, d)
	for j := range d {
		w := m.votes.Value.Row(j)
		columns.Row(0)[j], columns.Row(1)[j] = w[0], w[1]
	}
	for i, v := range b.votes { // h_a += W_vote·[log(1+c), c/R]
		vector.AddScaled(p.answers.Row(i), v[0], columns.Row(0))
		vector.AddScaled(p.answers.Row(i), v[1], columns.Row(1))
	}
	for _, i := range b.orphan {
		vector.Add(h.Row(int(i)), m.orphan.Value.Data)
	}
	for i := range b.count[document] {
		copy(h.Row(b.base[document]+i), m.document.Value.Data)
	}
}

// Backward adds to the gradients of all parameters, given the derivatives of the
// loss by Logits. It is called once for a pass, after [Model.ZeroGrad] once a
// step, so that the gradients of several batches add up.
func (p *Pass[T]) Backward(dLogits []T) {
	m, b, d := p.model, p.batch, p.model.config.Hidden
	for _, q := range m.params {
		q.Reached = !q.dead
	}
	size := b.nodes + b.sums.rows()
	dh, dNext := p.dStates[0].matrix(size, d), p.dStates[1].zeros(size, d)
	p.dAnswer = p.dAnswers.zeros(b.count[answer], d)
	p.dQuery = p.dQueries.zeros(b.graphs, d)

	dState := m.score.backward(p, &p.score, dLogits)
	dRead := m.ffn.backward(p, &p.ffn, dState)
	m.attention.backward(p, &p.attention, dRead, dNext)
	for l := len(m.layers) - 1; l >= 0; l-- {
		m.layers[l].backward(p, &p.rounds[l], dh, dNext, m.topologyOf(b, l))
		dh, dNext = dNext, dh
	}
	p.encodeBackward(dNext)
}

// encodeBackward adds the gradients of the encoders and of what is added to their
// states, given the derivatives by the states that enter layer 0.
func (p *Pass[T]) encodeBackward(dh compute.Matrix[T]) {
	m, b, d := p.model, p.batch, p.model.config.Hidden
	for i := range b.graphs {
		vector.Add(dh.Row(i), p.dQuery.Row(i))
	}
	for i := range b.count[document] {
		vector.Add(m.document.Grad.Data, dh.Row(b.base[document]+i))
	}
	for _, i := range b.orphan {
		vector.Add(m.orphan.Grad.Data, dh.Row(int(i)))
	}
	columns := p.voteColumns.zeros(2, d)
	for i, v := range b.votes {
		vector.AddScaled(columns.Row(0), v[0], p.dAnswer.Row(i))
		vector.AddScaled(columns.Row(1), v[1], p.dAnswer.Row(i))
	}
	for j := range d {
		w := m.votes.Grad.Row(j)
		w[0] += columns.Row(0)[j]
		w[1] += columns.Row(1)[j]
	}
	for _, k := range encoded {
		t := &b.texts[k]
		dNodes := p.dAnswer
		if k != answer {
			dNodes = dh.RowRange(b.base[k], b.base[k]+b.count[k])
		}
		dy := p.dTexts.matrix(len(t.rows), d)
		t.ofT.set(m.backend, dy, dNodes)
		m.encoders[k].backward(m.backend, &p.encodings[k], dy, t.vectors)
	}
}

// resizeKeeping returns a slice of n elements with those of s, whose buffers are
// worth keeping.
func resizeKeeping[E any](s []E, n int) []E {
	if len(s) < n {
		s = append(s, make([]E, n-len(s))...)
	}
	return s[:n]
}
