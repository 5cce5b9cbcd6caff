package gnn

import (
	"cmp"
	"slices"

	"trawl/selection/graph"
	"trawl/selection/internal/compute"
)

// A topology is how the messages of a layer pass in a batch, see [layer].
type topology[T compute.Float] struct {
	blocks   []block
	gather   sparse[T]   // gathered rows × nodes and sums
	scatter  sparse[T]   // nodes × products
	updated  []span      // the nodes that change, by kind, ascending and without gaps
	direct   [kinds]bool // whether products are added to the nodes of a kind as they are made
	products int         // rows of those that are not

	gatherT, scatterT sparse[T] // for the backward pass
}

// A block is the rows of one relation. What it multiplies is rows lo to lo+rows-1
// of what is gathered, or, if the rows are nodes at even steps, those nodes where
// they stand; likewise for where its products go.
type block struct {
	relation, rows int
	gathered       int // first row
	product        int // first row
	from, to       run
}

// A run is the nodes first, first+step, …; there is none if step is 0.
type run struct{ first, step int }

// at returns the view of so many rows of m.
func at[T compute.Float](r run, m compute.Matrix[T], rows int) compute.Matrix[T] {
	return compute.Matrix[T]{
		Rows: rows, Cols: m.Cols, Stride: r.step * m.Stride,
		Data: m.Data[r.first*m.Stride : (r.first+(rows-1)*r.step)*m.Stride+m.Cols],
	}
}

// operand returns the rows that a block multiplies, given the nodes and what is
// gathered.
func operand[T compute.Float](k block, nodes, gathered compute.Matrix[T]) compute.Matrix[T] {
	if k.from.step != 0 {
		return at(k.from, nodes, k.rows)
	}
	return gathered.RowRange(k.gathered, k.gathered+k.rows)
}

// written returns the rows that a block's products go to, given the nodes and the
// products that go nowhere yet.
func written[T compute.Float](k block, nodes, products compute.Matrix[T]) compute.Matrix[T] {
	if k.to.step != 0 {
		return at(k.to, nodes, k.rows)
	}
	return products.RowRange(k.product, k.product+k.rows)
}

// A span is the nodes lo to hi-1, those of a kind.
type span struct {
	kind   kind
	lo, hi int
}

// A wiring collects the rows of one relation over the graphs of a batch.
type wiring[T compute.Float] struct {
	rows  sparse[T] // what each row is made of
	parts []part[T] // where its product goes
}

// A part says that a node gets a share of the product of a row.
type part[T compute.Float] struct {
	node, row int32
	share     T
}

func (w *wiring[T]) reset() {
	w.rows.reset()
	w.parts = w.parts[:0]
}

// A builder makes the topologies of a batch. The slices are scratch for one
// graph's relation at a time.
type builder[T compute.Float] struct {
	wirings []wiring[T] // by relation
	sums    sparse[T]   // sums of states that several rows need; numbered after the nodes
	nodes   int32

	rowOf, degree []int32
	order         []int32
	ends          []int32
}

func (b *builder[T]) reset(relations, nodes int) {
	b.wirings = resize(b.wirings, relations)
	for i := range b.wirings {
		b.wirings[i].reset()
	}
	b.sums.reset()
	b.nodes = int32(nodes)
}

// edges adds the edges of one graph to a relation; the nodes of its ends are
// numbered from sourceBase and targetBase, of which there are the given counts.
//
// A product is linear, so the mean over neighbours may be taken before it or
// after: before, there is a row for each node that hears something, after, one
// for each that is heard. The fewer rows are multiplied.
func (b *builder[T]) edges(relation int, list []graph.Edge, source, target ends) {
	w := &b.wirings[relation]
	b.degree = resize(b.degree, target.count)
	clear(b.degree)
	b.rowOf = resize(b.rowOf, source.count)
	clear(b.rowOf)
	heard, hear := 0, 0
	for _, e := range list {
		if b.rowOf[e.Source] == 0 {
			heard++
			b.rowOf[e.Source] = int32(heard)
		}
		if b.degree[e.Target] == 0 {
			hear++
		}
		b.degree[e.Target]++
	}
	if heard < hear {
		b.bySource(w, list, source, target)
		return
	}
	b.byTarget(w, list, source, target)
}

// ends numbers the nodes at one end of a relation in one graph.
type ends struct {
	base  int32 // of node 0 in the batch
	count int
}

