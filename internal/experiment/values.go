package experiment

import (
	"fmt"
	"math"
	"slices"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"trawl/eval"
)

// A Value is a value of one line: a word or a number.
type Value string

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (v *Value) UnmarshalYAML(node ast.Node) error {
	text, err := oneLine(node)
	*v = Value(text)
	return err
}

// A Count is a whole number from 1.
type Count int

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (c *Count) UnmarshalYAML(node ast.Node) error {
	n, ok := node.(*ast.IntegerNode)
	if !ok {
		return at(node, "want a whole number, found %q", node.GetToken().Value)
	}
	var i int
	if err := yaml.NodeToValue(n, &i); err != nil || i < 1 {
		return at(node, "want a whole number from 1, found %s", n.GetToken().Value)
	}
	*c = Count(i)
	return nil
}

// Counts are whole numbers from 1, each once and in order.
type Counts []int

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (c *Counts) UnmarshalYAML(node ast.Node) error {
	list, ok := node.(*ast.SequenceNode)
	if !ok {
		return at(node, "want a list of whole numbers, found %q", node.GetToken().Value)
	}
	*c = nil
	for _, v := range list.Values {
		var one Count
		if err := one.UnmarshalYAML(v); err != nil {
			return err
		}
		*c = append(*c, int(one))
	}
	slices.Sort(*c)
	*c = slices.Compact(*c)
	return nil
}

// An At is the numbers k of rollouts that selectors choose among: a list, or the word
// all for all rollouts of a question. The zero value selects powers of two.
type At struct {
	Counts
	All bool
}

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (a *At) UnmarshalYAML(node ast.Node) error {
	if word, ok := node.(*ast.StringNode); ok && word.Value == "all" {
		*a = At{All: true}
		return nil
	}
	*a = At{}
	if err := a.Counts.UnmarshalYAML(node); err != nil {
		return fmt.Errorf("%w, or the word all", err)
	}
	return nil
}

// Of returns the k for an arm of that many rollouts a question; none for powers of two.
func (a At) Of(rollouts int) []int {
	if a.All {
		return []int{rollouts}
	}
	return a.Counts
}

// Votes are numbers of votes that can be reckoned with, in order.
type Votes []int

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (v *Votes) UnmarshalYAML(node ast.Node) error {
	var counts Counts
	if err := counts.UnmarshalYAML(node); err != nil {
		return err
	}
	for _, one := range node.(*ast.SequenceNode).Values {
		var k int
		if err := yaml.NodeToValue(one, &k); err != nil || k > eval.MaxVotes {
			return at(one, "%s votes are too many: want %d or less", one.GetToken().Value, eval.MaxVotes)
		}
	}
	if len(counts) > mostVotes {
		return at(node, "%d numbers of votes are too many: want %d or less", len(counts), mostVotes)
	}
	*v = Votes(counts)
	return nil
}

// How much a simulation may have: more would take long, and a page would not show it.
const (
	MostClasses = 16
	mostAnswers = 16 // of a class
	mostVotes   = 32 // numbers of votes
)

// A Class is the chances of the answers of one kind of question, the right one first.
type Class []float64

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (c *Class) UnmarshalYAML(node ast.Node) error {
	list, ok := node.(*ast.SequenceNode)
	if !ok {
		return at(node, "want a list of chances, found %q", node.GetToken().Value)
	}
	if n := len(list.Values); n < 2 || n > mostAnswers {
		return at(node, "%d chances: want those of 2 to %d answers, the right one first", n, mostAnswers)
	}
	*c = nil
	sum := 0.0
	for _, v := range list.Values {
		var p float64
		if err := yaml.NodeToValue(v, &p); err != nil || !(p >= 0 && p <= 1) {
			return at(v, "%s is no chance: want a number from 0 to 1", v.GetToken().Value)
		}
		*c, sum = append(*c, p), sum+p
	}
	if math.Abs(sum-1) > 1e-9 {
		return at(node, "the chances %v add up to %g: want 1", []float64(*c), sum)
	}
	return nil
}

// A Pair is a figure of the baseline against which another figure of every other arm
// that has it is held, question by question; both are named as in [eval.Difference].
type Pair struct{ Baseline, Arm string }

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (p *Pair) UnmarshalYAML(node ast.Node) error {
	var two []string
	if err := yaml.NodeToValue(node, &two); err != nil || len(two) != 2 {
		return at(node, "want two figures, such as [majority@8, em]: that of the baseline, and that of the other arms")
	}
	*p = Pair{two[0], two[1]}
	if err := (eval.MetricPair{A: p.Baseline, B: p.Arm}).Check(); err != nil {
		return at(node, "%v", err)
	}
	return nil
}
