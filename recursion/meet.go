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
	key   trajectory.Key // of the merged state
	ended map[int]bool   // true: well
	over  bool           // what follows has been said
}

// meet notes that a rollout ended. When all of its round have, their states are
// merged and the next round can begin; at once if that was done in an earlier
// run, in which case a rollout that is tried again has no part in it.
func (l *Loop) meet(key trajectory.Key, ok bool) (begin []int, skipped int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := roundKey{key.QuestionID, key.Round}
	m := l.rounds[at]
	if m == nil {
		m = &meeting{key: key, ended: map[int]bool{}}
		m.key.Rollout = trajectory.MergedRollout
		l.rounds[at] = m
	}
	if m.over {
		return nil, 0, nil
	}
	m.ended[key.Rollout] = ok
	s, goesOn := l.store.State(m.key)
	if !goesOn {
		if len(m.ended) < l.opts.Count {
			return nil, 0, nil
		}
		if s, goesOn, err = l.merged(m); err != nil {
			return nil, 0, err
		}
	}
	m.over, m.ended = true, nil
	if !goesOn || s.Stopped != "" {
		return nil, (l.opts.Rounds - key.Round) * l.opts.Count, nil
	}
	for i := range l.opts.Count {
		begin = append(begin, i)
	}
	return begin, 0, nil
}

// merged makes the state of a round that is over. Ok says that a rollout ended
// well; the state is the zero one if the store has none of theirs all the same.
func (l *Loop) merged(m *meeting) (s trajectory.State, ok bool, err error) {
	var states []trajectory.State
	fresh, lost := false, false
	own := m.key
	for own.Rollout = range l.opts.Count {
		if !m.ended[own.Rollout] {
			continue
		}
		ok = true
		s, kept := l.store.State(own)
		if !kept {
			lost = true
			continue
		}
		states = append(states, s)
		fresh = fresh || s.Origin == trajectory.StateModel
	}
	if len(states) == 0 {
		return trajectory.State{}, ok, nil
	}
	before, _ := l.before(m.key)
	s = Merge(states, l.opts.Variant)
	s.Stopped = l.stopped(&s, before, fresh)
	if lost {
		s.Repairs = []string{repairLost}
	}
	if err := l.store.PutState(s); err != nil {
		return trajectory.State{}, false, fmt.Errorf("recursion: %w", err)
	}
	return s, true, nil
}
