package gnn

import (
	"fmt"

	"trawl/selection/graph"
	"trawl/selection/internal/compute"
)

// An Input is one graph with the vectors of its texts.
type Input struct {
	Graph *graph.Graph
	Rows  []int32 // of the [Features], one for each of Graph.Texts; -1 is the zero vector
}

// Features are the vectors of texts, by row. The usual one is a table of package
// [trawl/selection/feature]. Read is called by several goroutines at once. If
// Features have a method Err() error, what it returns after reading ends the
// batch: a vector that could not be read is no vector of zeros.
type Features interface {
	Dims() int
	Read(row int32, dst []float32) // dst has Dims numbers
}

// A Batch is some graphs compiled for one pass: one disjoint graph, as index
// arrays, and the vectors of its distinct texts.
type Batch[T compute.Float] struct {
	Offsets    []int   // the logits of graph i are Offsets[i] to Offsets[i+1]-1
	Candidates [][]int // for each logit, the candidates of its graph (Graph.Answers) that it stands for: one, unless answers are merged

	model  *Model[T]
	graphs int
	nodes  int        // that stand in the matrix of states
	count  [kinds]int // nodes of a kind
	base   [kinds]int // the first node of a kind in the matrix of states; answers stand in one of their own
	texts  [kinds]texts[T]
	votes  [][2]T  // per answer: log(1+c), c/R
	orphan []int32 // nodes

	builder    builder[T]
	full, last topology[T] // of all layers, and of the last if it is different
	sums       *sparse[T]  // the sums that follow the nodes in the matrix of states
	sumsT      sparse[T]
	transposed bool // what the backward pass needs is there

	readers readers
}

// texts are the distinct texts of one kind of node in a batch.
type texts[T compute.Float] struct {
	x       buffer[T]
	vectors compute.Matrix[T] // distinct texts×D
	rows    []int32           // of the features, one for each distinct text
	of      sparse[T]         // nodes × texts, a 1 in every row
	ofT     sparse[T]
	seen    map[int32]int32
}

// readers says who asks what in the readout. A reader is an answer or, if the
// graph is read as a whole, a graph.
type readers struct {
	context  sparse[float32] // readers × nodes; without weights
	graphs   []int32         // the readers of graph i are graphs[i] to graphs[i+1]-1
	ofAnswer []int32         // reader of an answer
}

// A part of a batch: one graph as the network sees it.
type member struct {
	graph    *graph.Graph // merged, if the model merges
	whole    *graph.Graph // as it came
	rows     []int32
	document []int32 // for each evidence, its rollout's copy of its document; nil if rollouts share documents
	first    [kinds]int
	count    [kinds]int
}

// Prepare compiles graphs into a batch. It fails, naming the graph by its place,
// if one is not of the model's kind or the features have another length. It is
// safe for concurrent use, also with a pass over another batch.
func (m *Model[T]) Prepare(in []Input, f Features) (*Batch[T], error) {
	if f.Dims() != m.config.Embedding {
		return nil, fmt.Errorf("gnn: vectors have %d numbers, the model was made for %d: use the embedder it was trained with", f.Dims(), m.config.Embedding)
	}
	b := m.takeBatch()
	members := make([]member, len(in))
	for i := range in {
		if err := m.member(&members[i], in[i]); err != nil {
			b.Free()
			return nil, graphError{i, err}
		}
	}
	b.number(members)
	b.wire(m, members)
	b.gather(members, f)
	b.read(m, members)
	if disk, ok := f.(interface{ Err() error }); ok && disk.Err() != nil {
		b.Free()
		return nil, fmt.Errorf("gnn: vectors: %w", disk.Err())
	}
	return b, nil
}

// Free gives the batch's memory back to its model, for a later [Model.Prepare].
// The batch, and a pass over it, are not used again. Without it, the garbage
// collector does the same, later.
func (b *Batch[T]) Free() { b.model.giveBatch(b) }

// number gives the nodes of all graphs their places, kind by kind.
func (b *Batch[T]) number(members []member) {
	b.graphs = len(members)
	b.count = [kinds]int{}
	b.Offsets = append(b.Offsets[:0], 0)
	b.Candidates = b.Candidates[:0]
	for i := range members {
		s := &members[i]
		for k := range s.count {
			s.first[k] = b.count[k]
			b.count[k] += s.count[k]
		}
		b.Offsets = append(b.Offsets, b.count[answer])
		b.Candidates = append(b.Candidates, s.candidates()...)
	}
	b.nodes = 0
	for k := query; k <= document; k++ {
		b.base[k] = b.nodes
		b.nodes += b.count[k]
	}
}

// place returns the numbers of the nodes of a kind of one graph.
func (b *Batch[T]) place(s *member, k kind) ends {
	return ends{int32(b.base[k] + s.first[k]), s.count[k]}
}

// wire makes the topologies.
func (b *Batch[T]) wire(m *Model[T], members []member) {
	b.builder.reset(len(m.relations), b.nodes)
	b.transposed = false
	b.orphan = b.orphan[:0]
	for i := range members {
		s := &members[i]
		intra, cross := -1, -1
		for r, rel := range m.relations {
			switch rel.name {
			case graph.SameContentIntra:
				intra = r
			case graph.SameContentCross:
				cross = r
			default:
				b.builder.edges(r, s.edges(rel.name), b.place(s, rel.source), b.place(s, rel.target))
			}
		}
		if intra >= 0 {
			content, rollout := s.contents()
			b.builder.contents(intra, cross, content, rollout, b.place(s, evidence).base)
		}
		for j := range s.graph.Subqueries {
			if s.graph.Subqueries[j].Orphan {
				b.orphan = append(b.orphan, b.place(s, subquery).base+int32(j))
			}
		}
	}
	b.builder.assemble(&b.full, m.relations, b.spans(m.config.updatedIn(false)))
	if m.config.hasDocuments() {
		b.builder.assemble(&b.last, m.relations, b.spans(m.config.updatedIn(true)))
	}
	b.sums = &b.builder.sums
}

func (b *Batch[T]) spans(list []kind) []span {
	var spans []span
	for _, k := range list {
		spans = append(spans, span{k, b.base[k], b.base[k] + b.count[k]})
	}
	return spans
}

// transpose makes what only the backward pass needs.
func (b *Batch[T]) transpose() {
	if b.transposed {
		return
	}
	b.transposed = true
	b.sums.transpose(&b.sumsT, b.nodes)
	for _, t := range []*topology[T]{&b.full, &b.last} {
		if t.updated != nil {
			t.gather.transpose(&t.gatherT, b.nodes+b.sums.rows())
			t.scatter.transpose(&t.scatterT, t.products)
		}
	}
	for _, k := range encoded {
		b.texts[k].of.transpose(&b.texts[k].ofT, len(b.texts[k].rows))
	}
}
