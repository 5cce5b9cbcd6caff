package scaffold

import (
	"fmt"

	"trawl/eval"
)

// A Report is what `trawl scaffold --json` prints.
type Report struct {
	Theta     float64   `json:"theta"`
	Runs      int       `json:"runs"` // M, of a task at each λ
	Grid      []float64 `json:"grid"`
	Success   string    `json:"success"` // how a rollout is marked
	Seed      int64     `json:"seed"`    // of resampling
	Resamples int       `json:"resamples"`

	Tasks      int `json:"tasks"`
	Measured   int `json:"measured"`   // have a rollout done at each λ; all figures but counts are over these
	Unmeasured int `json:"unmeasured"` // have not
	Failed     int `json:"failed"`     // rollouts
	Missing    int `json:"missing"`

	LambdaMin *eval.Stat `json:"lambda_min"` // mean over tasks, the censored ones as 1; nil if none is measured
	Censored  int        `json:"censored"`   // tasks that stay below θ even at λ = 1
	Unaided   int        `json:"unaided"`    // tasks whose λ_min is 0
	Pooled    *Crossing  `json:"pooled"`     // of the curve of all tasks
	Curve     []Point    `json:"curve"`
	Leaks     Leaks      `json:"leaks"`

	PooledNote string `json:"pooled_note,omitempty"` // what of Pooled is so by construction

	Model     string `json:"model,omitempty"`
	Simulated bool   `json:"simulated,omitempty"` // the model was trawl's simulated one: no figure says anything about a real model
	Method    Method `json:"method"`

	Details []Detail `json:"details"`
}

// A Point is all measured tasks at one λ; counts are of all tasks.
type Point struct {
	Lambda  float64    `json:"lambda"`
	Success *eval.Stat `json:"success"` // mean over tasks of the share of right rollouts
	Fitted  float64    `json:"fitted"`  // made monotone
	Steps   float64    `json:"steps"`   // mean length of the hints of all tasks
	Tally
}

// Leaks counts the tasks in which the oracle tells the answer early.
type Leaks struct {
	Withheld int `json:"withheld"` // a hint was cut short before λ = 1, as an action or conclusion stated the answer
	Evident  int `json:"evident"`  // an observation of a hint before λ = 1 holds an answer
}

// A Method tells apart what is reported of EVAL and what this project made up.
type Method struct {
	Reported       []string `json:"reported"`
	Reconstruction []string `json:"reconstruction"`
}

func method() Method {
	return Method{
		Reported: []string{"the first λ-fraction of the oracle trajectory is a hint; λ_min is the least λ with expected success ≥ θ"},
		Reconstruction: []string{
			"hint(λ) = first ⌊λL⌋ oracle steps, with action, the oracle's documents and conclusion; before λ = 1 none whose action or conclusion states the answer",
			"M rollouts of each task at each λ of a grid, same seeds; success by exact match",
			"curves made monotone by pooling adjacent violators, θ located by linear interpolation; censored at 1",
		},
	}
}

// A Detail is one task.
type Detail struct {
	ID       string        `json:"id"`
	Steps    int           `json:"steps"` // L
	Measured bool          `json:"measured"`
	Crossing *Crossing     `json:"crossing"` // nil if it is not measured
	Withheld int           `json:"withheld"` // the most steps that a hint was cut short by
	Evident  bool          `json:"evident"`
	Curve    []DetailPoint `json:"curve"`
}

// A DetailPoint is one task at one λ.
type DetailPoint struct {
	Lambda float64  `json:"lambda"`
	Steps  int      `json:"steps"`            // of the hint
	Fitted *float64 `json:"fitted,omitempty"` // success, made monotone
	Tally
}

