// Package gnn is the graph network that scores the candidates of a graph by the
// evidence behind them: its parameters, its forward and backward passes, its
// checkpoints, and the [Selector] that it is for.
//
// A [Model] has a [Config] and, by name, its parameters. [Model.Prepare] compiles
// graphs into a [Batch], [Model.Forward] makes a [Pass] of it, [Pass.Backward] adds
// the gradients; package [trawl/selection/train] does the rest of training.
// [Model.Scores] is the pass without a way back. [Open] reads a checkpoint to run
// on a [Device]. A layer is a file: its formula, forward and backward by hand.
//
// The network is that of the selector paper (SEL, arXiv:2609.39912; methods.md
// A.2, A.3 and A.5): an encoder for each kind of text, rounds of messages along
// relations, a readout that asks with the answer what it finds in its own
// rollout's evidence, and the scaled cosine of that with the question.
//
// # Work that is not done
//
// A batch is one disjoint graph. A distinct text is encoded once for each kind of
// node that has it. A relation multiplies a row for each node that hears along it,
// or for each that is heard, whichever are fewer; nodes at even steps are
// multiplied where they stand, the others are gathered. Means over evidence of
// equal content, cliques with hundreds of edges, come from sums. The biases of all
// relations that end at a kind are added at once. The readout multiplies keys and
// values on the side of the answers, which are ten times fewer than what they
// read. The last layer's documents, which nobody reads, are not made. What is no
// product of matrices runs on all cores, row by row, several steps while a row is
// in the cache, and all memory is used again from pass to pass.
//
// A pass does the same to a row wherever it stands, so the same batch gives the
// same bits on any number of cores; a graph's scores depend on its company in the
// last bits only.
//
// # Departures
//
// Where the paper's text leaves an ablation open, this is what was chosen, each a
// [RECONSTRUCTION]:
//
//   - NoCross removes same_content_cross_trace, with its parameters. In the
//     long-horizon variant, where rollouts meet in documents, every rollout has its
//     own copy of a document instead, because without documents evidence of one
//     page would lose its links inside a rollout too, which is another ablation
//     (Links none).
//   - NoNetwork has no layers: the readout reads what the encoders made. Documents,
//     which have no text, are not nodes then.
//   - FixedQuery replaces h_a by a learned vector in the attention's query only, as
//     its name says. The answer still enters what follows, x = LN(h_a + …); without
//     that, its text and its votes would be lost to the score, and the ablation
//     would tell of two things at once. The vector begins as a row of a linear layer
//     does, U(±1/√d).
//   - GraphReadout reads the graph once: the question's state asks, all subqueries
//     and all evidence answer, and every candidate gets the same. With SharedContext
//     each candidate asks for itself, of all.
//   - MergeEvidence keeps no same-content relations, not even their biases: there is
//     no pair left, and biases add up to one vector for each kind anyway.
//   - MergeAnswers changes what the readout asks with and reads, and no message:
//     evidence of two rollouts stays evidence of two, though they agree. c/R keeps R,
//     the number of rollouts.
//   - Links content and both give the long-horizon variant the relations
//     same_content_intra_trace and same_content_cross_trace of the other one.
//
// A search that returns more than three results has relations rank1 to rankN, of
// which the last is shared by all that follow, see package
// [trawl/selection/graph].
//
// The first numbers of parameters have the paper's distributions (A.5), not its
// draws, which are torch's.
//
// # Concurrency
//
// Passes of a model share memory: one goroutine at a time runs them. Prepare may
// run beside a pass. [Model.Scores], and so [Selector], may be called by any number
// of goroutines; models that were opened on one device take turns.
package gnn
