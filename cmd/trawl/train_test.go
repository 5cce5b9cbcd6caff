package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"trawl/agent/llm/sim"
	"trawl/internal/testutil"
	"trawl/selection/gnn"
)

// capitals returns a run of questions whose rollouts are right now and then. What
// a rollout read has the words of its answer.
func capitals(t *testing.T) string {
	t.Helper()
	const questions, rollouts = 40, 3
	run := tinyRun{golds: make([][]string, questions)}
	for i := range questions {
		run.golds[i] = []string{fmt.Sprintf("city %d", i)}
		for n := range rollouts {
			answer := fmt.Sprintf("town %d", i)
			if n == i%rollouts {
				answer = run.golds[i][0]
			}
			run.rollouts = append(run.rollouts, answered(i, n, answer, "They say that it is "+answer+".", fmt.Sprintf("Country %d has many cities.", i)))
		}
	}
	return run.write(t)
}

// smallTraining is the command line of a training of a second.
func smallTraining(run, out string, more ...string) []string {
	return append([]string{"train", run, "--out", out, "--hidden", "8", "--layers", "1", "--heads", "1", "--epochs", "3", "--batch", "8", "--device", "cpu"}, more...)
}

func contentOf(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A stopping is a writer that ends a context when what is written says so.
type stopping struct {
	at   string
	stop context.CancelFunc
	mu   sync.Mutex
	said bytes.Buffer
}

func (s *stopping) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said.Write(p)
	if s.at != "" && strings.Contains(s.said.String(), s.at) {
		s.stop()
	}
	return len(p), nil
}

// TestTrainGoesOn interrupts a training after its first epoch. The same command
// goes on from there, and makes the checkpoint of one that was left in peace.
func TestTrainGoesOn(t *testing.T) {
	run, dir := capitals(t), t.TempDir()
	calm, stopped := filepath.Join(dir, "calm.safetensors"), filepath.Join(dir, "stopped.safetensors")
	train := func(out, stopAt string, more ...string) (int, string) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		stderr := &stopping{at: stopAt, stop: stop}
		status := commandIn(ctx, stderr, smallTraining(run, out, more...)...)
		return status, stderr.said.String()
	}
	if status, said := train(calm, ""); status != exitDone {
		t.Fatalf("exit status %d\n%s", status, said)
	}
	status, said := train(stopped, "epoch 1 of 3")
	if status != exitInterrupted || !strings.Contains(said, "the same command goes on from ") {
		t.Fatalf("exit status %d, want %d and a word how it goes on\n%s", status, exitInterrupted, said)
	}
	if _, err := os.Stat(stopped); !os.IsNotExist(err) {
		t.Errorf("there is a checkpoint of a training that is not done: %v", err)
	}
	if status, said := train(stopped, "", "--learning-rate", "0.5"); status != exitFailed || !strings.Contains(said, "it is of a training with other settings") {
		t.Errorf("exit status %d of a training with other settings, want %d\n%s", status, exitFailed, said)
	}
	status, said = train(stopped, "")
	if status != exitDone || strings.Contains(said, "epoch 1 of 3") || !strings.Contains(said, "epoch 2 of 3") || !strings.Contains(said, "epoch 3 of 3") {
		t.Errorf("exit status %d, want %d and epochs 2 and 3 alone\n%s", status, exitDone, said)
	}
	if !bytes.Equal(contentOf(t, calm), contentOf(t, stopped)) {
		t.Error("the training that was interrupted made another checkpoint")
	}
	if _, err := os.Stat(stopped + ".state"); !os.IsNotExist(err) {
		t.Errorf("the state is still there: %v", err)
	}
}

// commandIn runs one command line in a context and returns its exit status.
func commandIn(ctx context.Context, stderr io.Writer, args ...string) int {
	return run(ctx, args, env{stdout: io.Discard, stderr: stderr, getenv: os.LookupEnv})
}

// An embedding is a server of the simulated model that notes what it embeds.
type embedding struct {
	*httptest.Server
	mu    sync.Mutex
	texts map[string]int // how often each was sent
}

