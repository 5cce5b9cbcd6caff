package store_test

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"trawl/trajectory/store"
)

const fileLimit = 64 << 10

// fill writes rollouts until the system lets no file grow, and one more when it
// does again.
func fill(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	s, err := store.Open(dir, manifest())
	if err != nil {
		return err
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	low := limit
	low.Cur = fileLimit
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &low); err != nil {
		return err
	}
	n := 0
	for ; ; n++ {
		t := done(key("q", n), "x")
		t.Steps[0].Shown = strings.Repeat("x", 10_000)
		if err = s.Append(t); err != nil {
			break
		}
	}
	if want := "store: write " + filepath.Join(dir, "rollouts.jsonl") + ": file too large"; !errors.Is(err, syscall.EFBIG) || err.Error() != want {
		return fmt.Errorf("error %v, want %s", err, want)
	}
	if s.Has(key("q", n)) {
		return errors.New("what could not be written counts as done")
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	fmt.Println(n)
	if err := s.Append(done(key("q", n), "after")); err != nil {
		return err
	}
	return s.Close()
}

func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	cmd, _, out := child(t, "fill", dir)
	var n int
	if _, err := fmt.Fscan(out, &n); err != nil {
		t.Error(err)
	}
	check(t, cmd.Wait())
	run := read(t, dir)
	if n != 6 || len(run.Trajectories) != n+1 || run.Counts.Torn != 0 || run.Counts.Lines != n+1 {
		t.Errorf("%d rollouts before the disk was full, %d trajectories, counts %+v; want 6, 7 and no torn line", n, len(run.Trajectories), run.Counts)
	}
	if info, err := os.Stat(filepath.Join(dir, "rollouts.jsonl")); err != nil || info.Size() > fileLimit+2000 {
		t.Errorf("%v, %v: larger than what was whole", info.Size(), err)
	}
}
