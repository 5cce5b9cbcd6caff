package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/eval"
)

// The shards of a run, in whatever order they are named, are scored as the whole run is:
// the same means, and the same intervals, which are drawn by chance.
func TestScoreShards(t *testing.T) {
	data, index := world(t, 9)
	made := func(more ...string) string {
		out := filepath.Join(t.TempDir(), "run")
		capture(t, append([]string{"run", "--dataset", data, "--index", index, "--endpoint", "sim", "--turns", "4", "-k", "3", "--out", out, "--quiet"}, more...)...)
		return out
	}
	score := func(dirs ...string) *eval.Report {
		var r eval.Report
		if err := json.Unmarshal([]byte(capture(t, append([]string{"score", "--json"}, dirs...)...)), &r); err != nil {
			t.Fatal(err)
		}
		r.Cost.WallS, r.Cost.RolloutS = 0, 0
		return &r
	}
	s1, s2, s3 := made("--shard", "1/3"), made("--shard", "2/3"), made("--shard", "3/3")
	want := score(made())
	if ci := want.EM.CI95; ci[0] == ci[1] {
		t.Fatalf("the interval of EM is %v: it could not be another", ci)
	}
	for _, dirs := range [][]string{{s1, s2, s3}, {s3, s1, s2}} {
		if diff := cmp.Diff(want, score(dirs...)); diff != "" {
			t.Errorf("shards together (-whole +shards):\n%s", diff)
		}
	}
}
