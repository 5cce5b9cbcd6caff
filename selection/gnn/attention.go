package gnn

import (
	"math"

	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/vector"
)

// An attention is the first half of the readout. Reader i, an answer as a rule,
// asks with q_i = Q·h_i what it finds in its context C_i: keys K·k_j and values
// V·k_j of k_j = h_j + e_type(j), H heads of d/H features each,
//
//	α_ij = softmax_j( (Q·h_i)_head · (K·k_j)_head / √(d/H) )
//	x_i  = LN( h_i + Dropout( O · concat_head Σ_j α_ij (V·k_j)_head ) )
//
// A context belongs to one reader as a rule, so keys and values are not made. The
// products move to the reader's side, where there are ten times fewer rows:
//
//	u_i,head = K_headᵀ·(Q·h_i)_head        α from u_i,head · k_j
//	z_i,head = Σ_j α_ij k_j                (V·Σ…)_head = V_head·z_i,head
//
// where K_head and V_head are the head's rows of K and V. Without a context z is
// 0, and so is what O makes of it.
type attention[T compute.Float] struct {
	config               Config
	query, output        *linear[T]
	key, value           *Param[T] // d×d
	keyHeads, valueHeads []compute.Weights[T]
	types                *Param[T] // 2×d: of subqueries, of evidence
	fixed                *Param[T] // d: what asks instead of a state; nil if states ask
	norm                 *norm[T]
}

func (p *params[T]) attention(c Config) *attention[T] {
	d := c.Hidden
	a := &attention[T]{config: c}
	if c.Ablation.FixedQuery {
		a.fixed = p.add("attention.fixed", fanIn(d), d)
	}
	a.query = p.linear("attention.query", d, d, false)
	a.key = p.add("attention.key.weight", fanIn(d), d, d)
	a.value = p.add("attention.value.weight", fanIn(d), d, d)
	a.output = p.linear("attention.output", d, d, false)
	a.types = p.add("attention.type", zeros, 2, d)
	a.norm = p.norm("attention.norm", d)
	size := d / c.Heads
	for h := range c.Heads {
		a.keyHeads = append(a.keyHeads, p.backend.Weights(a.key.Value.RowRange(h*size, (h+1)*size)))
		a.valueHeads = append(a.valueHeads, p.backend.Weights(a.value.Value.RowRange(h*size, (h+1)*size)))
	}
	return a
}

func (a *attention[T]) changed() {
	for h := range a.keyHeads {
		a.keyHeads[h].Changed()
		a.valueHeads[h].Changed()
	}
}

func (a *attention[T]) free() {
	for h := range a.keyHeads {
		a.keyHeads[h].Free()
		a.valueHeads[h].Free()
	}
}

// attending is what an attention made in a pass. Weights of a reader stand head by
// head, then by its context: of reader i from heads·start[i].
type attending[T compute.Float] struct {
	queryBuf, askBuf, readBuf, headsBuf, outBuf, sumBuf, stateBuf buffer[T]
	dAskBuf, dReadBuf, dHeadsBuf, dOutBuf, dQueryBuf, dFixedBuf   buffer[T]

	asking  compute.Matrix[T] // askers×d: h_i, or the fixed vector
	q       compute.Matrix[T] // askers×d
	u       compute.Matrix[T] // askers×(H·d)
	weights []T               // α
	z       compute.Matrix[T] // readers×(H·d)
	heads   compute.Matrix[T] // readers×d: V_head·z_head side by side
	out     compute.Matrix[T] // readers×d: O·heads
	x       compute.Matrix[T] // answers×d: what is normalised
	state   compute.Matrix[T] // answers×d: x_i
	moments []moment[T]
	masks   masks
	shares  []T // backward: of a reader and head, Σα and Σ∂s over its subqueries, then its evidence
}

// asker returns which row of u reader i asks with.
func (a *attention[T]) asker(i int) int {
	if a.fixed != nil {
		return 0
	}
	return i
}

// forward returns the states of the answers after the attention, answers×d.
func (a *attention[T]) forward(p *Pass[T], s *attending[T]) compute.Matrix[T] {
	b, d, heads := p.batch, a.config.Hidden, a.config.Heads
	size, readers := d/heads, b.readers.context.rows()
	h := p.h[len(p.h)-1]
	s.asking = p.answers
	switch {
	case a.fixed != nil:
		s.asking = a.fixed.Value
	case a.config.Ablation.GraphReadout:
		s.asking = h.RowRange(0, b.graphs)
	}
	s.q = s.queryBuf.matrix(s.asking.Rows, d)
	a.query.product(p.model.backend, s.q, s.asking)
	s.u = s.askBuf.matrix(s.asking.Rows, heads*d)
	for k := range heads {
		p.model.backend.Mul(s.u.ColRange(k*d, (k+1)*d), s.q.ColRange(k*size, (k+1)*size), a.keyHeads[k], false)
	}
	s.weights = resize(s.weights, heads*len(b.readers.context.index))
	s.z = s.readBuf.matrix(readers, heads*d)
	p.model.backend.Rows(readers, 4, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			a.read(p, s, h, i)
		}
	})
	s.heads = s.headsBuf.matrix(readers, d)
	for k := range heads {
		p.model.backend.MulT(s.heads.ColRange(k*size, (k+1)*size), s.z.ColRange(k*d, (k+1)*d), a.valueHeads[k], false)
	}
	s.out = s.outBuf.matrix(readers, d)
	a.output.product(p.model.backend, s.out, s.heads)
	return a.join(p, s)
}

