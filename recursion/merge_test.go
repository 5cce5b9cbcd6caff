package recursion_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/seed"
	"trawl/internal/text"
	"trawl/recursion"
	"trawl/recursion/internal/summary"
	"trawl/trajectory"
)

// state returns the state of a rollout after round 1 that holds nothing but an
// answer; none if it is "".
func state(rollout int, answer string) trajectory.State {
	s := summary.Parse("")
	s.V, s.QuestionID, s.Round, s.Rollout, s.Config = trajectory.StateVersion, "q1", 1, rollout, "sha256:c"
	s.Raw, s.Origin, s.Repairs = "text", trajectory.StateModel, nil
	if answer != "" {
		s.CurrentAnswer = &answer
	}
	return s
}

func withFact(rollout int, text string, status trajectory.Status) trajectory.State {
	s := state(rollout, "")
	s.Facts = []trajectory.Fact{{ID: "E1", Text: text, SourceTool: "search", SourceURI: "http://a/1", Verified: status}}
	return s
}

// read returns the state of a rollout that is read from one of the summaries of
// package summary.
func read(t testing.TB, name string, rollout int) trajectory.State {
	t.Helper()
	raw, err := os.ReadFile("internal/summary/testdata/states/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	s, key := summary.Parse(string(raw)), state(rollout, "")
	s.V, s.QuestionID, s.Round, s.Rollout, s.Config, s.Origin = key.V, key.QuestionID, key.Round, key.Rollout, key.Config, key.Origin
	return s
}

func twoStates(t testing.TB) []trajectory.State {
	a, b := read(t, "base", 0), read(t, "full", 3)
	a.Queries, b.Queries = []string{"Minimoog maker"}, []string{"composer of the film Malta"}
	b.Facts = append(b.Facts, trajectory.Fact{ID: "E2", Text: "moog music was founded by Robert Moog", SourceTool: "open", SourceURI: "https://example.org/moog?tab=a|b", Verified: trajectory.Verified})
	b.Conclusions = append(b.Conclusions, trajectory.Conclusion{Text: "Its founder is Robert Moog", Evidence: []string{"E2", "E1"}})
	return []trajectory.State{a, b}
}

// Facts of the same claim and source are one, at the strongest verification, in
// the order of verification, then of how many have them, then of appearance.
func TestMergeFacts(t *testing.T) {
	f := func(id, text, uri string, s trajectory.Status) trajectory.Fact {
		return trajectory.Fact{ID: id, Text: text, SourceTool: "search", SourceURI: uri, Verified: s}
	}
	a, b, c := state(0, ""), state(1, ""), state(2, "")
	a.Facts = []trajectory.Fact{f("E1", "One.", "u1", "no"), f("E2", "Two.", "u1", ""), f("E3", "Three", "u1", "partial"), f("E4", "Four", "u1", "yes")}
	b.Facts = []trajectory.Fact{f("E1", "three", "u1", "no"), f("E2", "TWO", "u1", "partial"), f("E3", "Two", "u2", "partial"), f("E4", "Five", "u1", "no")}
	c.Facts = []trajectory.Fact{f("E1", "five!", "u1", ""), f("E2", "two", "u1", "partial"), f("E3", "Six", "u1", "yes")}
	a.Conclusions = []trajectory.Conclusion{{Text: "So be it.", Evidence: []string{"E2", "E4"}, Inference: true}}
	b.Conclusions = []trajectory.Conclusion{{Text: "so be it", Evidence: []string{"E4", "E1"}}}
	got := recursion.Merge([]trajectory.State{a, b, c}, recursion.Base)
	// yes: Four (a) and Six (c), each once; partial: Two/u1 in three, Three in two,
	// Two/u2 in one; no: Five in two, One in one.
	want := []trajectory.Fact{
		f("E1", "Four", "u1", "yes"), f("E2", "Six", "u1", "yes"), f("E3", "Two.", "u1", "partial"), f("E4", "Three", "u1", "partial"),
		f("E5", "Two", "u2", "partial"), f("E6", "Five", "u1", "no"), f("E7", "One.", "u1", "no"),
	}
	if diff := cmp.Diff(want, got.Facts); diff != "" {
		t.Errorf("facts mismatch (-want +got):\n%s", diff)
	}
	// a: E2 → E3, E4 → E1; b: E4 → E6, E1 → E4.
	conclusions := []trajectory.Conclusion{{Text: "So be it.", Evidence: []string{"E1", "E3", "E4", "E6"}}}
	if diff := cmp.Diff(conclusions, got.Conclusions); diff != "" {
		t.Errorf("conclusions mismatch (-want +got):\n%s", diff)
	}
}

func TestMergeLists(t *testing.T) {
	a, b, c := state(0, "Lyon"), state(4, "Paris"), state(2, "")
	a.Spent, b.Spent, c.Spent = trajectory.Spent{Tokens: 1, Millis: 10}, trajectory.Spent{Tokens: 2, Millis: 20}, trajectory.Spent{Tokens: 4, Millis: 40}
	a.Sources = []trajectory.Source{{URI: "u1", Status: "ok"}, {URI: "u2"}}
	b.Sources = []trajectory.Source{{URI: "u1", Status: "OK."}, {URI: "u2", Status: "404"}, {URI: "u1", Status: "stale"}}
	a.Uncertainties, b.Uncertainties = []string{"Which year?", "Who?", "?!"}, []string{"which: year", "Where?", "?"}
	a.Failed, b.Failed = []string{"a b"}, []string{"B, a", "c"}
	a.Discarded = []string{"x"}
	a.Uncompleted = []string{"Search the Acme founder", "Acme headquarters", "Acme first product"}
	b.Uncompleted = []string{"search the acme founder", "Acme logo"}
	a.Queries = []string{"acme headquarters", "Acme", "ACME"}
	b.Queries = []string{"Acme founder", "acme headquarters address"}
	c.Queries = []string{"Acme logo design history"}
	got := recursion.Merge([]trajectory.State{a, b, c}, recursion.Full)
	lyon := "Lyon"
	want := trajectory.State{
		V: 1, QuestionID: "q1", Round: 1, Rollout: trajectory.MergedRollout, Config: "sha256:c", From: []int{0, 2, 4},
		CurrentAnswer: &lyon, Facts: []trajectory.Fact{}, Conclusions: []trajectory.Conclusion{},
		Sources:       []trajectory.Source{{URI: "u1", Status: "ok; stale"}, {URI: "u2", Status: "404"}},
		Uncertainties: []string{"Which year?", "Who?", "?!", "Where?"}, Failed: []string{"a b", "c"}, Discarded: []string{"x"},
		// The founder is open for a and b, and only b searched for it; headquarters
		// were searched for by b, the logo by c.
		Uncompleted: []string{"Search the Acme founder", "Acme first product"},
		Conflicts:   []string{"The attempts differ in their answers: Lyon (rollout 0); Paris (rollout 4)."},
		Raw:         got.Raw, Origin: trajectory.StateMerged,
		Queries: []string{"acme headquarters", "Acme", "Acme founder", "acme headquarters address", "Acme logo design history"},
		Spent:   trajectory.Spent{Tokens: 7, Millis: 70},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("state mismatch (-want +got):\n%s", diff)
	}
	if err := got.Validate(); err != nil {
		t.Error(err)
	}
}

func TestMergeAnswer(t *testing.T) {
	tests := []struct {
		name    string
		answers []string
		want    string
	}{
		{"the most frequent", []string{"Lyon", "Paris", "The paris."}, "Paris"},
		{"the first of two", []string{"", "Lyon", "Paris"}, "Lyon"},
		{"the only one", []string{"", "", "Paris"}, "Paris"},
		{"none", []string{"", ""}, ""},
		{"without a letter of ASCII", []string{"東京", "大阪", "東京"}, "東京"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var states []trajectory.State
			for i, a := range tt.answers {
				states = append(states, state(i, a))
			}
			got := recursion.Merge(states, recursion.Base)
			if (got.CurrentAnswer == nil) != (tt.want == "") || got.CurrentAnswer != nil && *got.CurrentAnswer != tt.want {
				t.Errorf("answer %v, want %q", got.CurrentAnswer, tt.want)
			}
		})
	}
}

