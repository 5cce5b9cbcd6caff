//go:build race

package gnn_test

// raceEnabled says that the race detector slows everything down.
const raceEnabled = true
