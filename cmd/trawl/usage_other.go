//go:build !unix

package main

import "time"

// cpuTime is not known on this system.
func cpuTime() time.Duration { return 0 }

// peakRSS is not known on this system.
func peakRSS() int64 { return 0 }