// A fact is disputed if one state has it as verified and another as not verified.
func TestMergeDisputes(t *testing.T) {
	for _, tt := range []struct {
		name   string
		states []string // of each state, the statuses that it has the fact with
		want   bool
	}{
		{"between two", []string{"yes", "no"}, true},
		{"the other way round", []string{"no", "yes"}, true},
		{"within one", []string{"yes no", "partial"}, false},
		{"within one, and another sides with it", []string{"yes no", "yes"}, true},
		{"in part", []string{"yes", "partial"}, false},
		{"nobody says", []string{"no", "-"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var states []trajectory.State
			for i, statuses := range tt.states {
				s := state(i, "")
				for n, status := range strings.Fields(statuses) {
					f := trajectory.Fact{ID: fmt.Sprint("E", n+1), Text: "A is B.", SourceURI: "u", Verified: trajectory.Status(strings.Trim(status, "-"))}
					s.Facts = append(s.Facts, f)
				}
				states = append(states, s)
			}
			if got := recursion.Merge(states, recursion.Base).Conflicts; (len(got) == 1) != tt.want {
				t.Errorf("conflicts %q, want one: %v", got, tt.want)
			}
		})
	}
}

func TestMergeContradictions(t *testing.T) {
	tests := []struct {
		name, a, b string
		want       bool
	}{
		{"two years", "Ann Lee was born in 1934.", "Ann Lee was born in 1943.", true},       // 5 of 6
		{"half of the longer one", "one two three A b c", "one two three D e f", true},      // 3 of 6
		{"less than half", "one two three A b c d", "one two three E", false},               // 3 of 7
		{"two words in common", "one two A b", "one two C d", false},                        // 2
		{"three words and no more", "one two three", "one two three A", false},              // nothing behind
		{"a word in common behind", "one two three A b", "one two three B a", false},        // a and b
		{"one goes on", "Acme was founded in 1934", "Acme was founded in 1934 by A", false}, // nothing behind
		{"the same", "one two three a", "One two three A.", false},
		{"two names", "Ann Lee was born in Lyon.", "Ann Lee was born in “Paris”", true},
		{"a year and a place", "John was born in 1934", "John was born in London", false},
		{"a year and a word", "John was born in 1934", "John was born in exile", false},
		{"two words that are neither", "John was born in exile", "John was born in poverty", false},
		{"a name and a word", "John was born in Exile", "John was born in poverty", false},
		{"words too few", "A 1", "A 2", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := recursion.Merge([]trajectory.State{withFact(0, tt.a, "yes"), withFact(1, tt.b, "yes")}, recursion.Base)
			if found := len(got.Conflicts) == 1; found != tt.want {
				t.Errorf("conflicts %q, want one: %v", got.Conflicts, tt.want)
			}
		})
	}
	many := state(0, "")
	for i := range 100 {
		many.Facts = append(many.Facts, trajectory.Fact{ID: fmt.Sprint("E", i+1), Text: fmt.Sprint("The company has shop ", i), Verified: trajectory.Verified})
	}
	if got := recursion.Merge([]trajectory.State{many}, recursion.Base); len(got.Conflicts) != 20 {
		t.Errorf("%d conflicts of a list, want the bound of 20", len(got.Conflicts))
	}
}

