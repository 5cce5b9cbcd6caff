package reader_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm/sim/internal/reader"
)

// strongest believes what is said most strongly.
func strongest(_ reader.Goal, claims []reader.Claim) string { return reader.Strongest(claims) }

// knowing returns what sentences say about a goal.
func knowing(sentences ...string) reader.Recall {
	return func(g reader.Goal) []string {
		var out []string
		for _, s := range sentences {
			if v, ok := reader.Noted(s, g); ok {
				return []string{v}
			}
			if v, ok := reader.Suggested(s, g); ok {
				out = append(out, v)
			}
		}
		return out
	}
}

// TestResume follows plans from what is known, with nothing or little on the
// shelf.
func TestResume(t *testing.T) {
	const (
		chain  = "Who founded the company that employed the director of The Silent Harbor?"
		both   = "Which person born in Kelmore studied at Norwald University?"
		longer = "Who lived longer, Anna Berg or Otto Kern?"
	)
	tests := []struct {
		name, question string
		known          []string
		shelf          []reader.Passage
		answer         string   // empty: open
		open           []string // what is unknown
		atEnd          bool
	}{
		{"nothing", chain, nil, nil, "", []string{"The director of The Silent Harbor is unknown."}, false},
		{"one hop", chain, []string{"The director of The Silent Harbor is Anna Berg."}, nil, "", []string{"The employer of Anna Berg is unknown."}, false},
		{"two hops", chain, []string{"The director of The Silent Harbor is Anna Berg.", "The employer of Anna Berg is Oak Motors."}, nil, "", []string{"The founder of Oak Motors is unknown."}, true},
		{"what is known counts before the shelf", chain, []string{"The director of The Silent Harbor is Anna Berg.", "The employer of Anna Berg is Oak Motors."},
			[]reader.Passage{{Title: "Oak Motors", Text: "Oak Motors was founded by Karl Dahl."}, {Title: "Anna Berg", Text: "She was employed by Nordlicht Films."}}, "Karl Dahl", nil, false},
		{"a meeting that is known", both, []string{"The one with place of birth Kelmore is Ida Holm.", "The one with university Norwald University is Ida Holm."}, nil, "Ida Holm", nil, false},
		{"candidates that are known", both, []string{"One with place of birth Kelmore is Anna Berg.", "One with place of birth Kelmore is Ida Holm."},
			[]reader.Passage{{Title: "Ida Holm", Text: "She studied at Norwald University."}, {Title: "Anna Berg", Text: "She studied at Selton University."}}, "Ida Holm", nil, false},
		{"lives without ends", longer, []string{"The date of birth of Anna Berg is 1 May 1900.", "The date of birth of Otto Kern is 1 May 1900.", "The date of death of Anna Berg is 1 May 1950."}, nil,
			"", []string{"The date of death of Otto Kern is unknown."}, false},
		{"lives", longer, []string{"The date of birth of Anna Berg is 1 May 1900.", "The date of birth of Otto Kern is 1 May 1900.", "The date of death of Anna Berg is 1 May 1950.", "The date of death of Otto Kern is 1 May 1940."}, nil,
			"Anna Berg", nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := reader.Understand(tt.question).Resume(reader.NewShelf(tt.shelf), knowing(tt.known...), strongest)
			var open []string
			for _, g := range s.Open {
				open = append(open, g.Unknown())
			}
			if s.Answer != tt.answer || s.Done != (tt.answer != "") || s.AtEnd != tt.atEnd {
				t.Errorf("answer %q, done %v, at the end %v; want %q, %v", s.Answer, s.Done, s.AtEnd, tt.answer, tt.atEnd)
			}
			if diff := cmp.Diff(tt.open, open); diff != "" {
				t.Errorf("open (-want +got):\n%s", diff)
			}
			for _, f := range s.Facts {
				if len(tt.shelf) == 0 && !f.Recalled {
					t.Errorf("%s is not recalled, without a shelf", f.Sentence())
				}
			}
		})
	}
}

// TestCandidates checks what a meeting tells of candidates that are not agreed on.
func TestCandidates(t *testing.T) {
	shelf := reader.NewShelf([]reader.Passage{
		{Title: "Ida Holm", Text: "Ida Holm was born in Kelmore."},
		{Title: "Anna Berg", Text: "Anna Berg was born in Kelmore. She studied at Selton University."}})
	s := reader.Understand("Which person born in Kelmore studied at Norwald University?").Solve(shelf, strongest)
	var candidates, refuted []string
	for _, f := range s.Candidates {
		candidates = append(candidates, f.Suggestion())
	}
	for _, f := range s.Refuted {
		refuted = append(refuted, f.Sentence())
	}
	if diff := cmp.Diff([]string{"One with place of birth Kelmore is Ida Holm.", "One with place of birth Kelmore is Anna Berg."}, candidates); diff != "" {
		t.Errorf("candidates (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"The university of Anna Berg is Selton University."}, refuted); diff != "" {
		t.Errorf("refuted (-want +got):\n%s", diff)
	}
}

func TestTells(t *testing.T) {
	shelf := reader.NewShelf([]reader.Passage{
		{Title: "Oak Motors", Text: "Oak Motors is a company. It was founded by Karl Dahl. Rosa Lind visited it."},
		{Title: "Winter Bell", Text: "Winter Bell is a film directed by Emil Voss."}})
	tests := []struct {
		question, value string
		want            bool
	}{
		{"Who founded Oak Motors?", "Karl Dahl", true},
		{"Who founded the company that employed the director of The Silent Harbor?", "Karl Dahl", true}, // by whatever page
		{"Who founded Oak Motors?", "Rosa Lind", false},
		{"Who founded Oak Motors?", "Emil Voss", false},
		{"Which film directed by Emil Voss is it?", "Winter Bell", true},
		{"Who founded Oak Motors?", "", false},
		{"", "Karl Dahl", false},
	}
	for _, tt := range tests {
		if got := shelf.Tells(reader.Understand(tt.question), tt.value); got != tt.want {
			t.Errorf("Tells(%q, %q) = %v, want %v", tt.question, tt.value, got, tt.want)
		}
	}
}

func TestWordings(t *testing.T) {
	s := reader.Understand("Who founded Oak Motors?").Resume(reader.NewShelf(nil), nil, strongest)
	got := s.Open[0].Wordings()
	if diff := cmp.Diff([]string{"Oak Motors founder", "founder of Oak Motors", "what is the founder of Oak Motors", "Oak Motors", "Oak Motors history"}, got[:5]); diff != "" {
		t.Errorf("wordings (-want +got):\n%s", diff)
	}
}
