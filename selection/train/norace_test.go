//go:build !race

package train_test

// raceEnabled says that the race detector slows everything down.
const raceEnabled = false