// The text of a merged state has room for so much: facts go first, from the end,
// then other lines; what is left out is counted, and stays in the sections.
func TestMergeBound(t *testing.T) {
	s := state(0, "Paris")
	for i := range 300 {
		s.Facts = append(s.Facts, trajectory.Fact{ID: fmt.Sprint("E", i+1), Text: fmt.Sprintf("%03d %s", i, strings.Repeat("é", 96)), SourceURI: "u", Verified: trajectory.Verified})
	}
	got := recursion.Merge([]trajectory.State{s}, recursion.Full)
	back := summary.Parse(got.Raw)
	size := utf8.RuneCountInString(got.Raw)
	line := utf8.RuneCountInString("- E300: 000 [Source: - | u | Verified: yes]\n") + 96
	if size > recursion.MaxMerged || size < recursion.MaxMerged-line {
		t.Errorf("%d characters, want at most %d and no room for another fact of %d", size, recursion.MaxMerged, line)
	}
	left := 300 - len(back.Facts)
	if !strings.Contains(got.Raw, fmt.Sprintf("- (%d further lines are left out here)\n", left)) || left == 0 {
		t.Errorf("%d facts are left out; that is not said", left)
	}
	if diff := cmp.Diff(s.Facts[:len(back.Facts)], back.Facts); diff != "" {
		t.Errorf("the facts in the text are not the first ones (-want +got):\n%s", diff)
	}
	if len(got.Facts) != 300 {
		t.Errorf("%d facts in the section, want all", len(got.Facts))
	}

	s.Uncertainties = []string{"Who?", strings.Repeat("y", 30_000)}
	s.Conflicts = []string{strings.Repeat("x", 30_000)}
	s.Failed = []string{strings.Repeat("z", 30_000)}
	got = recursion.Merge([]trajectory.State{s}, recursion.Full)
	if n := utf8.RuneCountInString(got.Raw); n > recursion.MaxMerged {
		t.Errorf("%d characters", n)
	}
	for _, want := range []string{"(300 further lines", "(1 further lines", "(3 further lines"} {
		if !strings.Contains(got.Raw, want) {
			t.Errorf("the text does not say %q:\n%s", want, got.Raw)
		}
	}
}

