package train

import "time"

// batches is the number of steps of an epoch; the last may be short.
func (t *trainer) batches() int { return (len(t.train) + t.o.Batch - 1) / t.o.Batch }

// total and done count graphs over all stages and epochs.
func (t *trainer) total() int { return len(t.stages) * t.o.Epochs * len(t.train) }

func (t *trainer) done() int {
	if t.at.Stage == len(t.stages) {
		return t.total()
	}
	return (t.at.Stage*t.o.Epochs+t.at.Epoch)*len(t.train) + t.at.Graphs
}

// report tells the caller how far t is, after so many more graphs.
func (t *trainer) report(graphs int, p Progress) {
	t.clock.tick(graphs)
	if t.o.Progress == nil {
		return
	}
	p.Stage, p.Stages = t.at.Stage+1, len(t.stages)
	p.Epoch, p.Epochs = t.at.Epoch+1, t.o.Epochs
	p.Batch, p.Batches = t.at.Batch, t.batches()
	p.GraphsPerSecond, p.Remaining = t.clock.rate()
	t.o.Progress(p)
}

// A clock tells how fast graphs are trained on, validation and all. Nothing that
// a training results in depends on it.
type clock struct {
	begun      time.Time
	total      int // graphs of the whole training
	done, here int // of all that are done, those since begun
}

func newClock(total int) clock { return clock{begun: time.Now(), total: total} }

// skip counts graphs that an earlier process trained on.
func (c *clock) skip(graphs int) { c.done += graphs }

func (c *clock) tick(graphs int) {
	c.done += graphs
	c.here += graphs
}

// rate returns graphs a second and the time until the end.
func (c *clock) rate() (perSecond float64, remaining time.Duration) {
	spent := time.Since(c.begun).Seconds()
	if c.here == 0 || spent <= 0 {
		return 0, 0
	}
	perSecond = float64(c.here) / spent
	return perSecond, time.Duration(float64(c.total-c.done) / perSecond * float64(time.Second))
}
