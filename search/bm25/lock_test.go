package bm25_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"trawl/search"
	"trawl/search/bm25"
	"trawl/search/index"
)

// childDocs is how many documents a child process builds an index of, and
// childTells after how many of them it says a dot.
const (
	childDocs  = 3000
	childTells = 100
)

// TestMain makes the test binary a process that builds an index, for the tests
// that kill one.
func TestMain(m *testing.M) {
	dir := os.Getenv("TRAWL_TEST_BUILD")
	if dir == "" {
		os.Exit(m.Run())
	}
	docs := telling(random(rand.New(rand.NewPCG(1, 3)), childDocs), os.Getenv("TRAWL_TEST_STOP"))
	if _, err := bm25.Build(context.Background(), dir, docs, defaults.WithWindow(64)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// telling says how far a stream has come, and stops in its midst if it shall.
// A process that waited for nothing would be ended as a deadlock, so it waits
// for the end of its input, which whoever kills it holds open.
func telling(docs []search.Document, stop string) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		for i, doc := range docs {
			if i%childTells == 0 {
				os.Stdout.WriteString(".")
			}
			if stop != "" && i == len(docs)/2 {
				os.Stdout.WriteString("!")
				os.Stdin.Read(make([]byte, 1))
			}
			if !yield(doc, nil) {
				return
			}
		}
	}
}

// A child is a process that builds an index.
type child struct {
	*exec.Cmd
	out io.Reader
}

func startChild(t *testing.T, dir, stop string) child {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no lock on this system")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := child{Cmd: exec.CommandContext(t.Context(), exe)}
	c.Env = append(os.Environ(), "TRAWL_TEST_BUILD="+dir, "TRAWL_TEST_STOP="+stop)
	c.Stderr = os.Stderr
	_, inErr := c.StdinPipe()
	c.out, err = c.StdoutPipe()
	if err := errors.Join(inErr, err, c.Start()); err != nil {
		t.Fatal(err)
	}
	return c
}

// kill ends the process as a power cut would.
func (c child) kill(t *testing.T) {
	t.Helper()
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c.Wait()
}

// busy checks that a folder belongs to the building of a process.
func busy(t *testing.T, dir string, pid int) {
	t.Helper()
	_, err := bm25.Build(t.Context(), dir, stream(nil), defaults)
	if want := fmt.Sprintf("%s is being written by process %d", dir, pid); !errors.Is(err, index.ErrBusy) || !strings.Contains(err.Error(), want) {
		t.Errorf("Build beside another: %v, want ErrBusy and %q", err, want)
	}
	if _, err := bm25.Open(dir); !errors.Is(err, index.ErrBusy) || !strings.Contains(err.Error(), dir) {
		t.Errorf("Open during a building: %v, want ErrBusy and %q", err, dir)
	}
}

// builds checks that an index can be built where a building was cut short.
func builds(t *testing.T, dir string) {
	t.Helper()
	if _, err := bm25.Open(dir); !errors.Is(err, index.ErrIncomplete) {
		t.Errorf("Open after a building was cut short: %v, want ErrIncomplete", err)
	}
	if _, err := bm25.Build(t.Context(), dir, stream([]search.Document{{ID: "new", Text: "owl"}}), defaults); err != nil {
		t.Fatalf("Build over the rest: %v", err)
	}
	x := reopen(t, dir)
	if hits, err := x.Search(t.Context(), "owl", 10); err != nil || len(hits) != 1 || x.Stats().Documents != 1 {
		t.Errorf("the index built anew has %d documents, and finds %v, %v", x.Stats().Documents, hits, err)
	}
}

func TestTwoBuilders(t *testing.T) {
	dir := t.TempDir()
	c := startChild(t, dir, "in the midst")
	if _, err := io.ReadFull(c.out, make([]byte, childDocs/2/childTells+2)); err != nil { // up to the exclamation mark
		t.Fatal(err)
	}
	busy(t, dir, c.Process.Pid)
	c.kill(t)
	builds(t, dir)
}

func TestTwoBuildersInOneProcess(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no lock on this system")
	}
	dir := t.TempDir()
	docs := func(yield func(search.Document, error) bool) {
		busy(t, dir, os.Getpid())
		yield(search.Document{ID: "1", Text: "owl"}, nil)
	}
	if _, err := bm25.Build(t.Context(), dir, docs, defaults); err != nil {
		t.Fatal(err)
	}
	if hits, err := reopen(t, dir).Search(t.Context(), "owl", 1); err != nil || len(hits) != 1 {
		t.Errorf("the first builder's index finds %v, %v", hits, err)
	}
}

// TestKilled kills a process at random moments of its building: the folder is
// then incomplete, or the index is.
func TestKilled(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 4))
	incomplete := 0
	for range 10 {
		dir := t.TempDir()
		c := startChild(t, dir, "")
		dots := 1 + r.IntN(childDocs/childTells)
		if _, err := io.ReadFull(c.out, make([]byte, dots)); err != nil {
			t.Fatalf("%d dots: %v", dots, err)
		}
		c.kill(t)
		if _, err := os.Stat(dir + "/index.json"); err == nil { // it was faster
			if got := reopen(t, dir).Stats().Documents; got != childDocs {
				t.Errorf("killed after %d dots: %d documents, want %d", dots, got, childDocs)
			}
			continue
		}
		incomplete++
		builds(t, dir)
	}
	if incomplete == 0 {
		t.Error("every building had ended before it was killed")
	}
}
