// Package compare holds selectors against each other on the stored rollouts of
// the same questions. [Run] is the subset protocol: for each k it gives every
// selector the same subsets of k of a question's K rollouts, marks what it
// chooses by the gold answers, and makes a [Report] with intervals, and with the
// paired difference to majority voting.
//
// A figure at k is the mean over the subsets of a question first and over the
// questions second. Rollouts keep their order within a subset. All C(K, k)
// subsets are taken up to a number, and beyond it that many are drawn with the
// seed. A contestant may have a number of its own, and is then compared with
// majority on the subsets of that draw. A subset is drawn from the K rollouts that
// were to be made, before anybody looks which of them failed: one that failed, is
// missing or has no answer is no candidate and is not replaced, and a subset
// without a candidate is wrong and stays in the denominator. Questions without
// gold answers are decided but not marked. (arXiv:2604.11753; pool rules of
// arXiv:2609.39912 A.1, A.3)
//
// A question on which a contestant fails, as when a server refuses just this
// request, ends nothing. It is left out of every figure of every contestant, so that
// they stay compared on the same questions, and is counted in [Report].Undecided.
//
// This package stands beside the strategies and not in [trawl/eval], which is one
// job and knows no selector; a selector knows neither. Labels reach a selector
// only if whoever makes it hands them in, as for the oracle.
//
// # Departures
//
// AggAgent drops questions with fewer than K rollouts, shares one draw of subsets
// among all questions and reports the spread over subsets; here no question is
// dropped, each has its own draw, and the interval is a bootstrap over questions,
// which is what a figure has to stand against when the questions change.
//
// Questions are decided in parallel. The report, and the order in which decisions
// are told, do not depend on that; only the seconds are measured.
package compare

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/selection"
	"trawl/selection/baseline"
	"trawl/trajectory"
)

// All is the number of subsets beyond which none are sampled.
const All = math.MaxInt

// mostSubsets is how many subsets of one size [Run] takes of one question: a few
// minutes of voting for a few hundred questions.
const mostSubsets = 1_000_000

// A Contestant is a selector under the name that the report has for it.
type Contestant struct {
	Name     string
	Selector selection.Selector
	Subsets  int    // as Options.Subsets, for a selector that costs more than others; 0: Options.Subsets
	Price    *Price // of its model; nil: its calls have no price
}

// A Price is what tokens of a model cost, in USD for a million.
type Price struct{ In, Out float64 }

// A Source returns the rollouts of a question, done and failed, the newest of
// each number; of several rounds, their outcomes. It is called by several
// goroutines at once, once a question, so that few questions are in memory at a
// time.
type Source func(questionID string) ([]*trajectory.Trajectory, error)

// Options say how selectors are compared. The zero value selects the defaults.
// Decided and Progress are called by one goroutine at a time.
type Options struct {
	Rollouts  int                 // K, expected of each question; default 1
	At        []int               // k, each at most K; default: powers of two up to K, and K
	Subsets   int                 // of k rollouts of a question, beyond which they are sampled; default 100
	Seed      int64               // of sampling and resampling
	Resamples int                 // of the bootstrap; default 2,000
	Workers   int                 // questions at once; default: as many as there are cores, and more are of use to selectors that wait for a model
	Decided   func(Decided) error // told each decision on all K rollouts, in the order of questions and contestants; nil: nobody listens
	Progress  func(done int)      // told how many questions are done, decided or not; nil: nobody looks
}

// A Decided is a decision of a contestant on all rollouts of a question that are
// done. It is [selection.None] if none of them has an answer. On a question on which
// a contestant failed there are those of the others alone.
type Decided struct {
	Name       string
	QuestionID string
	Rollouts   []int // numbers of the rollouts decided on; Decision.Index and .Scores are by place in it
	Decision   selection.Decision
}

func (o Options) withDefaults() Options {
	o.Rollouts = cmp.Or(o.Rollouts, 1)
	o.Subsets = cmp.Or(o.Subsets, 100)
	o.Resamples = cmp.Or(o.Resamples, eval.DefaultResamples)
	o.Workers = cmp.Or(o.Workers, runtime.GOMAXPROCS(0))
	if len(o.At) == 0 {
		for k := 1; k < o.Rollouts; k *= 2 {
			o.At = append(o.At, k)
		}
		o.At = append(o.At, o.Rollouts)
	}
	if o.Decided == nil {
		o.Decided = func(Decided) error { return nil }
	}
	if o.Progress == nil {
		o.Progress = func(int) {}
	}
	return o
}

