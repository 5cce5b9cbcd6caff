// Command trawl runs parallel search rollouts over a corpus and says how good
// they were. `trawl help` lists what it can do.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"
)

// release is set by the Makefile from the repository's own state.
var release string

// version returns the release, or the revision that the build recorded.
func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value[:min(len(s.Value), 12)]
			}
		}
	}
	return "unknown"
}

// Exit statuses, promised to scripts.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop() // a second Ctrl-C ends the process at once
	}()
	e := env{
		stdout:   os.Stdout,
		stderr:   os.Stderr,
		getenv:   os.LookupEnv,
		terminal: term.IsTerminal(int(os.Stderr.Fd())),
	}
	os.Exit(run(ctx, os.Args[1:], e))
}

// An env is what a command may touch of the process around it.
type env struct {
	stdout   io.Writer
	stderr   io.Writer
	getenv   func(string) (string, bool)
	terminal bool  // stderr is one
	quiet    *bool // --quiet; nil is false
}

// patience is how long trawl waits for something before it says so.
const patience = 4 * time.Second

// waiting says on stderr what is waited for, if it takes long. The function that
// it returns ends the wait.
func (e env) waiting(format string, args ...any) (stop func()) {
	timer := time.AfterFunc(patience, func() { fmt.Fprintf(e.stderr, "trawl: "+format+" …\n", args...) })
	return func() { timer.Stop() }
}

// isQuiet reports whether progress is not wanted.
func (e env) isQuiet() bool { return e.quiet != nil && *e.quiet }

// run carries out one command line and returns the exit status. It is the only
// place that reports an error.
func run(ctx context.Context, args []string, e env) int {
	root := newRoot(e)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var usage usageError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &usage):
		fmt.Fprintf(e.stderr, "trawl: %v\nRun '%s --help' for what it takes.\n", err, usage.command)
		return exitUsage
	case errors.Is(err, errNoIndex):
		fmt.Fprintln(e.stderr, "trawl:", err)
		return exitUsage
	case ctx.Err() != nil:
		fmt.Fprintln(e.stderr, "trawl: interrupted"+kept(err))
		return exitInterrupted
	}
	fmt.Fprintln(e.stderr, "trawl:", err)
	return exitFailed
}

// kept returns what an interrupted command says of its work, if it says more
// than that it was interrupted.
func kept(err error) string {
	if strings.Contains(err.Error(), context.Canceled.Error()) {
		return ""
	}
	return ": " + err.Error()
}

// writeJSON prints one JSON value for machines, and for people who look at it.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// A usageError is a command line that cannot be carried out.
type usageError struct {
	command string // as typed: "trawl run"
	err     error
}

func (u usageError) Error() string { return u.err.Error() }

func (u usageError) Unwrap() error { return u.err }