// contextOf returns the context of reader i, where its evidence begins in it, and
// its weights.
func (p *Pass[T]) contextOf(s *attending[T], i int) (nodes []int32, evidenceAt int, weights []T) {
	b := p.batch
	lo, hi := int(b.readers.context.start[i]), int(b.readers.context.start[i+1])
	nodes = b.readers.context.index[lo:hi]
	for evidenceAt < len(nodes) && int(nodes[evidenceAt]) < b.base[evidence] {
		evidenceAt++
	}
	heads := p.model.config.Heads
	return nodes, evidenceAt, s.weights[heads*lo : heads*hi]
}

// read sets the weights and the row of z of reader i.
func (a *attention[T]) read(p *Pass[T], s *attending[T], h compute.Matrix[T], i int) {
	d, heads := a.config.Hidden, a.config.Heads
	scale := T(1 / math.Sqrt(float64(d/heads)))
	nodes, evidenceAt, weights := p.contextOf(s, i)
	n := len(nodes)
	u, z := s.u.Row(a.asker(i)), s.z.Row(i)
	clear(z)
	for j, node := range nodes {
		for k := range heads {
			weights[k*n+j] = scale * vector.Dot(u[k*d:(k+1)*d], h.Row(int(node)))
		}
	}
	for k := range heads {
		w, zHead := weights[k*n:(k+1)*n], z[k*d:(k+1)*d]
		for t, part := range [2][]T{w[:evidenceAt], w[evidenceAt:]} {
			offset := scale * vector.Dot(u[k*d:(k+1)*d], a.types.Value.Row(t))
			for j := range part {
				part[j] += offset
			}
		}
		vector.Softmax(w)
		for t, part := range [2][]T{w[:evidenceAt], w[evidenceAt:]} {
			vector.AddScaled(zHead, total(part), a.types.Value.Row(t))
		}
	}
	for j, node := range nodes {
		for k := range heads {
			vector.AddScaled(z[k*d:(k+1)*d], weights[k*n+j], h.Row(int(node)))
		}
	}
}

func total[T compute.Float](x []T) T {
	var sum T
	for _, v := range x {
		sum += v
	}
	return sum
}

// join adds what was read to the answers' states.
func (a *attention[T]) join(p *Pass[T], s *attending[T]) compute.Matrix[T] {
	n, d := p.answers.Rows, a.config.Hidden
	s.x, s.state = s.sumBuf.matrix(n, d), s.stateBuf.matrix(n, d)
	s.moments = resize(s.moments, n)
	s.masks.begin(newDropout(a.config.Dropout, p.chance), n, d)
	p.model.backend.Rows(n, rowGrain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			copy(s.x.Row(i), s.out.Row(int(p.batch.readers.ofAnswer[i])))
			drop(&s.masks, s.x.Row(i), i)
			vector.Add(s.x.Row(i), p.answers.Row(i))
			s.moments[i] = a.norm.row(s.state.Row(i), s.x.Row(i))
		}
	})
	return s.state
}

// backward adds the gradients of the parameters, and to p.dAnswer, p.dQuery and
// dh what reaches the states, given the derivative by the states that forward
// returned, which it overwrites.
func (a *attention[T]) backward(p *Pass[T], s *attending[T], dState, dh compute.Matrix[T]) {
	d, heads := a.config.Hidden, a.config.Heads
	size, b := d/heads, p.model.backend
	dOut := a.joinBackward(p, s, dState)
	dHeads := s.dHeadsBuf.matrix(dOut.Rows, d)
	a.output.backward(b, dHeads, dOut, s.heads, false)
	dz := s.dReadBuf.matrix(dOut.Rows, heads*d)
	for k := range heads {
		dHead, zHead := dHeads.ColRange(k*size, (k+1)*size), s.z.ColRange(k*d, (k+1)*d)
		b.AddOuter(a.value.Grad.RowRange(k*size, (k+1)*size), dHead, zHead)
		b.Mul(dz.ColRange(k*d, (k+1)*d), dHead, a.valueHeads[k], false)
	}
	du := a.readsBackward(p, s, dz, dh)
	dq := s.dQueryBuf.matrix(du.Rows, d)
	for k := range heads {
		duHead := du.ColRange(k*d, (k+1)*d)
		b.AddOuter(a.key.Grad.RowRange(k*size, (k+1)*size), s.q.ColRange(k*size, (k+1)*size), duHead)
		b.MulT(dq.ColRange(k*size, (k+1)*size), duHead, a.keyHeads[k], false)
	}
	dAsking := p.dAnswer
	switch {
	case a.fixed != nil:
		dAsking = a.fixed.Grad
	case a.config.Ablation.GraphReadout:
		dAsking = p.dQuery
	}
	a.query.backward(b, dAsking, dq, s.asking, true)
}

