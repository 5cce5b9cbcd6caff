package main

import (
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
	all, err := lines.Rollouts(questionID)
	if err != nil {
		return nil, err
	}
	states, err := lines.States(questionID)
	if err != nil {
		return nil, err
	}
	return trajectory.Outcomes(all, states, round), nil
}
