package main

import (
	"fmt"

	"trawl/trajectory"
	"trawl/trajectory/store"
)

// lastRound returns the round that a run is judged by: the last one that it has
// lines of, and none beyond those that it was given last.
func lastRound(lines *store.Reader, s runSettings) int {
	return max(1, min(lines.Round(), s.Recursion.Rounds))
}

// outcomes returns what the rollouts of a question had come to at the end of a
// round, done and failed.
func outcomes(lines *store.Reader, questionID string, round int) ([]*trajectory.Trajectory, error) {
	all, states, err := recordsOf(lines, questionID)
	if err != nil {
		return nil, err
	}
	return trajectory.Outcomes(all, states, round), nil
}

// recordsOf reads the rollouts and states of a question, of all rounds.
func recordsOf(lines *store.Reader, questionID string) ([]*trajectory.Trajectory, []trajectory.State, error) {
	all, err := lines.Rollouts(questionID)
	if err != nil {
		return nil, nil, err
	}
	states, err := lines.States(questionID)
	return all, states, err
}

// tellDropped says which lines of rollouts and states cannot be read.
func tellDropped(e env, dir string, lines *store.Reader) error {
	states, err := lines.StateCounts()
	if err != nil {
		return err
	}
	for _, counts := range []store.Counts{lines.Counts(), states} {
		for _, bad := range counts.Dropped {
			fmt.Fprintf(e.stderr, "trawl: %s: skipped a line that cannot be read: %v\n", dir, bad)
		}
	}
	return nil
}
