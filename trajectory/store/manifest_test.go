package store_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/testutil"
	"trawl/trajectory/store"
)

func TestHash(t *testing.T) {
	// sha256 of {"a":1,"b":[true,null]} as sha256sum prints it.
	const want = "sha256:1cc69c7fa23616ca2ec3ee70d24390a6225c8832db8a4c814c7e0e7f942f8668"
	same := []any{
		json.RawMessage(`{"b": [true, null], "a": 1.0}`),
		json.RawMessage("{\n\"a\":1,\"b\":[true,null]}"),
		map[string]any{"a": 1, "b": []any{true, nil}},
		struct {
			B []any   `json:"b"`
			A float64 `json:"a"`
		}{[]any{true, nil}, 1},
	}
	for _, v := range same {
		if got := store.Hash(v); got != want {
			t.Errorf("Hash(%s) = %s, want %s", v, got, want)
		}
	}
	for _, v := range []any{
		json.RawMessage(`{"a":2,"b":[true,null]}`), json.RawMessage(`{"a":1,"b":[null,true]}`), json.RawMessage(`{"a":"1","b":[true,null]}`), nil,
	} {
		if store.Hash(v) == want {
			t.Errorf("Hash(%s) is that of another value", v)
		}
	}
	// A float64 cannot tell these two apart.
	if store.Hash(int64(9007199254740993)) == store.Hash(int64(9007199254740992)) {
		t.Error("large seeds lose digits")
	}
}

func TestManifestOnDisk(t *testing.T) {
	dir := t.TempDir()
	check(t, open(t, dir).Close())
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	check(t, err)
	testutil.Golden(t, "manifest.json", string(data))
}

func TestResumeUpdatesTheManifest(t *testing.T) {
	dir := t.TempDir()
	check(t, open(t, dir).Close())
	m := manifest()
	m.Fixed = json.RawMessage(`{ "rollout": {"count": 4.0}, "agent": {"dialect": "tags", "turns": 8} }`)
	m.Settings = json.RawMessage(`{"rollout":{"concurrency":8}}`)
	m.Dataset.Path = "/elsewhere/dev.json"
	m.Endpoints = []string{"http://127.0.0.1:9000/v1"}
	m.Created = time.Now()
	for _, version := range []string{"v2", "v1"} { // v1 is known already
		m.Versions = []string{version}
		s, err := store.Open(dir, m)
		check(t, err)
		check(t, s.Close())
	}
	got := read(t, dir).Manifest
	if diff := cmp.Diff([]string{"v1", "v2"}, got.Versions); diff != "" {
		t.Errorf("versions mismatch (-want +got):\n%s", diff)
	}
	if !got.Created.Equal(manifest().Created) || got.Dataset.Path != m.Dataset.Path || got.Endpoints[0] != m.Endpoints[0] {
		t.Errorf("manifest = %+v", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "manifest.json.tmp")); err == nil {
		t.Error("a temporary manifest is left")
	}
}

func TestOpenRefuses(t *testing.T) {
	set := func(change func(*store.Manifest)) func(*testing.T, string) store.Manifest {
		return func(t *testing.T, dir string) store.Manifest {
			check(t, open(t, dir).Close())
			m := manifest()
			change(&m)
			return m
		}
	}
	file := func(name, content string) func(*testing.T, string) store.Manifest {
		return func(t *testing.T, dir string) store.Manifest {
			check(t, os.MkdirAll(dir, 0o755))
			check(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
			return manifest()
		}
	}
	tests := []struct {
		name  string
		setup func(t *testing.T, dir string) store.Manifest
		want  string // DIR stands for the folder
	}{
		{"another setting", set(func(m *store.Manifest) {
			m.Fixed = json.RawMessage(`{"agent":{"turns":4,"dialect":"tags"},"rollout":{"count":4}}`)
		}), "store: DIR holds another run: agent.turns was 8, is now 4"},
		{"settings that come and go", set(func(m *store.Manifest) {
			m.Fixed = json.RawMessage(`{"agent":{"turns":8},"rollout":{"count":4,"first":["a"]}}`)
		}), `store: DIR holds another run: agent.dialect was "tags", is now not set; rollout.first was not set, is now ["a"]`},
		{"another seed", set(func(m *store.Manifest) { m.Seed = 7 }), "store: DIR holds another run: run.seed was 42, is now 7"},
		{"another data set", set(func(m *store.Manifest) { m.Dataset.SHA256 = "cd34" }), `store: DIR holds another run: run.dataset.sha256 was "ab12", is now "cd34"`},
		{"another index", set(func(m *store.Manifest) { m.Index = json.RawMessage(`{"documents":100,"k1":1.2}`) }), "store: DIR holds another run: run.index.k1 was 0.9, is now 1.2"},
		{"another model and prompt", set(func(m *store.Manifest) {
			m.Models = map[string]string{"agent": "Qwen/Qwen3-4B"}
			m.Prompts = map[string]string{"agent": strings.Repeat("x", 99)}
		}), `store: DIR holds another run: run.models.agent was "Qwen/Qwen3-8B", is now "Qwen/Qwen3-4B"; run.prompts.agent was "sha256:11", is now "` + strings.Repeat("x", 79) + "…"},
		{"a folder of something else", file("thesis.tex", "x"), "store: DIR is not a run folder: it holds thesis.tex and no manifest.json"},
		{"rollouts without a manifest", file("rollouts.jsonl", "x"), "store: DIR is not a run folder: its rollouts are there in rollouts.jsonl, but manifest.json is gone: put a copy of it back"},
		{"another program's manifest", file("manifest.json", `{"name":"app"}`), "store: DIR is not a run folder: its manifest.json is of something else (the key v is missing)"},
		{"a broken manifest", file("manifest.json", `{`), "store: DIR is not a run folder: its manifest.json is of something else (not JSON: it is cut off)"},
		{"config and settings disagree", set(func(m *store.Manifest) { m.Config = "sha256:1" }), "store: the manifest's config is sha256:1, but its fixed settings hash to " + config()},
		{"settings that are no object", set(func(m *store.Manifest) { m.Fixed = json.RawMessage(`[1]`) }), "store: the manifest's fixed settings are not a JSON object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			m := tt.setup(t, dir)
			before := contents(t, dir)
			s, err := store.Open(dir, m)
			if err == nil {
				s.Close()
				t.Fatal("Open succeeds")
			}
			if got := strings.ReplaceAll(err.Error(), dir, "DIR"); got != tt.want {
				t.Errorf("error\n%s\nwant\n%s", got, tt.want)
			}
			if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
				t.Errorf("a refusal changed the folder (-before +after):\n%s", diff)
			}
		})
	}
}

