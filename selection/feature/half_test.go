package feature

import (
	"encoding/binary"
	"math"
	"testing"
)

// value is what a float16 stands for, from its definition: (-1)^s · 2^(e-15) ·
// 1.f, or (-1)^s · 2^-14 · 0.f if e is 0.
func value(h uint16) float64 {
	e, f := int(h>>10&31), float64(h&0x3ff)/1024
	v := math.Ldexp(1+f, e-15)
	if e == 0 {
		v = math.Ldexp(f, -14)
	}
	if h>>15 == 1 {
		return -v
	}
	return v
}

func TestHalf(t *testing.T) {
	tests := []struct {
		x    float32
		want uint16
		ok   bool
	}{
		{0, 0, true},
		{float32(math.Copysign(0, -1)), 0x8000, true},
		{1, 0x3c00, true},
		{-0.6, 0xb8cd, true},                  // 0.6 = 1.2·2⁻¹; 0.2·1024 = 204.8 → 205 = 0xcd
		{1 + 0x1p-11, 0x3c00, true},           // halfway: to even, down
		{1 + 3*0x1p-11, 0x3c02, true},         // halfway: to even, up
		{1 + 0x1p-11 + 0x1p-23, 0x3c01, true}, // just above
		{2 - 0x1p-20, 0x4000, true},           // carries into the exponent
		{0x1p-14, 0x0400, true},               // smallest normal
		{0x1p-14 - 0x1p-26, 0x0400, true},     // a subnormal that rounds to it
		{0x1p-24, 0x0001, true},
		{0x1p-25, 0, true}, // halfway to nothing: to even
		{0x1.8p-24, 2, true},
		{1e-30, 0, true},
		{65504, 0x7bff, true},
		{65519, 0x7bff, true},
		{65520, 0, false},
		{-1e30, 0, false},
		{float32(math.Inf(1)), 0, false},
		{float32(math.NaN()), 0, false},
	}
	for _, tt := range tests {
		if got, ok := half(tt.x); got != tt.want || ok != tt.ok {
			t.Errorf("half(%v) = %#04x, %v; want %#04x, %v", tt.x, got, ok, tt.want, tt.ok)
		}
	}
}

// TestEveryHalf goes through all numbers that a float16 holds: widen is exact,
// half is its inverse, and rounds what lies between two of them to the nearer.
func TestEveryHalf(t *testing.T) {
	var src []byte
	var all []uint16
	for h := range 1 << 16 {
		if h>>10&31 != 31 {
			all = append(all, uint16(h))
			src = binary.LittleEndian.AppendUint16(src, uint16(h))
		}
	}
	dst, portable := make([]float32, len(all)), make([]float32, len(all))
	widen(dst, src)
	widenPortable(portable, src)
	for i, h := range all {
		if want := value(h); float64(dst[i]) != want || math.Signbit(float64(dst[i])) != math.Signbit(want) {
			t.Fatalf("widen(%#04x) = %v, want %v", h, dst[i], want)
		}
		if math.Float32bits(portable[i]) != math.Float32bits(dst[i]) {
			t.Fatalf("widenPortable(%#04x) = %v, want %v", h, portable[i], dst[i])
		}
		if back, ok := half(dst[i]); back != h || !ok {
			t.Fatalf("half(%v) = %#04x, %v; want %#04x", dst[i], back, ok, h)
		}
		if i+1 == len(all) || h>>15 != all[i+1]>>15 {
			continue
		}
		next := all[i+1]
		middle := float32((value(h) + value(next)) / 2)
		even := h + h&1
		for _, at := range []struct {
			x    float32
			want uint16
		}{{math.Nextafter32(middle, dst[i]), h}, {middle, even}, {math.Nextafter32(middle, dst[i+1]), next}} {
			if got, _ := half(at.x); got != at.want {
				t.Fatalf("half(%v) = %#04x, want %#04x", at.x, got, at.want)
			}
		}
	}
}

// TestWidenLengths: what is left behind eights is widened too, and nothing beyond.
func TestWidenLengths(t *testing.T) {
	const most = 19
	src := make([]byte, 2*most)
	for i := range most {
		h, _ := half(float32(i + 1))
		binary.LittleEndian.PutUint16(src[2*i:], h)
	}
	for n := range most + 1 {
		dst := make([]float32, most)
		widen(dst[:n], src)
		for i, x := range dst {
			if want := float32(i + 1); i < n && x != want || i >= n && x != 0 {
				t.Errorf("number %d after %d were asked for = %v", i, n, x)
			}
		}
	}
}

func BenchmarkWiden(b *testing.B) {
	dst, src := make([]float32, 4096), make([]byte, 2*4096)
	for i := range dst { // 1/128 to 1/16, as in a vector of that length
		binary.LittleEndian.PutUint16(src[2*i:], 0x2000+uint16(i)*3%0xc00)
	}
	for _, w := range []struct {
		name  string
		widen func([]float32, []byte)
	}{{"chosen", widen}, {"portable", widenPortable}} {
		b.Run(w.name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				w.widen(dst, src)
			}
		})
	}
}
