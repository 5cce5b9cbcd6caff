package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/trajectory/store"
)

// pages writes a corpus of these titles, whose texts say what they are, and
// returns its path.
func pages(t *testing.T, titles ...string) string {
	t.Helper()
	var b strings.Builder
	for _, title := range titles {
		line, err := json.Marshal(map[string]string{"id": title, "title": title, "text": "This is the page of " + title + "."})
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	path := filepath.Join(t.TempDir(), "corpus.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestIndexKinds searches, and runs, over both engines and over a server, which
// are the same index: a run begun over one goes on over another.
func TestIndexKinds(t *testing.T) {
	questions, static := world(t, 4)
	world := strings.TrimSuffix(strings.TrimPrefix(questions, "woven:"), "questions.jsonl")
	growing := filepath.Join(t.TempDir(), "growing")
	capture(t, "index", world+"corpus.jsonl", "--out", growing, "--engine", "live", "--quiet")
	url, stop := served(t, "--index", static, "--addr", "127.0.0.1:0")
	defer stop()
	where := []string{static, growing, url}
	run := filepath.Join(t.TempDir(), "run")
	var found, rollouts []byte
	for i, index := range where {
		got := []byte(capture(t, "search", "who is the head of the house", "--index", index, "--top", "20", "--json"))
		if i > 0 && !bytes.Equal(found, got) {
			t.Errorf("over %s: search mismatch (-first +got):\n%s", index, cmp.Diff(string(found), string(got)))
		}
		found = got
		args := []string{"run", "--dataset", questions, "--index", index, "--endpoint", "sim", "-k", "2", "--quiet", "--out"}
		capture(t, append(args, run)...)
		alone := filepath.Join(t.TempDir(), "alone")
		capture(t, append(args, alone)...)
		got = results(t, alone)
		if i > 0 && !bytes.Equal(rollouts, got) {
			t.Errorf("over %s: rollouts mismatch (-first +got):\n%s", index, cmp.Diff(string(rollouts), string(got)))
		}
		rollouts = got
	}
	once(t, run, 8)
	m, err := store.ReadManifest(run)
	if err != nil || !strings.Contains(string(m.Index), `"sha256": "`) || strings.Contains(string(m.Index), "corpus.jsonl") {
		t.Errorf("the manifest says of the index %s, %v", m.Index, err)
	}
	got := fails(t, exitFailed, os.LookupEnv, "run", "--dataset", questions, "--index", smallIndex(t), "--endpoint", "sim", "-k", "2", "--quiet", "--out", run)
	if !strings.Contains(got, "index") {
		t.Errorf("another index: stderr %q, want it named", got)
	}
}

func TestIndexResult(t *testing.T) {
	corpus, out := pages(t, "Owl", "Elk"), filepath.Join(t.TempDir(), "idx")
	var r struct {
		Index, Engine                        string
		Documents, Terms, Postings, Replaced int
		Duplicates                           *int
		Bytes                                int
	}
	if err := json.Unmarshal([]byte(capture(t, "index", corpus, "--out", out, "--quiet", "--json")), &r); err != nil {
		t.Fatal(err)
	}
	if r.Engine != "bm25" || r.Index != out || r.Documents != 2 || r.Terms != 6 || r.Postings != 12 || r.Duplicates == nil || *r.Duplicates != 0 || r.Bytes < 500 {
		t.Errorf("result %+v, want 2 documents of bm25 with 6 terms and 12 postings", r)
	}
	said := capture(t, "index", pages(t, "Owl"), "--out", filepath.Join(t.TempDir(), "idx"), "--quiet")
	if !strings.Contains(said, "1 documents in ") || !strings.Contains(said, "KiB") {
		t.Errorf("said %q", said)
	}
}

// TestIndexGrows adds to a live index, and to no other.
func TestIndexGrows(t *testing.T) {
	first, second, out := pages(t, "Owl", "Elk"), pages(t, "Elk", "Emu", "Fox"), filepath.Join(t.TempDir(), "idx")
	capture(t, "index", first, "--out", out, "--engine", "live", "--quiet")
	said := capture(t, "index", second, "--out", out, "--engine", "live", "--quiet")
	if want := "2 documents added and 1 replaced in "; !strings.Contains(said, want) || !strings.Contains(said, "it has 4") {
		t.Errorf("said %q, want %q", said, want)
	}
	for _, title := range []string{"Owl", "Elk", "Fox"} {
		if got := capture(t, "search", title, "--index", out); strings.Count(got, "["+title+",") != 1 {
			t.Errorf("search for %s finds %q", title, got)
		}
	}
	if got := fails(t, exitFailed, os.LookupEnv, "index", second, "--out", out, "--engine", "live", "--k1", "2"); !strings.Contains(got, "it has k1=0.9 b=0.4") {
		t.Errorf("stderr %q, want what the index has", got)
	}
	if got := fails(t, exitFailed, os.LookupEnv, "index", second, "--out", out); !strings.Contains(got, "add to this one with --engine live") {
		t.Errorf("stderr %q, want the way to add", got)
	}
}

func TestIndexRefuses(t *testing.T) {
	corpus, out := pages(t, "Owl"), filepath.Join(t.TempDir(), "idx")
	complete := smallIndex(t)
	tests := []struct {
		name   string
		status int
		args   []string
		want   string
	}{
		{"an unknown engine", exitUsage, []string{"--engine", "lucene", "--out", out}, "--engine lucene: want bm25 or live"},
		{"a memory that is none", exitUsage, []string{"--memory", "much", "--out", out}, "want a size such as 512MiB or 4GiB"},
		{"no memory", exitUsage, []string{"--memory", "0", "--out", out}, "want a size such as 512MiB or 4GiB"},
		{"too little memory", exitFailed, []string{"--memory", "1MiB", "--out", out}, "allow 12 MiB"},
		{"memory for live", exitUsage, []string{"--memory", "1GiB", "--engine", "live", "--out", out}, "--memory is for the engine bm25"},
		{"odd parameters", exitUsage, []string{"--b", "2", "--out", out}, "b is 2, not a number from 0 to 1"},
		{"an index that is there", exitFailed, []string{"--out", complete}, "nothing was changed; name another folder with --out\n"},
		{"an index of the other engine", exitFailed, []string{"--out", complete, "--engine", "live"}, "already holds an index, a trawl bm25 index"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := fails(t, tt.status, os.LookupEnv, append([]string{"index", corpus, "--quiet"}, tt.args...)...)
			if !strings.Contains(got, tt.want) {
				t.Errorf("stderr %q, want %q", got, tt.want)
			}
		})
	}
}

func TestOpenIndexRefuses(t *testing.T) {
	secret := "http://me:hunter2@127.0.0.1:1/x"
	tests := []struct{ name, where, want string }{
		{"no folder", filepath.Join(t.TempDir(), "none"), "trawl index corpus.jsonl --out DIR makes an index"},
		{"a folder of something else", t.TempDir(), "not a trawl index: it has no index.json"},
		{"another scheme", "ftp://host/idx", "index ftp://host/idx: want a folder, or an address that begins with http:// or opensearch://"},
		{"nobody there", secret, "is the server running? trawl serve-index --index DIR is one"},
		{"no address", "http://", "want http://HOST:PORT"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := fails(t, exitFailed, os.LookupEnv, "search", "owl", "--index", tt.where)
			if !strings.Contains(got, tt.want) || strings.Contains(got, "hunter2") {
				t.Errorf("stderr %q, want %q and no password", got, tt.want)
			}
		})
	}
}

func TestIndexInACluster(t *testing.T) {
	corpus := pages(t, "Owl")
	const out = "opensearch://me:hunter2@127.0.0.1:1/owls"
	tests := []struct {
		name   string
		status int
		args   []string
		want   string
	}{
		{"an engine", exitUsage, []string{"--out", out, "--engine", "live"}, "--engine is for an index in a folder, and --out is an address"},
		{"memory", exitUsage, []string{"--out", out, "--memory", "1GiB"}, "--memory is for an index in a folder"},
		{"a server that takes no documents", exitUsage, []string{"--out", "http://me:hunter2@127.0.0.1:1"}, "want a folder, or opensearch://HOST[:PORT]/NAME"},
		{"a folder", exitUsage, []string{"--out", t.TempDir(), "--replace"}, "--replace is for an index in OpenSearch"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := fails(t, tt.status, os.LookupEnv, append([]string{"index", corpus, "--quiet"}, tt.args...)...)
			if !strings.Contains(got, tt.want) || strings.Contains(got, "hunter2") {
				t.Errorf("stderr %q, want %q and no password", got, tt.want)
			}
		})
	}
}

// TestDoctorVerifies looks at an index that is whole, one with a byte that opening
// does not see, and one of which nobody knows what it should be.
func TestDoctorVerifies(t *testing.T) {
	look := func(args ...string) string {
		var out bytes.Buffer
		run(t.Context(), append([]string{"doctor", "--verify", "--endpoint", "sim", "--json"}, args...), env{stdout: &out, stderr: io.Discard, getenv: os.LookupEnv})
		return out.String()
	}
	whole, growing := smallIndex(t), filepath.Join(t.TempDir(), "idx")
	if got := look("--index", whole); !strings.Contains(got, "all as it was written") {
		t.Errorf("a whole index: %s", got)
	}
	texts := filepath.Join(whole, "texts")
	data, err := os.ReadFile(texts)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(texts, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := look("--index", whole); !strings.Contains(got, "texts does not have its checksum") || !strings.Contains(got, "remove it and run trawl index again") {
		t.Errorf("a damaged index: %s", got)
	}
	capture(t, "index", pages(t, "Owl"), "--out", growing, "--engine", "live", "--quiet")
	if got := look("--index", growing); !strings.Contains(got, "it cannot be verified") {
		t.Errorf("a growing index: %s", got)
	}
}
