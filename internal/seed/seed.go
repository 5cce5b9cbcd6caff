// Package seed derives seeds from seeds, so that every random choice of a run
// follows from one number and from what it is for, not from when it is made.
package seed

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// Derive hashes base and the parts into a seed in [0, 2³¹), a range that every
// model server accepts. Parts are told apart: ("a", "b") and ("ab") differ.
func Derive(base int64, parts ...any) int64 {
	h := sha256.New()
	fmt.Fprintf(h, "%d", base)
	for _, p := range parts {
		s := fmt.Sprint(p)
		fmt.Fprintf(h, "|%d:%s", len(s), s)
	}
	return int64(binary.BigEndian.Uint64(h.Sum(nil)) >> 33)
}

// Rand returns a source of chance that depends on base and the parts alone.
func Rand(base int64, parts ...any) *rand.Rand {
	s := uint64(Derive(base, parts...))
	return rand.New(rand.NewPCG(s, 0x9e3779b97f4a7c15))
}
