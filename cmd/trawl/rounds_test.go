package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm/sim"
	"trawl/trajectory"
)

// modes are those of rounds.
var modes = []string{"per-thread", "merged"}

// A spiralRun is a run with several rounds.
type spiralRun struct {
	questions, index, endpoint, mode string
	rollouts, rounds                 int
	more                             []string // arguments
}

func (r spiralRun) args(out string) []string {
	args := []string{"run", "--dataset", r.questions, "--index", r.index, "--endpoint", r.endpoint, "--turns", "3", "--out", out, "--quiet",
		"-k", strconv.Itoa(r.rollouts), "--rounds", strconv.Itoa(r.rounds), "--set", "recursion.mode=" + r.mode}
	return append(args, r.more...)
}

// carryOut makes the run and returns its folder.
func (r spiralRun) carryOut(t *testing.T) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "run")
	capture(t, r.args(out)...)
	return out
}

// sameRun compares the lines and the states of two runs.
func sameRun(t *testing.T, what, want, got string) {
	t.Helper()
	if diff := cmp.Diff(string(results(t, want)), string(results(t, got))); diff != "" {
		t.Errorf("%s: the rollouts differ (-want +got):\n%s", what, diff)
	}
	if diff := cmp.Diff(string(states(t, want)), string(states(t, got))); diff != "" {
		t.Errorf("%s: the states differ (-want +got):\n%s", what, diff)
	}
}

// TestConcurrencyChangesNoRound runs the same rounds one rollout after the other
// and many at once.
func TestConcurrencyChangesNoRound(t *testing.T) {
	questions, index := world(t, 4)
	for _, mode := range modes {
		r := spiralRun{questions: questions, index: index, endpoint: "sim", mode: mode, rollouts: 3, rounds: 3}
		r.more = []string{"--concurrency", "1"}
		one := r.carryOut(t)
		r.more = []string{"--concurrency", "16"}
		sameRun(t, mode, one, r.carryOut(t))
		once(t, one, 36)
	}
}

// TestMoreRounds asks for more rounds when those before are done: that is the same
// as asking for them at once, also where rollouts are stopped.
func TestMoreRounds(t *testing.T) {
	questions, index := world(t, 3)
	for _, stop := range []string{"recursion.early-stop=false", "recursion.early-stop=true", "recursion.budget.tokens=9000"} {
		for _, mode := range modes {
			r := spiralRun{questions: questions, index: index, endpoint: "sim", mode: mode, rollouts: 2, rounds: 3, more: []string{"--set", stop}}
			atOnce := r.carryOut(t)
			r.rounds = 2
			grown := r.carryOut(t)
			r.rounds = 3
			capture(t, r.args(grown)...)
			sameRun(t, stop+" "+mode, atOnce, grown)
		}
	}
}

// TestKilledRounds kills a run of four rounds with SIGKILL: once in the third one,
// and in each of them, when its first rollouts are done, some, and most. What is
// not done then goes on at its last whole turn: each of the rollouts under way
// asks the model again for what it was waiting for, and for nothing else.
func TestKilledRounds(t *testing.T) {
	questions, index := world(t, 4)
	latency, err := sim.ParseLatency("2ms..10ms")
	if err != nil {
		t.Fatal(err)
	}
	const atOnce = 4
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			server := newStrictServer(t, sim.Options{Latency: latency})
			r := spiralRun{questions: questions, index: index, endpoint: server.url, mode: mode, rollouts: 2, rounds: 4, more: []string{"--concurrency", strconv.Itoa(atOnce)}}
			calm := r.carryOut(t)
			calls := server.calls("")
			if server.repeated() > 0 {
				t.Errorf("%d of %d requests of a run say the same", server.repeated(), calls)
			}
			killed := filepath.Join(t.TempDir(), "killed")
			if killWhen(t, r.args(killed), func() bool { return statesOf(killed, 3) >= 3 }) || statesOf(killed, 3) == 8 {
				t.Error("round 3 was over before it was killed")
			}
			capture(t, r.args(killed)...)
			sameRun(t, "killed in round 3", calm, killed)
			if got := server.calls(""); got > 2*calls+atOnce {
				t.Errorf("%d calls in all, %d without a kill", got-calls, calls)
			}

			moments := []int{1, 4, 7}
			if raceDetector { // with which a process takes long to begin
				moments = []int{1, 5}
			}
			before, kills := server.calls(""), 0
			killed = filepath.Join(t.TempDir(), "killed")
			for round := 1; round <= 4; round++ {
				for _, lines := range moments {
					if !killWhen(t, r.args(killed), func() bool { return statesOf(killed, round) >= lines }) {
						kills++
					}
				}
			}
			if kills < 4 {
				t.Errorf("it was killed %d times: the test does not test", kills)
			}
			capture(t, r.args(killed)...)
			sameRun(t, "killed in every round", calm, killed)
			once(t, killed, 32)
			if got := server.calls("") - before; got > calls+kills*atOnce {
				t.Errorf("%d calls in all with %d kills, %d without", got, kills, calls)
			}
			t.Logf("%d calls; %d with %d kills", calls, server.calls("")-before, kills)
		})
	}
}

