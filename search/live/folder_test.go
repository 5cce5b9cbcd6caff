package live_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/search"
	"trawl/search/index"
	"trawl/search/live"
)

var three = []search.Document{
	{ID: "1", Title: "Owl", Text: "An owl is a bird."},
	{ID: "2", Title: "Elk", Text: "An elk is a deer."},
	{ID: "3", Title: "Fox", Text: "A fox is no bird and no deer."},
}

// threeHash is that of three:
//
//	def h(*fields): return hashlib.sha256(b"".join(struct.pack(">Q", len(f)) + f for f in fields)).digest()
//	bytes(a ^ b ^ c for a, b, c in zip(h(b"1", b"Owl", b"", b"An owl is a bird."), …)).hex()
const threeHash = "c519c421e27f837589b9357fed6325e647ca0df3f57c8ccd4fdea0fd61b6e564"

func TestBuild(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "index")
	var told []int
	stats, err := live.Build(t.Context(), dir, stream(three), live.BuildOptions{
		Params: index.Params{K1: 1.2, B: 0.75}, Source: "three animals", Progress: func(n int) { told = append(told, n) },
	})
	if err != nil {
		t.Fatal(err)
	}
	want := index.Stats{Documents: 3, Terms: 10, Params: index.Params{K1: 1.2, B: 0.75}, SHA256: threeHash, Source: "three animals"}
	if diff := cmp.Diff(want, stats); diff != "" {
		t.Errorf("stats of building mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{3}, told); diff != "" {
		t.Errorf("progress mismatch (-want +got):\n%s", diff)
	}
	x := reopen(t, dir)
	if stats, err = x.Stats(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, stats); diff != "" {
		t.Errorf("stats of the open index mismatch (-want +got):\n%s", diff)
	}
	checkFile(t, filepath.Join(dir, "index.json"), `{
  "format": "trawl live index",
  "version": 1,
  "documents": 3,
  "terms": 10,
  "params": {
    "k1": 1.2,
    "b": 0.75
  },
  "sha256": "`+threeHash+`",
  "source": "three animals"
}
`)
}

func checkFile(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s mismatch (-want +got):\n%s", filepath.Base(path), diff)
	}
}

func TestBuildThatFails(t *testing.T) {
	broken := errors.New("corpus.jsonl:4: key id: missing")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name string
		ctx  context.Context
		docs []search.Document
		errs []error
		opts live.BuildOptions
		want string
	}{
		{"an error among the documents", t.Context(), three, []error{broken}, live.BuildOptions{}, broken.Error()},
		{"cancelled", cancelled, three, nil, live.BuildOptions{}, "context canceled"},
		{"a document without id", t.Context(), []search.Document{{Text: "x"}}, nil, live.BuildOptions{}, "the id is empty"},
		{"bad k1", t.Context(), three, nil, live.BuildOptions{Params: index.Params{K1: -1}}, "k1 is -1"},
		{"bad b", t.Context(), three, nil, live.BuildOptions{Params: index.Params{B: 1.5}}, "b is 1.5"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "index")
			_, err := live.Build(tt.ctx, dir, stream(tt.docs, tt.errs...), tt.opts)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("error is %v, want the folder and %q in it", err, tt.want)
			}
			if left := listing(t, dir); len(left) != 0 {
				t.Errorf("the folder holds %q", left)
			}
		})
	}
}

func TestFoldersRefused(t *testing.T) {
	complete := func(t *testing.T) string { return build(t, three) }
	with := func(name, content string) func(*testing.T) string {
		return func(t *testing.T) string {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
			return dir
		}
	}
	newer, _ := json.Marshal(map[string]any{"format": "trawl live index", "version": 2})
	tests := []struct {
		name      string
		dir       func(*testing.T) string
		openError error // nil: any
		openText  string
		makeError error // of Create; nil: none
	}{
		{"absent", func(t *testing.T) string { return filepath.Join(t.TempDir(), "absent") }, os.ErrNotExist, "absent", nil},
		{"empty", func(t *testing.T) string { return t.TempDir() }, index.ErrForeign, "it has no index.json", nil},
		{"another program's", with("thesis.tex", "x"), index.ErrForeign, "it has no index.json", index.ErrForeign},
		{"another program's index.json", with("index.json", `{"format":"npm"}`), index.ErrForeign, "index.json is another program's", index.ErrForeign},
		{"no JSON", with("index.json", `{"form`), index.ErrForeign, "index.json is another program's", index.ErrForeign},
		{"a later version", with("index.json", string(newer)), nil, "version 2 and this trawl reads version 1", index.ErrExists},
		{"without the sum of contents", with("index.json", `{"format":"trawl live index","version":1}`), nil, "no sha256: run trawl index again", index.ErrExists},
		{"incomplete", with("index.building", ""), index.ErrIncomplete, "run trawl index again", nil},
		{"complete", complete, errNone, "", index.ErrExists},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := tt.dir(t)
			before := listing(t, dir)
			x, err := live.Open(dir)
			if tt.openError == errNone {
				if err != nil {
					t.Fatal(err)
				}
				x.Close()
			} else if err == nil || tt.openError != nil && !errors.Is(err, tt.openError) || !strings.Contains(err.Error(), tt.openText) || !strings.Contains(err.Error(), dir) {
				t.Errorf("Open: %v, want %v with %q and the folder", err, tt.openError, tt.openText)
			}
			x, err = live.Create(dir, index.DefaultParams())
			if !errors.Is(err, tt.makeError) || err != nil && !strings.Contains(err.Error(), dir) {
				t.Errorf("Create: %v, want %v", err, tt.makeError)
			}
			if err == nil {
				x.Close()
			} else if diff := cmp.Diff(before, listing(t, dir)); diff != "" {
				t.Errorf("a folder that was refused has changed (-before +after):\n%s", diff)
			}
		})
	}
}

