package cpu

import (
	"runtime"
	"sync"
	"time"
)

// Peak returns the rate, in GFLOP/s, at which all cores together multiply and
// add float32s in registers, with the fastest kernel of the machine: the best of
// a few short runs, a tenth of a second in all. Nothing that reads memory is
// faster.
func Peak() float64 { return kernels()[0].peak.rate(runtime.GOMAXPROCS(0)) }

// A peakLoop carries out flop floating-point operations on registers, n times.
type peakLoop struct {
	flop int
	run  func(n int)
}

// rate measures on a number of cores.
func (l peakLoop) rate(cores int) float64 {
	const (
		runs = 12
		aim  = 8 * time.Millisecond
	)
	n := 1 << 12
	for took := l.time(n, 1); took < aim/2; took = l.time(n, 1) {
		n *= 2
	}
	best := 0.0
	for range runs {
		rate := float64(cores) * float64(n) * float64(l.flop) / float64(l.time(n, cores).Nanoseconds())
		best = max(best, rate)
	}
	return best
}

// time runs n loops on each core.
func (l peakLoop) time(n, cores int) time.Duration {
	start := time.Now()
	var wg sync.WaitGroup
	for range cores - 1 {
		wg.Go(func() { l.run(n) })
	}
	l.run(n)
	wg.Wait()
	return time.Since(start)
}

// sums adds up eight sums side by side, n times.
//
//go:noinline
func sums(n int) float32 {
	var s0, s1, s2, s3, s4, s5, s6, s7 float32
	x, y := float32(1), float32(0.5)
	for range n {
		s0 += x * y
		s1 += x * y
		s2 += x * y
		s3 += x * y
		s4 += x * y
		s5 += x * y
		s6 += x * y
		s7 += x * y
	}
	return s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7
}
