// Package scaffold measures how much help an agent needs: λ_min, the least share λ
// of an oracle trajectory that, given as a hint, lets it succeed. A [Task] makes the
// hints, and [Measure] makes a [Report] of what the rollouts with them came to.
//
// A hint is text that this package makes; the agent sees nothing else of the oracle,
// and no gold answer: see [Task.Hint] for the leak check.
//
// What EVAL (arXiv:2602.21230) reports, second-hand, is the idea: reveal the first
// λ-fraction of the oracle trajectory as a hint; λ_min is the least λ in [0, 1] at
// which the expected success is at least θ, such as 0.9.
//
// # Departures
//
// All else is this project's reconstruction, which the report says too:
//
//   - hint(λ) is the first ⌊λL⌋ of the L steps of the oracle, each with its action,
//     its observation and its conclusion. The observation is the documents that the
//     oracle's step rests on, and no other hits of its search.
//   - Success is exact match. Each point of a grid from 0 to 1 has M rollouts of each
//     task, with the same seeds at each point. What failed or is missing is in no
//     success, and counted beside it; a task that has a point without any rollout
//     done is not measured.
//   - Success over λ is made monotone by pooling adjacent violators, and θ is located
//     on the fitted curve by linear interpolation. A curve that begins at θ or above
//     has λ_min 0, one that stays below it has λ_min 1 and is censored.
//   - λ_min is given twice: as the mean over tasks of their own, and of the pooled
//     curve, whose points are means over tasks. The points of a task's curve weigh as
//     much as they have rollouts done; those of the pooled curve weigh the same, as
//     each is over the same tasks, each of which counts once.
//   - Before λ = 1 no step is shown whose action or conclusion states a gold answer,
//     unless the question states that answer itself. Observations are shown as they
//     are: where one of them holds an answer, as any search might have shown it, the
//     agent has still to find out that it is one. The tasks with either are counted.
//     Where many hints are cut short, success jumps at λ = 1 and the pooled λ_min is
//     near 1 by construction, which the report says beside it.
//
// Everything is pure and safe for concurrent use.
package scaffold

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/trajectory"
)

// MaxRuns is the greatest number of runs.
const MaxRuns = 10_000

// Defaults of [Options]. The number of runs is the least that the reconstruction of
// the protocol allows.
const (
	DefaultRuns  = 10
	DefaultTheta = 0.9
)

// Options set the protocol. The zero value selects the defaults.
type Options struct {
	Grid      []float64 // values of λ, from 0 to 1, rising; default 0, 0.1, …, 1
	Runs      int       // M, rollouts of a task at each λ; default 10
	Theta     float64   // θ, the success that counts as enough; default 0.9
	Resamples int       // of the bootstrap; default 2,000
	Seed      int64     // of resampling
}

// DefaultGrid returns 0, 0.1, …, 1.
func DefaultGrid() []float64 {
	grid := make([]float64, 11)
	for i := range grid {
		grid[i] = float64(i) / 10
	}
	return grid
}

// Settled returns the options with their defaults. It fails if they make no sense.
func (o Options) Settled() (Options, error) {
	if len(o.Grid) == 0 {
		o.Grid = DefaultGrid()
	}
	o.Runs, o.Theta = cmp.Or(o.Runs, DefaultRuns), cmp.Or(o.Theta, DefaultTheta)
	o.Resamples = cmp.Or(o.Resamples, eval.DefaultResamples)
	switch {
	case o.Runs < 1 || o.Runs > MaxRuns:
		return o, fmt.Errorf("scaffold: %d runs at each λ, want 1 to %d", o.Runs, MaxRuns)
	case !(o.Theta > 0 && o.Theta <= 1):
		return o, fmt.Errorf("scaffold: θ is %v, want more than 0 and at most 1", o.Theta)
	case o.Resamples < 1:
		return o, fmt.Errorf("scaffold: %d resamples, want 1 or more", o.Resamples)
	}
	return o, checkGrid(o.Grid)
}

// checkGrid makes sure that a grid has both ends, which decide what is censored.
func checkGrid(grid []float64) error {
	for i, v := range grid {
		if math.IsNaN(v) || i > 0 && v <= grid[i-1] {
			return fmt.Errorf("scaffold: the grid %v does not rise", grid)
		}
	}
	if len(grid) < 2 || grid[0] != 0 || grid[len(grid)-1] != 1 {
		return fmt.Errorf("scaffold: the grid %v must run from 0 to 1", grid)
	}
	return nil
}

// A Tally is what the rollouts of one task at one λ came to.
type Tally struct {
	Right   int `json:"right"` // of Done
	Done    int `json:"n"`
	Failed  int `json:"failed"`
	Missing int `json:"missing"`
}

// Count tallies the outcomes of a task's rollouts, one of each, of which the first
// runs count.
func Count(e dataset.Example, outcomes []*trajectory.Trajectory, runs int) Tally {
	var c Tally
	for _, t := range outcomes {
		switch {
		case t.Rollout >= runs:
		case t.Error != "":
			c.Failed++
		default:
			c.Done++
			if eval.Mark(e, t.Answer).EM {
				c.Right++
			}
		}
	}
	c.Missing = runs - c.Done - c.Failed
	return c
}

// success returns the share of right rollouts; there must be some.
func (c Tally) success() float64 { return float64(c.Right) / float64(c.Done) }

// A Crossing is where a curve comes to θ.
type Crossing struct {
	Lambda   float64 `json:"lambda_min"`
	Censored bool    `json:"censored"` // it never does: 1 is a lower bound
}

// Cross locates θ on a curve over grid that does not fall,
//
//	λ_min = λ_{i−1} + (θ − p_{i−1}) / (p_i − p_{i−1}) · (λ_i − λ_{i−1})
//
// for the first i with p_i ≥ θ: 0 if that is the first point of all, and 1, censored,
// if there is none.
func Cross(grid, fitted []float64, theta float64) Crossing {
	const slack = 1e-12 // means of shares are rounded
	i := slices.IndexFunc(fitted, func(p float64) bool { return p >= theta-slack })
	switch i {
	case 0:
		return Crossing{Lambda: grid[0]}
	case -1:
		return Crossing{Lambda: 1, Censored: true}
	}
	low, high := fitted[i-1], fitted[i]
	return Crossing{Lambda: grid[i-1] + min(1, (theta-low)/(high-low))*(grid[i]-grid[i-1])}
}

// Monotone returns the curve that never falls and is nearest to values in weighted
// least squares, by pooling adjacent violators: neighbours in the wrong order are
// replaced by their mean until there are none. Weights are positive.
func Monotone(values, weights []float64) []float64 {
	type block struct {
		mean, weight float64
		points       int
	}
	var blocks []block
	for i, v := range values {
		b := block{v, weights[i], 1}
		for n := len(blocks); n > 0 && blocks[n-1].mean >= b.mean; n = len(blocks) {
			a := blocks[n-1]
			w := a.weight + b.weight
			b = block{(a.mean*a.weight + b.mean*b.weight) / w, w, a.points + b.points}
			blocks = blocks[:n-1]
		}
		blocks = append(blocks, b)
	}
	out := make([]float64, 0, len(values))
	for _, b := range blocks {
		out = append(out, slices.Repeat([]float64{b.mean}, b.points)...)
	}
	return out
}
