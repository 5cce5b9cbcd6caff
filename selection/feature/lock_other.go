//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package feature

import "os"

// lock keeps nobody out: on this system it is the user who must not let two
// processes write one cache at a time. If they do, each overwrites records of the
// other, which the checksums show; nobody reads a wrong vector.
func lock(*os.File) (mine bool, err error) { return true, nil }
