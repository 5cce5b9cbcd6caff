package gnn

import (
	"fmt"
	"strconv"
	"strings"

	"trawl/selection/internal/compute"
)

// State returns the states of a pass by the names that golden/selector gives
// them; it panics for a name that is none.
func (p *Pass[T]) State(name string) compute.Matrix[T] {
	b, v := p.batch, p.model.config.Variant
	for _, k := range encoded {
		if name == "encoded."+encoderName(v, k) {
			if k == evidence && encoderName(v, k) == "chunk" {
				return p.encodings[k].y // in the order of first use, as the fixture numbers them
			}
			out := compute.NewMatrix[T](b.count[k], p.model.config.Hidden)
			b.texts[k].of.set(p.model.backend, out, p.encodings[k].y)
			return out
		}
	}
	if layer, kindName, ok := strings.Cut(name, "."); ok && strings.HasPrefix(layer, "h") {
		if l, err := strconv.Atoi(layer[1:]); err == nil {
			for k := query; k <= answer; k++ {
				if typeName(v, k) != kindName {
					continue
				}
				if k == answer {
					return p.answers
				}
				return p.h[l].RowRange(b.base[k], b.base[k]+b.count[k])
			}
		}
	}
	switch name {
	case "readout.attention":
		return p.weightsByNode()
	case "readout.attended":
		return p.attention.out
	case "readout.middle":
		return p.attention.state
	case "readout.state":
		return p.ffn.state
	case "unit.query":
		return p.score.query
	case "unit." + typeName(v, answer):
		return p.score.answer
	case "logits":
		return compute.Matrix[T]{Rows: 1, Cols: len(p.Logits), Stride: len(p.Logits), Data: p.Logits}
	}
	panic(fmt.Sprintf("gnn: no state is called %q", name))
}

// weightsByNode returns the attention weights, nodes×heads, subqueries first.
func (p *Pass[T]) weightsByNode() compute.Matrix[T] {
	b, heads := p.batch, p.model.config.Heads
	out := compute.NewMatrix[T](b.count[subquery]+b.count[evidence], heads)
	for i := range b.readers.context.rows() {
		nodes, _, weights := p.contextOf(&p.attention, i)
		for j, node := range nodes {
			for h := range heads {
				out.Row(int(node) - b.base[subquery])[h] = weights[h*len(nodes)+j]
			}
		}
	}
	return out
}

// PublicName is publicName, for tests.
func (m *Model[T]) PublicName(name string) string { return m.publicName(name) }
