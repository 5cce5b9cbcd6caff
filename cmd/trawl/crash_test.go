package main

import (
	"bufio"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/trajectory"
	"trawl/trajectory/store"
)

// TestKilledRuns kills a real process with SIGKILL at random moments, again and
// again, until the run is complete, and compares it with one that was left in
// peace. The model server is a process of its own and lives on.
func TestKilledRuns(t *testing.T) {
	questions, index := world(t, 20)
	url := simProcess(t, "5ms..25ms")
	args := func(out string) []string {
		return []string{"run", "--dataset", questions, "--index", index, "--endpoint", url, "-k", "4", "--concurrency", "4", "--out", out, "--quiet"}
	}
	calm := filepath.Join(t.TempDir(), "calm")
	capture(t, args(calm)...)
	whole := written(calm)

	killed := filepath.Join(t.TempDir(), "killed")
	chance := rand.New(rand.NewPCG(1, 2))
	kills := 0
	for !runUntilKilled(t, args(killed), killed, chance.Int64N(whole/6)) {
		if kills++; kills == 5 { // part of the questions, of which all is done then
			capture(t, append(args(killed), "--limit", "2")...)
		}
	}
	if kills < 3 {
		t.Errorf("the run was complete after %d kills: the test does not test", kills)
	}
	t.Logf("complete after %d kills", kills)
	if diff := cmp.Diff(string(results(t, calm)), string(results(t, killed))); diff != "" {
		t.Errorf("a killed run differs from one that was not (-calm +killed):\n%s", diff)
	}
	once(t, killed, 80)
}

// once makes sure that every rollout has one line, and that there are n.
func once(t *testing.T, dir string, n int) {
	t.Helper()
	run, err := store.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[trajectory.Key]bool{}
	for _, tr := range run.Trajectories {
		seen[tr.Key()] = true
	}
	if len(seen) != n || run.Counts.Parsed != n || len(run.Counts.Dropped) > 0 || run.Counts.Torn > 0 {
		t.Errorf("%d rollouts in %d lines, %d dropped, %d bytes torn; want %d in as many",
			len(seen), run.Counts.Parsed, len(run.Counts.Dropped), run.Counts.Torn, n)
	}
}

// runUntilKilled starts a process and kills it when it has written so many bytes
// into the run folder. It reports whether the process was done before.
func runUntilKilled(t *testing.T, args []string, dir string, bytes int64) bool {
	t.Helper()
	last, grown := written(dir), int64(0)
	return killWhen(t, args, func() bool {
		now := written(dir)
		grown += max(now-last, 0) // the journal shrinks when it is compacted
		last = now
		return grown > bytes
	})
}

// written returns the size of what a run folder holds of rollouts.
func written(dir string) int64 {
	var n int64
	for _, name := range []string{"rollouts.jsonl", "journal.jsonl"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
			n += info.Size()
		}
	}
	return n
}

// simProcess starts a simulated model in a process of its own and returns its
// address.
func simProcess(t *testing.T, latency string) string {
	t.Helper()
	cmd := exec.Command("trawl", "sim", "--addr", "127.0.0.1:0", "--latency", latency)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}
