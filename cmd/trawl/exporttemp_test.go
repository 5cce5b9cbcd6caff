package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trawl/internal/filelock"
)

// TestClearLeftovers: of the folders beside an output those are taken away that an
// export made and no process holds; the others are told.
func TestClearLeftovers(t *testing.T) {
	dir := t.TempDir()
	held := filepath.Join(dir, "out.tmp-export-1")
	for _, name := range []string{"out.tmp-export-1", "out.tmp-export-2/iter1", "out.tmp-3", "out.tmp-export-x", "other.tmp-export-4"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "out.tmp-export-2", "iter1", "f"), []byte("half"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(held)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if mine, err := filelock.Try(f); err != nil || !mine {
		t.Fatalf("the lock is not to be had: %v", err)
	}
	if !keepsOut(held) {
		t.Skip("this system locks nothing, and so takes nothing away")
	}
	var stderr strings.Builder
	clearLeftovers(env{stderr: &stderr}, filepath.Join(dir, "out"))
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	if got, want := strings.Join(left, " "), "other.tmp-export-4 out.tmp-3 out.tmp-export-1 out.tmp-export-x"; got != want {
		t.Errorf("left are %s, want %s", got, want)
	}
	for _, want := range []string{
		"trawl: took away " + filepath.Join(dir, "out.tmp-export-2") + ", which an export that was killed had left\n",
		"trawl: " + held + " is of an import or export that was killed, or is under way",
		"trawl: " + filepath.Join(dir, "out.tmp-3") + " is of an import or export",
	} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("stderr does not say %q:\n%s", want, stderr.String())
		}
	}
	if n := strings.Count(stderr.String(), "\n"); n != 3 {
		t.Errorf("%d lines, want 3:\n%s", n, stderr.String())
	}
}

// TestTempFolder: a folder that is being made is not taken away; one that was, and
// made again by appending to it, does not get its name.
func TestTempFolder(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	temp, err := newTempFolder(out)
	if err != nil {
		t.Fatal(err)
	}
	if temp.lock == nil {
		t.Skip("this system locks nothing, and so takes nothing away")
	}
	if takeAway(temp.path) {
		t.Error("a folder that is being made was taken away")
	}
	if err := os.RemoveAll(temp.path); err != nil {
		t.Fatal(err)
	}
	if err := appendTo(filepath.Join(temp.path, "f"), []byte("half")); err != nil {
		t.Fatal(err)
	}
	if err := temp.finish(out); err == nil || !strings.Contains(err.Error(), "was taken away while it was being made") {
		t.Errorf("error %v", err)
	}
	if err := temp.close(out); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("half an output is there, or error %v", err)
	}
	if temp, err = newTempFolder(out); err != nil {
		t.Fatal(err)
	}
	if err := temp.finish(out); err != nil {
		t.Fatal(err)
	}
	if err := temp.close(out); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(out); err != nil {
		t.Errorf("a finished output is gone: %v", err)
	}
}
