package utility

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Weights are the constants of the formulas, named in JSON and on command lines
// alike. They are taken literally: a penalty of 0 is none. [DefaultWeights] has the
// usual values.
type Weights struct {
	OmegaE   float64 `json:"omega_e"`          // ω_E, exponent of E in U
	OmegaC   float64 `json:"omega_c"`          // ω_C, exponent of C in U
	Beta     float64 `json:"beta"`             // β, share of G_E in C
	Gamma    float64 `json:"gamma"`            // γ, bonus for long references in R_C
	Alpha    float64 `json:"alpha"`            // α, penalty of a redundant action
	Lambda   float64 `json:"lambda"`           // λ, how fast R_R falls with the steps in a trap
	Epsilon  float64 `json:"epsilon"`          // ε, below which a gain is none
	Floor    float64 `json:"p_floor"`          // least probability of a claim
	Stuck    float64 `json:"d_max"`            // D_max, most steps that a trap costs
	Evidence float64 `json:"evidence"`         // observations that a claim without a citation is held against
	Words    float64 `json:"claim_words"`      // least share of a claim's words that its explanation has, where a model lists the claims
	Support  float64 `json:"keypoint_support"` // least lexical entailment of a fact that is supported
	Search   float64 `json:"cost_search"`      // c of a search
	Open     float64 `json:"cost_open"`
	Find     float64 `json:"cost_find"`
}

// DefaultWeights returns the defaults of the reconstruction. Equal exponents that
// sum to 1 keep U on the scale of E and C; β follows from reported figures of C, G_E
// and R_R; λ = 0.2 gives R_R ≈ 0.82 for one step in a trap and 0.37 for five.
func DefaultWeights() Weights {
	return Weights{
		OmegaE: 0.5, OmegaC: 0.5, Beta: 0.7, Gamma: 0.1, Alpha: 0.5, Lambda: 0.2, Epsilon: 0.01,
		Floor: 1e-3, Stuck: 10, Evidence: 3, Words: 0.6, Support: 0.5, Search: 1, Open: 1, Find: 0.5,
	}
}

// A constant is one of the weights and what it may be.
type constant struct {
	name  string
	value *float64
	most  float64
	above bool // 0 is not allowed
	whole bool
}

// mostWeight bounds what has no bound of its own, so that each figure is a number.
const mostWeight = 1e6

func (w *Weights) constants() []constant {
	return []constant{
		{"omega_e", &w.OmegaE, mostWeight, false, false},
		{"omega_c", &w.OmegaC, mostWeight, false, false},
		{"beta", &w.Beta, 1, false, false},
		{"gamma", &w.Gamma, mostWeight, false, false},
		{"alpha", &w.Alpha, mostWeight, false, false},
		{"lambda", &w.Lambda, mostWeight, false, false},
		{"epsilon", &w.Epsilon, 1, false, false},
		{"p_floor", &w.Floor, 1, true, false},
		{"d_max", &w.Stuck, mostWeight, true, false},
		{"evidence", &w.Evidence, 1000, true, true},
		{"claim_words", &w.Words, 1, false, false},
		{"keypoint_support", &w.Support, 1, false, false},
		{"cost_search", &w.Search, mostWeight, true, false},
		{"cost_open", &w.Open, mostWeight, true, false},
		{"cost_find", &w.Find, mostWeight, true, false},
	}
}

// Validate reports the first weight that is out of its range.
func (w Weights) Validate() error {
	for _, c := range w.constants() {
		v := *c.value
		if bad := !(v >= 0 && v <= c.most) || c.above && v == 0 || c.whole && v != math.Trunc(v); bad {
			return fmt.Errorf("weight %s=%g: want %s", c.name, v, c.wanted())
		}
	}
	return nil
}

func (c constant) wanted() string {
	switch {
	case c.whole:
		return fmt.Sprintf("a whole number from 1 up to %g", c.most)
	case c.above:
		return fmt.Sprintf("a number above 0 up to %g", c.most)
	}
	return fmt.Sprintf("a number from 0 up to %g", c.most)
}

// Set changes the weight of a name.
func (w *Weights) Set(name string, v float64) error {
	all := w.constants()
	i := slices.IndexFunc(all, func(c constant) bool { return c.name == name })
	if i < 0 {
		names := make([]string, len(all))
		for i, c := range all {
			names[i] = c.name
		}
		return errors.New("utility: no weight " + name + ": there are " + strings.Join(names, ", "))
	}
	*all[i].value = v
	return nil
}

// String lists the weights as name=value.
func (w Weights) String() string {
	var parts []string
	for _, c := range w.constants() {
		parts = append(parts, fmt.Sprintf("%s=%g", c.name, *c.value))
	}
	return strings.Join(parts, " ")
}
