package recursion

import (
	"fmt"

	"trawl/trajectory"
)

// A roundKey is a round of a question.
type roundKey struct {
	questionID string
	round      int
}

// A meeting is what is known of the rollouts of a round that is to be merged.
type meeting struct {
	ended map[int]bool // true: well
	over  bool         // what follows has been said
}

// meet notes that a rollout ended. When all of its round have, their states are
// merged and the next round can begin; at once if that was done in an earlier
// run, in which case a rollout that is tried again has no part in it.
func (l *Loop) meet(key trajectory.Key, ok bool) (begin []int, skipped int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.config = key.Config
	at := roundKey{key.QuestionID, key.Round}
	m := l.rounds[at]
	if m == nil {
		m = &meeting{ended: map[int]bool{}}
		l.rounds[at] = m
	}
	if m.over {
		return nil, 0, nil
	}
	m.ended[key.Rollout] = ok
	key.Rollout = trajectory.MergedRollout
	s, done := l.store.State(key)
	if !done {
		if len(m.ended) < l.opts.Count {
			return nil, 0, nil
		}
		if s, err = l.merged(key, m); err != nil {
			return nil, 0, err
		}
	}
	m.over, m.ended = true, nil
	if s.V == 0 || s.Stopped != "" {
		return nil, (l.opts.Rounds - key.Round) * l.opts.Count, nil
	}
	for i := range l.opts.Count {
		begin = append(begin, i)
	}
	return begin, 0, nil
}

// merged makes the state of a round that is over. It is the zero state if no
// rollout has one.
func (l *Loop) merged(key trajectory.Key, m *meeting) (trajectory.State, error) {
	var states []trajectory.State
	fresh := false
	own := key
	for own.Rollout = range l.opts.Count {
		if s, ok := l.store.State(own); ok && m.ended[own.Rollout] {
			states = append(states, s)
			fresh = fresh || s.Origin == trajectory.StateModel
		}
	}
	if len(states) == 0 {
		return trajectory.State{}, nil
	}
	before, err := l.before(key)
	if err != nil {
		return trajectory.State{}, err
	}
	s := Merge(states, l.opts.Variant)
	s.Stopped = l.stopped(&s, before, fresh)
	if err := l.store.PutState(s); err != nil {
		return trajectory.State{}, fmt.Errorf("recursion: %w", err)
	}
	return s, nil
}