// bySource takes the mean after the product. rowOf holds the number of every
// source that is heard, from 1, in the order of first use.
func (b *builder[T]) bySource(w *wiring[T], list []graph.Edge, source, target ends) {
	first := int32(w.rows.rows())
	known := int32(0)
	for _, e := range list {
		row := b.rowOf[e.Source]
		if row > known {
			known = row
			w.rows.entry(source.base+int32(e.Source), 1)
			w.rows.end()
		}
		w.parts = append(w.parts, part[T]{target.base + int32(e.Target), first + row - 1, 1 / T(b.degree[e.Target])})
	}
}

// byTarget takes the mean before the product. degree holds how many neighbours
// every target has.
func (b *builder[T]) byTarget(w *wiring[T], list []graph.Edge, source, target ends) {
	// Edges by target: counting sort, with the place of a target's next edge in ends.
	b.ends = resize(b.ends, target.count)
	at := int32(0)
	for t, n := range b.degree[:target.count] {
		b.ends[t] = at
		at += n
	}
	b.order = resize(b.order, len(list))
	for _, e := range list {
		b.order[b.ends[e.Target]] = int32(e.Source)
		b.ends[e.Target]++
	}
	at = 0
	for t, n := range b.degree[:target.count] {
		if n == 0 {
			continue
		}
		for ; at < b.ends[t]; at++ {
			w.rows.entry(source.base+b.order[at], 1/T(n))
		}
		w.parts = append(w.parts, part[T]{target.base + int32(t), int32(w.rows.rows()), 1})
		w.rows.end()
	}
}

// A clique is what evidence of one content, read by one rollout, is called here.
type clique struct{ lo, hi int } // in builder.order

// contents adds the same-content relations of one graph: intra and cross are the
// relations' numbers, cross -1 without it. Both are cliques, whose edges grow with
// the square of what is shared, so means are taken from sums:
//
//	cross mean of o = (S_content − S_content,rollout) / (n_content − n_content,rollout)
//
// one row for all evidence that a rollout has of a content, and intra likewise
// without o itself. Sums of one or two are listed instead.
func (b *builder[T]) contents(intra, cross int, content, rollout []int32, base int32) {
	b.order = resize(b.order, len(content))
	for i := range b.order {
		b.order[i] = int32(i)
	}
	slices.SortStableFunc(b.order, func(x, y int32) int {
		return cmp.Or(cmp.Compare(content[x], content[y]), cmp.Compare(rollout[x], rollout[y]))
	})
	for lo := 0; lo < len(b.order); {
		hi := lo + 1
		for hi < len(b.order) && content[b.order[hi]] == content[b.order[lo]] {
			hi++
		}
		if hi-lo > 1 {
			b.content(intra, cross, clique{lo, hi}, rollout, base)
		}
		lo = hi
	}
}

// content adds the evidence of one content.
func (b *builder[T]) content(intra, cross int, all clique, rollout []int32, base int32) {
	whole := int32(-1) // the sum over all, once a row needs it
	for lo := all.lo; lo < all.hi; {
		hi := lo + 1
		for hi < all.hi && rollout[b.order[hi]] == rollout[b.order[lo]] {
			hi++
		}
		own := clique{lo, hi}
		ownSum := int32(-1)
		if cross >= 0 && hi-lo < all.hi-all.lo {
			w := &b.wirings[cross]
			b.mean(&w.rows, all, own, base, &whole, &ownSum)
			for _, o := range b.order[lo:hi] {
				w.parts = append(w.parts, part[T]{base + o, int32(w.rows.rows()), 1})
			}
			w.rows.end()
		}
		for i := lo; i < hi && hi-lo > 1; i++ {
			w := &b.wirings[intra]
			alone := int32(-1)
			b.mean(&w.rows, own, clique{i, i + 1}, base, &ownSum, &alone)
			w.parts = append(w.parts, part[T]{base + b.order[i], int32(w.rows.rows()), 1})
			w.rows.end()
		}
		lo = hi
	}
}

