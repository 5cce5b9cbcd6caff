//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package filelock_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"trawl/internal/filelock"
)

// TestRemovedByHolder has many take a lock whose file each of them removes
// before it lets go, so that it may go between another's opening and locking:
// there is one holder at a time all the same.
func TestRemovedByHolder(t *testing.T) {
	dir := t.TempDir()
	var holders atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for taken := 0; taken < 100; {
				lock, err := filelock.Lock(dir, "lock")
				if errors.Is(err, filelock.ErrHeld) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				taken++
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d holders at once", n)
				}
				holders.Add(-1)
				if err := errors.Join(os.Remove(filepath.Join(dir, "lock")), lock.Close()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
