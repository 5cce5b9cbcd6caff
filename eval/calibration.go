package eval

import (
	"cmp"
	"math"
	"slices"
)

// calibrationBin is how many rollouts a bin of the calibration error has, as in
// the scripts of BrowseComp and HLE.
const calibrationBin = 100

// CalibrationError returns how far stated confidences, 0 to 1, are from the share
// of answers that are right: sorted by confidence, in bins of size (default 100),
//
//	√( Σ_b |b|/n · (mean confidence of b − share right of b)² )
//
// A remainder that fills no bin joins the last one, and fewer than two bins' worth
// are one bin. Of equal confidences each counts as right to their common share, so
// that the result does not depend on an order among them. ok is false if there is
// nothing, or not one of right for each of confidences.
func CalibrationError(confidences []float64, right []bool, size int) (e float64, ok bool) {
	n := len(confidences)
	if n == 0 || n != len(right) {
		return 0, false
	}
	if size <= 0 {
		size = calibrationBin
	}
	items := ranked(confidences, right)
	sum := 0.0
	for from := 0; from < n; {
		to := from + size
		if n-to < size {
			to = n
		}
		stated, share := 0.0, 0.0
		for _, it := range items[from:to] {
			stated += it.confidence
			share += it.right
		}
		gap := stated - share
		sum += gap * gap / float64(to-from) // |b| · (gap/|b|)²
		from = to
	}
	return math.Sqrt(sum / float64(n)), true
}

// A stated is a confidence and how right the answers of that confidence are.
type stated struct{ confidence, right float64 }

// ranked sorts by confidence and evens out what is equal.
func ranked(confidences []float64, right []bool) []stated {
	items := make([]stated, len(confidences))
	for i, c := range confidences {
		items[i] = stated{c, number(right[i])}
	}
	slices.SortFunc(items, func(a, b stated) int { return cmp.Compare(a.confidence, b.confidence) })
	for from := 0; from < len(items); {
		to, sum := from, 0.0
		for ; to < len(items) && items[to].confidence == items[from].confidence; to++ {
			sum += items[to].right
		}
		for i := from; i < to; i++ {
			items[i].right = sum / float64(to-from)
		}
		from = max(to, from+1) // NaN equals nothing
	}
	return items
}
