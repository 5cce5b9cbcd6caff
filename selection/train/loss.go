package train

import (
	"math"

	"trawl/selection/graph"
)

// Losses are the three losses of a variant (SEL §3.5, A.4). A label y is 0 to 1,
// above ½ it counts as positive; s are the scores of the candidates.
//
//	BCE       mean over all candidates of −[w·y·log σ(s) + (1−y)·log(1−σ(s))], w = PosWeight
//	Listwise  mean over graphs of logsumexp(s) − logsumexp(s of the positives)
//	Hard      mean over mixed graphs of softplus(max s of the negatives − max s of the positives)
//
// Listwise counts the graphs with a positive in the WebQA variant (one without
// negatives adds 0, and counts), and mixed graphs only in the long-horizon one. A
// mean over no graph is 0.
//
// All means are over a whole batch, and what they divide by follows from labels
// alone. So a batch is first counted with [Losses.Count], then its graphs are
// added up, in pieces of any size, with [Losses.Graph].
type Losses struct {
	Variant   graph.Variant
	PosWeight float64
	BCEOnly   bool // leave out Listwise and Hard
}

// A Loss is the value of each loss, or one graph's share of it.
type Loss struct {
	BCE      float64 `json:"bce"`
	Listwise float64 `json:"listwise"`
	Hard     float64 `json:"hard"`
}

// Total is the sum of the three with unit weights.
func (l Loss) Total() float64 { return l.BCE + l.Listwise + l.Hard }

// Plus returns l + k.
func (l Loss) Plus(k Loss) Loss {
	return Loss{BCE: l.BCE + k.BCE, Listwise: l.Listwise + k.Listwise, Hard: l.Hard + k.Hard}
}

// Times returns a·l.
func (l Loss) Times(a float64) Loss {
	return Loss{BCE: a * l.BCE, Listwise: a * l.Listwise, Hard: a * l.Hard}
}

// Counts is what the means of one batch divide by.
type Counts struct{ Candidates, Listwise, Hard int }

// Count adds a graph with these labels to c.
func (l Losses) Count(c *Counts, labels []float64) {
	positives := 0
	for _, y := range labels {
		if positive(y) {
			positives++
		}
	}
	mixed := 0 < positives && positives < len(labels)
	c.Candidates += len(labels)
	if mixed && !l.BCEOnly {
		c.Hard++
	}
	if l.listwise(positives, len(labels)) {
		c.Listwise++
	}
}

// listwise reports whether a graph with so many positives of n candidates counts
// in the listwise mean.
func (l Losses) listwise(positives, n int) bool {
	if l.BCEOnly || positives == 0 {
		return false
	}
	return l.Variant == graph.WebQA || positives < n
}

func positive(y float64) bool { return y > 0.5 }

// Graph returns the share of one graph in the losses of a batch with these
// counts, and adds to gradient the derivative of that share's total by each
// score. The derivative of a maximum goes to whoever attains it, in equal parts
// if several do.
func (l Losses) Graph(c Counts, scores, labels, gradient []float64) Loss {
	var loss Loss
	best, worst := newMaximum(), newMaximum() // of the positives, of the negatives
	for i, s := range scores {
		loss.BCE += l.entropy(s, labels[i]) / float64(c.Candidates)
		gradient[i] += l.entropySlope(s, labels[i]) / float64(c.Candidates)
		if positive(labels[i]) {
			best.add(s)
		} else {
			worst.add(s)
		}
	}
	if l.listwise(best.n, len(scores)) {
		loss.Listwise = listwise(1/float64(c.Listwise), scores, labels, gradient)
	}
	if best.n > 0 && worst.n > 0 && !l.BCEOnly {
		weight := 1 / float64(c.Hard)
		loss.Hard = weight * softplus(worst.value-best.value)
		slope := weight * sigmoid(worst.value-best.value)
		for i, s := range scores {
			switch {
			case positive(labels[i]) && s == best.value:
				gradient[i] -= slope / float64(best.ties)
			case !positive(labels[i]) && s == worst.value:
				gradient[i] += slope / float64(worst.ties)
			}
		}
	}
	return loss
}

// entropy is the cross entropy with logits, −log σ(s) being softplus(−s).
func (l Losses) entropy(s, y float64) float64 {
	return l.PosWeight*y*softplus(-s) + (1-y)*softplus(s)
}

// entropySlope is its derivative by s.
func (l Losses) entropySlope(s, y float64) float64 {
	return (1-y)*sigmoid(s) - l.PosWeight*y*sigmoid(-s)
}

// listwise returns weight·(logsumexp(all) − logsumexp(positives)) and adds its
// derivative, weight·(softmax over all − softmax over the positives).
func listwise(weight float64, scores, labels, gradient []float64) float64 {
	top, topPositive := math.Inf(-1), math.Inf(-1)
	for i, s := range scores {
		top = max(top, s)
		if positive(labels[i]) {
			topPositive = max(topPositive, s)
		}
	}
	var sum, sumPositive float64
	for i, s := range scores {
		sum += math.Exp(s - top)
		if positive(labels[i]) {
			sumPositive += math.Exp(s - topPositive)
		}
	}
	for i, s := range scores {
		gradient[i] += weight * math.Exp(s-top) / sum
		if positive(labels[i]) {
			gradient[i] -= weight * math.Exp(s-topPositive) / sumPositive
		}
	}
	return weight * (top + math.Log(sum) - topPositive - math.Log(sumPositive))
}

// A maximum is the greatest of n numbers and how many of them attain it.
type maximum struct {
	value   float64
	n, ties int
}

func newMaximum() maximum { return maximum{value: math.Inf(-1)} }

func (m *maximum) add(s float64) {
	m.n++
	switch {
	case s > m.value:
		m.value, m.ties = s, 1
	case s == m.value:
		m.ties++
	}
}

// softplus is log(1+eˣ), without overflow.
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// sigmoid is 1/(1+e⁻ˣ).
func sigmoid(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}