func newEmbedding(t *testing.T) *embedding {
	t.Helper()
	e := &embedding{texts: map[string]int{}}
	model := sim.New(sim.Options{})
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/embeddings") {
			body, err := io.ReadAll(r.Body)
			var sent struct{ Input []string }
			if err == nil {
				err = json.Unmarshal(body, &sent)
			}
			if err != nil {
				t.Error(err)
			}
			e.mu.Lock()
			for _, text := range sent.Input {
				e.texts[text]++
			}
			e.mu.Unlock()
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		model.ServeHTTP(w, r)
	}))
	t.Cleanup(e.Close)
	return e
}

// take returns what was embedded since the last call, but for the probe of the
// dimensions.
func (e *embedding) take() map[string]int {
	e.mu.Lock()
	defer e.mu.Unlock()
	texts := e.texts
	delete(texts, "word")
	e.texts = map[string]int{}
	return texts
}

// TestTrainEmbedsOnce: a server embeds each text once, whatever is trained and
// selected after that, and the vectors of the cache make the same checkpoint.
func TestTrainEmbedsOnce(t *testing.T) {
	run, dir := capitals(t), t.TempDir()
	server := newEmbedding(t)
	vectors := []string{"--embedder", server.URL, "--set", "models.embedder.cache=" + filepath.Join(dir, "vectors"), "--quiet"}
	first, second := filepath.Join(dir, "first.safetensors"), filepath.Join(dir, "second.safetensors")
	capture(t, smallTraining(run, first, vectors...)...)
	texts := server.take()
	// 40 questions, each with 2 answers, 2 pages that say them and one that does not; one query.
	if len(texts) != 40*6+1 {
		t.Errorf("%d texts were embedded, want %d", len(texts), 40*6+1)
	}
	for text, n := range texts {
		if n > 1 {
			t.Errorf("%q was embedded %d times", text, n)
		}
	}
	capture(t, smallTraining(run, second, vectors...)...)
	capture(t, append([]string{"select", run, "--selector", "gnn", "--model", first}, vectors...)...)
	if texts := server.take(); len(texts) > 0 {
		t.Errorf("%d texts were embedded again", len(texts))
	}
	if !bytes.Equal(contentOf(t, first), contentOf(t, second)) {
		t.Error("vectors of the cache make another checkpoint than those of the server")
	}
}

// TestTrainWithStaticVectors trains and selects with the vectors of a Model2Vec
// folder, and refuses others.
func TestTrainWithStaticVectors(t *testing.T) {
	run, dir := capitals(t), t.TempDir()
	folder := filepath.Join(testutil.Root(t), "agent", "llm", "static", "testdata")
	var models []string
	for i, name := range []string{"plain", "plain", "clusters"} {
		model := filepath.Join(dir, fmt.Sprint(i)+".safetensors")
		capture(t, smallTraining(run, model, "--quiet", "--embedder", "static:"+filepath.Join(folder, name))...)
		models = append(models, model)
	}
	if !bytes.Equal(contentOf(t, models[0]), contentOf(t, models[1])) {
		t.Error("the same vectors make another checkpoint")
	}
	if bytes.Equal(contentOf(t, models[0]), contentOf(t, models[2])) {
		t.Error("other vectors make the same checkpoint")
	}
	device, err := gnn.OpenDevice("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	m, err := gnn.Open(models[0], device)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if !strings.HasPrefix(m.Config().Embedder, "static/") {
		t.Errorf("the checkpoint remembers the embedder %q, want static/…", m.Config().Embedder)
	}
	choose := []string{"select", run, "--selector", "gnn", "--model", models[0], "--quiet"}
	capture(t, append(choose, "--embedder", "static:"+filepath.Join(folder, "plain"))...)
	for _, other := range [][]string{nil, {"--embedder", "static:" + filepath.Join(folder, "clusters")}} {
		if said := fails(t, exitFailed, os.LookupEnv, append(choose, other...)...); !strings.Contains(said, "trained with the embedder") {
			t.Errorf("with %q the checkpoint is refused by %q", other, said)
		}
	}
}
