package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// logEvery is how often progress is told where there is no terminal to draw on.
const logEvery = 10 * time.Second

// reasonsTold is how many failures are told with their reason.
const reasonsTold = 5

// A progress shows how far a long piece of work is: a bar with the time left on
// a terminal, a log line every few seconds elsewhere, nothing if quiet. Its
// methods are safe for concurrent use.
type progress struct {
	what    string
	bars    *mpb.Progress // nil off a terminal
	bar     *mpb.Bar
	log     zerolog.Logger
	start   time.Time
	stop    chan struct{} // closed to end the log lines; nil if there are none
	stopped chan struct{} // closed when they have ended

	mu      sync.Mutex
	total   int
	done    int
	first   int // done before start, which says nothing about speed
	failed  int
	reasons int            // failures told so far
	share   func() float64 // of the phase that is done, where total is unknown; may be nil
}

// newProgress begins to show work of total units, of which done are done; a
// total of 0 means that nobody knows it yet.
func newProgress(e env, what string, done, total int) *progress {
	p := &progress{what: what, log: zerolog.Nop(), start: time.Now(), total: total, done: done, first: done}
	switch {
	case e.isQuiet():
	case e.terminal && total > 0:
		p.bars = mpb.New(mpb.WithOutput(e.stderr), mpb.WithWidth(40), mpb.WithAutoRefresh())
		p.bar = p.bars.AddBar(int64(total),
			mpb.PrependDecorators(decor.Name(what+" "), decor.CountersNoUnit("%d/%d")),
			mpb.AppendDecorators(decor.Any(p.state)),
		)
		p.bar.SetCurrent(int64(done))
	case e.terminal: // a line that counts
		p.bars = mpb.New(mpb.WithOutput(e.stderr), mpb.WithAutoRefresh())
		p.bar = p.bars.New(0, mpb.NopStyle(), mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return p.line() })))
	default:
		p.log = newLog(e.stderr)
		p.stop, p.stopped = make(chan struct{}), make(chan struct{})
		go p.tell()
	}
	return p
}

// tell logs how far the work is every few seconds, also when nothing happens.
func (p *progress) tell() {
	defer close(p.stopped)
	tick := time.NewTicker(logEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-tick.C:
			p.log.Info().Msg(p.line())
		}
	}
}

// newLog returns the log that people read on stderr; its lines stay whole when
// several goroutines write them.
func newLog(w io.Writer) zerolog.Logger {
	return zerolog.New(zerolog.ConsoleWriter{Out: zerolog.SyncWriter(w), NoColor: true, TimeFormat: time.TimeOnly}).With().Timestamp().Logger()
}

// set tells how many units are done and how many of those failed.
func (p *progress) set(done, failed int) {
	p.mu.Lock()
	p.done, p.failed = done, failed
	p.mu.Unlock()
	if p.bar != nil {
		p.bar.SetCurrent(int64(done))
	}
}

// expect tells how many units there are in all, where that changes.
func (p *progress) expect(total int) {
	p.mu.Lock()
	p.total = total
	p.mu.Unlock()
	if p.bar != nil {
		p.bar.SetTotal(int64(total), false)
	}
}

// phase begins a new piece of the work: what is counted, and the share of this
// piece that is done, where nobody knows the total.
func (p *progress) phase(what string, share func() float64) {
	p.mu.Lock()
	p.what, p.share, p.start, p.first = what, share, time.Now(), p.done
	p.mu.Unlock()
}

// add tells that one more unit is done.
func (p *progress) add() {
	p.mu.Lock()
	p.done++
	p.mu.Unlock()
	if p.bar != nil {
		p.bar.Increment()
	}
}

// fail tells why a unit failed, the first few times; a nil error is none.
func (p *progress) fail(err error) {
	if err == nil {
		return
	}
	p.mu.Lock()
	p.reasons++
	n := p.reasons
	p.mu.Unlock()
	line := fmt.Sprintf("failed: %v", err)
	if n == reasonsTold {
		line += " (further failures are only counted; rollouts.jsonl has them all)"
	}
	switch {
	case n > reasonsTold:
	case p.bars != nil:
		fmt.Fprintln(p.bars, line)
	default:
		p.log.Warn().Msg(line)
	}
}

// note tells a line that is worth keeping.
func (p *progress) note(line string) {
	if p.bars != nil {
		fmt.Fprintln(p.bars, line)
		return
	}
	p.log.Info().Msg(line)
}

// close ends the display; the last state stays readable.
func (p *progress) close() {
	if p.bars != nil {
		p.bar.Abort(false)
		p.bars.Wait()
		return
	}
	if p.stop != nil {
		close(p.stop)
		<-p.stopped
	}
	if p.done > 0 || p.total > 0 { // else what comes next says why
		p.log.Info().Msg(p.line())
	}
}

func (p *progress) state(decor.Statistics) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := ""
	if p.failed > 0 {
		s = fmt.Sprintf(" %d failed", p.failed)
	}
	if eta := p.eta(); eta > 0 {
		s += " " + eta.String() + " left"
	}
	return s
}

func (p *progress) line() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := fmt.Sprintf("%s: %d", p.what, p.done)
	switch {
	case p.total > 0:
		s = fmt.Sprintf("%s of %d", s, p.total)
	case p.share != nil:
		s = fmt.Sprintf("%s, %.0f %%", s, 100*p.share())
	}
	if p.failed > 0 {
		s += fmt.Sprintf(", %d failed", p.failed)
	}
	if took := time.Since(p.start); p.done > p.first && took > time.Second {
		s += ", " + rate(float64(p.done-p.first)/took.Seconds())
	}
	if eta := p.eta(); eta > 0 {
		s += ", " + eta.String() + " left"
	}
	return s
}

// rate words a speed in the unit in which it is more than one.
func rate(perSecond float64) string {
	switch {
	case perSecond >= 1:
		return fmt.Sprintf("%.0f/s", perSecond)
	case perSecond*60 >= 1:
		return fmt.Sprintf("%.0f/min", perSecond*60)
	}
	return fmt.Sprintf("%.0f/h", perSecond*3600)
}

// eta extrapolates the time left from the speed so far; 0 if unknown.
func (p *progress) eta() time.Duration {
	took := time.Since(p.start)
	if p.total == 0 && p.share != nil {
		if share := p.share(); share > 0 && share < 1 {
			return time.Duration(float64(took) * (1 - share) / share).Round(time.Second)
		}
		return 0
	}
	fresh := p.done - p.first
	if fresh <= 0 || p.total <= p.done {
		return 0
	}
	return (took / time.Duration(fresh) * time.Duration(p.total-p.done)).Round(time.Second)
}
