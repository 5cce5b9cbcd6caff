package utility

import (
	"fmt"

	"trawl/eval"
	"trawl/trajectory"
)

// Entropies says what E_A is made of.
type Entropies struct {
	From       string     `json:"from"`       // logprobs, resampled M, or imported; empty if no turn has one
	Turns      int        `json:"turns"`      // of completed rollouts, that the model chose
	Without    int        `json:"without"`    // of them, those whose entropy is not known
	Unreadable int        `json:"unreadable"` // replies that were resampled and say nothing
	Mean       *float64   `json:"mean"`       // of the entropies, in nats
	Pairs      int        `json:"pairs"`      // (g_t, H_t−1 − H_t) that E_A is over
	Following  *eval.Stat `json:"following"`  // the correlation of g_t with H_t − H_t+1, the fall that follows it
}

// entropies is what a question has of them.
type entropies struct {
	pairs, following []Pair
	turns, without   int
	sum              float64 // of those that are known
}

// A turn is what one turn of a rollout came to.
type turn struct {
	number   int
	h        *float64
	given    bool    // the model did not choose it
	answer   bool    // nothing of the same round follows
	observed bool    // something was called
	gain     float64 // of all its observations
}

// turnsOf returns the turns of a rollout. gains are those of its calls, nil where
// they are not known.
func turnsOf(t *trajectory.Trajectory, gains []float64) []turn {
	var turns []turn
	calls := 0
	for _, s := range t.Steps {
		if n := len(turns); n == 0 || turns[n-1].number != s.Turn {
			turns = append(turns, turn{number: s.Turn, h: s.Entropy, given: s.Source != ""})
		}
		last := &turns[len(turns)-1]
		switch s.Kind {
		case trajectory.KindSearch, trajectory.KindOpen, trajectory.KindFind:
			if calls < len(gains) {
				last.observed = true
				last.gain += gains[calls]
			}
			calls++
		case trajectory.KindAnswer:
			last.answer = true
		}
	}
	return turns
}

// add takes in a rollout. There is no pair where the turn before has no entropy, or
// is not of the same round: it answered, or its number is not the one before.
func (e *entropies) add(t *trajectory.Trajectory, gains []float64) {
	var before turn
	for _, now := range turnsOf(t, gains) {
		if !now.given {
			e.turns++
			if now.h == nil {
				e.without++
			} else {
				e.sum += *now.h
			}
		}
		if before.h != nil && now.h != nil && !before.answer && now.number == before.number+1 {
			fall := *before.h - *now.h
			if now.observed {
				e.pairs = append(e.pairs, Pair{now.gain, fall})
			}
			if before.observed {
				e.following = append(e.following, Pair{before.gain, fall})
			}
		}
		before = now
	}
}

// adapt works out E_A, and says why where there is none.
func (o *Options) adapt(r *Report, questions []*question) {
	pairs, following := make([][]Pair, len(questions)), make([][]Pair, len(questions))
	sum := 0.0
	for i, q := range questions {
		e := q.entropies
		pairs[i], following[i] = e.pairs, e.following
		r.Entropies.Turns += e.turns
		r.Entropies.Without += e.without
		r.Entropies.Pairs += len(e.pairs)
		sum += e.sum
	}
	if known := r.Entropies.Turns - r.Entropies.Without; known > 0 {
		r.Entropies.From, r.Entropies.Mean = o.EntropiesFrom, pointer(sum/float64(known))
	}
	r.EA = adapted(pairs, o.Resamples, o.Seed)
	r.Entropies.Following = adapted(following, o.Resamples, o.Seed)
}

// lacksEntropy returns why E_A is not there, or is over a part of the turns; "" if
// neither is so. asked is how many alternatives of a token were asked for.
func (r *Report) lacksEntropy(asked int) string {
	e := r.Entropies
	switch {
	case e.Turns == e.Without && e.Turns > 0 && asked > 0:
		return fmt.Sprintf("asked for logprobs=%d, the server sent none that can be used", asked)
	case e.Turns == e.Without:
		return "no rollout records the entropy of its actions: that takes logprobs, or resampling"
	case e.Pairs == 0 && r.Targets[unknown] == r.Questions:
		return "without gold answers nothing is a gain"
	case e.Pairs == 0:
		return "no rollout has two turns in a row with an entropy, the second of them a call"
	case r.EA == nil:
		return fmt.Sprintf("the gains, or the falls of entropy, are the same in all of %d pairs", e.Pairs)
	case e.Without > 0:
		return fmt.Sprintf("%d of %d turns have no entropy", e.Without, e.Turns)
	}
	return ""
}
