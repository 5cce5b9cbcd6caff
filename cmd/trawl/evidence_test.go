package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/trajectory"
)

func found(rollout int, answer string, results ...trajectory.Result) *trajectory.Trajectory {
	for i := range results {
		results[i].Rank = i + 1
	}
	return &trajectory.Trajectory{Rollout: rollout, Answer: answer, Steps: []trajectory.Step{{Kind: trajectory.KindSearch, Results: results}}}
}

func TestEvidence(t *testing.T) {
	states := trajectory.Result{ID: "s", Text: "It rained. The film was directed by Mira Voss. It won."}
	other := trajectory.Result{ID: "o", Text: "Nothing of the kind."}
	third := trajectory.Result{ID: "t", Text: "Nor here."}
	runs := []*trajectory.Trajectory{
		found(0, "Mira Voss", other, states),
		found(1, "mira voss.", other, third),
		found(2, "Somebody else", trajectory.Result{ID: "x", Text: "Mira Voss"}),
	}
	var got []string
	for _, ev := range evidenceFor("Mira Voss", runs) {
		got = append(got, ev.ID)
	}
	if diff := cmp.Diff([]string{"s"}, got); diff != "" {
		t.Errorf("evidence mismatch (-want +got):\n%s", diff)
	}
	if unstated := evidenceFor("Somebody else", runs); len(unstated) != 1 || unstated[0].Says {
		t.Errorf("evidence for an answer that no document states: %+v", unstated)
	}
	if first := evidenceFor("Mira Voss", runs)[0]; first.Text != "The film was directed by Mira Voss. It won." || !first.Says {
		t.Errorf("the excerpt is %q, want it to begin with the sentence of the answer", first.Text)
	}
}

func TestLocate(t *testing.T) {
	tests := []struct {
		name, doc, answer string
		at                int
		says              bool
	}{
		{"at the beginning", "Paris is large.", "paris", 0, true},
		{"in a later sentence", "One. Two is Paris.", "Paris", 5, true},
		{"not there", "One.", "Paris", 0, false},
		{"no answer", "One.", " ", 0, false},
		{"part of a word", "Nothing is known in 1950.", "no", 0, false},
		{"part of a number", "Nothing. In 1950.", "5", 0, false},
		{"after a part of a word", "Annex. By Ann.", "Ann", 7, true},
		{"letters that change their length", "İstanbul. In Ankara.", "Ankara", 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if at, says := locate(tt.doc, tt.answer); at != tt.at || says != tt.says {
				t.Errorf("locate = %d, %t, want %d, %t", at, says, tt.at, tt.says)
			}
		})
	}
}
