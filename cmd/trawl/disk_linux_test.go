package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFullDisk lets no file of the process grow beyond 64 KiB, as a full disk
// would: one clear line, nothing lost, and the run goes on when there is room.
func TestFullDisk(t *testing.T) {
	questions, index := world(t, 12)
	out := filepath.Join(t.TempDir(), "run")
	args := []string{"run", "--dataset", questions, "--index", index, "--endpoint", "sim", "-k", "4", "--out", out, "--quiet"}
	cmd := exec.Command("sh", "-c", `ulimit -f 128 && trap '' XFSZ && exec trawl "$@"`, "trawl")
	cmd.Args = append(cmd.Args, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != exitFailed {
		t.Fatalf("%v, want exit status %d\n%s", err, exitFailed, &stderr)
	}
	for _, want := range []string{"file too large", ".jsonl", "the same command goes on from there"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("stderr %q lacks %q", &stderr, want)
		}
	}
	kept, err := os.ReadFile(filepath.Join(out, "rollouts.jsonl"))
	if err != nil || len(kept) > 0 && kept[len(kept)-1] != '\n' {
		t.Errorf("rollouts.jsonl ends in a torn line (%v)", err)
	}
	capture(t, args...)
	once(t, out, 48)
}
