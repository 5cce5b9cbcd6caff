package eval

import (
	"errors"
	"fmt"
	"slices"

	"trawl/corpus/dataset"
	"trawl/internal/text"
	"trawl/trajectory"
)

// ErrOtherData says that two runs are over different data: a difference between
// their figures would not be one between the runs.
var ErrOtherData = errors.New("the runs are over different data")

// A Side is one of two runs that are held against each other.
type Side struct {
	Name     string // for people
	Examples []dataset.Example
	Runs     []*trajectory.Trajectory
	States   []trajectory.State // as in [Options], like what follows
	Rollouts int
	Round    int
	Jury     *Jury
}

// ContrastOptions say how two runs are held against each other. The zero value
// selects the defaults.
type ContrastOptions struct {
	At        []int // k of pass@k and majority@k; default: powers of two up to the rollouts that both have, and those
	Seed      int64 // of resampling
	Resamples int   // of the bootstrap and of the test; default 2,000
	Subsets   int   // as in [Options]
	OtherData bool  // compare questions of one id even where their words or gold answers differ, and count them

	Pairs []MetricPair // of figures with other names, beside those of one name
}

// A Contrasted is what became of the same questions in two runs, A and B.
type Contrasted struct {
	A        string       `json:"a"`
	B        string       `json:"b"`
	Common   int          `json:"common"`             // questions of both
	OnlyA    int          `json:"only_a"`             // questions that only A was to answer, in no figure
	OnlyB    int          `json:"only_b"`             // likewise
	Differ   int          `json:"differ,omitempty"`   // of Common, with other words or gold answers, where ContrastOptions.OtherData lets them through
	Figures  []Difference `json:"figures"`            // of one name, in a fixed order; one that no question has in both runs is left out
	Crossed  []Difference `json:"crossed,omitempty"`  // those of ContrastOptions.Pairs, in their order; one that is left out is a warning
	Warnings []string     `json:"warnings,omitempty"` // what makes the figures doubtful
}

// A Difference is one figure of two runs, over the questions that have it in both.
type Difference struct {
	// Metric is em, which is pass@1, f1, contains, judge; pass@k, majority@k,
	// judge_pass@k and judge_majority@k for k above 1; or searches and tokens, which
	// are what a completed rollout took in all its rounds and their summaries, tokens
	// being those of prompts and completions.
	Metric  string  `json:"metric"`
	MetricB string  `json:"metric_b,omitempty"` // of B, where it is not that of A: see [MetricPair]
	A       float64 `json:"a"`                  // mean over the questions
	B       float64 `json:"b"`
	Diff    *Stat   `json:"diff"` // B − A, question by question: mean, interval of the paired bootstrap, n
	P       float64 `json:"p"`    // of the two-sided sign-flip test that Diff is 0, see [SignFlip]
}

// Contrast holds two runs against each other on the questions that both were to
// answer. The figures of a question are those of [Score], and its errors those of
// either side. Runs without a common question, or with other words, gold answers
// or rule of F1 for one of the same id, are [ErrOtherData], unless opts lets the
// latter through.
func Contrast(a, b Side, opts ContrastOptions) (*Contrasted, error) {
	for _, p := range opts.Pairs {
		if err := p.Check(); err != nil {
			return nil, err
		}
	}
	if len(opts.At) == 0 {
		least := min(a.options(opts).withDefaults(a.Runs).Rollouts, b.options(opts).withDefaults(b.Runs).Rollouts)
		opts.At = Options{Rollouts: least}.withDefaults(nil).At
	}
	left, err := a.groups(opts, func(p MetricPair) string { return p.A })
	if err != nil {
		return nil, err
	}
	right, err := b.groups(opts, func(p MetricPair) string { return p.B })
	if err != nil {
		return nil, err
	}
	c := &Contrasted{A: a.Name, B: b.Name}
	pairs, err := c.pair(left, right, opts)
	if err != nil {
		return nil, err
	}
	opts.Resamples = a.options(opts).withDefaults(nil).Resamples
	judged := a.Jury != nil && b.Jury != nil && a.Jury.Name == b.Jury.Name
	for _, m := range contrasted(opts.At, judged) {
		if d, ok := difference([2]metric{m, m}, pairs, opts); ok {
			c.Figures = append(c.Figures, d)
		}
	}
	for _, p := range opts.Pairs {
		if d, lacking := p.cross(a, b, pairs, opts); lacking == "" {
			c.Crossed = append(c.Crossed, d)
		} else {
			c.Warnings = append(c.Warnings, fmt.Sprintf("%s of %s and %s of %s are not compared: %s", p.A, a.Name, p.B, b.Name, lacking))
		}
	}
	c.warn(a, b, pairs)
	return c, nil
}

