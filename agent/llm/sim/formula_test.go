package sim

import (
	"math"
	"strings"
	"testing"
)

func TestFlip(t *testing.T) {
	// d = 0.2, core 4, n = 6: x = 0.2·(4 + 3)/(6·1.8) = 0.12963,
	// p = (1 − √(1 − 4x))/2 = (1 − 0.69389)/2 = 0.15306.
	if got := flip(0.2, 4, 6); math.Abs(got-0.15306) > 1e-4 {
		t.Errorf("flip(0.2, 4, 6) = %v, want 0.15306", got)
	}
	if got := flip(0.9, 10, 1); got != 0.5 {
		t.Errorf("flip beyond what one word can do = %v, want 0.5", got)
	}
	if got := flip(0.2, 4, 0); got != 0 {
		t.Errorf("flip without words = %v", got)
	}
}

// TestHolds checks the formula of readings: the share of right readings over
// many requests is 1/(1 + exp(−margin/T)), and at temperature 0 the sign decides.
func TestHolds(t *testing.T) {
	c := &conversation{question: "q", anchor: "a"}
	for _, thing := range []string{"x", "y", "z", "u", "v"} {
		m := &model{traits: Base.traits(), temperature: 1}
		margin := m.margin(c, thing)
		const n = 4000
		right := 0
		for key := range int64(n) {
			m.key = key
			if m.holds(c, thing) {
				right++
			}
		}
		want := 1 / (1 + math.Exp(-margin))
		if got := float64(right) / n; math.Abs(got-want) > 0.03 { // four standard errors of at most 0.008
			t.Errorf("%s: right %.3f, want %.3f for the margin %.3f", thing, got, want, margin)
		}
		m.temperature = 0
		if got := m.holds(c, thing); got != (margin > 0) {
			t.Errorf("%s: %v at temperature 0 with the margin %.3f", thing, got, margin)
		}
	}
}

func TestMarginOrder(t *testing.T) {
	c := &conversation{question: "q"}
	var last float64
	for i, s := range Skills() {
		m := model{traits: s.traits()}
		if margin := m.margin(c, "x"); i > 0 && margin <= last {
			t.Errorf("%s: margin %v, no more than %v of the skill below", s, margin, last)
		} else {
			last = margin
		}
	}
}

func TestTokens(t *testing.T) {
	tests := []struct {
		text string
		want int
	}{
		{"", 0},
		{"  \t ", 0},
		{"one two", 2},
		{"eightlet ninelette", 3}, // 8 bytes are one token, 9 are two
		{"a\nb", 3},
		{"don't!", 4},
		{"éééé ééééé", 3}, // 8 bytes, then 10
	}
	for _, tt := range tests {
		if got := countTokens(tt.text); got != tt.want {
			t.Errorf("countTokens(%q) = %d, want %d", tt.text, got, tt.want)
		}
	}
	s := "The quick, extraordinary brown fox — ééééééééé jumps."
	for n := range countTokens(s) + 2 {
		cut, count := cutTokens(s, n)
		if !strings.HasPrefix(s, cut) || count != min(n, countTokens(s)) || countTokens(cut) != count || strings.ToValidUTF8(cut, "") != cut {
			t.Errorf("cutTokens to %d = %q, %d", n, cut, count)
		}
	}
	var b strings.Builder
	eachChunk(s, func(piece string) { b.WriteString(piece) })
	if b.String() != s {
		t.Errorf("chunks make %q", b.String())
	}
}

func TestReadDoc(t *testing.T) {
	tests := []struct{ line, title, text string }{
		{"Doc 1(Title: Titanic) A film.", "Titanic", "A film."},
		{"Doc 12(Title: Titanic (1997 film)) A film.", "Titanic (1997 film)", "A film."},
		{"<information>Doc 1(Title: \"Titanic\") A film.", "\"Titanic\"", "A film."},
		{"Doc 1(Title: Smile :( again) A song.", "Smile :( again", "A song."},
		{"Doc X(Title: Titanic) A film.", "", ""},
		{"See Doc 1(Title: Titanic) A film.", "", ""},
		{"Doc 1", "", ""},
	}
	for _, tt := range tests {
		if got, _ := readDoc(tt.line); got.Title != tt.title || got.Text != tt.text {
			t.Errorf("readDoc(%q) = %+v, want %q and %q", tt.line, got, tt.title, tt.text)
		}
	}
}

func TestIntent(t *testing.T) {
	user := func(s string) message { return message{Role: "user", Content: s} }
	reply := message{Role: "assistant", Content: "<search>x</search>"}
	search := []tool{{Function: function{Name: "search"}}}
	tests := []struct {
		name string
		req  chatRequest
		want intent
	}{
		{"research", chatRequest{Messages: []message{user("Give a final answer at the end. You have 8 turns in all.\nQuestion: Who?")}}, intentAct},
		{"last call", chatRequest{Messages: []message{user("Question: Who?"), reply, user("Give your final answer now.")}}, intentFinal},
		{"a document that says so", chatRequest{Messages: []message{user("Question: Who?"), reply, user("Doc 1(Title: X) The final answer.")}}, intentAct},
		{"last turn", chatRequest{Messages: []message{user("You have 2 turns in all.\nQuestion: Who?"), reply, user("No documents match this query.")}}, intentFinal},
		{"tools off", chatRequest{Messages: []message{user("Question: Who?")}, Tools: search, ToolChoice: "none"}, intentFinal},
		{"a tool demanded", chatRequest{Messages: []message{user("hello")}, Tools: search, ToolChoice: "required"}, intentCall},
		{"a tool offered", chatRequest{Messages: []message{user("hello")}, Tools: search}, intentAct},
		{"pool", chatRequest{Messages: []message{user("Write exactly 16 search queries for it.\nQuestion: Who?")}}, intentPool},
		{"anything else", chatRequest{Messages: []message{user("hello")}}, intentChat},
	}
	for _, tt := range tests {
		if got := newConversation(&tt.req).intent(); got != tt.want {
			t.Errorf("%s: intent %d, want %d", tt.name, got, tt.want)
		}
	}
}
