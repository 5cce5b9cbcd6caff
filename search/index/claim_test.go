package index_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/filelock"
	"trawl/internal/testutil"
	"trawl/search/index"
)

// What index.json says in complete indexes.
const (
	staticMeta = `{"format": "trawl bm25 index", "version": 1}`
	liveMeta   = `{"format": "trawl live index", "version": 1}`
)

// put makes files in a folder.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(data), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// folders are what Claim and KindOf may meet.
var folders = []struct {
	name    string
	files   map[string]string
	opens   error // what opening says, if Claim asks
	kind    string
	notKind error // of KindOf
	claim   error
	says    string // part of both errors, or that of Claim
}{
	{name: "empty", notKind: index.ErrForeign},
	{name: "somebody's", files: map[string]string{"thesis.tex": "x"}, notKind: index.ErrForeign, claim: index.ErrForeign, says: "thesis.tex"},
	{name: "another program's index", files: map[string]string{"index.json": `{"format": "tantivy"}`}, notKind: index.ErrForeign, claim: index.ErrForeign, says: "another program's"},
	{name: "no JSON", files: map[string]string{"index.json": "<html>"}, notKind: index.ErrForeign, claim: index.ErrForeign},
	{name: "index.json cut short", files: map[string]string{"index.json": staticMeta[:40]}, notKind: index.ErrDamaged, claim: index.ErrDamaged, says: "index.json is cut short"},
	{name: "index.json empty beside our files", files: map[string]string{"index.json": "", "terms": "", "postings": "", "lengths": "", "ranks": "", "texts": "", "offsets": ""}, notKind: index.ErrDamaged, claim: index.ErrDamaged, says: "index.json is cut short"},
	{name: "index.json empty beside some of them", files: map[string]string{"index.json": "", "terms": "", "texts": ""}, notKind: index.ErrForeign, claim: index.ErrForeign},
	{name: "index.json overwritten beside the other kind's", files: map[string]string{"index.json": "\x00\x00", "store/root.bolt": "x"}, notKind: index.ErrDamaged, claim: index.ErrDamaged, says: "index.json is cut short"},
	{name: "cut short", files: map[string]string{"index.building": "7\n", "terms": "x", "runs/00000.terms": "x"}, notKind: index.ErrIncomplete},
	{name: "cut short by the other kind", files: map[string]string{"index.building": "7\n", "store/root.bolt": "x"}, notKind: index.ErrIncomplete},
	{name: "complete", files: map[string]string{"index.json": staticMeta, "terms": "x"}, kind: index.Static.Format, claim: index.ErrExists},
	{name: "complete, the mark not yet taken away", files: map[string]string{"index.json": staticMeta, "index.building": "7\n"}, kind: index.Static.Format, claim: index.ErrExists},
	{name: "of the other kind", files: map[string]string{"index.json": liveMeta, "store/root.bolt": "x"}, kind: index.Live.Format, claim: index.ErrExists, says: "trawl live index"},
	{name: "damaged", files: map[string]string{"index.json": staticMeta, "terms": "x"}, opens: index.Damaged("terms is short"), kind: index.Static.Format},
	{name: "it cannot be opened", files: map[string]string{"index.json": staticMeta, "terms": "x"}, opens: fs.ErrPermission, kind: index.Static.Format, claim: index.ErrExists, says: fs.ErrPermission.Error()},
}

func TestKindOf(t *testing.T) {
	for _, tt := range folders {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, tt.files)
			kind, err := index.KindOf(dir)
			if kind.Format != tt.kind || !errors.Is(err, tt.notKind) || (err == nil) != (tt.notKind == nil) {
				t.Errorf("KindOf = %q, %v, want %q, %v", kind.Format, err, tt.kind, tt.notKind)
			}
			if err != nil && !strings.Contains(err.Error(), dir) {
				t.Errorf("error %q does not name %s", err, dir)
			}
		})
	}
	absent := filepath.Join(t.TempDir(), "absent")
	if _, err := index.KindOf(absent); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("KindOf a folder that is absent: %v", err)
	}
}

// TestClaim sees that a folder is claimed and cleared, or left as it is.
func TestClaim(t *testing.T) {
	for _, tt := range folders {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, tt.files)
			c, err := index.Static.Claim(dir, func() error { return tt.opens })
			if !errors.Is(err, tt.claim) || (err == nil) != (tt.claim == nil) {
				t.Fatalf("Claim: %v, want %v", err, tt.claim)
			}
			if err != nil {
				if !strings.Contains(err.Error(), tt.says) {
					t.Errorf("error %q, want %q in it", err, tt.says)
				}
				if diff := cmp.Diff(tt.files, testutil.Files(t, dir)); diff != "" {
					t.Errorf("the folder changed (-before +after):\n%s", diff)
				}
				return
			}
			want := map[string]string{"index.building": fmt.Sprintln(os.Getpid())}
			if diff := cmp.Diff(want, testutil.Files(t, dir)); diff != "" {
				t.Errorf("files of a claim mismatch (-want +got):\n%s", diff)
			}
			if err := c.Abandon(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestLeftovers sees what a process that dies while it clears a folder leaves: no
// index.json without all that it describes.
func TestLeftovers(t *testing.T) {
	names := index.Leftovers()
	if names[0] != "index.json" {
		t.Errorf("%s is removed first", names[0])
	}
	if slices.Contains(names, "index.building") {
		t.Error("the mark is removed with the rest")
	}
	for _, name := range []string{"runs", "terms", "texts", "store"} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is not removed", name)
		}
	}
}

