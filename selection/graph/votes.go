package graph

import "trawl/internal/text"

// PaperKey returns the key under which an answer votes in the paper: its normal
// form, which may be empty ("The" is). See [VoteKey].
func PaperKey(answer string) string { return text.Answer(answer) }

// VoteKey returns the key under which an answer votes here. It is [PaperKey]
// unless that is empty, and then the lower-cased answer.
func VoteKey(answer string) string { return text.AnswerKey(answer) }

// vote adds the candidates. In the WebQA variant equal answers have the text of
// the first of them. (methods A.1, rule 7)
func (b *builder) vote(retained []int) {
	answers, keys := make([]string, len(retained)), make([]string, len(retained))
	members := make(map[string][]int, len(retained))
	for i, r := range retained {
		answers[i] = text.Trim(b.pool.Rollouts[r].Answer)
		keys[i] = VoteKey(answers[i])
		members[keys[i]] = append(members[keys[i]], i)
	}
	b.answers = answers
	b.g.Answers = make([]Answer, len(retained))
	for i, r := range retained {
		equal := members[keys[i]]
		b.g.Answers[i] = Answer{Rollouts: []int{r}, Votes: len(equal)}
		if b.options.Variant == WebQA {
			answers[i] = answers[equal[0]]
		}
	}
}

// Trainable reports whether a pool qualifies for training: whether it has a
// rollout that is right and one that is wrong. Labels hold one number for each
// rollout of the pool, in its order, by the rollout's own answer; above ½ is
// right, and a missing answer is wrong. (methods A.1, rule 5)
//
// The WebQA variant asks it of all rollouts that were considered, retained or
// not, so that a graph to train on may hold one class only; labels then leave
// out those beyond [Options].Rollouts. The long-horizon variant asks it of the
// retained ones. A pool without a graph is not trainable.
func Trainable(g *Graph, labels []float64) bool {
	var right, wrong bool
	see := func(label float64) {
		right = right || label > 0.5
		wrong = wrong || !(label > 0.5)
	}
	if g == nil {
		return false
	}
	if g.Variant == WebQA {
		for _, l := range labels {
			see(l)
		}
		return right && wrong
	}
	for _, a := range g.Answers {
		for _, r := range a.Rollouts {
			see(labels[r])
		}
	}
	return right && wrong
}