func (o Options) check(field []Contestant) error {
	if o.Rollouts < 0 || o.Subsets < 0 || o.Resamples < 0 || o.Workers < 0 {
		return fmt.Errorf("compare: rollouts %d, subsets %d, resamples %d, workers %d: none may be negative", o.Rollouts, o.Subsets, o.Resamples, o.Workers)
	}
	for _, k := range o.At {
		if k < 1 || k > o.Rollouts {
			return fmt.Errorf("compare: at %d: there are %d rollouts a question", k, o.Rollouts)
		}
		for _, limit := range limits(o, field) {
			if n := min(eval.Binomial(o.Rollouts, k), float64(limit)); n > mostSubsets {
				return fmt.Errorf("compare: at %d: %.0f subsets of %d rollouts are too many for every question: say how many are to be sampled", k, n, o.Rollouts)
			}
		}
	}
	for _, c := range field {
		if c.Subsets < 0 {
			return fmt.Errorf("compare: selector %s: subsets %d, which may not be negative", c.Name, c.Subsets)
		}
	}
	return nil
}

// Run compares the field on the examples' rollouts. It ends at the first error of
// source or of o.Decided, at one that wraps [ErrNotKept], and when ctx ends. Any
// other error of a contestant costs the question, of which the other contestants are
// asked for their decision on all rollouts and nothing more; that a group has no
// answer is none. Where there are only such errors Run returns the last: after the
// first o.Workers questions that had rollouts, and at least eight, or after all.
func Run(ctx context.Context, examples []dataset.Example, source Source, field []Contestant, o Options) (*Report, error) {
	o = o.withDefaults()
	if err := o.check(field); err != nil {
		return nil, err
	}
	c := &contest{field: field, opts: o, source: source, rival: Contestant{Name: referenceName, Selector: baseline.Majority{}}}
	if i := slices.IndexFunc(field, func(f Contestant) bool { return f.Name == referenceName }); i >= 0 {
		c.rival = field[i]
	}
	results := make([]*outcome, len(examples))
	order := sequence{tell: func(i int) error { return c.tell(results[i]) }, progress: o.Progress}
	begun := beginning{enough: max(fewest, o.Workers)}
	g, working := errgroup.WithContext(ctx)
	g.SetLimit(o.Workers)
	for i, ex := range examples {
		if working.Err() != nil {
			break
		}
		g.Go(func() error {
			var err error
			if results[i], err = c.question(working, ex); err != nil {
				return fmt.Errorf("compare: question %s: %w", ex.ID, err)
			}
			if err := order.done(i); err != nil {
				return err
			}
			return begun.add(results[i])
		})
	}
	if err := cmp.Or(g.Wait(), ctx.Err(), begun.hopeless()); err != nil {
		return nil, err
	}
	return c.report(results), nil
}

// referenceName is the contestant to which the others are compared.
const referenceName = "majority"

// A contest is what stays the same from question to question.
type contest struct {
	field  []Contestant
	opts   Options
	source Source
	rival  Contestant // to which the others are compared; it runs along unseen where it is not of the field
	turn   sync.Mutex
}

// tell tells the decisions on all rollouts of a question and forgets them.
func (c *contest) tell(out *outcome) error {
	for _, d := range out.full {
		if err := c.opts.Decided(d); err != nil {
			return err
		}
	}
	out.full = nil
	return nil
}

// A sequence brings what is done in any order back into order.
type sequence struct {
	tell     func(i int) error
	progress func(done int)

	mu      sync.Mutex
	next    int
	waiting map[int]bool
}

// done tells i, and what waited for it, once all before it have been told.
func (s *sequence) done(i int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting == nil {
		s.waiting = map[int]bool{}
	}
	s.waiting[i] = true
	for s.waiting[s.next] {
		if err := s.tell(s.next); err != nil {
			return err
		}
		delete(s.waiting, s.next)
		s.next++
	}
	s.progress(s.next + len(s.waiting))
	return nil
}
