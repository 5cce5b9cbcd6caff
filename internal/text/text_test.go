package text_test

import (
	"math"
	"testing"
	"unicode/utf8"

	"trawl/internal/text"
)

func TestAnswer(t *testing.T) {
	// Each want is what Python's normalize_answer prints for the same text.
	tests := []struct{ in, want string }{
		{"The Beatles", "beatles"},
		{"U.S.A.", "usa"},
		{"well-known", "wellknown"},
		{"a-b", "ab"},
		{"niña a an the", "niña"},
		{"aéro", "aéro"},
		{"l’a été", "l’ été"},
		{"“The” End – fin", "“ ” end – fin"},
		{"The", ""},
		{"???", ""},
		{"  A\u00a0tale\u2003of \x1c two ", "tale of two"},
		{"İstanbul", "i̇stanbul"},
		{"ΟΔΟΣ", "οδος"},
		{"the_a", "thea"},
		{"東京", "東京"},
		{"", ""},
	}
	for _, tt := range tests {
		if got := text.Answer(tt.in); got != tt.want {
			t.Errorf("Answer(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	for _, s := range []string{"The a an", "a\xffb", "Ünï the", "ΣΣ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := text.Answer(s)
		if len(text.Collapse(once)) != len(once) {
			t.Errorf("Answer(%q) = %q, which has loose white space", s, once)
		}
		if text.AnswerKey(s) == "" && text.Collapse(s) != "" {
			t.Errorf("AnswerKey(%q) is empty", s)
		}
	})
}

func TestPlurality(t *testing.T) {
	tests := []struct {
		name string
		keys []string
		want int
	}{
		{"most frequent", []string{"b", "a", "a"}, 1},
		{"tie goes to the first", []string{"b", "a", "a", "b"}, 0},
		{"empty abstains", []string{"", "", "a"}, 2},
		{"nobody votes", []string{"", ""}, -1},
		{"nobody", nil, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := text.Plurality(tt.keys); got != tt.want {
				t.Errorf("Plurality(%q) = %d, want %d", tt.keys, got, tt.want)
			}
		})
	}
}

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want float64
	}{
		{"Titanic film director", "titanic FILM", 1 - 2.0/3}, // 2 shared of 3
		{"a b", "c d", 1},
		{"same words", "words, same!", 0},
		{"", "", 0},
		{"", "x", 1},
		{"don't", "dont", 0},
	}
	for _, tt := range tests {
		a, b := text.Tokens(tt.a), text.Tokens(tt.b)
		if got := a.Distance(b); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("Distance(%q, %q) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
		if a.Distance(b) != b.Distance(a) {
			t.Errorf("Distance(%q, %q) is not symmetric", tt.a, tt.b)
		}
	}
}

func TestTokenKey(t *testing.T) {
	for in, want := range map[string]string{
		"Who? Who is b, A": "a b is who", "a B is WHO": "a b is who", "don't": "dont", "x_y": "x_y", "?!": "", "": "", "京 東": "京 東",
	} {
		if got := text.TokenKey(in); got != want {
			t.Errorf("TokenKey(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		" The\u00a0 Founder\n": "the founder", "E\u0301COLE": "école", "ΟΔΟΣ": "οδος", "a.b": "a.b", "": "",
	} {
		if got := text.Fold(in); got != want {
			t.Errorf("Fold(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestTruncate(t *testing.T) {
	for n := range 12 {
		got := text.Truncate("aéb東c", n)
		if len(got) > n || !utf8.ValidString(got) {
			t.Errorf("Truncate to %d = %q", n, got)
		}
	}
}

func TestMiddle(t *testing.T) {
	tests := []struct {
		s    string
		n    int
		want string
	}{
		{"abcdef", 6, "abcdef"},
		{"abcdef", 9, "abcdef"},
		{"abcdef", 4, "ab…ef"},
		{"abcdef", 3, "a…ef"},
		{"äöüßéñ", 3, "ä…éñ"},
		{"abcdef", 1, "…f"},
		{"abcdef", 0, "…"},
		{"", 0, ""},
	}
	for _, tt := range tests {
		if got := text.Middle(tt.s, tt.n, "…"); got != tt.want {
			t.Errorf("Middle(%q, %d) = %q, want %q", tt.s, tt.n, got, tt.want)
		}
	}
}

func TestPrintable(t *testing.T) {
	const s = "a\x1b[31mred\x00\u009b title\n in\ttwo lines \u202e ẞ"
	if got, want := text.Printable(s), "a[31mred title in two lines \u202e ẞ"; got != want {
		t.Errorf("Printable(%q) = %q, want %q", s, got, want)
	}
}
