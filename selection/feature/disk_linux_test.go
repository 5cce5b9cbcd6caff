package feature_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"trawl/selection/feature"
)

// TestMain makes the test binary a process whose files may not grow, for the
// test of a full disk.
func TestMain(m *testing.M) {
	cache := os.Getenv("FEATURE_TEST_FILL")
	if cache == "" {
		os.Exit(m.Run())
	}
	if err := fillUp(cache); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// fillUp embeds texts until the system lets no file grow, and goes on when it
// does again.
func fillUp(cache string) error {
	signal.Ignore(syscall.SIGXFSZ)
	f := &fake{}
	table, err := feature.New(f, feature.Options{Name: "fake", Cache: cache, Batch: 10})
	if err != nil {
		return err
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	low := limit
	low.Cur = headerSize + 25*recordSize
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &low); err != nil {
		return err
	}
	texts := make([]string, 40)
	for i := range texts {
		texts[i] = fmt.Sprint("text ", i)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err = table.Rows(ctx, texts)
	if want := "vectors.f16 held before is kept"; !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "20 of 40 texts done") {
		return fmt.Errorf("error %v, want one that says %s", err, want)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if _, err := table.Rows(ctx, texts); err != nil {
		return err
	}
	if n := f.asked()["text 19"]; n != 1 {
		return fmt.Errorf("a text that was stored was embedded %d times", n)
	}
	return table.Close()
}

func TestFullDisk(t *testing.T) {
	exe, err := os.Executable()
	check(t, err)
	cache := t.TempDir()
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), "FEATURE_TEST_FILL="+cache)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	counts, embedded := holds(t, cache, "text 0", "text 19", "text 39")
	if counts.Stored != 40 || counts.Torn != 0 || embedded != nil {
		t.Errorf("counts %+v, embedded %v; want 40 stored and none embedded", counts, embedded)
	}
}
