package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/trajectory"
	"trawl/trajectory/store"
)

// world weaves and indexes a small world and returns its questions and index.
func world(t *testing.T, questions int) (dataset, index string) {
	t.Helper()
	dir := t.TempDir()
	index = filepath.Join(dir, "idx")
	capture(t, "weave", "--out", filepath.Join(dir, "world"), "--entities", "300", "--questions", strconv.Itoa(questions))
	capture(t, "index", filepath.Join(dir, "world", "corpus.jsonl"), "--out", index, "--quiet")
	return "woven:" + filepath.Join(dir, "world", "questions.jsonl"), index
}

// results returns the lines of a run, sorted by key and without times.
func results(t *testing.T, dir string) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for tr, err := range store.Scan(dir) {
		if err != nil {
			t.Fatal(err)
		}
		if err := enc.Encode(timeless(tr)); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func timeless(t *trajectory.Trajectory) *trajectory.Trajectory {
	t.Started, t.Millis = time.Time{}, 0
	for i := range t.Steps {
		t.Steps[i].Millis = 0
	}
	return t
}

// TestConcurrencyChangesNothing runs the same at several concurrencies.
func TestConcurrencyChangesNothing(t *testing.T) {
	questions, index := world(t, 8)
	var first []byte
	for _, concurrency := range []string{"1", "4", "32"} {
		out := filepath.Join(t.TempDir(), "run")
		capture(t, "run", "--dataset", questions, "--index", index, "--endpoint", "sim", "-k", "4", "--out", out,
			"--concurrency", concurrency, "--quiet")
		got := results(t, out)
		if first == nil {
			first = got
		}
		if diff := cmp.Diff(string(first), string(got)); diff != "" {
			t.Errorf("concurrency %s gives other results (-first +got):\n%s", concurrency, diff)
		}
	}
	if n := bytes.Count(first, []byte("\n")); n != 32 {
		t.Errorf("%d lines, want 32", n)
	}
}

// TestSeedChangesResults makes sure that the test above compares something.
func TestSeedChangesResults(t *testing.T) {
	questions, index := world(t, 4)
	var all [][]byte
	for _, seed := range []string{"1", "2"} {
		out := filepath.Join(t.TempDir(), "run")
		capture(t, "run", "--dataset", questions, "--index", index, "--endpoint", "sim", "-k", "2", "--out", out, "--seed", seed, "--quiet")
		all = append(all, results(t, out))
	}
	if slices.Equal(all[0], all[1]) {
		t.Error("two seeds give the same rollouts")
	}
}

// TestManifestHasNoSecret looks for the key in everything that a run writes.
func TestManifestHasNoSecret(t *testing.T) {
	t.Setenv("TRAWL_API_KEY", "sk-very-secret")
	questions, index := world(t, 2)
	out := filepath.Join(t.TempDir(), "run")
	capture(t, "run", "--dataset", questions, "--index", index, "--endpoint", "sim", "-k", "1", "--out", out, "--quiet",
		"--set", "models.agent.extra={api_key: sk-very-secret}")
	err := filepath.WalkDir(out, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte("sk-very-secret")) {
			t.Errorf("%s holds the key", filepath.Base(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
