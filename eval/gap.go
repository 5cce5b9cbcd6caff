package eval

import (
	"math"

	"trawl/corpus/dataset"
	"trawl/internal/text"
	"trawl/trajectory"
)

// A Gap says how far a vote stays behind what the rollouts cover: a right answer
// that is among k rollouts is of no use to a vote that another answer wins.
// (arXiv:2609.39912, A.3, D, G)
type Gap struct {
	Questions int `json:"questions"` // with gold answers and a completed rollout
	LeftOut   int `json:"left_out"`  // the other questions
	Rollouts  int `json:"rollouts"`  // completed ones of those questions

	At      map[int]GapAt `json:"at"` // by k, over the questions with k completed rollouts; a k that no question has is missing
	Classes Classes       `json:"classes"`

	// Extrapolated is a simulation, by k: what independent draws from the answers
	// that the rollouts of a question gave would cover and vote for, over all
	// Questions. It takes shares for probabilities, which is biased. Coverage is too
	// low: an answer that nobody gave among n has no chance, so that coverage ends at
	// the share of questions covered by n, and up to n it lies below pass@k. Where a
	// vote is close, which answer leads is partly chance, and more draws from the
	// same shares do not undo it.
	Extrapolated map[int]Extrapolation `json:"extrapolated"`
}

// A GapAt is the gap among k stored rollouts of a question.
type GapAt struct {
	Coverage *Stat `json:"coverage"` // pass@k
	Voting   *Stat `json:"voting"`   // majority@k
	Gap      *Stat `json:"gap"`      // their difference, question by question

	// SelectedGivenCovered is Voting/Coverage, the chance that the vote is right
	// where an answer is, by A_k = C_k · Pr(selected right | covered); nil if
	// nothing is covered.
	SelectedGivenCovered *float64 `json:"selected_given_covered"`
}

// An Extrapolation is the gap of k simulated rollouts a question: means over
// questions.
type Extrapolation struct {
	Coverage             float64  `json:"coverage"`
	Voting               float64  `json:"voting"`
	Gap                  float64  `json:"gap"`
	SelectedGivenCovered *float64 `json:"selected_given_covered"`
}

// Classes counts questions by which of their answers leads. Rollouts without an
// answer are no answer.
type Classes struct {
	Always     int `json:"always"`      // every completed rollout is right
	RightLeads int `json:"right_leads"` // of the others: a right answer is the most frequent one alone
	Tied       int `json:"tied"`        // a right answer and a wrong one are
	WrongLeads int `json:"wrong_leads"` // there is a right answer, and a wrong one is more frequent: more votes do not help
	Never      int `json:"never"`       // no rollout is right
}

// extrapolated are the k of Gap.Extrapolated.
func extrapolated() []int { return []int{1, 2, 4, 8, 16, 32, 64} }

// GapOf returns the gap of the lines of one run. Options and errors are those of
// [Score]; what is right is exact match.
func GapOf(examples []dataset.Example, runs []*trajectory.Trajectory, opts Options) (*Gap, error) {
	opts = opts.withDefaults(runs)
	if err := opts.check(); err != nil {
		return nil, err
	}
	groups, err := gather(examples, runs, opts)
	if err != nil {
		return nil, err
	}
	gap := &Gap{At: make(map[int]GapAt), Extrapolated: make(map[int]Extrapolation)}
	var scored []*group
	var tallies []tally
	for _, g := range groups {
		g.mark(opts)
		if !g.scored() {
			gap.LeftOut++
			continue
		}
		t := tallyOf(g)
		gap.Classes.add(t)
		scored, tallies = append(scored, g), append(tallies, t)
		gap.Questions++
		gap.Rollouts += len(g.done)
	}
	for _, k := range opts.At {
		if at, ok := gapAt(scored, k, opts); ok {
			gap.At[k] = at
		}
	}
	if len(tallies) > 0 {
		for _, k := range extrapolated() {
			gap.Extrapolated[k] = extrapolate(tallies, k)
		}
	}
	return gap, nil
}

// gapAt returns the gap at k; false if no question has k completed rollouts.
func gapAt(groups []*group, k int, opts Options) (GapAt, bool) {
	var pass, majority, gap []float64
	for _, g := range groups {
		if v, ok := g.pass[k]; ok {
			pass, majority, gap = append(pass, v), append(majority, g.majority[k]), append(gap, v-g.majority[k])
		}
	}
	at := GapAt{
		Coverage: Estimate(pass, opts.Resamples, opts.Seed),
		Voting:   Estimate(majority, opts.Resamples, opts.Seed),
		Gap:      Estimate(gap, opts.Resamples, opts.Seed),
	}
	if at.Coverage == nil {
		return at, false
	}
	at.SelectedGivenCovered = quotient(at.Voting.Mean, at.Coverage.Mean)
	return at, true
}

// quotient returns a/b; nil if b is 0.
func quotient(a, b float64) *float64 { return pointer(a/b, b > 0) }

// A tally is the answers of the completed rollouts of a question, alike by
// [text.AnswerKey].
type tally struct {
	classes []float64 // share of each answer; what is missing to 1 gave none
	right   []bool    // of each
}

func tallyOf(g *group) tally {
	var t tally
	at := make(map[string]int)
	for _, r := range g.done {
		key := text.AnswerKey(r.Answer)
		if key == "" {
			continue
		}
		i, ok := at[key]
		if !ok {
			i = len(t.classes)
			at[key] = i
			t.classes, t.right = append(t.classes, 0), append(t.right, Mark(g.example, r.Answer).EM)
		}
		t.classes[i]++
	}
	for i := range t.classes {
		t.classes[i] /= float64(len(g.done))
	}
	return t
}

// add counts the question of t.
func (c *Classes) add(t tally) {
	best := map[bool]float64{}
	covered := 0.0
	for i, p := range t.classes {
		best[t.right[i]] = max(best[t.right[i]], p)
		if t.right[i] {
			covered += p
		}
	}
	switch right, wrong := best[true], best[false]; {
	case right == 0:
		c.Never++
	case covered > 1-1e-9:
		c.Always++
	case right > wrong:
		c.RightLeads++
	case right == wrong:
		c.Tied++
	default:
		c.WrongLeads++
	}
}

// extrapolate returns the means over the questions at k.
func extrapolate(tallies []tally, k int) Extrapolation {
	var coverage, voting running
	for _, t := range tallies {
		p, v := 0.0, 0.0
		for i, right := range t.right {
			if right {
				p += t.classes[i]
				v += Voting(t.classes, i, k)
			}
		}
		c := Coverage(min(p, 1), k)
		coverage.add(c)
		voting.add(min(v, c)) // their sums are rounded
	}
	var e Extrapolation
	e.Coverage, _ = coverage.mean()
	e.Voting, _ = voting.mean()
	e.Gap = e.Coverage - e.Voting
	e.SelectedGivenCovered = quotient(e.Voting, e.Coverage)
	return e
}

// Coverage returns the chance that one of k independent rollouts is right, each
// with the chance p,
//
//	1 − (1−p)^k
//
// It is NaN where p is not in [0, 1] or k is below 1.
func Coverage(p float64, k int) float64 {
	if !(p >= 0 && p <= 1) || k < 1 {
		return math.NaN()
	}
	if k == 1 {
		return p // as 1 − (1 − p) is not
	}
	return -math.Expm1(float64(k) * math.Log1p(-p))
}
