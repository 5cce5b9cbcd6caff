package gnn

import (
	"fmt"

	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/vector"
)

// A layer is one round of message passing. The node v hears from its neighbours
// u along the relations r that end at its kind,
//
//	m_v = Σ_r ( W_r · mean_{u∈N_r(v)} h_u + b_r )
//	h_v ← LN( h_v + Dropout( GELU(m_v) ) )
//
// all nodes at once. Without neighbours the mean is 0, and b_r stays.
//
// The states of all kinds are rows of one matrix, so that a layer is a sparse
// product, a dense one for each relation, and a sparse one:
//
//	A = gather·h    the rows that relations multiply, relation by relation
//	P = A·W_rᵀ      each relation its own rows
//	m = scatter·P + Σ_r b_r
//
// The topology of the batch says which rows those are. Where they are nodes at
// even steps, as with rank relations (the k-th of every n occurrences), a product
// reads h and adds to m where they stand, and neither A nor P has those rows.
type layer[T compute.Float] struct {
	relations []relation
	linears   []*linear[T] // one for each relation
	norms     [kinds]*norm[T]
	bias      [kinds][]T // Σ_r b_r by the kind at which r ends, as of the last forward pass
}

// layer makes layer l of a model. The last layer's documents are read by nobody,
// so neither they nor what only they hear is reached by a loss.
func (p *params[T]) layer(l int, c Config, relations []relation) *layer[T] {
	made := &layer[T]{relations: relations}
	last := l == c.Layers-1
	for _, r := range relations {
		lin := p.linear(fmt.Sprintf("layer.%d.%s", l, r.name), c.Hidden, c.Hidden, true)
		lin.weight.dead = last && r.target == document
		lin.bias.dead = lin.weight.dead
		made.linears = append(made.linears, lin)
	}
	for _, k := range c.updated() {
		n := p.norm(fmt.Sprintf("layer.%d.norm.%s", l, typeName(c.Variant, k)), c.Hidden)
		n.weight.dead = last && k == document
		n.bias.dead = n.weight.dead
		made.norms[k] = n
		made.bias[k] = make([]T, c.Hidden)
	}
	return made
}

// A round is what a layer made in a pass, for its backward pass.
type round[T compute.Float] struct {
	gathered, message, residual buffer[T]

	h       compute.Matrix[T] // nodes and sums×d, its input
	a       compute.Matrix[T] // gathered rows×d
	m, x    compute.Matrix[T] // nodes×d: m_v, and what is normalised
	moments []moment[T]
	masks   masks
}

// forward sets the rows of next of what h, nodes and sums×d, becomes. It writes
// the sums of h that the topology asks for.
func (l *layer[T]) forward(p *Pass[T], s *round[T], next, h compute.Matrix[T], t *topology[T]) {
	b := p.batch
	d := h.Cols
	b.sums.set(p.model.backend, h.RowRange(b.nodes, b.nodes+b.sums.rows()), h)
	s.h, s.a = h, s.gathered.matrix(t.gather.rows(), d)
	t.gather.set(p.model.backend, s.a, h)
	s.m, s.x = next, next // the rows take turns in one place, if none is needed later
	if p.keep {
		s.m, s.x = s.message.matrix(b.nodes, d), s.residual.matrix(b.nodes, d)
		s.moments = resize(s.moments, b.nodes)
	}
	products := p.products.matrix(t.products, d)
	l.multiply(p, s, products, t)
	s.masks.begin(newDropout(p.model.config.Dropout, p.chance), b.nodes, d)
	for _, u := range t.updated {
		p.model.backend.Rows(u.hi-u.lo, rowGrain, func(lo, hi int) {
			for v := u.lo + lo; v < u.lo+hi; v++ {
				m, x, out := s.m.Row(v), s.x.Row(v), next.Row(v)
				if !t.direct[u.kind] {
					copy(m, l.bias[u.kind])
				}
				t.scatter.addRow(m, products, v)
				vector.GELU(x, m)
				drop(&s.masks, x, v)
				vector.Add(x, h.Row(v))
				scale := l.norms[u.kind].row(out, x)
				if p.keep {
					s.moments[v] = scale
				}
			}
		})
	}
	for i := range b.graphs { // the question's state stays
		copy(next.Row(i), h.Row(i))
	}
}

