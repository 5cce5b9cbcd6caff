//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package filelock

import "os"

// Try keeps nobody out: on this system it is the user who must not let two
// processes write one thing at a time.
func Try(*os.File) (mine bool, err error) { return true, nil }