// never says that a folder is not asked to be opened.
func never(t *testing.T) func() error {
	return func() error {
		t.Error("opened")
		return nil
	}
}

func claimAbsent(t *testing.T) (*index.Claim, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a", "b")
	c, err := index.Static.Claim(dir, never(t))
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, map[string]string{"terms": "x", "runs/00000.terms": "x"})
	return c, dir
}

func TestFinish(t *testing.T) {
	c, dir := claimAbsent(t)
	if err := c.Finish(map[string]any{"format": index.Static.Format, "version": 1}); err != nil {
		t.Fatal(err)
	}
	if kind, err := index.KindOf(dir); err != nil || kind.Format != index.Static.Format {
		t.Errorf("KindOf = %v, %v", kind, err)
	}
	names := slices.Sorted(maps.Keys(testutil.Files(t, dir)))
	if diff := cmp.Diff([]string{"index.json", "runs/00000.terms", "terms"}, names); diff != "" {
		t.Errorf("files mismatch (-want +got):\n%s", diff)
	}
	var meta struct{ Version int }
	if err := index.Static.ReadMeta(dir, &meta); err != nil || meta.Version != 1 {
		t.Errorf("ReadMeta = %+v, %v", meta, err)
	}
	if err := index.Live.ReadMeta(dir, &meta); !errors.Is(err, index.ErrForeign) {
		t.Errorf("ReadMeta of the other kind: %v", err)
	}
}

// TestFinishFails has a description that is no JSON: the claim goes on.
func TestFinishFails(t *testing.T) {
	c, dir := claimAbsent(t)
	if err := c.Finish(func() {}); err == nil {
		t.Error("a description that is no JSON")
	}
	if _, err := index.KindOf(dir); runtime.GOOS != "windows" && !errors.Is(err, index.ErrBusy) {
		t.Errorf("KindOf after Finish failed: %v, want ErrBusy", err)
	}
	if err := c.Abandon(); err != nil {
		t.Error(err)
	}
}

func TestAbandon(t *testing.T) {
	c, dir := claimAbsent(t)
	if err := c.Abandon(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 0 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
	c, err = index.Live.Claim(dir, never(t))
	if err != nil {
		t.Fatalf("the next claim: %v", err)
	}
	c.Abandon()
}

func TestRelease(t *testing.T) {
	c, dir := claimAbsent(t)
	before := testutil.Files(t, dir)
	if err := c.Release(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, testutil.Files(t, dir)); diff != "" {
		t.Errorf("the folder changed (-before +after):\n%s", diff)
	}
	if _, err := index.KindOf(dir); !errors.Is(err, index.ErrIncomplete) {
		t.Errorf("KindOf after Release: %v, want ErrIncomplete", err)
	}
}

// TestHeld has a claim and another beside it, of either kind.
func TestHeld(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no lock on this system")
	}
	c, dir := claimAbsent(t)
	defer c.Abandon()
	before := testutil.Files(t, dir)
	for _, kind := range []index.Kind{index.Static, index.Live} {
		_, err := kind.Claim(dir, never(t))
		if want := fmt.Sprintf("%s is being written by process %d", dir, os.Getpid()); !errors.Is(err, index.ErrBusy) || !errors.Is(err, filelock.ErrHeld) || !strings.Contains(err.Error(), want) {
			t.Errorf("a second claim: %v, want ErrBusy and %q", err, want)
		}
	}
	if _, err := index.KindOf(dir); !errors.Is(err, index.ErrBusy) {
		t.Errorf("KindOf beside a claim: %v, want ErrBusy", err)
	}
	if diff := cmp.Diff(before, testutil.Files(t, dir)); diff != "" {
		t.Errorf("the folder changed (-before +after):\n%s", diff)
	}
}

// TestFinishedMeanwhile has another building end between the look at a folder
// and its lock: what it built stays.
func TestFinishedMeanwhile(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"index.json": staticMeta, "terms": "damaged"})
	asked := 0
	_, err := index.Static.Claim(dir, func() error {
		if asked++; asked == 1 {
			return index.Damaged("terms is short")
		}
		return nil
	})
	if !errors.Is(err, index.ErrExists) || asked != 2 {
		t.Errorf("Claim: %v after %d looks, want ErrExists after 2", err, asked)
	}
	if _, err := os.Stat(filepath.Join(dir, "terms")); err != nil {
		t.Error(err)
	}
}

func TestVersion(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"index.json": `{"format": "trawl bm25 index", "version": 2}`})
	var meta struct{}
	if err := index.Static.ReadMeta(dir, &meta); err == nil || !strings.Contains(err.Error(), "version 2") || !strings.Contains(err.Error(), "into another folder") {
		t.Errorf("ReadMeta of another version: %v", err)
	}
}
