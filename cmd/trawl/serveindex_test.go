package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trawl/search/remote"
)

// smallIndex makes an index of two passages.
func smallIndex(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	corpus, index := filepath.Join(dir, "corpus.jsonl"), filepath.Join(dir, "idx")
	lines := `{"id":"7","contents":"\"The \"\"Third\"\" Man\"\nA film directed by Carol Reed."}` + "\n" + `{"id":"8","contents":"\"Otter\"\nOtters eat fish."}` + "\n"
	if err := os.WriteFile(corpus, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	capture(t, "index", corpus, "--out", index, "--quiet")
	return index
}

// served runs trawl serve-index until stop, which returns its exit status and
// what it said on stderr.
func served(t *testing.T, args ...string) (url string, stop func() (int, string)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	var stderr bytes.Buffer
	status := make(chan int, 1)
	go func() {
		status <- run(ctx, append([]string{"serve-index"}, args...), env{stdout: in, stderr: &stderr, getenv: os.LookupEnv})
		in.Close() //nolint:errcheck // it never fails
	}()
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("exit status %d\n%s", <-status, &stderr)
	}
	return strings.TrimSpace(url), func() (int, string) {
		cancel()
		return <-status, stderr.String()
	}
}

func TestServeIndex(t *testing.T) {
	index := smallIndex(t)
	url, stop := served(t, "--index", index, "--addr", "127.0.0.1:0", "--topk", "1")
	resp, err := http.Post(url, "application/json", strings.NewReader(`{"queries":["third man film","fish film","zyzzyva"]}`))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.Body.Close() != nil {
		t.Fatal(err)
	}
	const man = `{"id":"7","contents":"\"The \"\"Third\"\" Man\"\nA film directed by Carol Reed."}`
	const otter = `{"id":"8","contents":"\"Otter\"\nOtters eat fish."}`
	if got, want := string(body), `{"result":[[`+man+`],[`+otter+`],[]]}`; got != want {
		t.Errorf("answer\n%s, want\n%s", got, want)
	}
	c, err := remote.New(url, remote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := c.Probe(t.Context())
	var about struct {
		Documents int
		SHA256    string
		Source    string
	}
	if err != nil || json.Unmarshal(d.Identity(), &about) != nil || about.Documents != 2 || len(about.SHA256) != 64 || about.Source != "" {
		t.Errorf("the server says it is %s, %v", d.Identity(), err)
	}
	start := time.Now()
	status, stderr := stop() // with a spare connection of c
	if took := time.Since(start); status != exitInterrupted || took > 2*drainTime {
		t.Errorf("exit status %d after %v, want %d at once", status, took, exitInterrupted)
	}
	if !strings.Contains(stderr, "2 documents at "+url) || !strings.Contains(stderr, "curl -s "+url) || strings.Contains(stderr, "warning") {
		t.Errorf("stderr\n%s", stderr)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestServeServer serves what is behind a server that says nothing of its index,
// which is the same index behind both.
func TestServeServer(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.NotFound(w, r)
			return
		}
		io.WriteString(w, `{"result":[[{"document":{"id":"7","contents":"\"Otter\"\nOtters eat fish."},"score":1.5}]]}`) //nolint:errcheck // the caller sees it
	}))
	defer other.Close()
	url, stop := served(t, "--index", other.URL, "--addr", "127.0.0.1:0")
	identity := func(address string) string {
		t.Helper()
		c, err := remote.New(address, remote.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		d, err := c.Probe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return string(d.Identity())
	}
	if got, want := identity(url), identity(other.URL); got != want {
		t.Errorf("the index is %s, want %s", got, want)
	}
	if _, stderr := stop(); !strings.Contains(stderr, "trawl: an index at "+url) {
		t.Errorf("stderr\n%s", stderr)
	}
}

func TestServeIndexRefuses(t *testing.T) {
	index := smallIndex(t)
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	tests := []struct {
		name   string
		status int
		args   []string
		want   string
	}{
		{"a busy port", exitFailed, []string{"--index", index, "--addr", busy.Addr().String()}, busy.Addr().String() + ": another program listens there; name another port, or port 0 for any free one"},
		{"no port", exitFailed, []string{"--index", index, "--addr", "127.0.0.1"}, "--addr 127.0.0.1: listen tcp: address 127.0.0.1: missing port in address"},
		{"no index", exitUsage, nil, "no index: name one with --index"},
		{"no topk", exitUsage, []string{"--index", index, "--topk", "0"}, "--topk 0: want a number from 1 to 1000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := fails(t, tt.status, os.LookupEnv, append([]string{"serve-index"}, tt.args...)...); !strings.Contains(got, tt.want) {
				t.Errorf("stderr %q, want %q", got, tt.want)
			}
		})
	}
}

func TestServeIndexBeyondLoopback(t *testing.T) {
	url, stop := served(t, "--index", smallIndex(t), "--addr", "0.0.0.0:0")
	if !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Errorf("address %s, want one that this machine can call", url)
	}
	if _, stderr := stop(); !strings.Contains(stderr, "can be reached from other machines") {
		t.Errorf("stderr has no warning:\n%s", stderr)
	}
}

// TestServeEnds ends a server while a call that would never end is under way.
func TestServeEnds(t *testing.T) {
	listener, err := listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := make(chan error, 1)
	h := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
		cancelled <- context.Cause(r.Context())
	})
	go http.Get("http://" + listener.Addr().String()) //nolint:errcheck // the handler says what came of it
	start := time.Now()
	err = serve(ctx, listener, h)
	if took := time.Since(start); !errors.Is(err, context.Canceled) || took < drainTime || took > 3*drainTime {
		t.Errorf("error %v after %v, want context.Canceled after %v", err, took, drainTime)
	}
	if err := <-cancelled; !errors.Is(err, context.Canceled) {
		t.Errorf("the call saw %v", err)
	}
}
