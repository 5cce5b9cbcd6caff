package gnn

import (
	"fmt"
	"slices"
	"strings"

	"trawl/selection/graph"
)

// OpenPublic reads a model that the paper's public code trained and somebody wrote
// to a safetensors file, whose names and shapes are that code's. The settings are
// not in the file.
func OpenPublic(path string, c Config, d *Device) (*Model[float32], error) {
	m, err := openPublic(path, c, d)
	if err != nil {
		return nil, fmt.Errorf("gnn: open %s: %w", path, err)
	}
	return m, nil
}

func openPublic(path string, c Config, d *Device) (*Model[float32], error) {
	m, err := build(c, nil, d.Backend())
	if err != nil {
		return nil, err
	}
	if m.config.Ablation != (Config{Variant: c.Variant}).withDefaults().Ablation {
		return nil, fmt.Errorf("the public code's names are known for the whole model alone, not for %+v", c.Ablation)
	}
	file, _, err := readFile(path)
	if err != nil {
		return nil, err
	}
	for _, p := range m.params {
		name := m.publicName(p.Name)
		t, ok := file.Tensor(name)
		if !ok {
			return nil, fmt.Errorf("tensor %s is missing", name)
		}
		if err := p.fill(t, sameLengths); err != nil {
			return nil, fmt.Errorf("tensor %s: %w", name, err)
		}
	}
	m.Changed()
	m.lock = &d.lock
	return m, nil
}

// sameLengths compares shapes but for ones: a vector that is learned by itself is
// 1×d there.
func sameLengths(a, b []uint64) bool {
	lengths := func(shape []uint64) []uint64 {
		return slices.DeleteFunc(slices.Clone(shape), func(n uint64) bool { return n == 1 })
	}
	return slices.Equal(lengths(a), lengths(b))
}

// publicName returns what a parameter is called in the state of the public code's
// model (methods.md A.5).
func (m *Model[T]) publicName(name string) string {
	v := m.config.Variant
	rest, number := strings.TrimPrefix(name, "layer."), ""
	if rest != name {
		number, rest, _ = strings.Cut(rest, ".")
		if kind, ok := strings.CutPrefix(rest, "norm."); ok {
			return "norms." + number + "." + kind
		}
		relationName, part, _ := strings.Cut(rest, ".")
		for _, r := range m.known {
			if string(r.name) == relationName {
				return fmt.Sprintf("convs.%s.convs.<%s___%s___%s>.lin_l.%s", number, typeName(v, r.source), r.name, typeName(v, r.target), part)
			}
		}
	}
	if rest, ok := strings.CutPrefix(name, "encoder."); ok {
		kind, rest, _ := strings.Cut(rest, ".")
		return kind + "_encoder." + strings.NewReplacer("linear", "0", "norm", "1").Replace(rest)
	}
	vote := "answer_occurrence_weight"
	if v == graph.LongHorizon {
		vote = "vote_projection.weight"
	}
	return strings.NewReplacer(
		"vote.weight", vote,
		"orphan", "orphan_state", "document", "document_state",
		"attention.type", "answer_qformer.context_type",
		"attention.norm", "answer_qformer.attention_norm",
		"attention.query", "answer_qformer.query_projection", "attention.key", "answer_qformer.key_projection",
		"attention.value", "answer_qformer.value_projection", "attention.output", "answer_qformer.output_projection",
		"ffn.in", "answer_qformer.feed_forward.0", "ffn.out", "answer_qformer.feed_forward.3",
		"ffn.norm", "answer_qformer.output_norm",
		"score.log_scale", "logit_scale",
		"score.query", "query_readout", "score.answer", "answer_readout", "score.response", "response_readout",
	).Replace(name)
}
