package weave

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"

	"trawl/search"
)

// Depth is how many hits of an engine are looked at: what an oracle's query is
// to find, a document or a trap, must be among them.
const Depth = 10

// poolFactor is how many questions are drawn for each that is kept; mostRounds
// is how often questions are replaced.
const (
	poolFactor = 4
	mostRounds = 12
)

// An Index makes documents searchable. Its function end gives back what the
// engine holds.
type Index func(ctx context.Context, docs iter.Seq[search.Document]) (engine search.Engine, end func() error, err error)

// Prove weaves the world of opts with traps, and keeps only questions that pass
// all checks against the engine that index makes of its documents: exactly one
// answer, which the question does not hold; every query of the oracle finds its
// document, and that of the trapped step the trap, among the first [Depth] hits;
// a query of its own finds the document that contradicts the trap. Others take
// the places of those that fail. It fails if too few questions are left, or if a
// suite's mean complexity is missed by more than [MeanTolerance].
func Prove(ctx context.Context, opts Options, index Index) (*World, *Report, error) {
	suite, err := opts.suite()
	if err != nil {
		return nil, nil, err
	}
	pool, err := New(Options{Seed: opts.Seed, Entities: suite.Entities, Questions: suite.Questions * poolFactor, Mix: suite.Mix})
	if err != nil {
		return nil, nil, err
	}
	p := newProver(pool, suite)
	for p.report.Rounds < mostRounds {
		p.report.Rounds++
		picked, err := p.pick()
		if err != nil {
			return nil, nil, err
		}
		w := pool.with(opts, picked)
		failed, err := p.check(ctx, w, picked, index)
		if err != nil {
			return nil, nil, fmt.Errorf("weave: %w", err)
		}
		if failed == 0 {
			return w, &p.report, p.judge(w)
		}
	}
	return nil, nil, fmt.Errorf("weave: questions still fail their checks after %d rounds: %v", mostRounds, p.report.Replaced)
}

// suite returns the suite that o asks for: one of [Suites], with what o sets
// itself, or one of no particular complexity.
func (o *Options) suite() (Suite, error) {
	s := Suite{Questions: o.Questions, Traps: o.Traps, Entities: o.Entities, Mix: o.Mix}
	if !(o.Traps >= 0 && o.Traps <= 1) || o.Questions < 0 {
		return s, fmt.Errorf("weave: %d questions, a share of %v of traps: want 0 or more, 0 to 1", o.Questions, o.Traps)
	}
	if o.Suite == "" {
		return s, nil
	}
	named, err := SuiteOf(o.Suite)
	if err != nil {
		return s, err
	}
	if o.Traps != 0 || o.Mix != (Mix{}) {
		return s, fmt.Errorf("weave: suite %s has its own share of traps and mix", o.Suite)
	}
	if o.Questions > 0 {
		named.Questions = o.Questions
	}
	if o.Entities > 0 {
		named.Entities = o.Entities
	}
	return named, nil
}

// A prover picks questions from a pool and drops those that fail.
type prover struct {
	pool   *World
	suite  Suite
	snares []*snare // by question of the pool; nil without
	dead   []bool   // by question of the pool
	report Report
}

// A choice is a question of a pool, with its trap or without.
type choice struct {
	question int
	snare    *snare
}

func newProver(pool *World, suite Suite) *prover {
	p := &prover{pool: pool, suite: suite, snares: make([]*snare, len(pool.questions)), dead: make([]bool, len(pool.questions))}
	p.report = Report{Pool: len(pool.questions), Replaced: make(map[Reason]int), Kinds: make(map[TrapKind]int)}
	if suite.Traps > 0 {
		p.snares = pool.lay()
	}
	for i := range pool.questions {
		switch q := &pool.questions[i]; {
		case !proved(q, pool.proofs[i]):
			p.drop(i, Ambiguous)
		case q.Type != Comparison && tells(q.Text, q.Answers):
			p.drop(i, Told)
		case p.snares[i] != nil:
			p.report.Trappable++
		}
	}
	return p
}

// proved reports whether q has the one answer that p comes to.
func proved(q *Question, p proof) bool {
	if p.solve == nil {
		return true
	}
	found := p.solve()
	return len(found) == 1 && found[0] == q.Answers[0]
}

func (p *prover) drop(i int, why Reason) {
	p.dead[i] = true
	p.report.Replaced[why]++
}

// pick chooses the questions of a round, the trapped ones first: both parts have
// the same mean complexity, traps apart.
func (p *prover) pick() ([]choice, error) {
	trapped := int(math.Round(p.suite.Traps * float64(p.suite.Questions)))
	with, err := p.choose(trapped, func(i int) bool { return p.snares[i] != nil })
	if err != nil {
		return nil, err
	}
	without, err := p.choose(p.suite.Questions-trapped, func(i int) bool { return !slices.Contains(with, i) })
	if err != nil {
		return nil, err
	}
	var all []choice
	for _, i := range with {
		all = append(all, choice{i, p.snares[i]})
	}
	for _, i := range without {
		all = append(all, choice{i, nil})
	}
	slices.SortFunc(all, func(a, b choice) int { return a.question - b.question })
	return all, nil
}

// choose picks n questions that may be taken.
func (p *prover) choose(n int, may func(int) bool) ([]int, error) {
	var pool []int
	for i := range p.pool.questions {
		if !p.dead[i] && may(i) {
			pool = append(pool, i)
		}
	}
	c := func(i int) float64 { return p.pool.questions[i].Complexity.C }
	if len(pool) < n {
		dropped := ""
		for _, reason := range slices.Sorted(maps.Keys(p.report.Replaced)) {
			dropped += fmt.Sprintf(", %s %d", reason, p.report.Replaced[reason])
		}
		return nil, fmt.Errorf("weave: %d questions are left of %d, want %d (traps fit %d%s): weave more entities",
			len(pool), len(p.pool.questions), n, p.report.Trappable, dropped)
	}
	if p.suite.Mean == 0 {
		return pool[:n], nil
	}
	mean := p.suite.Mean - 0.5*p.suite.Traps
	picked := sample(pool, c, n, mean)
	sum := 0.0
	for _, i := range picked {
		sum += c(i)
	}
	if n > 0 && math.Abs(sum/float64(n)-mean) > MeanTolerance {
		return nil, fmt.Errorf("weave: suite %s: the mean complexity of %d questions is %.2f, want %.2f without traps: the pool has %s",
			p.suite.Name, n, sum/float64(n), mean, supply(pool, c))
	}
	return picked, nil
}

// with returns the world of w with the chosen questions and their traps.
func (w *World) with(opts Options, chosen []choice) *World {
	v := &World{opts: w.opts, starts: w.starts, names: w.names, facts: w.facts, dated: make(map[uint32]string)}
	v.opts.Suite, v.opts.Traps, v.opts.Questions = opts.Suite, opts.Traps, len(chosen)
	for n, c := range chosen {
		q := w.questions[c.question]
		q.ID = fmt.Sprintf("woven_%d", n)
		if c.snare != nil {
			q.Complexity = q.Complexity.trapped()
			t, d := c.snare.Trap, c.snare.doc
			t.Question, t.Doc = q.ID, docID(uint32(v.Len()))
			d.ID = t.Doc
			v.traps, v.trapDocs = append(v.traps, t), append(v.trapDocs, d)
			if c.snare.dated != "" {
				v.dated[c.snare.about] = c.snare.dated
			}
		}
		v.questions, v.proofs = append(v.questions, q), append(v.proofs, w.proofs[c.question])
	}
	return v
}
