package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm/sim"
	"trawl/eval/utility"
	"trawl/trajectory/store"
)

// evaluatedRun reads what trawl evaluate --json prints.
func evaluatedRun(t *testing.T, args ...string) *utility.Report {
	t.Helper()
	var r utility.Report
	if err := json.Unmarshal([]byte(capture(t, append([]string{"evaluate", "--json", "--quiet"}, args...)...)), &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

// without returns the requests that a server was sent, without their seeds, and forgets
// them.
func (s *strictServer) without(t *testing.T) map[string]bool {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]bool{}
	for body := range s.asked {
		var keys map[string]any
		if err := json.Unmarshal([]byte(body), &keys); err != nil {
			t.Fatal(err)
		}
		delete(keys, "seed")
		plain, err := json.Marshal(keys)
		if err != nil {
			t.Fatal(err)
		}
		out[string(plain)] = true
	}
	clear(s.asked)
	return out
}

// What a model is asked again is what it was asked in the run, to the letter, turns
// that said nothing and last answers included.
func TestResampledPrompts(t *testing.T) {
	for _, dialect := range []string{"native", "tags"} {
		for _, fault := range []string{"", "b5-empty", "a1-missing-brace"} {
			t.Run(dialect+" "+fault, func(t *testing.T) {
				o, rounds := sim.Options{}, "1"
				if fault == "" {
					rounds = "2"
				} else {
					o.Faults = []sim.Rule{{Fault: fault, Rate: 0.8, Seed: 2, Times: 9}}
				}
				server := newStrictServer(t, o)
				questions, index := world(t, 6)
				out := filepath.Join(t.TempDir(), "run")
				capture(t, "run", "--dataset", questions, "--index", index, "--endpoint", server.url, "-k", "2", "--turns", "5", "--out", out, "--quiet",
					"--set", "agent.dialect="+dialect, "--rounds", rounds)
				was := server.without(t)
				r := evaluatedRun(t, out, "--resample", "2")
				again := server.without(t)
				for body := range again {
					if !was[body] {
						t.Fatalf("the model was not asked in the run:\n%s", body)
					}
				}
				if len(again) == 0 || r.Entropies.Turns == 0 || r.Entropies.From != "resampled 2" {
					t.Errorf("%d prompts, entropies %+v", len(again), r.Entropies)
				}
			})
		}
	}
}

// TestKilledResampling kills an evaluation while it resamples, and goes on: the same
// figures, and no more calls than without, but for those under way. What was resampled
// is not asked for again, not even of a server that is gone.
func TestKilledResampling(t *testing.T) {
	latency, err := sim.ParseLatency("1ms..2ms")
	if err != nil {
		t.Fatal(err)
	}
	server := newStrictServer(t, sim.Options{Latency: latency})
	questions, index := world(t, 8)
	dir := filepath.Join(t.TempDir(), "run")
	capture(t, "run", "--dataset", questions, "--index", index, "--endpoint", server.url, "-k", "2", "--turns", "6", "--out", dir, "--quiet")
	const times, concurrency = 5, 4
	more := []string{"--resample", strconv.Itoa(times), "--endpoint", server.url, "--set", "rollout.concurrency=" + strconv.Itoa(concurrency)}
	before, calm := server.calls(""), copyRun(t, dir)
	want := evaluatedRun(t, append([]string{calm}, more...)...)
	calls := server.calls("") - before
	if calls != times*want.Entropies.Turns || want.Entropies.Without > 0 {
		t.Errorf("%d calls for %d turns, %d without", calls, want.Entropies.Turns, want.Entropies.Without)
	}

	killed, kills := copyRun(t, dir), 0
	before = server.calls("")
	args := append([]string{"evaluate", "--json", "--quiet", killed}, more...)
	for _, share := range []int{1, 4, 7} {
		if !killWhen(t, args, func() bool { return entropiesOf(killed) >= want.Entropies.Turns*share/10 }) {
			kills++
		}
	}
	got := evaluatedRun(t, append([]string{killed}, more...)...)
	again := server.calls("") - before
	if kills < 2 || again > calls+kills*concurrency*times {
		t.Errorf("%d calls with %d kills, %d without", again, kills, calls)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the report differs (-calm +killed):\n%s", diff)
	}

	before = server.calls("")
	gone := evaluatedRun(t, killed, "--resample", strconv.Itoa(times), "--endpoint", "http://127.0.0.1:1")
	if n := server.calls("") - before; n != 0 {
		t.Errorf("%d calls for what was resampled", n)
	}
	if diff := cmp.Diff(want, gone); diff != "" {
		t.Errorf("the report differs (-first +second):\n%s", diff)
	}
	evaluatedRun(t, killed, "--resample", "2") // another number is another entropy
	if n := server.calls("") - before; n != 2*want.Entropies.Turns {
		t.Errorf("%d calls, want 2 for each of %d turns", n, want.Entropies.Turns)
	}
}

// entropiesOf counts the entropies in a run folder.
func entropiesOf(dir string) int {
	data, err := os.ReadFile(filepath.Join(dir, "entropies.jsonl"))
	if err != nil {
		return 0
	}
	return bytes.Count(data, []byte("\n"))
}

// A run says nothing of E_A unless entropies were recorded or resampled; resampled ones
// change no other figure.
func TestEvaluateResampled(t *testing.T) {
	dir := stored(t, 8, 3)
	plain := evaluatedRun(t, dir)
	if plain.EA != nil || plain.Entropies.Turns == 0 || plain.Entropies.Without != plain.Entropies.Turns {
		t.Errorf("E_A %+v of %+v", plain.EA, plain.Entropies)
	}
	if table := capture(t, "evaluate", dir, "--quiet"); !strings.Contains(table, "E_A, adaptability     not measured") {
		t.Errorf("the table says\n%s", table)
	}
	full := evaluatedRun(t, dir, "--resample", "4")
	if full.EA == nil || full.EA.Mean < -1 || full.EA.Mean > 1 || full.EA.CI95[0] > full.EA.Mean || full.EA.CI95[1] < full.EA.Mean || full.Entropies.Pairs < full.EA.N {
		t.Errorf("E_A %+v of %+v", full.EA, full.Entropies)
	}
	if table := capture(t, "evaluate", dir, "--resample", "4", "--quiet"); !strings.Contains(table, "entropies   resampled 4: mean ") {
		t.Errorf("the table says\n%s", table)
	}
	full.EA, full.Entropies, full.NotMeasured, full.Method = plain.EA, plain.Entropies, plain.NotMeasured, plain.Method
	if diff := cmp.Diff(plain, full); diff != "" {
		t.Errorf("resampling changes other figures (-without +with):\n%s", diff)
	}
	all, _, err := store.ReadEntropies(dir)
	if err != nil || len(all) == 0 || all[0].Resampled != 4 {
		t.Errorf("kept %d entropies, error %v", len(all), err)
	}
}

// A server that was asked for logprobs and sent none is told from a run that asked for
// none.
func TestLogprobsThatNeverCame(t *testing.T) {
	questions, index := world(t, 2)
	dir := filepath.Join(t.TempDir(), "run")
	capture(t, "run", "--dataset", questions, "--index", index, "--endpoint", "sim", "-k", "1", "--turns", "4", "--out", dir, "--quiet", "--set", "models.agent.logprobs=8")
	table := capture(t, "evaluate", dir, "--quiet")
	if !strings.Contains(table, "lacking     E_A: asked for logprobs=8, the server sent none that can be used\n") || !strings.Contains(table, "(8 likeliest)") {
		t.Errorf("the table says\n%s", table)
	}
	if table := capture(t, "evaluate", dir, "--quiet", "--resample", "2"); strings.Contains(table, "asked for logprobs") || strings.Contains(table, "likeliest") {
		t.Errorf("resampled, the table says\n%s", table)
	}
}

// What cannot be resampled says why.
func TestResampleRefusals(t *testing.T) {
	dir := stored(t, 1, 1)
	imported := filepath.Join(t.TempDir(), "imported")
	file := filepath.Join(t.TempDir(), "messages.jsonl")
	line := `{"question":"Who?","answer":["Ada"],"messages":[{"role":"user","content":"Who?"},{"role":"assistant","content":"<answer>Ada</answer>"}],"prediction":"Ada","termination":"answer"}`
	if err := os.WriteFile(file, []byte(line+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	capture(t, "import", "tongyi", file, "--out", imported, "--quiet")
	for want, args := range map[string][]string{
		"want 2 to 1000":           {dir, "--resample", "1"},
		"the model that made the":  {dir, "--resample", "2", "--model", "other"},
		"was imported":             {imported, "--resample", "2"},
		"goes on from there":       {dir, "--resample", "2", "--endpoint", "http://127.0.0.1:1"},
		"out of range: want 2 or ": {dir, "--set", "models.agent.logprobs=1"},
	} {
		status := exitFailed
		if strings.HasPrefix(want, "want ") || strings.HasPrefix(want, "out of") {
			status = exitUsage
		}
		if said := fails(t, status, os.LookupEnv, append([]string{"evaluate", "--quiet"}, args...)...); !strings.Contains(said, want) {
			t.Errorf("%v: stderr %q, want %q", args, said, want)
		}
	}
}

// A prompt that does not fit any more has no entropy, and says why; results are left
// out of it before that.
func TestResampleWithoutRoom(t *testing.T) {
	dir := stored(t, 2, 1)
	model, calls := sim.New(sim.Options{}), atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/chat/completions" {
			model.ServeHTTP(w, r)
			return
		}
		calls.Add(1)
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, `{"error":{"message":"This model's maximum context length is 10 tokens"}}`)
	}))
	defer server.Close()
	r := evaluatedRun(t, dir, "--resample", "2", "--endpoint", server.URL)
	if r.EA != nil || r.Entropies.Turns == 0 || r.Entropies.Without != r.Entropies.Turns || int(calls.Load()) <= r.Entropies.Turns {
		t.Errorf("E_A %v, %+v, %d calls", r.EA, r.Entropies, calls.Load())
	}
	all, _, err := store.ReadEntropies(dir)
	if err != nil || len(all) != r.Entropies.Turns || all[0].Reason != "the prompt does not fit" || all[0].Entropy != nil {
		t.Errorf("kept %+v, error %v", all, err)
	}
}

