package reader_test

import (
	"slices"
	"testing"

	"trawl/agent/llm/sim/internal/reader"
)

// A careful reader lets the page of a thing stand against compilations, and
// against nothing else.
func TestRefuted(t *testing.T) {
	const (
		own        = "Kelmore | Kelmore is a city. Kelmore's mayor is Emil Berg."
		stale      = "Gazetteer of 1987, page 12 | As of 1987, Kelmore's mayor is Otto Lund."
		collection = "Lives and Works, page 30 | Otto Lund serves as mayor of Kelmore."
		article    = "Otto Lund | Otto Lund serves as mayor of Kelmore."
		other      = "Torby | Torby is a city. Torby's mayor is Otto Lund."
	)
	mayor := reader.Understand("Who is the mayor of Kelmore?").Sought()
	forward := reader.Goal{Rel: mayor, Subject: "Kelmore"}
	back := reader.Goal{Rel: mayor, Subject: "Otto Lund", Back: true}
	tests := []struct {
		name     string
		goal     reader.Goal
		value    string
		passages []string
		want     bool
	}{
		{"the page itself speaks against a gazetteer", forward, "Otto Lund", []string{stale, own}, true},
		{"in any order", forward, "Otto Lund", []string{own, stale}, true},
		{"and against a collection", forward, "Otto Lund", []string{collection, own}, true},
		{"not against an article", forward, "Otto Lund", []string{article, own}, false},
		{"nor where an article says the same", forward, "Otto Lund", []string{stale, article, own}, false},
		{"nobody speaks against it", forward, "Otto Lund", []string{stale}, false},
		{"what the page says stands", forward, "Emil Berg", []string{stale, own}, false},
		{"what nobody says is not refuted", forward, "Karl Rast", []string{stale, own}, false},
		{"the way back: the city has another mayor", back, "Kelmore", []string{collection, own}, true},
		{"the way back: its page is not there", back, "Kelmore", []string{collection}, false},
		{"the way back: its page agrees", back, "Torby", []string{collection, other}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := shelf(tt.passages...)
			if got := s.Refuted(tt.goal, tt.value); got != tt.want {
				t.Errorf("Refuted(%v, %s) = %v, want %v; claims %v", tt.goal, tt.value, got, tt.want, s.Claims(tt.goal))
			}
			if got, ok := s.Compiled(tt.goal); tt.want && got != tt.value {
				t.Errorf("Compiled(%v) = %q, want %q", tt.goal, got, tt.value)
			} else if ok && !s.Refuted(tt.goal, got) {
				t.Errorf("Compiled(%v) = %q, which is not refuted", tt.goal, got)
			}
			all := len(s.Claims(tt.goal))
			s.Careful = true
			for _, c := range s.Claims(tt.goal) {
				if tt.want && c.Value == tt.value && all > 1 && !tt.goal.Back {
					t.Errorf("a careful reader still reads %v", c)
				}
			}
			if len(s.Claims(tt.goal)) == 0 && all > 0 {
				t.Error("a careful reader is left with nothing")
			}
		})
	}
}

// The votes of a meeting: a film that a collection gives to a director whom its own
// page denies is not what both statements hold of.
func TestMeetRefuted(t *testing.T) {
	const question = "Which film was directed by Anna Voss and was scored by Emil Berg?"
	passages := []string{
		"Lives and Works, page 41 | Anna Voss directed The Red Harbour.",
		"The Red Harbour | The Red Harbour is a film directed by Karl Rast. The Red Harbour's score was composed by Emil Berg.",
		"Anna Voss | Anna Voss is the director of The Quiet Gate.",
		"The Quiet Gate | The Quiet Gate is a film directed by Anna Voss. The Quiet Gate's score was composed by Emil Berg.",
	}
	q := reader.Understand(question)
	for _, careful := range []bool{false, true} {
		s := shelf(passages...)
		s.Careful = careful
		trapped := false
		q.Solve(s, func(_ reader.Goal, claims []reader.Claim) string {
			trapped = slices.ContainsFunc(claims, func(c reader.Claim) bool { return c.Value == "The Red Harbour" })
			return claims[0].Value
		})
		if trapped == careful {
			t.Errorf("careful %v: the statements are believed to hold of The Red Harbour: %v", careful, trapped)
		}
	}
}
