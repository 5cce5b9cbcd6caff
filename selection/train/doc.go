// Package train trains the graph selector: it moves the parameters of a
// [trawl/selection/gnn] model until the candidates that are right score above
// those that are not. The method is that of SEL, arXiv:2609.39912, §3.5 and A.4.
//
// [Run] trains on [Example] values and leaves the best epoch in the model,
// [CrossValidate] does so once for each fold of a small data set. [Losses] and
// [AdamW] are what they stand on; [Split] says on which side a question is.
//
// The same model, examples and [Options] give the same parameters, bit for bit,
// whatever the number of cores, and whether or not the training was interrupted.
// FORMAT.md describes the state that an interrupted one goes on from. Examples are
// shuffled, and dropout is drawn, from the seed and the position alone.
//
// # Departures
//
// A batch passes through the network in pieces whose gradients are added, since
// 256 graphs at once need gigabytes. The means of the losses are over the whole
// batch all the same, so the gradient is that of the paper up to rounding.
//
// The weight of positives counts the candidates of the pools that are trained on;
// the paper says "of the training split", whose sizes are those of such pools.
//
// Training in two stages is an ablation whose form the paper leaves open; this one
// is a reconstruction, and its figures are not the paper's. The first stage trains
// the whole model with the cross entropy alone, which looks at each candidate by
// itself; the second keeps its best encoders and message passing as they are, and
// trains readout and score from the beginning with all three losses. Each stage
// has the full number of epochs and an optimizer of its own.
//
// # Concurrency
//
// Functions of this package use all cores, but call back, and use the model, from
// the goroutine that called them.
package train