// Perplexities of another program's steps are entropies too.
func TestImportedEntropies(t *testing.T) {
	var all strings.Builder
	for _, ppl := range []string{"2,1.5,1", "3,2,1.2"} {
		all.WriteString(`{"question":"When was Barrow founded?","answer":"1782","prediction":"1782","termination":"answer","rollout":[{"role":"user","content":"When was Barrow founded?"},`)
		for i, p := range strings.Split(ppl, ",") {
			fmt.Fprintf(&all, `{"role":"assistant","content":"<tool_call>{\"name\":\"search\",\"arguments\":{\"query\":[\"q%d\"]}}</tool_call>","step_ppl":{"tool_call_ppl":%s}},{"role":"user","content":"<tool_response>\nBarrow %s\n</tool_response>"},`, i, p, strings.Repeat("1782 ", i))
		}
		all.WriteString(`{"role":"assistant","content":"<answer>1782</answer>"}]}` + "\n")
	}
	file, out := filepath.Join(t.TempDir(), "muse.jsonl"), filepath.Join(t.TempDir(), "run")
	if err := os.WriteFile(file, []byte(all.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	capture(t, "import", "parallelmuse", file, "--out", out, "--quiet")
	r := evaluatedRun(t, out)
	if r.Entropies.From != "imported" || r.Entropies.Pairs != 4 || r.Entropies.Without != 2 || r.EA == nil {
		t.Errorf("E_A %+v of %+v", r.EA, r.Entropies)
	}
}

// spelling is a server that gives the tokens of what the simulated model says, in
// vLLM's shape, to who asks for logprobs.
func spelling(t *testing.T, asked *int) string {
	t.Helper()
	model := sim.New(sim.Options{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || !bytes.Contains(body, []byte(`"top_logprobs":16`)) {
			r.Body = io.NopCloser(bytes.NewReader(body))
			model.ServeHTTP(w, r)
			return
		}
		*asked++
		r.Body = io.NopCloser(bytes.NewReader(body))
		said := httptest.NewRecorder()
		model.ServeHTTP(said, r)
		var reply map[string]any
		if err := json.Unmarshal(said.Body.Bytes(), &reply); err != nil {
			t.Errorf("%v: %s", err, said.Body)
		}
		choice := reply["choices"].([]any)[0].(map[string]any)
		choice["logprobs"] = map[string]any{"content": spelled(choice["message"].(map[string]any))}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(reply)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// spelled returns the words of a message as tokens with two alternatives each.
func spelled(message map[string]any) []any {
	text, _ := message["content"].(string)
	calls, _ := message["tool_calls"].([]any)
	for _, c := range calls {
		text += fmt.Sprint(" ", c)
	}
	tokens := []any{}
	for _, word := range strings.SplitAfter(text, " ") {
		h := fnv.New32a()
		h.Write([]byte(word))
		other := -1 - float64(h.Sum32()%16)
		tokens = append(tokens, map[string]any{"token": word, "logprob": -0.1, "bytes": nil,
			"top_logprobs": []any{map[string]any{"token": word, "logprob": -0.1}, map[string]any{"token": "x", "logprob": other}}})
	}
	return tokens
}

// A run with logprobs records the entropies of its turns and E_A is of them; the
// rollouts are otherwise those of a run without.
func TestRunWithLogprobs(t *testing.T) {
	asked := 0
	url := spelling(t, &asked)
	questions, index := world(t, 6)
	args := func(out string, more ...string) []string {
		return append([]string{"run", "--dataset", questions, "--index", index, "--endpoint", url, "-k", "2", "--turns", "6", "--concurrency", "1", "--out", out, "--quiet"}, more...)
	}
	with, bare := filepath.Join(t.TempDir(), "with"), filepath.Join(t.TempDir(), "bare")
	capture(t, args(with, "--set", "models.agent.logprobs=16")...)
	capture(t, args(bare)...)
	r := evaluatedRun(t, with)
	if r.EA == nil || r.Entropies.From != "logprobs" || r.Entropies.Without > 0 || r.Entropies.Turns != asked {
		t.Errorf("E_A %+v of %+v, %d requests with logprobs", r.EA, r.Entropies, asked)
	}
	one, err := store.ReadManifest(with)
	if err != nil {
		t.Fatal(err)
	}
	other, err := store.ReadManifest(bare)
	if err != nil || one.Config != other.Config {
		t.Errorf("the identities %s and %s differ, error %v", one.Config, other.Config, err)
	}
	var same bytes.Buffer
	enc := json.NewEncoder(&same)
	for tr, err := range store.Scan(with) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range tr.Steps {
			tr.Steps[i].Entropy = nil
		}
		if err := enc.Encode(timeless(tr)); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := same.String(), string(results(t, bare)); got != want {
		t.Errorf("rollouts with logprobs differ beyond entropies (-without +with):\n%s", cmp.Diff(want, got))
	}
}