// What holds for any states.
func TestMergeProperties(t *testing.T) {
	r := seed.Rand(1, "merge")
	for range 200 {
		states := make([]trajectory.State, 1+r.IntN(4))
		for i := range states {
			states[i] = randomState(i, r.IntN)
		}
		m := recursion.Merge(states, recursion.Full)
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		nothingLost(t, states, m)
		shuffled := slices.Clone(states)
		slices.Reverse(shuffled)
		if diff := cmp.Diff(unordered(m), unordered(recursion.Merge(shuffled, recursion.Full))); diff != "" {
			t.Fatalf("in another order, it differs (-want +got):\n%s", diff)
		}
		expectReadable(t, m)
	}
}

// expectReadable checks that the text of a merged state is read as its sections.
func expectReadable(t *testing.T, m trajectory.State) {
	t.Helper()
	back, again := summary.Parse(m.Raw), m
	again.CurrentAnswer, again.Facts, again.Conclusions, again.Sources = back.CurrentAnswer, back.Facts, back.Conclusions, back.Sources
	again.Uncertainties, again.Failed, again.Uncompleted, again.Discarded = back.Uncertainties[len(m.Conflicts):], back.Failed, back.Uncompleted, back.Discarded
	if diff := cmp.Diff(m, again); diff != "" {
		t.Fatalf("its text is read otherwise (-section +text):\n%s", diff)
	}
}

