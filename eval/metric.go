package eval

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A metric is one figure of a question.
type metric struct {
	name string
	of   func(g *group) (float64, bool) // false if the question does not have it
}

// contrasted returns the metrics of a comparison, in their order.
func contrasted(at []int, judged bool) []metric {
	list := []metric{metricOf("em", 0), metricOf("f1", 0), metricOf("contains", 0)}
	byK := func(name string) {
		for _, k := range at {
			if k > 1 {
				list = append(list, metricOf(name, k))
			}
		}
	}
	byK("pass")
	byK("majority")
	if judged {
		list = append(list, metricOf("judge", 0))
		byK("judge_pass")
		byK("judge_majority")
	}
	return append(list, metricOf("searches", 0), metricOf("tokens", 0))
}

// metricOf returns a metric by its name without its k, which is 0 for one that has
// none.
func metricOf(name string, k int) metric {
	marked := func(value func(g *group) float64) metric {
		return metric{name, func(g *group) (float64, bool) { return value(g), g.scored() }}
	}
	at := func(values func(g *group) map[int]float64) metric {
		return metric{fmt.Sprintf("%s@%d", name, k), func(g *group) (float64, bool) { v, ok := values(g)[k]; return v, ok }}
	}
	switch name {
	case "em":
		return marked(func(g *group) float64 { return g.em })
	case "f1":
		return marked(func(g *group) float64 { return g.f1 })
	case "contains":
		return marked(func(g *group) float64 { return g.contains })
	case "pass":
		return at(func(g *group) map[int]float64 { return g.pass })
	case "majority":
		return at(func(g *group) map[int]float64 { return g.majority })
	case "judge":
		return metric{name, func(g *group) (float64, bool) { return g.verdicts.mean() }}
	case "judge_pass":
		return at(func(g *group) map[int]float64 { return g.verdicts.pass })
	case "judge_majority":
		return at(func(g *group) map[int]float64 { return g.verdicts.majority })
	case "searches":
		return metric{name, func(g *group) (float64, bool) { s := spentOn(g); return s.searches, len(g.done) > 0 }}
	default: // tokens
		return metric{name, func(g *group) (float64, bool) { s := spentOn(g); return s.tokens, len(g.done) > 0 && s.uncounted == 0 }}
	}
}

// A MetricPair is a figure of A that is held against another one of B, question by
// question: such as em of the last of eight rounds against pass@8 or majority@8 of
// eight rollouts that know nothing of each other. Names are those of
// [Difference].Metric; k may be 1 too, and need not be among ContrastOptions.At.
type MetricPair struct{ A, B string }

// Check says what of p names no figures that can be compared.
func (p MetricPair) Check() error {
	units := [2]string{}
	for i, name := range []string{p.A, p.B} {
		base, _, err := parseMetric(name)
		if err != nil {
			return fmt.Errorf("eval: %w", err)
		}
		if base == "searches" || base == "tokens" {
			units[i] = base
		}
	}
	if units[0] != units[1] {
		return fmt.Errorf("eval: %s and %s are in different units", p.A, p.B)
	}
	return nil
}

// parseMetric reads a name such as em or pass@8.
func parseMetric(name string) (base string, k int, err error) {
	bare := []string{"em", "f1", "contains", "judge", "searches", "tokens"}
	byK := []string{"pass", "majority", "judge_pass", "judge_majority"}
	base, number, at := strings.Cut(name, "@")
	if at {
		k, err = strconv.Atoi(number)
	}
	if err != nil || at && (k < 1 || number != strconv.Itoa(k) || !slices.Contains(byK, base)) || !at && !slices.Contains(bare, base) {
		return "", 0, fmt.Errorf("no metric %q: want %s, or %s with a k of 1 or more, such as pass@8", name, strings.Join(bare, ", "), strings.Join(byK, ", "))
	}
	return base, k, nil
}

// cross compares the figures of p; if there are none, it says why.
func (p MetricPair) cross(a, b Side, pairs [][2]*group, opts ContrastOptions) (d Difference, lacking string) {
	var of [2]metric
	var juries []*Jury
	for i, name := range []string{p.A, p.B} {
		base, k, _ := parseMetric(name) // Check has read it
		of[i] = metricOf(base, k)
		if !strings.HasPrefix(base, "judge") {
			continue
		}
		side := []Side{a, b}[i]
		if side.Jury == nil {
			return d, "no judge ruled on " + side.Name
		}
		juries = append(juries, side.Jury)
	}
	if len(juries) == 2 && juries[0].Name != juries[1].Name {
		return d, "they are of two judges"
	}
	d, ok := difference(of, pairs, opts)
	if !ok {
		return d, "no question has both"
	}
	return d, ""
}
