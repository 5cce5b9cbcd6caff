package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trawl/agent/llm/sim"
	"trawl/eval/compare"
	"trawl/trajectory/store"
)

// asking are the selectors that ask a model, those by confidence too.
var asking = []string{"--selector", "solagg,summagg,aggagent,weighted,best-of-n", "--confidence", "asked"}

// stored makes rollouts to select from.
func stored(t *testing.T, questions, rollouts int) string {
	t.Helper()
	data, index := world(t, questions)
	out := filepath.Join(t.TempDir(), "stored")
	capture(t, "run", "--dataset", data, "--index", index, "--endpoint", "sim", "--turns", "4", "-k", strconv.Itoa(rollouts), "--out", out, "--quiet")
	return out
}

// selecting is a command line that has a model at url decide.
func selecting(dir, url string, more ...string) []string {
	return slices.Concat([]string{"select", dir, "--endpoint", url, "--json", "--quiet"}, asking, more)
}

// report reads what trawl select --json prints.
func report(t *testing.T, out string) compare.Report {
	t.Helper()
	var r compare.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// timelessReport leaves out how long decisions took.
var timelessReport = cmpopts.IgnoreFields(compare.Cost{}, "Seconds")

// decisions returns the decisions of a run, sorted and without times. Each has
// one line.
func decisions(t *testing.T, dir string) []store.Decision {
	t.Helper()
	all, counts, err := store.ReadSelections(dir)
	if err != nil {
		t.Fatal(err)
	}
	if counts.Parsed != len(all) || len(counts.Dropped) > 0 || counts.Torn > 0 {
		t.Errorf("%d decisions in %d lines, %d dropped, %d bytes torn", len(all), counts.Parsed, len(counts.Dropped), counts.Torn)
	}
	for _, d := range all {
		if d.Cost != nil {
			d.Cost.Millis = 0
		}
	}
	return all
}

// sameDecisions compares what was decided, and at what cost.
func sameDecisions(t *testing.T, what, want, got string) {
	t.Helper()
	if diff := cmp.Diff(decisions(t, want), decisions(t, got)); diff != "" {
		t.Errorf("%s: the decisions differ (-want +got):\n%s", what, diff)
	}
}

// TestConcurrencyChangesNoDecision has one question decided at a time, and many.
func TestConcurrencyChangesNoDecision(t *testing.T) {
	dir := stored(t, 4, 3)
	one, many := copyRun(t, dir), copyRun(t, dir)
	a := report(t, capture(t, selecting(one, "sim", "--set", "rollout.concurrency=1")...))
	b := report(t, capture(t, selecting(many, "sim", "--set", "rollout.concurrency=16")...))
	if diff := cmp.Diff(a, b, timelessReport); diff != "" {
		t.Errorf("the reports differ (-1 +16):\n%s", diff)
	}
	sameDecisions(t, "at 16 questions at once", one, many)
	if n := len(decisions(t, one)); n < 4*(3*7+3+2) {
		t.Errorf("%d decisions", n)
	}
}

// TestKilledDecisions kills a comparison with SIGKILL, again and again. What was
// decided is not asked for again.
func TestKilledDecisions(t *testing.T) {
	dir := stored(t, 4, 3)
	latency, err := sim.ParseLatency("1ms..2ms")
	if err != nil {
		t.Fatal(err)
	}
	for _, concurrency := range []int{1, 16} {
		t.Run(strconv.Itoa(concurrency), func(t *testing.T) {
			server := newStrictServer(t, sim.Options{Latency: latency})
			atOnce := "rollout.concurrency=" + strconv.Itoa(concurrency)
			calm := copyRun(t, dir)
			want := report(t, capture(t, selecting(calm, server.url, "--set", atOnce)...))
			calls, made := server.calls(""), decisions(t, calm)
			if server.repeated() > 0 {
				t.Errorf("%d of %d requests of a comparison say the same", server.repeated(), calls)
			}
			most := 0 // calls of a decision
			for _, d := range made {
				if d.Cost != nil {
					most = max(most, d.Cost.Calls)
				}
			}

			killed, kills := copyRun(t, dir), 0
			for _, share := range []int{1, 3, 5, 7, 9} {
				lines := len(made) * share / 10
				if !killWhen(t, selecting(killed, server.url, "--set", atOnce), func() bool { return linesOf(killed) >= lines }) {
					kills++
				}
			}
			got := report(t, capture(t, selecting(killed, server.url, "--set", atOnce)...))
			if kills < 3 {
				t.Errorf("it was killed %d times: the test does not test", kills)
			}
			if diff := cmp.Diff(want, got, timelessReport); diff != "" {
				t.Errorf("the report differs (-calm +killed):\n%s", diff)
			}
			sameDecisions(t, "killed", calm, killed)
			again, lost := server.calls("")-calls, kills*min(concurrency, 4)*most
			t.Logf("%d calls; %d with %d kills", calls, again, kills)
			if again > calls+lost {
				t.Errorf("%d calls with %d kills, %d without: more than the decisions under way took", again, kills, calls)
			}
		})
	}
}

// linesOf counts the decisions in a run folder.
func linesOf(dir string) int {
	data, err := os.ReadFile(filepath.Join(dir, "selections.jsonl"))
	if err != nil {
		return 0
	}
	return bytes.Count(data, []byte("\n"))
}

// TestModelCallsOfDecisions counts the calls of each method: SolAgg makes one,
// SummAgg one for each rollout and one more, and confidence is asked for once of
// a rollout, whoever needs it. What the decisions cost is what the server saw.
func TestModelCallsOfDecisions(t *testing.T) {
	dir := stored(t, 3, 3)
	server := newStrictServer(t, sim.Options{Skill: sim.Large})
	capture(t, selecting(dir, server.url, "--set", "models.aggregator.temperature=0")...) // at which replies keep to the format
	sum, methods := 0, map[string]int{}
	for _, d := range decisions(t, dir) {
		k := len(d.Rollouts)
		want := map[string]int{"solagg": 1, "summagg": k + 1, "confidence": 1, "weighted": k, "best-of-n": k}[d.Selector]
		if d.Cost == nil || d.Cost.Calls < 1 || want > 0 && d.Cost.Calls != want {
			t.Errorf("%s on %v of %s cost %+v, want %d calls", d.Selector, d.Rollouts, d.QuestionID, d.Cost, want)
			continue
		}
		methods[d.Selector]++
		if d.Selector != "weighted" && d.Selector != "best-of-n" { // theirs are those of confidence
			sum += d.Cost.Calls
		}
	}
	want := map[string]int{"solagg": 3 * 7, "summagg": 3 * 7, "aggagent": 3 * 7, "confidence": 3 * 3, "weighted": 3, "best-of-n": 3}
	if diff := cmp.Diff(want, methods); diff != "" {
		t.Errorf("decisions by selector (-want +got):\n%s", diff)
	}
	if got := server.calls(""); got != sum {
		t.Errorf("the server saw %d calls, the decisions say %d", got, sum)
	}
}
