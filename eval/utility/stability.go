package utility

import (
	"slices"

	"trawl/internal/text"
	"trawl/trajectory"
)

// minRuns is how many runs a reproducibility score needs.
const minRuns = 3

// An Action is what one tool call asked for, as runs are compared.
type Action struct {
	Kind     trajectory.Kind
	Argument text.TokenSet
}

// Stability returns the reproducibility score (TRS) of runs on the same input,
//
//	1 − mean over pairs of d(a, b) / max(|a|, |b|)
//
// with d the edit distance of their action sequences: putting in or taking out an
// action costs 1, putting one in another's place the Jaccard distance of their
// arguments if the tool is the same, and otherwise 1. It is 1 for runs that are all
// alike, and not defined (ok is false) for fewer than three.
func Stability(runs [][]Action) (score float64, ok bool) {
	if len(runs) < minRuns {
		return 0, false
	}
	var distances []float64
	for i, a := range runs {
		for _, b := range runs[:i] {
			distances = append(distances, distance(a, b))
		}
	}
	slices.Sort(distances) // the same sum for every order of the runs
	sum := 0.0
	for _, d := range distances {
		sum += d
	}
	return 1 - sum/float64(len(distances)), true
}

// distance returns the edit distance of a and b over the length of the longer one.
func distance(a, b []Action) float64 {
	longer := max(len(a), len(b))
	if longer == 0 {
		return 0
	}
	row := make([]float64, len(b)+1)
	for j := range row {
		row[j] = float64(j)
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = float64(i + 1)
		for j, y := range b {
			replaced := diagonal + substitution(x, y)
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)] / float64(longer)
}

func substitution(a, b Action) float64 {
	if a.Kind != b.Kind {
		return 1
	}
	return a.Argument.Distance(b.Argument)
}