// multiply makes the products of all relations: in the rows of products, or on
// top of the biases in the rows of s.m.
func (l *layer[T]) multiply(p *Pass[T], s *round[T], products compute.Matrix[T], t *topology[T]) {
	l.sumBiases()
	for _, u := range t.updated {
		if !t.direct[u.kind] {
			continue // the next pass begins with the biases
		}
		p.model.backend.Rows(u.hi-u.lo, rowGrain, func(lo, hi int) {
			for v := u.lo + lo; v < u.lo+hi; v++ {
				copy(s.m.Row(v), l.bias[u.kind])
			}
		})
	}
	for _, k := range t.blocks {
		weights := l.linears[k.relation].weight.weights
		p.model.backend.MulT(written(k, s.m, products), operand(k, s.h, s.a), weights, k.to.step != 0)
	}
}

func (l *layer[T]) sumBiases() {
	for _, sum := range l.bias {
		clear(sum)
	}
	for i, r := range l.relations {
		addTo(l.bias[r.target], l.linears[i].bias.Value.Data)
	}
}

// backward sets dh of dNext, the derivatives by the states before and after the
// layer; both are nodes and sums×d. It overwrites dNext.
func (l *layer[T]) backward(p *Pass[T], s *round[T], dh, dNext compute.Matrix[T], t *topology[T]) {
	b := p.batch
	d := dh.Cols
	for i := range b.graphs {
		copy(dh.Row(i), dNext.Row(i))
	}
	end := b.graphs
	for _, u := range t.updated {
		l.updateBackward(p, s, dh, dNext, u)
		end = u.hi
	}
	clear(dh.RowRange(end, dh.Rows).Data) // documents after the last layer, and the sums
	dP, dA := p.products.matrix(t.products, d), p.dGathered.matrix(s.a.Rows, d)
	t.scatterT.set(p.model.backend, dP, dNext)
	for _, k := range t.blocks {
		dx, dy, stands := operand(k, dh, dA), written(k, dNext, dP), k.from.step != 0
		l.linears[k.relation].backward(p.model.backend, dx, dy, operand(k, s.h, s.a), stands)
	}
	t.gatherT.add(p.model.backend, dh, dA)
	b.sumsT.add(p.model.backend, dh.RowRange(0, b.nodes), dh.RowRange(b.nodes, dh.Rows))
}

// updateBackward turns the rows of dNext of one kind into the derivatives by m,
// sets those of dh to what reaches h past the messages, and adds the gradients of
// the norm and of the biases.
func (l *layer[T]) updateBackward(p *Pass[T], s *round[T], dh, dNext compute.Matrix[T], u span) {
	d := dh.Cols
	n := l.norms[u.kind]
	sum := p.sum.sumRows(p.model.backend, u.lo, u.hi, 3*d, func(lo, hi int, sum []T) {
		for v := lo; v < hi; v++ {
			dx, dm := dh.Row(v), dNext.Row(v)
			n.rowBackward(dx, dm, s.x.Row(v), s.moments[v], sum)
			copy(dm, dx)
			dropAgain(&s.masks, dm, v)
			vector.GELUGrad(dm, dm, s.m.Row(v))
			vector.Add(sum[2*d:], dm)
		}
	})
	n.addSums(sum)
	for i, r := range l.relations {
		if r.target == u.kind {
			addTo(l.linears[i].bias.Grad.Data, sum[2*d:])
		}
	}
}

// topologyOf returns the topology for layer l of the batch's model.
func (m *Model[T]) topologyOf(b *Batch[T], l int) *topology[T] {
	if l == m.config.Layers-1 && m.config.hasDocuments() {
		return &b.last
	}
	return &b.full
}

// updatedIn returns the kinds that a layer updates: the last one leaves documents
// alone, because nobody reads them.
func (c Config) updatedIn(last bool) []kind {
	list := c.updated()
	if last && c.hasDocuments() {
		return list[:len(list)-1]
	}
	return list
}
