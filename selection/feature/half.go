package feature

import (
	"encoding/binary"
	"math"
)

// half rounds x to the nearest float16, ties to even: 1 sign bit, 5 bits of
// exponent, 10 of fraction (IEEE 754 binary16). It refuses NaN and what would
// round beyond 65504, the largest float16.
func half(x float32) (h uint16, ok bool) {
	bits := math.Float32bits(x)
	sign := uint16(bits>>16) & 0x8000
	bits &= 0x7fffffff
	switch {
	case bits >= 0x477ff000: // 65520, halfway to the next power of two, and NaN
		return 0, false
	case bits < 0x38800000: // below 2⁻¹⁴: subnormal, a multiple of 2⁻²⁴
		return sign | uint16(math.RoundToEven(float64(math.Float32frombits(bits))*0x1p24)), true
	}
	// The exponent's bias goes from 127 to 15; 13 of 23 bits of fraction are
	// rounded off, with a carry that may run into the exponent.
	bits += 0xfff + bits>>13&1
	return sign | uint16(bits>>13-(127-15)<<10), true
}

// widen sets dst to the float16 numbers of src, little endian.
func widen(dst []float32, src []byte) {
	src = src[:2*len(dst)]
	n := widenFast(dst, src)
	widenPortable(dst[n:], src[2*n:])
}

// widenPortable is exact: the exponent and the fraction, put into their places in
// a float32, stand for the number times 2^(15-127), subnormal or not. (Inf and
// NaN are never stored.)
func widenPortable(dst []float32, src []byte) {
	for i := range dst {
		h := uint32(binary.LittleEndian.Uint16(src[2*i:]))
		magnitude := math.Float32frombits(h&0x7fff<<13) * 0x1p112
		dst[i] = math.Float32frombits(math.Float32bits(magnitude) | h&0x8000<<16)
	}
}