var errNone = errors.New("no error")

func listing(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestKilledBuild kills a process in the midst of building.
func TestKilledBuild(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "index")
	if os.Getenv("TRAWL_TEST_BUILD") != "" {
		x, err := live.Create(os.Getenv("TRAWL_TEST_BUILD"), index.DefaultParams())
		if err != nil {
			t.Fatal(err)
		}
		add(t, x, three...)
		os.Stdout.WriteString("flushed\n")
		select {}
	}
	child := exec.Command(os.Args[0], "-test.run=^TestKilledBuild$")
	child.Env = append(os.Environ(), "TRAWL_TEST_BUILD="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	if _, err := live.Open(dir); !errors.Is(err, index.ErrBusy) {
		t.Errorf("Open beside the builder: %v, want ErrBusy", err)
	}
	if _, err := live.Create(dir, index.DefaultParams()); !errors.Is(err, index.ErrBusy) {
		t.Errorf("Create beside the builder: %v, want ErrBusy", err)
	}
	child.Process.Kill()
	child.Wait()
	if _, err := live.Open(dir); !errors.Is(err, index.ErrIncomplete) {
		t.Errorf("Open after the builder was killed: %v, want ErrIncomplete", err)
	}
	if _, err := live.Build(t.Context(), dir, stream(three[:1]), live.BuildOptions{Params: index.DefaultParams()}); err != nil {
		t.Fatalf("Build over the rest: %v", err)
	}
	if diff := cmp.Diff([]string{"1"}, found(t, reopen(t, dir), "bird deer")); diff != "" {
		t.Errorf("the index built anew (-want +got):\n%s", diff)
	}
}

func TestManyReadersOneWriter(t *testing.T) {
	t.Parallel()
	dir := build(t, three)
	readers := []*live.Index{reopen(t, dir), reopen(t, dir), reopen(t, dir)}
	var g sync.WaitGroup
	for _, x := range readers {
		g.Go(func() {
			for range 20 {
				if diff := cmp.Diff([]string{"1", "3"}, found(t, x, "bird")); diff != "" {
					t.Errorf("found mismatch (-want +got):\n%s", diff)
				}
			}
		})
	}
	g.Wait()
	if _, err := live.Grow(dir); !errors.Is(err, index.ErrBusy) {
		t.Errorf("Grow beside readers: %v, want ErrBusy", err)
	}
	for _, x := range readers {
		x.Close()
	}
	writer, err := live.Grow(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := live.Open(dir); !errors.Is(err, index.ErrBusy) || !strings.Contains(err.Error(), dir) {
		t.Errorf("Open beside a writer: %v, want ErrBusy and the folder", err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestReadersInOtherProcesses(t *testing.T) {
	if dir := os.Getenv("TRAWL_TEST_OPEN"); dir != "" {
		os.Stdout.WriteString(strings.Join(found(t, reopen(t, dir), "bird"), ","))
		return
	}
	dir := build(t, three)
	x := reopen(t, dir)
	child := exec.Command(os.Args[0], "-test.run=^TestReadersInOtherProcesses$")
	child.Env = append(os.Environ(), "TRAWL_TEST_OPEN="+dir)
	out, err := child.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "1,3") {
		t.Errorf("another process found %s, %v", out, err)
	}
	found(t, x, "bird")
}

// TestSegmentFiles checks that building leaves one segment and no leftovers.
func TestSegmentFiles(t *testing.T) {
	dir := build(t, three)
	var segments []string
	for _, name := range listing(t, filepath.Join(dir, "store")) {
		if strings.HasSuffix(name, ".zap") {
			segments = append(segments, name)
		}
	}
	if len(segments) != 1 {
		t.Errorf("segments %q, want one", segments)
	}
	if diff := cmp.Diff([]string{"index.json", "store"}, listing(t, dir)); diff != "" {
		t.Errorf("folder mismatch (-want +got):\n%s", diff)
	}
}