// contents returns the files of dir but the lock.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	check(t, err)
	out := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		check(t, err)
		if e.Name() != "lock" {
			out[e.Name()] = string(data)
		}
	}
	return out
}

// TestDamagedManifest checks what is said of a run whose manifest alone is lost.
func TestDamagedManifest(t *testing.T) {
	const rest = ": the rollouts in rollouts.jsonl beside it are untouched; put a copy of the manifest back, or begin anew in another folder"
	half := func(whole string) string { return whole[:len(whole)/2] }
	tests := []struct {
		name   string
		change func(whole string) string
		want   string
	}{
		{"empty", func(string) string { return "" }, "not JSON: it is cut off"},
		{"half", half, "not JSON: it is cut off"},
		{"a list", func(string) string { return "[]" }, "want an object, found a list"},
		{"an object of something else", func(string) string { return `{"name":"app"}` }, "the key v is missing"},
		{"only a version", func(string) string { return `{"v":1}` }, "the key config is missing"},
		{"no time", func(string) string { return `{"v":1,"config":"sha256:1"}` }, "the key created is missing"},
		{"a key of another kind", func(string) string { return `{"v":1,"dataset":{"path":3}}` }, "key dataset.path: want a string, found a number"},
		{"an odd time", func(string) string { return `{"v":1,"created":"today"}` }, "want a time such as 2006-01-02T15:04:05Z, found today"},
		{"zeros", func(whole string) string { return strings.Repeat("\x00", len(whole)) }, "not JSON at byte 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			check(t, open(t, dir).Close())
			path := filepath.Join(dir, "manifest.json")
			whole, err := os.ReadFile(path)
			check(t, err)
			check(t, os.WriteFile(path, []byte(tt.change(string(whole))), 0o644))
			want := "store: " + path + " is damaged (" + tt.want + ")" + rest
			if _, err := store.Open(dir, manifest()); !errors.Is(err, store.ErrDamaged) || err.Error() != want {
				t.Errorf("Open: %v, want %s", err, want)
			}
			if _, err := store.Read(dir); !errors.Is(err, store.ErrDamaged) || err.Error() != want {
				t.Errorf("Read: %v, want %s", err, want)
			}
			check(t, os.WriteFile(path, whole, 0o644))
			check(t, open(t, dir).Close()) // the way out
		})
	}
}

func TestLostManifest(t *testing.T) {
	dir := t.TempDir()
	check(t, open(t, dir).Close())
	check(t, os.Remove(filepath.Join(dir, "manifest.json")))
	want := "store: " + dir + " is not a run folder: its rollouts are there in rollouts.jsonl, but manifest.json is gone: put a copy of it back"
	if _, err := store.Open(dir, manifest()); !errors.Is(err, store.ErrNoRun) || err.Error() != want {
		t.Errorf("Open: %v, want %s", err, want)
	}
	if _, err := store.Read(dir); !errors.Is(err, store.ErrNoRun) || err.Error() != want {
		t.Errorf("Read: %v, want %s", err, want)
	}
}

func TestEditedManifest(t *testing.T) {
	dir := t.TempDir()
	check(t, open(t, dir).Close())
	path := filepath.Join(dir, "manifest.json")
	data, err := os.ReadFile(path)
	check(t, err)
	check(t, os.WriteFile(path, []byte(strings.Replace(string(data), config(), "sha256:0", 1)), 0o644))
	_, err = store.Open(dir, manifest())
	if want := "store: " + dir + " holds another run: config was sha256:0, is now " + config(); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	want := "store: " + dir + " is not a run folder: it has no manifest.json"
	if _, err := store.Read(dir); err == nil || err.Error() != want {
		t.Errorf("Read: error %v, want %s", err, want)
	}
	for _, err := range store.Scan(dir) {
		if err == nil || err.Error() != want {
			t.Errorf("Scan: error %v, want %s", err, want)
		}
	}
}

// TestBegunAndKilled opens a folder in which a process was killed before its
// manifest was whole.
func TestBegunAndKilled(t *testing.T) {
	dir := t.TempDir()
	check(t, os.WriteFile(filepath.Join(dir, "lock"), []byte("1\n"), 0o644))
	check(t, os.WriteFile(filepath.Join(dir, "manifest.json.tmp"), []byte(`{"v":`), 0o644))
	check(t, open(t, dir).Close())
	if run := read(t, dir); run.Manifest.Seed != 42 || run.Manifest.Config != config() {
		t.Errorf("manifest = %+v", run.Manifest)
	}
}
