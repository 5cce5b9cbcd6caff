//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package filelock_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"trawl/internal/filelock"
)

func TestLock(t *testing.T) {
	dir := t.TempDir()
	first, err := filelock.Lock(dir, "lock")
	if err != nil {
		t.Fatal(err)
	}
	_, err = filelock.Lock(dir, "lock")
	if want := fmt.Sprintf("%s is being written by process %d:", dir, os.Getpid()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a second lock: error %v, want %q", err, want)
	}
	if other, err := filelock.Lock(dir, "other"); err != nil {
		t.Errorf("another name: %v", err)
	} else {
		other.Close()
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := filelock.Lock(dir, "lock")
	if err != nil {
		t.Fatalf("after it was let go: %v", err)
	}
	again.Close()
	if _, err := filelock.Lock(dir+"/none", "lock"); err == nil {
		t.Error("a lock in a folder that does not exist")
	}
}
