package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"trawl/agent/llm/sim"
	"trawl/trajectory/store"
)

// fails runs one command line that must end with the status and returns what it
// says on stderr.
func fails(t *testing.T, status int, getenv func(string) (string, bool), args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	e := env{stdout: &stdout, stderr: &stderr, getenv: getenv}
	if got := run(context.Background(), args, e); got != status {
		t.Errorf("trawl %s: exit status %d, want %d\n%s", strings.Join(args, " "), got, status, &stderr)
	}
	return stderr.String()
}

// TestTwoModels is a server that serves two: one has to be chosen.
func TestTwoModels(t *testing.T) {
	server := httptest.NewServer(sim.New(sim.Options{Models: []string{"sim-small", "sim-large"}}))
	defer server.Close()
	questions, index := world(t, 1)
	out := filepath.Join(t.TempDir(), "run")
	args := []string{"run", "--dataset", questions, "--index", index, "--endpoint", server.URL, "-k", "1", "--out", out, "--quiet"}
	if got, want := fails(t, exitFailed, os.LookupEnv, args...), "serves 2 models: sim-small, sim-large; choose one with --model"; !strings.Contains(got, want) {
		t.Errorf("stderr %q, want %q", got, want)
	}
	if got, want := fails(t, exitFailed, os.LookupEnv, append(args, "--model", "gpt-9")...), "does not serve gpt-9; it serves sim-small, sim-large"; !strings.Contains(got, want) {
		t.Errorf("stderr %q, want %q", got, want)
	}
	capture(t, append(args, "--model", "sim-large")...)
	if m, err := store.ReadManifest(out); err != nil || m.Models["agent"] != "sim-large" {
		t.Errorf("the manifest names %v, %v", m.Models, err)
	}
}

// TestEndpointFromEnvironment uses TRAWL_ENDPOINT, with two servers in it.
func TestEndpointFromEnvironment(t *testing.T) {
	var urls []string
	for range 2 {
		server := httptest.NewServer(sim.New(sim.Options{}))
		defer server.Close()
		urls = append(urls, server.URL)
	}
	t.Setenv("TRAWL_ENDPOINT", strings.Join(urls, ","))
	questions, index := world(t, 4)
	capture(t, "run", "--dataset", questions, "--index", index, "-k", "2", "--out", filepath.Join(t.TempDir(), "run"), "--quiet")
}

// TestKeyIsNamedAndNotShown has a server that refuses the key.
func TestKeyIsNamedAndNotShown(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"message":"bad key %s"}}`, r.Header.Get("Authorization"))
	}))
	defer server.Close()
	questions, index := world(t, 1)
	getenv := func(name string) (string, bool) {
		if name == "OPENAI_API_KEY" {
			return "sk-very-secret", true
		}
		return "", false
	}
	got := fails(t, exitFailed, getenv, "run", "--dataset", questions, "--index", index, "--endpoint", server.URL, "--out", filepath.Join(t.TempDir(), "run"))
	if !strings.Contains(got, "OPENAI_API_KEY") || strings.Contains(got, "very-secret") {
		t.Errorf("stderr %q, want the name of the variable and not the key", got)
	}
}

// TestServerGone has a server that dies in the middle of a run: what was done
// is kept, and the run goes on when the server is back.
func TestServerGone(t *testing.T) {
	questions, index := world(t, 12)
	model := sim.New(sim.Options{})
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) > 60 {
			panic(http.ErrAbortHandler)
		}
		model.ServeHTTP(w, r)
	}))
	defer server.Close()
	out := filepath.Join(t.TempDir(), "run")
	args := []string{"run", "--dataset", questions, "--index", index, "--endpoint", server.URL, "-k", "3", "--concurrency", "1",
		"--out", out, "--quiet", "--set", "models.agent.retries=0"}
	got := fails(t, exitFailed, os.LookupEnv, args...)
	if !strings.Contains(got, "the same command") {
		t.Errorf("stderr %q does not say how to go on", got)
	}
	calls.Store(-1 << 20)
	capture(t, args...)
	calm := filepath.Join(t.TempDir(), "calm")
	args[len(args)-4] = calm
	capture(t, args...)
	if a, b := results(t, out), results(t, calm); !bytes.Equal(a, b) {
		t.Error("a run whose server was gone differs from one whose server was there")
	}
}

// TestInterrupt sends Ctrl-C to a real process: it ends at once, with its own
// status, says what is kept, and the next one goes on.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no SIGINT to another process on this system")
	}
	questions, index := world(t, 20)
	url := simProcess(t, "100ms")
	out := filepath.Join(t.TempDir(), "run")
	args := []string{"run", "--dataset", questions, "--index", index, "--endpoint", url, "-k", "4", "--concurrency", "8", "--out", out, "--quiet"}
	cmd := exec.Command("trawl", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForLine(t, filepath.Join(out, "journal.jsonl"))
	asked := time.Now()
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if took := time.Since(asked); took > 2*time.Second {
		t.Errorf("it took %v to end", took)
	}
	if cmd.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("%v, want exit status %d", err, exitInterrupted)
	}
	if !strings.Contains(stderr.String(), "the same command goes on from there") {
		t.Errorf("stderr %q does not say how to go on", &stderr)
	}
	capture(t, args...)
	once(t, out, 80)
}

// waitForLine waits until a file has content.
func waitForLine(t *testing.T, path string) {
	t.Helper()
	for range 2000 {
		if info, err := os.Stat(path); err == nil && info.Size() > 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("%s stays empty", path)
}