// killWhen starts a process and kills it when it is time. It reports whether the
// process was done before.
func killWhen(t *testing.T, args []string, ready func() bool) (done bool) {
	t.Helper()
	cmd := exec.Command("trawl", args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			var exit *exec.ExitError
			if errors.As(err, &exit) && exit.ExitCode() == -1 { // by the signal
				return false
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, &stderr)
			}
			return true
		case <-tick.C:
			if ready() {
				cmd.Process.Kill()
			}
		}
	}
}

// statesOf counts the states of rollouts that a run folder has of a round.
func statesOf(dir string, round int) int {
	data, err := os.ReadFile(filepath.Join(dir, "states.jsonl"))
	if err != nil {
		return 0
	}
	mark := []byte(`"round":` + strconv.Itoa(round) + `,"rollout":`)
	return bytes.Count(data, mark) - bytes.Count(data, append(mark, '-'))
}

// TestEveryCrashOfRounds puts a run back to what is on disk after each line that
// it writes, the next one half written after every second, and lets it go on.
// There is no journal then, as after a power cut: what is not done is done anew.
func TestEveryCrashOfRounds(t *testing.T) {
	questions, index := world(t, 2)
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			r := spiralRun{questions: questions, index: index, endpoint: "sim", mode: mode, rollouts: 2, rounds: 3, more: []string{"--concurrency", "1"}}
			calm := r.carryOut(t)
			lines := writes(t, calm)
			for n := range lines {
				if raceDetector && n%3 != 1 { // the lines are the same, and this takes long
					continue
				}
				crashed := crashedAfter(t, calm, lines, n, n%2 == 1)
				capture(t, r.args(crashed)...)
				sameRun(t, "after "+strconv.Itoa(n)+" lines", calm, crashed)
			}
		})
	}
}

// A write is a line that a run writes.
type write struct {
	file string
	line []byte
}

// writes returns the lines of rollouts and states in the order in which a run of
// one rollout at a time wrote them: the state of a rollout stands before it, and
// a merged one behind those that it unites.
func writes(t *testing.T, dir string) []write {
	t.Helper()
	read := func(name string) [][]byte {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return bytes.SplitAfter(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	}
	rollouts := read("rollouts.jsonl")
	var all []write
	for _, s := range read("states.jsonl") {
		all = append(all, write{"states.jsonl", s})
		if !bytes.Contains(s, []byte(`"rollout":-1`)) {
			all = append(all, write{"rollouts.jsonl", rollouts[0]})
			rollouts = rollouts[1:]
		}
	}
	if len(rollouts) > 0 {
		t.Fatalf("%d rollouts have no state", len(rollouts))
	}
	return all
}

// crashedAfter returns a copy of a run folder with the first n lines, and the
// half of the next one if it is torn.
func crashedAfter(t *testing.T, dir string, lines []write, n int, torn bool) string {
	t.Helper()
	files := map[string][]byte{"states.jsonl": nil, "rollouts.jsonl": nil, "journal.jsonl": nil}
	for _, w := range lines[:n] {
		files[w.file] = append(files[w.file], w.line...)
	}
	if w := lines[n]; torn {
		files[w.file] = append(files[w.file], w.line[:len(w.line)/2]...)
	}
	to := copyRun(t, dir)
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(to, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// TestModelCallsOfRounds counts the calls of K rollouts in R rounds: one summary
// of each rollout in each round.
func TestModelCallsOfRounds(t *testing.T) {
	questions, index := world(t, 3)
	for _, mode := range modes {
		server := newStrictServer(t, sim.Options{})
		r := spiralRun{questions: questions, index: index, endpoint: server.url, mode: mode, rollouts: 3, rounds: 3}
		dir := r.carryOut(t)
		got := 0
		for _, s := range readStates(t, dir) {
			got += s.Calls
			want := 1
			if s.Rollout == trajectory.MergedRollout {
				want = 0
			}
			if s.Calls != want {
				t.Errorf("%s: the state of %v took %d calls, want %d", mode, s.Key(), s.Calls, want)
			}
		}
		const want = 3 * 3 * 3
		if sent := server.calls("This round of research is over"); got != want || sent != want {
			t.Errorf("%s: %d summaries in the states, %d at the server, want %d", mode, got, sent, want)
		}
	}
}