// Measure makes the report of tasks with the tallies of their rollouts, one for each
// task and point of the grid.
func Measure(tasks []*Task, tallies [][]Tally, o Options) (*Report, error) {
	o, err := o.Settled()
	if err != nil {
		return nil, err
	}
	if len(tallies) != len(tasks) {
		return nil, fmt.Errorf("scaffold: tallies of %d tasks, want %d", len(tallies), len(tasks))
	}
	r := &Report{
		Theta: o.Theta, Runs: o.Runs, Grid: o.Grid, Success: "exact match", Seed: o.Seed, Resamples: o.Resamples,
		Tasks: len(tasks), Curve: make([]Point, len(o.Grid)), Method: method(), Details: []Detail{},
	}
	var mins []float64
	for i, t := range tasks {
		if len(tallies[i]) != len(o.Grid) {
			return nil, fmt.Errorf("scaffold: %s: tallies at %d values of λ, want %d", t.Example.ID, len(tallies[i]), len(o.Grid))
		}
		d := t.measure(tallies[i], o)
		if d.Measured {
			mins = append(mins, d.Crossing.Lambda)
		}
		r.count(d)
	}
	r.LambdaMin = eval.Estimate(mins, o.Resamples, o.Seed)
	r.pool(o)
	return r, nil
}

// measure finds λ_min of one task.
func (t *Task) measure(tallies []Tally, o Options) Detail {
	d := Detail{ID: t.Example.ID, Steps: t.Steps(), Measured: true}
	var values, weights []float64
	for i, c := range tallies {
		h := t.Hint(o.Grid[i])
		d.Curve = append(d.Curve, DetailPoint{Lambda: o.Grid[i], Steps: h.Steps, Tally: c})
		d.Withheld = max(d.Withheld, h.Withheld)
		d.Evident = d.Evident || h.Evident && o.Grid[i] < 1
		if c.Done == 0 {
			d.Measured = false
			continue
		}
		values, weights = append(values, c.success()), append(weights, float64(c.Done))
	}
	if !d.Measured {
		return d
	}
	fitted := Monotone(values, weights)
	for i := range fitted {
		d.Curve[i].Fitted = &fitted[i]
	}
	at := Cross(o.Grid, fitted, o.Theta)
	d.Crossing = &at
	return d
}

// count takes a task into the counts.
func (r *Report) count(d Detail) {
	r.Details = append(r.Details, d)
	for i, p := range d.Curve {
		c := &r.Curve[i]
		c.Lambda = p.Lambda
		c.Steps += float64(p.Steps) / float64(r.Tasks)
		c.Right, c.Done, c.Failed, c.Missing = c.Right+p.Right, c.Done+p.Done, c.Failed+p.Failed, c.Missing+p.Missing
		r.Failed, r.Missing = r.Failed+p.Failed, r.Missing+p.Missing
	}
	if d.Withheld > 0 {
		r.Leaks.Withheld++
	}
	if d.Evident {
		r.Leaks.Evident++
	}
	switch {
	case !d.Measured:
		r.Unmeasured++
		return
	case d.Crossing.Censored:
		r.Censored++
	case d.Crossing.Lambda == 0:
		r.Unaided++
	}
	r.Measured++
}

// pool makes the curve of all measured tasks, each of which weighs the same.
func (r *Report) pool(o Options) {
	if r.Measured == 0 {
		return
	}
	means, weights := make([]float64, len(o.Grid)), make([]float64, len(o.Grid))
	for i := range o.Grid {
		var values []float64
		for _, d := range r.Details {
			if d.Measured {
				values = append(values, d.Curve[i].success())
			}
		}
		p := &r.Curve[i]
		p.Success = eval.Estimate(values, o.Resamples, o.Seed)
		means[i], weights[i] = p.Success.Mean, 1
	}
	fitted := Monotone(means, weights)
	for i := range fitted {
		r.Curve[i].Fitted = fitted[i]
	}
	at := Cross(o.Grid, fitted, o.Theta)
	r.Pooled = &at
	r.PooledNote = fmt.Sprintf("hints before λ = 1 end before the first step that states the answer, those of %d of %d tasks so cut short: "+
		"where many are, the pooled λ_min is near 1 by construction", r.Leaks.Withheld, r.Tasks)
}