// randomState makes a state of few words, so that states meet.
func randomState(rollout int, n func(int) int) trajectory.State {
	pick := func(words ...string) string { return words[n(len(words))] }
	s := state(rollout, pick("", "Paris", "paris", "Lyon"))
	for i := range n(5) {
		s.Facts = append(s.Facts, trajectory.Fact{
			ID: fmt.Sprint("E", i+1), Text: pick("Acme was founded in", "Acme stands in the town of", "It is", "It is not") + pick(" 1934", " 1943", " Lyon") + pick("", "."),
			SourceTool: pick("search", ""), SourceURI: pick("u1", "u2", ""), Verified: trajectory.Status(pick("yes", "no", "partial", "")),
		})
	}
	for range n(3) {
		c := trajectory.Conclusion{Text: pick("It is so", "It is so.", "It was so"), Evidence: []string{}, Inference: n(2) == 0}
		if len(s.Facts) > 0 {
			c.Evidence = append(c.Evidence, s.Facts[n(len(s.Facts))].ID)
		}
		s.Conclusions = append(s.Conclusions, c)
	}
	for range n(3) {
		s.Sources = append(s.Sources, trajectory.Source{URI: pick("u1", "u2"), Status: pick("", "ok", "gone", "Ok.")})
		s.Uncertainties = append(s.Uncertainties, pick("who is it", "is it who", "when"))
		s.Failed = append(s.Failed, pick("Acme", "acme", "Apex"))
		s.Uncompleted = append(s.Uncompleted, pick("Acme founder", "founder Acme", "Acme logo", "Acme town"))
		s.Discarded = append(s.Discarded, pick("Apex", "Ajax"))
		s.Queries = append(s.Queries, pick("Acme founder", "Acme logo", "Apex"))
	}
	return s
}

// nothingLost checks that every fact is there with a verification no weaker than
// any of its own, and that every conclusion's evidence still says the same.
func nothingLost(t *testing.T, states []trajectory.State, m trajectory.State) {
	t.Helper()
	rank := map[trajectory.Status]int{"": 0, "no": 1, "partial": 2, "yes": 3}
	claim := func(s string) string { return strings.TrimRight(text.Lower(s), ".") }
	same := func(a, b trajectory.Fact) bool {
		source := func(f trajectory.Fact) string {
			if f.SourceURI != "" {
				return f.SourceURI
			}
			return f.SourceTool
		}
		return claim(a.Text) == claim(b.Text) && source(a) == source(b)
	}
	for _, s := range states {
		for _, f := range s.Facts {
			if !slices.ContainsFunc(m.Facts, func(g trajectory.Fact) bool { return same(f, g) && rank[g.Verified] >= rank[f.Verified] }) {
				t.Fatalf("fact %+v is not in %+v", f, m.Facts)
			}
		}
		for _, c := range s.Conclusions {
			i := slices.IndexFunc(m.Conclusions, func(d trajectory.Conclusion) bool { return claim(c.Text) == claim(d.Text) })
			for _, id := range c.Evidence {
				f := s.Facts[slices.IndexFunc(s.Facts, func(f trajectory.Fact) bool { return f.ID == id })]
				if !slices.ContainsFunc(m.Facts, func(g trajectory.Fact) bool {
					return same(f, g) && slices.Contains(m.Conclusions[i].Evidence, g.ID)
				}) {
					t.Fatalf("%q does not cite %+v any more", c.Text, f)
				}
			}
		}
	}
}

// unordered returns what of a merged state does not hang on the order of ties.
func unordered(m trajectory.State) map[string][]string {
	out := map[string][]string{}
	add := func(key string, lines []string) {
		for _, l := range lines {
			words := strings.Fields(text.Answer(l))
			slices.Sort(words)
			out[key] = append(out[key], strings.Join(words, " "))
		}
		slices.Sort(out[key])
	}
	for _, f := range m.Facts {
		source := f.SourceURI
		if source == "" {
			source = f.SourceTool
		}
		add("facts", []string{fmt.Sprint(f.Text, source, f.Verified)})
	}
	for _, c := range m.Conclusions {
		add("conclusions", []string{fmt.Sprint(c.Text, " ", len(c.Evidence), c.Inference)})
	}
	for _, s := range m.Sources {
		add("sources", []string{s.URI + " " + strings.ReplaceAll(s.Status, ";", " ")})
	}
	add("uncertainties", m.Uncertainties)
	add("failed", m.Failed)
	add("uncompleted", m.Uncompleted)
	add("discarded", m.Discarded)
	add("queries", m.Queries)
	add("conflicts", []string{fmt.Sprint(len(m.Conflicts))})
	return out
}
