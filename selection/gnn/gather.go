package gnn

import "trawl/selection/internal/compute"

// gather reads the vector of each distinct text once for each kind of node that
// has it.
func (b *Batch[T]) gather(members []member, f Features) {
	b.votes = b.votes[:0]
	for i := range members {
		for j := range members[i].graph.Answers {
			log, share := members[i].voteFeatures(j)
			b.votes = append(b.votes, [2]T{T(log), T(share)})
		}
	}
	for _, k := range encoded {
		t := &b.texts[k]
		t.begin()
		for i := range members {
			for j := range members[i].count[k] {
				t.node(members[i].textOf(k, j))
			}
		}
		t.read(b.model.backend, f)
	}
}

func (t *texts[T]) begin() {
	if t.seen == nil {
		t.seen = make(map[int32]int32)
	}
	clear(t.seen)
	t.rows = t.rows[:0]
	t.of.reset()
}

// node adds a node whose text has the row.
func (t *texts[T]) node(row int32) {
	n, ok := t.seen[row]
	if !ok {
		n = int32(len(t.rows))
		t.seen[row] = n
		t.rows = append(t.rows, row)
	}
	t.of.index = append(t.of.index, n)
	t.of.end()
}

// read reads the vectors.
func (t *texts[T]) read(b compute.Backend[T], f Features) {
	t.vectors = t.x.matrix(len(t.rows), f.Dims())
	b.Rows(len(t.rows), 4, func(lo, hi int) {
		var wide []float32 // a vector on its way to a T that is no float32
		for i := lo; i < hi; i++ {
			switch dst := any(t.vectors.Row(i)).(type) {
			case []float32:
				read(f, t.rows[i], dst)
			case []float64:
				wide = resize(wide, len(dst))
				read(f, t.rows[i], wide)
				for j, v := range wide {
					dst[j] = float64(v)
				}
			}
		}
	})
}

func read(f Features, row int32, dst []float32) {
	if row == noRow {
		clear(dst)
		return
	}
	f.Read(row, dst)
}

// read says what the readout reads: the subqueries and the evidence of an
// answer's own rollouts, or, as the model is set, of all.
func (b *Batch[T]) read(m *Model[T], members []member) {
	a := m.config.Ablation
	r := &b.readers
	r.context.reset()
	r.graphs = append(r.graphs[:0], 0)
	r.ofAnswer = r.ofAnswer[:0]
	for i := range members {
		s := &members[i]
		base := [...]int32{b.place(s, subquery).base, b.place(s, evidence).base}
		first, readers := int32(r.context.rows()), s.count[answer]
		switch {
		case a.GraphReadout || a.SharedContext:
			if a.GraphReadout {
				readers = 1
			}
			for range readers {
				r.all(base[0], s.count[subquery])
				r.all(base[1], s.count[evidence])
				r.context.end()
			}
		default:
			r.own(s, base[0], base[1])
		}
		for j := range s.count[answer] {
			r.ofAnswer = append(r.ofAnswer, first+min(int32(j), int32(readers)-1))
		}
		r.graphs = append(r.graphs, int32(r.context.rows()))
	}
}

// all adds n nodes to the reader under way.
func (r *readers) all(base int32, n int) {
	for i := range n {
		r.context.index = append(r.context.index, base+int32(i))
	}
}

// own adds a reader for each answer of one graph, with the nodes that are its
// own, subqueries first.
func (r *readers) own(s *member, subqueries, evidence int32) {
	// A counting sort: size[a+1] nodes are a's, then they begin at size[a].
	size := make([]int32, s.count[answer]+1)
	each := func(f func(a int, node int32)) {
		for i := range s.graph.Subqueries {
			for _, a := range s.graph.Subqueries[i].Answers {
				f(a, subqueries+int32(i))
			}
		}
		for i := range s.graph.Evidence {
			for _, a := range s.graph.Evidence[i].Answers {
				f(a, evidence+int32(i))
			}
		}
	}
	each(func(a int, _ int32) { size[a+1]++ })
	first := int32(len(r.context.index))
	for a := range s.count[answer] {
		size[a+1] += size[a]
		r.context.start = append(r.context.start, first+size[a+1])
	}
	r.context.index = append(r.context.index, make([]int32, size[s.count[answer]])...)
	nodes := r.context.index[first:]
	each(func(a int, node int32) {
		nodes[size[a]] = node
		size[a]++
	})
}
