package utility

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
)

// An Entailer says how probable it is, from 0 to 1, that a claim follows from its
// evidence. It fails with [ErrNoVerdict] where it cannot say. It is safe for
// concurrent use.
type Entailer interface {
	Entails(ctx context.Context, claim string, evidence []string) (float64, error)
}

// Lexical is the entailer without a model: the share of a claim's content words
// that stand anywhere in its evidence, or 0 if one of its numbers or names does not.
// It knows nothing of negation, order or meaning.
type Lexical struct{}

var _ Entailer = Lexical{}

// Entails implements [Entailer]. It fails only if ctx ended.
func (Lexical) Entails(ctx context.Context, claim string, evidence []string) (float64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	there := map[string]bool{}
	for _, e := range evidence {
		for _, w := range words(e) {
			there[w.key] = true
		}
	}
	wanted, found := 0, 0
	seen := map[string]bool{}
	for _, w := range words(claim) {
		if (w.number || w.entity) && !there[w.key] {
			return 0, nil
		}
		if functionWords[w.key] || seen[w.key] {
			continue
		}
		seen[w.key] = true
		wanted++
		if there[w.key] {
			found++
		}
	}
	if wanted == 0 {
		return 0, nil
	}
	return float64(found) / float64(wanted), nil
}

// Grounding returns G_E, the geometric mean of the claims' probabilities,
//
//	exp( (1/N) Σ ln max(P_i, floor) )
//
// and 0 if there is no claim. A probability above 1 is 1.
func Grounding(p []float64, floor float64) float64 {
	if len(p) == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range p {
		sum += math.Log(max(clip(x), floor))
	}
	return math.Exp(sum / float64(len(p)))
}

// A Claim is one claim of a rollout and what came of it.
type Claim struct {
	Text  string   `json:"text"`
	Steps []int    `json:"steps"` // whose observations are its evidence, from 1
	Cited bool     `json:"cited"` // it names them itself
	P     *float64 `json:"p"`     // nil: not scored
	Error string   `json:"error,omitempty"`
}

// nearest returns the steps of the n observations that are most similar, the most
// similar first, the earlier of equals first. What failed shows nothing.
func (r *run) nearest(claim []float32, v vectors, n int) []int {
	type scored struct {
		step int
		like float64
	}
	var all []scored
	for i, a := range r.actions {
		if !a.failed && a.shown != "" {
			all = append(all, scored{i + 1, cosine(claim, v[a.shown])})
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.like, a.like) })
	steps := []int{}
	for _, s := range all[:min(n, len(all))] {
		steps = append(steps, s.step)
	}
	return steps
}

// ground has the claims of r judged.
func (o *Options) ground(ctx context.Context, e Entailer, r *run, v vectors) ([]Claim, error) {
	out, marks := make([]Claim, len(r.claims)), r.citations()
	for i, text := range r.claims {
		bare, steps := cite(text, marks)
		c := Claim{Text: text, Steps: steps, Cited: len(steps) > 0}
		if !c.Cited {
			c.Steps = r.nearest(v[text], v, int(o.Weights.Evidence))
		}
		evidence := make([]string, len(c.Steps))
		for j, step := range c.Steps {
			evidence[j] = r.actions[step-1].shown
		}
		p, err := e.Entails(ctx, bare, evidence)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, ErrNoVerdict):
			c.Error = err.Error()
		case err != nil:
			return nil, err
		default:
			c.P = pointer(clip(p))
		}
		out[i] = c
	}
	return out, nil
}

// grounding returns G_E of claims; nil if one of them is not scored.
func grounding(claims []Claim, floor float64) *float64 {
	p := make([]float64, len(claims))
	for i, c := range claims {
		if c.P == nil {
			return nil
		}
		p[i] = *c.P
	}
	g := Grounding(p, floor)
	return &g
}
