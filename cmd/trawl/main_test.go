package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"trawl/internal/testutil"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"trawl": main})
}

// TestScripts runs the command lines in testdata/script, each in a folder of its
// own, against the simulated model.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("TRAWL_ENDPOINT", "")
			e.Setenv("GORACE", "atexit_sleep_ms=0") // else each process of a race build sleeps a second at its end
			return nil
		},
	})
}

// TestHelp keeps the help texts as golden files: they are promises to users.
func TestHelp(t *testing.T) {
	commands := []string{"", "ask", "bench bm25", "bench rollout", "bench selector", "demo", "doctor", "evaluate", "experiment", "export", "import", "index", "report", "run", "scaffold", "score", "search", "select", "serve-index", "sim", "train", "version", "weave"}
	for _, c := range commands {
		t.Run("trawl "+c, func(t *testing.T) {
			out := capture(t, append(strings.Fields(c), "--help")...)
			testutil.Golden(t, "help/"+strings.ReplaceAll("trawl "+c, " ", "-")+".txt", out)
		})
	}
}

// capture runs one command line that must succeed and returns its stdout.
func capture(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	e := env{stdout: &stdout, stderr: &stderr, getenv: os.LookupEnv}
	if status := run(context.Background(), args, e); status != exitDone {
		t.Fatalf("trawl %s: exit status %d\n%s", strings.Join(args, " "), status, &stderr)
	}
	return stdout.String()
}
