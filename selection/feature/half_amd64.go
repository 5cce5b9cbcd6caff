package feature

import "golang.org/x/sys/cpu"

// widenF16C widens n numbers, a multiple of 8 above 0.
//
//go:noescape
func widenF16C(dst *float32, src *byte, n int)

// widenFast widens the first numbers of src as far as the processor has an
// instruction for it, and returns how many these are.
func widenFast(dst []float32, src []byte) int {
	n := len(dst) &^ 7
	if n == 0 || !cpu.X86.HasAVX || !cpu.X86.HasF16C {
		return 0
	}
	widenF16C(&dst[0], &src[0], n)
	return n
}
