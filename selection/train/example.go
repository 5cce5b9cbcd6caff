package train

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"trawl/selection/gnn"
	"trawl/selection/graph"
	"trawl/selection/internal/compute"
)

// An Example is the pool of one question, with what its candidates are worth.
type Example struct {
	Question  string // its text, by which examples are split
	Input     gnn.Input
	Labels    []float64 // one for each candidate, 0 to 1: exact match, or a judge's word; the mean where answers are merged
	F1        []float64 // likewise; nil if it is not known, which counts as 0
	Trainable bool      // the pool qualifies for training, see SEL A.1; for validation this is not asked
}

// empty reports whether no rollout of the pool is retained, so that there is
// nothing to score.
func (e Example) empty() bool { return e.Input.Graph == nil || len(e.Input.Graph.Answers) == 0 }

func (e Example) check(variant graph.Variant) error {
	candidates := 0
	if !e.empty() {
		if got := e.Input.Graph.Variant; got != variant {
			return fmt.Errorf("its graph is of variant %s, the model of %s", got, variant)
		}
		candidates = len(e.Input.Graph.Answers)
	}
	if len(e.Labels) != candidates {
		return fmt.Errorf("%d labels for %d candidates", len(e.Labels), candidates)
	}
	if e.F1 != nil && len(e.F1) != candidates {
		return fmt.Errorf("%d F1 scores for %d candidates", len(e.F1), candidates)
	}
	if e.Trainable && candidates == 0 {
		return errors.New("it is trainable without a candidate")
	}
	for i, y := range e.Labels {
		if !(0 <= y && y <= 1) {
			return fmt.Errorf("label %g of candidate %d is not in 0 to 1", y, i)
		}
	}
	for i, y := range e.F1 {
		if !(0 <= y && y <= 1) {
			return fmt.Errorf("F1 %g of candidate %d is not in 0 to 1", y, i)
		}
	}
	return nil
}

func checkAll(examples []Example, variant graph.Variant) error {
	for i, e := range examples {
		if err := e.check(variant); err != nil {
			return fmt.Errorf("example %d (%.60q): %w", i, e.Question, err)
		}
	}
	return nil
}

// trainable returns the examples that qualify for training. If the model merges
// equal answers, their labels are those of the merged ones: the mean of what the
// candidates are worth that an answer stands for. (SEL A.8)
func trainable(examples []Example, merge bool) []Example {
	var chosen []Example
	for _, e := range examples {
		if e.Trainable && merge {
			e.Labels, e.F1 = mergedLabels(e), nil
		}
		if e.Trainable {
			chosen = append(chosen, e)
		}
	}
	return chosen
}

func mergedLabels(e Example) []float64 {
	label := map[int]float64{} // by rollout
	for i, a := range e.Input.Graph.Answers {
		label[a.Rollouts[0]] = e.Labels[i]
	}
	var means []float64
	for _, a := range graph.MergeAnswers(e.Input.Graph).Answers {
		sum := 0.0
		for _, r := range a.Rollouts {
			sum += label[r]
		}
		means = append(means, sum/float64(len(a.Rollouts)))
	}
	return means
}

// posWeight is the weight of the positives in the cross entropy,
// (N−P)/max(P, 1) for P positives of N candidates. (SEL A.4)
func posWeight(examples []Example) float64 {
	n, positives := 0, 0
	for _, e := range examples {
		n += len(e.Labels)
		for _, y := range e.Labels {
			if positive(y) {
				positives++
			}
		}
	}
	return float64(n-positives) / float64(max(positives, 1))
}

// fingerprint hashes all that training reads of sets of examples but the
// embeddings: those follow from the texts and the model's embedder. Rows are left
// out, since they number the texts in the order in which a table met them.
func fingerprint(sets ...[]Example) (string, error) {
	all := sha256.New()
	for _, examples := range sets {
		hashes := make([][sha256.Size]byte, len(examples))
		failed := make([]error, len(examples))
		new(compute.Cores).Rows(len(examples), 1, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				e := examples[i]
				e.Input = gnn.Input{Graph: e.Input.Graph}
				data, err := json.Marshal(e)
				hashes[i], failed[i] = sha256.Sum256(data), err
			}
		})
		if err := errors.Join(failed...); err != nil {
			return "", err
		}
		fmt.Fprintf(all, "%d examples\n", len(examples))
		for _, h := range hashes {
			all.Write(h[:])
		}
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}