// mean adds entries to the row under way: the mean over all but those left out,
// of which all is one part. wholeSum and outSum are the numbers of the sums of
// the two, -1 as long as nobody needed them.
func (b *builder[T]) mean(row *sparse[T], all, out clique, base int32, wholeSum, outSum *int32) {
	n := (all.hi - all.lo) - (out.hi - out.lo)
	w := 1 / T(n)
	if n <= 2 {
		for i := all.lo; i < all.hi; i++ {
			if i < out.lo || i >= out.hi {
				row.entry(base+b.order[i], w)
			}
		}
		return
	}
	row.entry(b.sum(all, base, wholeSum), w)
	if out.hi-out.lo <= 2 {
		for _, o := range b.order[out.lo:out.hi] {
			row.entry(base+o, -w)
		}
		return
	}
	row.entry(b.sum(out, base, outSum), -w)
}

// sum returns the number of the sum over c, and makes it if there is none.
func (b *builder[T]) sum(c clique, base int32, number *int32) int32 {
	if *number < 0 {
		*number = b.nodes + int32(b.sums.rows())
		for _, o := range b.order[c.lo:c.hi] {
			b.sums.entry(base+o, 1)
		}
		b.sums.end()
	}
	return *number
}

// assemble makes the topology of the relations whose targets are among the
// updated nodes.
func (b *builder[T]) assemble(t *topology[T], relations []relation, updated []span) {
	t.gather.reset()
	t.blocks = t.blocks[:0]
	t.updated = append(t.updated[:0], updated...)
	t.direct = [kinds]bool{}
	products := 0
	for r, rel := range relations {
		w := &b.wirings[r]
		rows := w.rows.rows()
		if rows == 0 || !slices.ContainsFunc(updated, func(s span) bool { return s.kind == rel.target }) {
			continue
		}
		k := block{relation: r, rows: rows, gathered: t.gather.rows(), product: products, from: w.from(), to: w.to()}
		if k.from.step == 0 {
			t.gather.append(&w.rows)
		}
		if k.to.step == 0 {
			products += rows
		} else {
			t.direct[rel.target] = true
		}
		t.blocks = append(t.blocks, k)
	}
	b.scatter(t)
	t.products = products
}

// scatter makes the rows of t.scatter, a counting sort of parts by node.
func (b *builder[T]) scatter(t *topology[T]) {
	s := &t.scatter
	s.start = resize(s.start, int(b.nodes)+1)
	clear(s.start)
	each := func(f func(first int, p part[T])) {
		for _, k := range t.blocks {
			if k.to.step != 0 {
				continue
			}
			for _, p := range b.wirings[k.relation].parts {
				f(k.product, p)
			}
		}
	}
	each(func(_ int, p part[T]) { s.start[p.node+1]++ })
	for i := range int(b.nodes) {
		s.start[i+1] += s.start[i]
	}
	s.index = resize(s.index, int(s.start[b.nodes]))
	s.weight = resize(s.weight, int(s.start[b.nodes]))
	b.ends = resize(b.ends, int(b.nodes))
	copy(b.ends, s.start)
	each(func(first int, p part[T]) {
		at := b.ends[p.node]
		b.ends[p.node]++
		s.index[at], s.weight[at] = int32(first)+p.row, p.share
	})
}

// from returns the run of nodes that the rows are, if each is one node.
func (w *wiring[T]) from() run {
	rows := w.rows.rows()
	if len(w.rows.index) != rows || slices.ContainsFunc(w.rows.weight, func(v T) bool { return v != 1 }) {
		return run{}
	}
	return runOf(rows, func(i int) int { return int(w.rows.index[i]) })
}

// to returns the run of nodes that the products go to, if each goes to one. Every
// row has a part, and parts stand in the order of rows, so as many parts as rows
// are one each; a share is less than 1 only where a product has several.
func (w *wiring[T]) to() run {
	if len(w.parts) != w.rows.rows() {
		return run{}
	}
	return runOf(len(w.parts), func(i int) int { return int(w.parts[i].node) })
}

// runOf returns the run that n numbers are, if they are one.
func runOf(n int, number func(i int) int) run {
	r := run{number(0), 1}
	if n > 1 {
		r.step = number(1) - r.first
	}
	if r.step < 1 {
		return run{}
	}
	for i := range n {
		if number(i) != r.first+i*r.step {
			return run{}
		}
	}
	return r
}

// append adds the rows of o below those of s.
func (s *sparse[T]) append(o *sparse[T]) {
	shift := int32(len(s.index))
	for _, end := range o.start[1:] {
		s.start = append(s.start, shift+end)
	}
	s.index = append(s.index, o.index...)
	s.weight = append(s.weight, o.weight...)
}
