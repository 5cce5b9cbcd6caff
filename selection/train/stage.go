package train

import (
	"slices"
	"strings"

	"trawl/selection/gnn"
)

// A stage is a part of a training that begins with a fresh optimizer and ends
// with the best of its epochs.
type stage struct {
	bceOnly bool // the loss is the cross entropy of each candidate by itself
	readout bool // only the readout and the score learn, anew
}

// stages returns one stage, or the two of the ablation.
func stages(o Options) []stage {
	if o.TwoStage {
		return []stage{{bceOnly: true}, {readout: true}}
	}
	return []stage{{}}
}

// represents reports whether a parameter belongs to what makes the states of
// nodes, rather than to what reads them out and scores them.
func represents(name string) bool {
	return name == "orphan" || name == "document" || slices.ContainsFunc([]string{"encoder.", "vote.", "layer."}, func(prefix string) bool {
		return strings.HasPrefix(name, prefix)
	})
}

// enter begins the stage that t is at, with the parameters that the model has.
func (t *trainer) enter() {
	s := t.stages[t.at.Stage]
	t.losses.BCEOnly = s.bceOnly
	params := t.model.Params()
	t.optimizer = NewAdamW(params, t.o.LearningRate, t.o.WeightDecay)
	for i, p := range params {
		t.optimizer.moments[i].frozen = s.readout && represents(p.Name)
	}
}

// leave ends a stage: the model holds its best epoch. The next one, if there is
// one, begins with that, and with the readout as it was in the beginning.
func (t *trainer) leave() {
	setValues(t.model, t.best)
	t.at.Stage++
	if t.at.Stage == len(t.stages) {
		return
	}
	for i, p := range t.model.Params() {
		if t.stages[t.at.Stage].readout && !represents(p.Name) {
			copy(p.Value.Data, t.begin[i])
		}
	}
	t.model.Changed()
	t.best = nil
	t.at = position{Stage: t.at.Stage}
	t.enter()
}

// values returns a copy of the parameters.
func values(m *gnn.Model[float32]) [][]float32 {
	var all [][]float32
	for _, p := range m.Params() {
		all = append(all, slices.Clone(p.Value.Data))
	}
	return all
}

// setValues writes parameters, by their order, into the model.
func setValues(m *gnn.Model[float32], all [][]float32) {
	for i, p := range m.Params() {
		copy(p.Value.Data, all[i])
	}
	m.Changed()
}
