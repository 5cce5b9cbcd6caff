package compute

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Cores are the cores of the machine at work on one computation after the other.
// The zero value is ready. A copy of it is another.
//
// Forking and joining is for a few microseconds of work, while waking a core that
// sleeps takes a hundred in a virtual machine, so the goroutines that help watch
// out for the next work for a moment, and end when none comes: for as long as
// [watch] says, and so nobody has to end them. They give way to other goroutines.
//
// Its methods may be called by several goroutines at once, also from inside the
// work: those that come while the cores are taken do their work alone.
type Cores struct {
	taken   sync.Mutex
	helpers atomic.Int32        // goroutines that watch or work
	work    atomic.Pointer[job] // the latest
}

const (
	// watch is how often a goroutine looks for work, or for the end of the others',
	// before it gives up: about a hundred microseconds.
	watch = 1 << 16
	// glance is how many looks it takes before it gives way once.
	glance = 1 << 7
)

// Rows calls f for ranges of rows that together are 0 to n-1, and returns when all
// are done. No range but the last has fewer than grain rows. Where the ranges end
// depends on the number of cores, so f must treat every row by itself.
func (c *Cores) Rows(n, grain int, f func(lo, hi int)) {
	const pieces = 4 // for each core, so that all end at about the same time
	workers := runtime.GOMAXPROCS(0)
	parts := min(n/max(grain, 1), pieces*workers)
	if workers == 1 || parts <= 1 {
		if n > 0 {
			f(0, n)
		}
		return
	}
	c.Fork(workers, parts, func(i, _ int) { f(n*i/parts, n*(i+1)/parts) })
}

// Fork calls do for the pieces 0 to n-1, in any order, with the number of the
// worker that does it, 0 to workers-1, and returns when all are done. Workers take
// one piece after the other, so one whose core has other things to do holds up
// nobody. Who finds the cores taken is worker 0 of its own call. A panic of do is
// one of Fork, when no piece is under way any more.
func (c *Cores) Fork(workers, n int, do func(i, worker int)) {
	workers = min(workers, n)
	if workers <= 1 || !c.taken.TryLock() {
		for i := range n {
			do(i, 0)
		}
		return
	}
	defer c.taken.Unlock()
	j := &job{pieces: int64(n), workers: int32(workers), do: do, ended: make(chan struct{}, 1)}
	c.work.Store(j)
	for c.helpers.Load() < int32(workers-1) {
		c.helpers.Add(1)
		go c.help(j)
	}
	j.lead()
}

// help works on j and on what follows.
func (c *Cores) help(j *job) {
	for {
		j.join()
		next := c.next(j)
		if next == nil {
			c.helpers.Add(-1)
			if next = c.work.Load(); next == j {
				return
			}
			c.helpers.Add(1) // whoever began the next may have counted on this helper
		}
		j = next
	}
}

// next returns the work after the given one, nil if there is none for a while.
func (c *Cores) next(last *job) *job {
	for look := range watch {
		if j := c.work.Load(); j != last {
			return j
		}
		if look%glance == 0 {
			runtime.Gosched()
		}
	}
	return nil
}

// A job is what one call of Fork has to do. Its leader is who called.
type job struct {
	pieces  int64
	workers int32
	do      func(i, worker int)

	begun   atomic.Int64 // pieces
	joined  atomic.Int32 // helpers so far
	inside  atomic.Int32 // helpers that may be at a piece
	waits   atomic.Bool  // the leader, for ended
	ended   chan struct{}
	problem atomic.Pointer[any] // a panic of a helper
}

// run does pieces until there are none left.
func (j *job) run(worker int) {
	for i := j.begun.Add(1) - 1; i < j.pieces; i = j.begun.Add(1) - 1 {
		j.do(int(i), worker)
	}
}

// stop leaves no pieces to begin.
func (j *job) stop() { j.begun.Store(j.pieces) }

// join is the part of a helper.
func (j *job) join() {
	worker := j.joined.Add(1)
	if worker >= j.workers {
		return
	}
	j.inside.Add(1)
	defer func() {
		if p := recover(); p != nil {
			j.problem.Store(&p)
			j.stop()
		}
		if j.inside.Add(-1) == 0 && j.waits.CompareAndSwap(true, false) {
			j.ended <- struct{}{}
		}
	}()
	j.run(int(worker))
}

// lead is the part of the leader. When it has found no more pieces, a helper that
// comes inside will find none either, so that the job is done once none is inside.
func (j *job) lead() {
	defer func() {
		j.stop()
		j.wait()
		if p := j.problem.Load(); p != nil {
			panic(*p)
		}
	}()
	j.run(0)
}

// wait returns when no helper is inside.
func (j *job) wait() {
	for look := range watch {
		if j.inside.Load() == 0 {
			return
		}
		if look%glance == glance-1 {
			runtime.Gosched()
		}
	}
	j.waits.Store(true)
	if j.inside.Load() == 0 && j.waits.CompareAndSwap(true, false) {
		return
	}
	<-j.ended
}
