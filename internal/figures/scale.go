package figures

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// A scale is the range of an axis and what is written along it.
type scale struct {
	min, max float64
	ticks    []plot.Tick
}

// An extent is what decides the scale of an axis beside the axis.
type extent struct {
	values []float64 // that are shown
	room   float64   // at both ends, for bars that stand there
	snap   bool      // to ticks
}

// tickCount is how many ticks a scale has at the most, about.
const tickCount = 6

func newScale(a Axis, e extent) scale {
	low, high := bounds(e.values)
	switch {
	case len(a.Names) > 0:
		return namedScale(a.Names, low, high)
	case a.Log2:
		return log2Scale(low, high, e.room)
	case a.Unit:
		// What lies outside of the unit is shown too: hidden is worse than odd.
		low, high = min(low, 0), max(high, 1)
	}
	low, high = apart(low, high)
	step := niceStep((high - low) / tickCount)
	if e.snap || a.Unit {
		low, high = step*math.Floor(low/step+1e-9), step*math.Ceil(high/step-1e-9)
	}
	return scale{low - e.room, high + e.room, linearTicks(low, high, step)}
}

func bounds(values []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

// apart returns a range around one that is too narrow to be divided.
func apart(low, high float64) (float64, float64) {
	if size := max(math.Abs(low), math.Abs(high)); high-low <= 1e-9*size || high-low < 1e-280 {
		room := max(size/2, 1e-200)
		if size == 0 {
			room = 1
		}
		return low - room, high + room
	}
	return low, high
}

func namedScale(names []string, low, high float64) scale {
	s := scale{min: min(low, 0) - 0.5, max: max(high, float64(len(names)-1)) + 0.5}
	for i, name := range names {
		s.ticks = append(s.ticks, plot.Tick{Value: float64(i), Label: name})
	}
	return s
}

// log2Scale reaches from a power of two to a power of two, and has ticks there.
func log2Scale(low, high, room float64) scale {
	from, to := math.Floor(math.Log2(low)+1e-9), math.Ceil(math.Log2(high)-1e-9)
	if from == to {
		from, to = from-1, to+1
	}
	s := scale{min: math.Exp2(from - room), max: math.Exp2(to + room)}
	stride := math.Ceil((to - from) / 10)
	for e := from; e <= to; e += stride {
		s.ticks = append(s.ticks, plot.Tick{Value: math.Exp2(e), Label: powerLabel(e)})
	}
	return s
}

func powerLabel(exponent float64) string {
	if exponent >= -6 && exponent <= 20 {
		return strconv.FormatFloat(math.Exp2(exponent), 'f', -1, 64)
	}
	return strconv.FormatFloat(math.Exp2(exponent), 'g', 3, 64)
}

// niceStep returns the smallest of 1, 2 and 5 times a power of ten that is no
// smaller than raw.
func niceStep(raw float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, f := range []float64{1, 2, 5} {
		if f*power >= raw*(1-1e-9) {
			return f * power
		}
	}
	return 10 * power
}

func linearTicks(low, high, step float64) []plot.Tick {
	first, last := math.Ceil(low/step-1e-9), math.Floor(high/step+1e-9)
	label := labelling(max(math.Abs(low), math.Abs(high)), step)
	var ticks []plot.Tick
	for i := 0; i <= int(last-first); i++ {
		v := (first + float64(i)) * step
		ticks = append(ticks, plot.Tick{Value: v, Label: label(v)})
	}
	return ticks
}

// labelling returns how numbers up to size, a step apart, are written: with as
// many decimals as the step needs, of thousands or millions if they are large.
func labelling(size, step float64) func(float64) string {
	unit, suffix := 1.0, ""
	switch {
	case size >= 1e9:
		unit, suffix = 1e9, "G"
	case size >= 1e6:
		unit, suffix = 1e6, "M"
	case size >= 1e4:
		unit, suffix = 1e3, "k"
	}
	places := max(0, -int(math.Floor(math.Log10(step/unit)+1e-9)))
	return func(v float64) string {
		switch {
		case math.Abs(v) < step/2:
			return "0"
		case size >= 1e13 || places > 5:
			return strconv.FormatFloat(v, 'g', 4, 64)
		}
		return strconv.FormatFloat(v/unit, 'f', places, 64) + suffix
	}
}

// log2Norm is the normalizer of a logarithmic axis. An interval may reach below
// what such an axis can show: it ends at the edge.
type log2Norm struct{}

var _ plot.Normalizer = log2Norm{}

// Normalize implements [plot.Normalizer].
func (log2Norm) Normalize(low, high, x float64) float64 {
	if x <= low {
		return 0
	}
	return (math.Log2(x) - math.Log2(low)) / (math.Log2(high) - math.Log2(low))
}