// options are those of s as [Score] has them.
func (s Side) options(o ContrastOptions) Options {
	return Options{Rollouts: s.Rollouts, Round: s.Round, At: o.At, Seed: o.Seed, Resamples: o.Resamples, Subsets: o.Subsets, Jury: s.Jury, States: s.States}
}

// groups returns the questions of s with their figures, among them what of says of
// each pair.
func (s Side) groups(o ContrastOptions, of func(MetricPair) string) ([]*group, error) {
	opts := s.options(o).withDefaults(s.Runs)
	err := opts.check()
	opts.At = slices.Clone(opts.At)
	for _, p := range o.Pairs {
		if _, k, _ := parseMetric(of(p)); k > 0 && !slices.Contains(opts.At, k) {
			opts.At = append(opts.At, k)
		}
	}
	var groups []*group
	if err == nil {
		groups, err = gather(s.Examples, s.Runs, opts)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	for _, g := range groups {
		g.mark(opts)
		g.judge(opts)
	}
	return groups, nil
}

// pair returns the questions of both, in the order of A, and counts the others.
func (c *Contrasted) pair(a, b []*group, opts ContrastOptions) ([][2]*group, error) {
	byID := make(map[string]*group, len(b))
	for _, g := range b {
		byID[g.example.ID] = g
	}
	var pairs [][2]*group
	for _, g := range a {
		other, ok := byID[g.example.ID]
		if !ok {
			c.OnlyA++
			continue
		}
		if what := unlike(g.example, other.example); what != "" {
			if !opts.OtherData {
				return nil, fmt.Errorf("eval: %s and %s: %w: question %q has other %s", c.A, c.B, ErrOtherData, g.example.ID, what)
			}
			c.Differ++
		}
		pairs = append(pairs, [2]*group{g, other})
	}
	c.Common, c.OnlyB = len(pairs), len(b)-len(pairs)
	if c.Common == 0 {
		return nil, fmt.Errorf("eval: %s and %s: %w: none of %d and %d questions is in both", c.A, c.B, ErrOtherData, len(a), len(b))
	}
	return pairs, nil
}

// unlike says in what two examples of one id differ; "" if in nothing that counts.
func unlike(a, b dataset.Example) string {
	sorted := func(golds []string) []string { return slices.Compact(slices.Sorted(slices.Values(golds))) }
	switch {
	case text.Normal(a.Text) != text.Normal(b.Text):
		return fmt.Sprintf("words: %q and %q", a.Text, b.Text)
	case !slices.Equal(sorted(a.Golds), sorted(b.Golds)):
		return fmt.Sprintf("gold answers: %q and %q", a.Golds, b.Golds)
	case RuleOf(a.Source) != RuleOf(b.Source):
		return fmt.Sprintf("data sets, whose F1 differs: %s and %s", a.Source, b.Source)
	}
	return ""
}

// warn says what makes the figures of c doubtful, or why some are not there.
func (c *Contrasted) warn(a, b Side, pairs [][2]*group) {
	if a.Jury != nil && b.Jury != nil && a.Jury.Name != b.Jury.Name {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s was judged by %s and %s by %s: no figure of the judge is compared", a.Name, a.Jury.Name, b.Name, b.Jury.Name))
	}
	for side, name := range []string{a.Name, b.Name} {
		reworded, uncounted, estimated := 0, 0, 0
		for _, p := range pairs {
			s := spentOn(p[side])
			reworded += p[side].reworded()
			uncounted += s.uncounted
			estimated += s.estimated
		}
		for _, w := range []struct {
			n    int
			what string
		}{
			{reworded, "have a question that is worded otherwise in the data set: check that it is that of the run"},
			{uncounted, "have no count of tokens: their questions are in no comparison of tokens"},
			{estimated, "have counts of tokens that are trawl's own estimates"},
		} {
			if w.n > 0 {
				c.Warnings = append(c.Warnings, fmt.Sprintf("%s: %d completed rollouts %s", name, w.n, w.what))
			}
		}
	}
}
