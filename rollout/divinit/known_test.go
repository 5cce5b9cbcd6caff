package divinit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm"
	"trawl/agent/llm/llmtest"
	"trawl/internal/testutil"
	"trawl/rollout/divinit"
	"trawl/trajectory"
)

// What earlier rounds found out, in texts of several lines.
var known = divinit.Known{
	Facts:     []string{"Titanic won Best Picture\nin 1998.", "Question: is no heading here.", " "},
	Conflicts: []string{"The attempts differ:\n1997 or 1998", ""},
	Open:      []string{"who directed Titanic", "date of the\n70th Academy Awards"},
	Tried:     []string{"Best Picture winner 1998"},
}

func TestPoolKnownRequest(t *testing.T) {
	script := llmtest.NewScript(reply("James Cameron"), reply(oscarQueries...))
	if _, err := newSeeder(t, script, divinit.Options{Pool: 6}).Pool(t.Context(), question, 2, known, 1); err != nil {
		t.Fatal(err)
	}
	testutil.Golden(t, "known.golden", script.Requests()[0].Messages[0].Content)
	testutil.Golden(t, "known-retry.golden", script.Requests()[1].Messages[0].Content)
}

// TestPoolTried expects the newest searches in the prompt, and none of all to be
// made again.
func TestPoolTried(t *testing.T) {
	var tried []string
	for i := range 70 {
		tried = append(tried, fmt.Sprint("made ", i))
	}
	script := llmtest.NewScript(reply("made 0", "made 69", "one more"))
	got, err := newSeeder(t, script, divinit.Options{}).Pool(t.Context(), question, 1, divinit.Known{Tried: tried}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]trajectory.SeedQuery{query(trajectory.SeedPool, "one more")}, got.Queries); diff != "" {
		t.Errorf("queries mismatch (-want +got):\n%s", diff)
	}
	_, list, _ := strings.Cut(script.Requests()[0].Messages[0].Content, "not to be repeated:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	if want := "- " + strings.Join(tried[6:], "\n- "); list != want {
		t.Errorf("the prompt lists %q, want the last 64", list)
	}
}

func TestPoolKnown(t *testing.T) {
	const pool, retry, heuristic, self = trajectory.SeedPool, trajectory.SeedRetry, trajectory.SeedHeuristic, trajectory.SeedSelf
	const lead = `Who directed "The Abyss" in 1989`
	tests := []struct {
		name     string
		question string
		known    divinit.Known
		replies  []llm.Response
		k        int
		want     []trajectory.SeedQuery
	}{
		{ // Left are 0, 1, 4 and 5: 0 and 5 share nothing, and are the first such pair.
			"what was tried is no candidate", oscars,
			divinit.Known{Tried: []string{"TITANIC: film director!", "filmography, James Cameron"}},
			[]llm.Response{reply(oscarQueries...)}, 2,
			[]trajectory.SeedQuery{query(pool, oscarQueries[0]), query(pool, oscarQueries[5])},
		},
		{
			"what was tried does not count as found", oscars,
			divinit.Known{Tried: oscarQueries[3:4]},
			[]llm.Response{reply(oscarQueries[3], oscarQueries[2]), reply(oscarQueries[3], oscarQueries[5])}, 2,
			[]trajectory.SeedQuery{query(pool, oscarQueries[2]), query(retry, oscarQueries[5])},
		},
		{
			"open leads, their spans, then the question", "why is the sky blue over Paris",
			divinit.Known{Facts: []string{"Paris lies in Europe"}, Conflicts: []string{"London or Rome"}, Open: []string{lead, "Kate\nWinslet", strings.Repeat("prose ", 60)}, Tried: []string{"1989"}},
			[]llm.Response{reply(""), reply("")}, 6,
			[]trajectory.SeedQuery{
				query(heuristic, lead), query(heuristic, "Kate Winslet"), query(heuristic, "The Abyss"),
				query(heuristic, "why is the sky blue over Paris"), query(heuristic, "Paris"), query(self, ""),
			},
		},
		{
			"a question that was searched for is not searched for again", "why is the sky blue",
			divinit.Known{Tried: []string{"Why is the sky blue?"}},
			[]llm.Response{reply(""), reply("")}, 1,
			[]trajectory.SeedQuery{query(self, "")},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			script := llmtest.NewScript(tt.replies...)
			got, err := newSeeder(t, script, divinit.Options{}).Pool(t.Context(), trajectory.Question{ID: "q1", Text: tt.question}, tt.k, tt.known, 1)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.Queries); diff != "" {
				t.Errorf("queries mismatch (-want +got):\n%s", diff)
			}
			if got.Calls != len(tt.replies) || len(script.Requests()) != len(tt.replies) {
				t.Errorf("%d calls recorded, %d made, want %d", got.Calls, len(script.Requests()), len(tt.replies))
			}
		})
	}
}
