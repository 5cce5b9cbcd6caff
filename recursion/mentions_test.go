package recursion_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/seed"
	"trawl/recursion"
	"trawl/recursion/internal/summary"
	"trawl/trajectory"
)

// facts returns facts E1, E2, … of these claims, each verified as its first
// letter says: y, p or n.
func facts(claims ...string) []trajectory.Fact {
	var out []trajectory.Fact
	for i, c := range claims {
		status := map[byte]trajectory.Status{'y': trajectory.Verified, 'p': trajectory.Partial, 'n': trajectory.Unverified}[c[0]]
		out = append(out, trajectory.Fact{ID: fmt.Sprint("E", i+1), Text: c[2:], SourceURI: "u", Verified: status})
	}
	return out
}

// What texts call facts by follows the facts.
func TestMergeMentions(t *testing.T) {
	// Rollout 1's facts become E1 → E5, E2 → E1, E3 → E4; rollout 0's E1 → E2, E2 → E3.
	tests := []struct{ line, want string }{
		{"E1 is doubtful", "E5 is doubtful"},
		{"E1 against E2, and E3.", "E5 against E1, and E4."},
		{"is it so? [E1]", "is it so? [E5]"},
		{"is it so (E2)?", "is it so (E1)?"},
		{"is it so [E1, E3]?", "is it so [E5, E4]?"},
		{"is it so [E1, E01, E1-E2]?", "is it so [E5, E1]?"},
		{"is it so [E1; E2 and E3]?", "is it so [E5, E1, E4]?"},
		{"is it so (see E3)?", "is it so (see E4)?"},
		{"from E1–E3", "from E5, E1, E4"},
		{"from E2-3", "from E1, E4"},
		{"from [E2-E3, E1]", "from [E1, E4, E5]"},
		{"of no fact [E4]", "of no fact"},
		{"of no fact (E4, E5), it is", "of no fact, it is"},
		{"one of none [E4, E1]", "one of none [E5]"},
		{"the road E4", "the road E4"},
		{"the additive E120", "the additive E120"},
		{"carmine (E120)", "carmine (E120)"},
		{"carmine (E120, E1)", "carmine (E5)"},
		{"E10, E12345, xE1, E1x, e1 and E", "E10, E12345, xE1, E1x, e1 and E"},
		{"by E01", "by E5"},
		{"(E4)", "(E4)"},
		{"", ""},
	}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			a, b := state(0, ""), state(1, "")
			a.Facts, b.Facts = facts("y One.", "y Two."), facts("n Three.", "y Four.", "p Five.")
			a.Failed = []string{"[E1] E2"}
			b.Facts[1].Text = "On the road E3 [E1, E3]"
			b.Conclusions = []trajectory.Conclusion{{Text: tt.line, Evidence: []string{"E1"}}}
			b.Sources = []trajectory.Source{{URI: "E1", Status: tt.line}}
			b.Uncertainties, b.Failed, b.Uncompleted, b.Discarded = []string{tt.line}, []string{tt.line}, []string{tt.line}, []string{tt.line}
			b.Conflicts = []string{tt.line}
			before := fmt.Sprint(b)
			got := recursion.Merge([]trajectory.State{b, a}, recursion.Full)
			one := []string{tt.want}
			want := trajectory.State{
				Facts: []trajectory.Fact{
					{ID: "E1", Text: "On the road E3 [E5, E4]", SourceURI: "u", Verified: "yes"}, {ID: "E2", Text: "One.", SourceURI: "u", Verified: "yes"},
					{ID: "E3", Text: "Two.", SourceURI: "u", Verified: "yes"}, {ID: "E4", Text: "Five.", SourceURI: "u", Verified: "partial"},
					{ID: "E5", Text: "Three.", SourceURI: "u", Verified: "no"},
				},
				Conclusions: []trajectory.Conclusion{{Text: tt.want, Evidence: []string{"E5"}}}, Sources: []trajectory.Source{{URI: "E1", Status: tt.want}},
				Uncertainties: one, Failed: append(one, "[E2] E3"), Uncompleted: one, Discarded: one, Conflicts: one,
			}
			want.V, want.QuestionID, want.Round, want.Rollout, want.Config, want.From = got.V, got.QuestionID, got.Round, got.Rollout, got.Config, got.From
			want.Raw, want.Origin, want.Queries = got.Raw, got.Origin, got.Queries
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("state mismatch (-want +got):\n%s", diff)
			}
			if after := fmt.Sprint(b); after != before {
				t.Errorf("merging changes a state from %s to %s", before, after)
			}
		})
	}
}

// In whatever order the facts of any states come, a line that names one still
// names it.
func TestMergeMentionsFollow(t *testing.T) {
	r := seed.Rand(2, "mentions")
	for range 200 {
		var states []trajectory.State
		claims := map[string]string{} // by the word of a line, the claim that the line names
		for i := range 1 + r.IntN(4) {
			s := randomState(i, r.IntN)
			s.Uncertainties = nil
			for n, f := range s.Facts {
				word := fmt.Sprintf("line%dx%d", i, n)
				s.Uncertainties = append(s.Uncertainties, word+" doubts "+f.ID)
				claims[word] = strings.TrimRight(f.Text, ".") + f.SourceURI
			}
			states = append(states, s)
		}
		m := recursion.Merge(states, recursion.Base)
		if len(m.Uncertainties) != len(claims) {
			t.Fatalf("%d lines of %d", len(m.Uncertainties), len(claims))
		}
		for _, line := range m.Uncertainties {
			word, id, _ := strings.Cut(line, " doubts ")
			n := slices.IndexFunc(m.Facts, func(f trajectory.Fact) bool { return f.ID == id })
			if n < 0 || strings.TrimRight(m.Facts[n].Text, ".")+m.Facts[n].SourceURI != claims[word] {
				t.Fatalf("%q is about %q, in %+v", line, claims[word], m.Facts)
			}
		}
	}
}

// Whatever models write, what comes of it can be kept and is bounded.
func FuzzMerge(f *testing.F) {
	f.Add(written, "## 1. Facts\n- E2: a [E1]\n- E9: b (E2)\n## 4.\n- c E9–E2 [E3]\n- (E1)\n## 7.\n- [E4]")
	f.Add("", "prose E1")
	f.Fuzz(func(t *testing.T, first, second string) {
		var states []trajectory.State
		for i, raw := range []string{first, second} {
			s, key := summary.Parse(raw), state(i, "")
			s.V, s.QuestionID, s.Round, s.Rollout = key.V, key.QuestionID, key.Round, key.Rollout
			states = append(states, s)
		}
		m := recursion.Merge(states, recursion.Full)
		if err := m.Validate(); err != nil || utf8.RuneCountInString(m.Raw) > recursion.MaxMerged {
			t.Errorf("it has %d characters (%v)", utf8.RuneCountInString(m.Raw), err)
		}
		for _, f := range m.Facts {
			if f.Text == "" {
				t.Errorf("fact %+v says nothing", f)
			}
		}
	})
}
