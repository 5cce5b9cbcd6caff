package main

import (
	"errors"
	"math"

	"github.com/dustin/go-humanize"
)

// A memorySize is a number of bytes, as a flag.
type memorySize int64

// String implements [pflag.Value].
func (m *memorySize) String() string { return size(int64(*m)) }

// Type implements [pflag.Value].
func (m *memorySize) Type() string { return "size" }

// Set implements [pflag.Value].
func (m *memorySize) Set(s string) error {
	n, err := humanize.ParseBytes(s)
	if err != nil || n == 0 || n > math.MaxInt64 {
		return errors.New("want a size such as 512MiB or 4GiB")
	}
	*m = memorySize(n)
	return nil
}

// size words a number of bytes.
func size(n int64) string { return humanize.IBytes(uint64(max(n, 0))) }