// joinBackward returns the derivative by what readers read, readers×d.
func (a *attention[T]) joinBackward(p *Pass[T], s *attending[T], dState compute.Matrix[T]) compute.Matrix[T] {
	d := a.config.Hidden
	dOut := s.dOutBuf.zeros(p.batch.readers.context.rows(), d)
	sum := p.sum.zeros(1, 2*d).Data
	for i := range dState.Rows {
		row := dState.Row(i)
		a.norm.rowBackward(row, row, s.x.Row(i), s.moments[i], sum)
		vector.Add(p.dAnswer.Row(i), row)
		dropAgain(&s.masks, row, i)
		vector.Add(dOut.Row(int(p.batch.readers.ofAnswer[i])), row)
	}
	a.norm.addSums(sum)
	return dOut
}

// readsBackward takes the derivative by z back to the states that were read, to
// the types, and to u, askers×(H·d), which it returns.
func (a *attention[T]) readsBackward(p *Pass[T], s *attending[T], dz, dh compute.Matrix[T]) compute.Matrix[T] {
	d, heads := a.config.Hidden, a.config.Heads
	readers := dz.Rows
	du := s.dAskBuf.matrix(readers, heads*d)
	s.shares = resize(s.shares, readers*heads*4)
	graphs := p.batch.readers.graphs
	// Readers of one graph may read the same node, so a core takes whole graphs.
	p.model.backend.Rows(p.batch.graphs, 1, func(lo, hi int) {
		for i := int(graphs[lo]); i < int(graphs[hi]); i++ {
			a.readBackward(p, s, readGrad[T]{dz.Row(i), du.Row(i), dh}, i)
		}
	})
	// k_j = h_j + e_type(j), so what reaches a type is a sum over its nodes.
	for i := range readers {
		u := s.u.Row(a.asker(i))
		for k := range heads {
			at := k * d
			share := s.shares[(i*heads+k)*4:][:4]
			for t := range 2 {
				vector.AddScaled(a.types.Grad.Row(t), share[2*t], dz.Row(i)[at:at+d])
				vector.AddScaled(a.types.Grad.Row(t), share[2*t+1], u[at:at+d])
			}
		}
	}
	if a.fixed == nil {
		return du
	}
	once := s.dFixedBuf.zeros(1, heads*d)
	for i := range readers {
		vector.Add(once.Data, du.Row(i))
	}
	return once
}

// readGrad is the derivatives that meet at one reader.
type readGrad[T compute.Float] struct {
	dz, du []T
	dh     compute.Matrix[T]
}

// readBackward is the backward pass of one reader. With s_j the argument of the
// softmax,
//
//	∂α_j = ∂z·k_j,  ∂s_j = α_j (∂α_j − Σ α ∂α) / √(d/H)
//	∂k_j = α_j ∂z + ∂s_j u,  ∂u = Σ_j ∂s_j k_j
func (a *attention[T]) readBackward(p *Pass[T], s *attending[T], g readGrad[T], i int) {
	d, heads := a.config.Hidden, a.config.Heads
	scale := T(1 / math.Sqrt(float64(d/heads)))
	nodes, evidenceAt, weights := p.contextOf(s, i)
	n := len(nodes)
	h := p.h[len(p.h)-1]
	clear(g.du)
	slope := make([]T, n) // ∂α, then ∂s
	for k := range heads {
		w := weights[k*n : (k+1)*n]
		u, dz, du := s.u.Row(a.asker(i))[k*d:(k+1)*d], g.dz[k*d:(k+1)*d], g.du[k*d:(k+1)*d]
		for j, node := range nodes {
			slope[j] = vector.Dot(dz, h.Row(int(node)))
		}
		for t, part := range [2][]T{slope[:evidenceAt], slope[evidenceAt:]} {
			offset := vector.Dot(dz, a.types.Value.Row(t))
			for j := range part {
				part[j] += offset
			}
		}
		var mean T
		for j := range slope {
			mean += w[j] * slope[j]
		}
		for j, node := range nodes {
			slope[j] = scale * w[j] * (slope[j] - mean)
			row := g.dh.Row(int(node))
			vector.AddScaled(row, w[j], dz)
			vector.AddScaled(row, slope[j], u)
			vector.AddScaled(du, slope[j], h.Row(int(node)))
		}
		share := s.shares[(i*heads+k)*4:][:4]
		for t, part := range [2]span{{lo: 0, hi: evidenceAt}, {lo: evidenceAt, hi: n}} {
			share[2*t], share[2*t+1] = total(w[part.lo:part.hi]), total(slope[part.lo:part.hi])
			vector.AddScaled(du, share[2*t+1], a.types.Value.Row(t))
		}
	}
}
