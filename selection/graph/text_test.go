package graph_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"

	"trawl/internal/testutil"
	"trawl/internal/text"
	"trawl/selection/graph"
)

// goldenText is what golden/selector/text.json says of this package.
type goldenText struct {
	Answers []struct{ In, Key string }
	Returns []struct {
		In     string
		Chunks json.RawMessage
	}
	URLs []struct {
		In        string
		Canonical *string
	}
	Userinfo struct {
		Distinct, Equal [][2]string
		NeverShows      string `json:"never_shows"`
	}
}

func readText(t *testing.T) goldenText {
	t.Helper()
	data, err := os.ReadFile(testutil.SharedGolden(t, "selector/text.json"))
	if err != nil {
		t.Fatal(err)
	}
	var g goldenText
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func TestGoldenAnswerKeys(t *testing.T) {
	for _, tt := range readText(t).Answers {
		if got := graph.PaperKey(tt.In); got != tt.Key {
			t.Errorf("PaperKey(%q) = %q, want %q", tt.In, got, tt.Key)
		}
		if got := graph.VoteKey(tt.In); tt.Key != "" && got != tt.Key || tt.Key == "" && got != text.Lower(text.Collapse(tt.In)) {
			t.Errorf("VoteKey(%q) = %q, want %q or the answer itself", tt.In, got, tt.Key)
		}
	}
}

func TestGoldenReturns(t *testing.T) {
	for _, tt := range readText(t).Returns {
		var want []string // of a refused return: none
		refused := json.Unmarshal(tt.Chunks, &want) != nil
		got, err := graph.ParseReturn(tt.In)
		if refused != (err != nil) {
			t.Errorf("ParseReturn(%q) = %v, refused %t", tt.In, err, refused)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("ParseReturn(%q) mismatch (-want +got):\n%s", tt.In, diff)
		}
	}
}

func TestParseReturn(t *testing.T) {
	const rest = "\nDoc 2(Title: B) b\nDoc 3(Title: C) c"
	tests := []struct {
		name, in string
		want     []string
		err      string
	}{
		{"nothing", "", nil, ""},
		{"white space of all kinds", " \r\n\u00a0\u2028\x1c", nil, ""},
		{"a marker over two lines", "Doc\n1\n(Title: A) a" + rest, []string{"(Title: A) a", "(Title: B) b", "(Title: C) c"}, ""},
		{"no text after a title mark", "Doc 1(Title:" + rest, []string{"(Title:", "(Title: B) b", "(Title: C) c"}, ""},
		{"a rank with a zero before it", "Doc 01(Title: A) a" + rest, []string{"(Title: A) a", "(Title: B) b", "(Title: C) c"}, ""},
		{"what trawl shows after a cut", "Doc 1(Title: A) a" + rest + "\n[cut]", []string{"(Title: A) a", "(Title: B) b", "(Title: C) c [cut]"}, ""},
		{"a huge rank", "Doc 99999999999999999999(Title: A) a" + rest, nil, "marker 1 has rank 99999999999999999999"},
		{"a rank twice", "Doc 1(Title: A) a\nDoc 1(Title: B) b\nDoc 3(Title: C) c", nil, "marker 2 has rank 1"},
		{"two chunks", "Doc 1(Title: A) a\nDoc 2(Title: B) b", nil, "2 ranked chunks, want 3"},
		{"four chunks", "Doc 1(Title: A) a" + rest + "\nDoc 4(Title: D) d", nil, "4 ranked chunks, want 3"},
		{"words before", "Here:\nDoc 1(Title: A) a" + rest, nil, `"Here:`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := graph.ParseReturn(tt.in)
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("ParseReturn(%q) error %v, want %q", tt.in, err, tt.err)
			}
			if diff := gocmp.Diff(tt.want, got); diff != "" {
				t.Errorf("ParseReturn(%q) mismatch (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

// Whatever is read comes as three normal texts that begin with a title mark, and
// reading them again, with new markers, gives the same.
func FuzzParseReturn(f *testing.F) {
	f.Add("Doc 1 (Title: A) one\nDoc 2 (Title: B) two\r\n Doc 3(Title: C) three")
	f.Add("Doc 1 (Title: A) Doc 2\u2028Doc 2(Title: B)\nDoc 3(Title: e\u0301)\x1f")
	f.Fuzz(func(t *testing.T, s string) {
		chunks, err := graph.ParseReturn(s)
		if err != nil {
			if chunks != nil {
				t.Errorf("ParseReturn(%q) = %q with error %v", s, chunks, err)
			}
			return
		}
		if len(chunks) != 3 && (len(chunks) != 0 || text.Collapse(s) != "") {
			t.Fatalf("ParseReturn(%q) = %q", s, chunks)
		}
		for _, c := range chunks {
			if !strings.HasPrefix(c, "(Title:") || utf8.ValidString(s) && text.Normal(c) != c {
				t.Errorf("ParseReturn(%q) has chunk %q", s, c)
			}
		}
		if len(chunks) == 0 || !utf8.ValidString(s) {
			return
		}
		again, err := graph.ParseReturn("Doc 1" + chunks[0] + "\nDoc 2" + chunks[1] + "\nDoc 3" + chunks[2])
		if diff := gocmp.Diff(chunks, again); err != nil || diff != "" {
			t.Errorf("read again: %v (-first +second):\n%s", err, diff)
		}
	})
}

func TestGoldenURLs(t *testing.T) {
	golden := readText(t)
	for _, tt := range golden.URLs {
		got, ok := graph.CanonicalURL(tt.In)
		want := ""
		if tt.Canonical != nil {
			want = *tt.Canonical
		}
		if got != want || ok != (tt.Canonical != nil) {
			t.Errorf("CanonicalURL(%q) = %q, %t, want %q", tt.In, got, ok, want)
		}
	}
	for _, group := range []struct {
		pairs [][2]string
		equal bool
	}{{golden.Userinfo.Distinct, false}, {golden.Userinfo.Equal, true}} {
		for _, pair := range group.pairs {
			a, okA := graph.CanonicalURL(pair[0])
			b, okB := graph.CanonicalURL(pair[1])
			if !okA || !okB || (a == b) != group.equal {
				t.Errorf("CanonicalURL(%q) = %q, CanonicalURL(%q) = %q, want equal %t", pair[0], a, pair[1], b, group.equal)
			}
			if strings.Contains(a, golden.Userinfo.NeverShows) {
				t.Errorf("CanonicalURL(%q) = %q shows a password", pair[0], a)
			}
		}
	}
}

func TestCanonicalURL(t *testing.T) {
	tests := []struct{ name, in, want string }{ // an empty want: refused
		{"a broken escape that the query continues", "https://e.org/a%2?0b", ""},
		{"a broken escape in a name", "https://a%2:b@e.org/", ""},
		{"a broken escape in a host", "https://e%zz.org/", ""},
		{"a broken escape in a fragment", "https://e.org/#%", "https://e.org/"},
		{"an empty path before a query", "https://e.org?a", "https://e.org?a"},
		{"an empty query before a fragment", "https://e.org/?#a", "https://e.org/"},
		{"a question mark in a fragment", "https://e.org/a#b?c", "https://e.org/a"},
		{"a blank at the end", "https://e.org/a ", "https://e.org/a%20"},
		{"a tab before", "\thttps://e.org/", ""},
		{"a no-break space in the authority", "https://e\u00a0x.org/", ""},
		{"delete", "https://e.org/\x7f", ""},
		{"an escaped control character", "https://e.org/%0a", "https://e.org/%0A"},
		{"the largest port", "https://e.org:65535/", "https://e.org:65535/"},
		{"a port too large", "https://e.org:65536/", ""},
		{"a negative port", "https://e.org:-1/", ""},
		{"two ports", "https://e.org:1:2/", ""},
		{"an open bracket", "https://[::1/", ""},
		{"words in brackets", "https://[e.org]/", ""},
		{"words after brackets", "https://[::1]x/", ""},
		{"brackets inside", "https://a[::1]/", ""},
		{"an address in capitals", "https://[2001:DB8::A]/", "https://[2001:db8::a]/"},
		{"a host of letters beyond ASCII", "https://BÜCHER.example/", "https://bücher.example/"},
		{"a name and no host", "https://a:b@/", ""},
		{"bytes that are no text", "https://e.org/\xff", "https://e.org/%FF"},
		{"no colon", "https//e.org", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := graph.CanonicalURL(tt.in); got != tt.want || ok != (tt.want != "") {
				t.Errorf("CanonicalURL(%q) = %q, %t, want %q", tt.in, got, ok, tt.want)
			}
		})
	}
}

// A canonical address is its own, has nothing that needs an escape, and never
// tells a password.
func FuzzCanonicalURL(f *testing.F) {
	f.Add("HTTPS://User:secret-word@EXAMPLE.org:80/%7euser/a%2fb?x=a%26b#part")
	f.Add("http://[::1]:0/İ?=&")
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := graph.CanonicalURL(s)
		if !ok {
			return
		}
		_, rest, _ := strings.Cut(got, "://")
		authority, _, _ := strings.Cut(rest, "/")
		authority, _, _ = strings.Cut(authority, "?")
		for _, c := range []byte(strings.TrimPrefix(rest, authority)) {
			if c <= ' ' || c >= 0x7f || strings.IndexByte(`()<>"'#;,!*$[]\^`+"`{|}", c) >= 0 {
				t.Errorf("CanonicalURL(%q) = %q has %q", s, got, c)
			}
		}
		if strings.Contains(authority, "@") {
			if len(authority) < len("user-@")+64 {
				t.Errorf("CanonicalURL(%q) = %q has no hash", s, got)
			}
			return // a hash is a name too
		}
		if again, ok := graph.CanonicalURL(got); !ok || again != got {
			t.Errorf("CanonicalURL(%q) = %q, and of that %q, %t", s, got, again, ok)
		}
	})
}
