package rollout_test

import (
	"fmt"
	"slices"
	"sync/atomic"

	"trawl/trajectory"
)

// A sequel is a rule for what follows, which counts what it is told.
type sequel struct {
	rounds int
	merged bool // a round begins when that before has ended for all; else each rollout goes on alone
	stop   func(key trajectory.Key) bool
	err    error // of the second round

	busy  atomic.Bool
	told  map[trajectory.Key]int
	order []trajectory.Key
	await map[string]int   // merged: rollouts of a question and round that have not ended
	alive map[string][]int // merged: those that ended well
}

func (s *sequel) Next(key trajectory.Key, ok bool) ([]int, int, error) {
	if !s.busy.CompareAndSwap(false, true) {
		panic("Next is called twice at a time")
	}
	defer s.busy.Store(false)
	s.told[key]++
	s.order = append(s.order, key)
	left := s.rounds - key.Round
	ends := !ok || s.stop != nil && s.stop(key)
	switch {
	case s.err != nil && key.Round == 2:
		return nil, 0, s.err
	case s.merged:
		return s.together(key, ends)
	case ends:
		return nil, left, nil
	case left == 0:
		return nil, 0, nil
	}
	return []int{key.Rollout}, 0, nil
}

func (s *sequel) together(key trajectory.Key, ends bool) (begin []int, skipped int, err error) {
	at := fmt.Sprint(key.QuestionID, " ", key.Round)
	if _, known := s.await[at]; !known { // the first round
		s.await[at] = threads
	}
	if ends {
		skipped = s.rounds - key.Round
	} else {
		s.alive[at] = append(s.alive[at], key.Rollout)
	}
	if s.await[at]--; s.await[at] > 0 || key.Round == s.rounds {
		return nil, skipped, nil
	}
	s.await[fmt.Sprint(key.QuestionID, " ", key.Round+1)] = len(s.alive[at])
	slices.Sort(s.alive[at])
	return s.alive[at], skipped, nil
}

const (
	rounds  = 3
	threads = 3
)

// newSequel returns a sequel of three rounds.
func newSequel(mode string) *sequel {
	return &sequel{
		rounds: rounds, merged: mode == "merged",
		told: map[trajectory.Key]int{}, await: map[string]int{}, alive: map[string][]int{},
	}
}
