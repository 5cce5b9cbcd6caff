package gnn

import (
	"math/bits"
	"math/rand/v2"

	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/vector"
)

// A dropout sets numbers to 0 by chance and scales the others so that the mean
// stays. Chance is a function of a key and a row, not of the order of calls, so
// rows can be worked on by any core. The zero value does nothing.
//
// A row's mask is kept in words of 64 bits, a 1 for each number that is dropped.
type dropout struct {
	threshold uint32 // of 2^16: how likely a number is dropped
	key       uint64
}

// newDropout returns the dropout of one place of the network in one pass, none if
// chance is nil.
func newDropout(probability float64, chance *rand.Rand) dropout {
	if chance == nil || probability == 0 {
		return dropout{}
	}
	return dropout{threshold: min(uint32(probability*(1<<16)+0.5), 1<<16-1), key: chance.Uint64()}
}

// words is how many words the mask of a row of n numbers takes; none without
// dropout.
func (d dropout) words(n int) int {
	if d.threshold == 0 {
		return 0
	}
	return (n + 63) / 64
}

// draw writes the mask of a row.
//
// Each bit is 1 with the probability threshold/2^16. It is made of the binary
// digits of that number, from the last to the first: a digit 1 takes "or" with a
// fair bit, a digit 0 "and", each halving what came before. So 64 numbers take
// sixteen words of chance at most, and no comparison.
func (d dropout) draw(mask []uint64, row int) {
	state := mix(d.key ^ uint64(row)*0xD1B54A32D192ED03)
	first := bits.TrailingZeros32(d.threshold)
	for i := range mask {
		var m uint64
		for digit := first; digit < 16; digit++ {
			state += 0x9E3779B97F4A7C15
			fair := mix(state)
			if d.threshold>>digit&1 == 1 {
				m |= fair
			} else {
				m &= fair
			}
		}
		mask[i] = m
	}
}

// mix is the output function of splitmix64.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// dropRow applies a mask to a row, in the forward pass and, to its derivative, in
// the backward pass.
func dropRow[T compute.Float](d dropout, x []T, mask []uint64) {
	if d.threshold == 0 {
		return
	}
	vector.Scale(x, T(1/(1-float64(d.threshold)/(1<<16))))
	for i, m := range mask {
		for ; m != 0; m &= m - 1 {
			if at := i*64 + bits.TrailingZeros64(m); at < len(x) {
				x[at] = 0
			}
		}
	}
}

// A masks holds the masks of the rows of one matrix.
type masks struct {
	dropout
	width int
	data  []uint64
}

// begin makes room for the masks of rows of n numbers.
func (m *masks) begin(d dropout, rows, n int) {
	m.dropout = d
	m.width = d.words(n)
	m.data = resize(m.data, rows*m.width)
}

func (m *masks) row(i int) []uint64 { return m.data[i*m.width:][:m.width] }

// drop draws the mask of row i and applies it to x.
func drop[T compute.Float](m *masks, x []T, i int) {
	if m.threshold == 0 {
		return
	}
	m.draw(m.row(i), i)
	dropRow(m.dropout, x, m.row(i))
}

// dropAgain applies the mask that drop drew.
func dropAgain[T compute.Float](m *masks, x []T, i int) {
	if m.threshold != 0 {
		dropRow(m.dropout, x, m.row(i))
	}
}
