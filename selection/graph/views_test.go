package graph

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/testutil"
	"trawl/internal/text"
	"trawl/trajectory"
)

// A goldenHeader is a header as golden/selector/text.json writes it. A number and
// an address are both a document there.
type goldenHeader struct {
	Kind            string
	Shown, URL, Doc string // null is empty
	Corroborated    bool
}

func asGolden(h header) goldenHeader {
	kinds := map[headerKind]string{headerUnknown: "unknown", headerSearch: "search", headerNumber: "document", headerAddress: "document"}
	return goldenHeader{Kind: kinds[h.kind], Shown: h.shown, URL: h.url, Doc: h.number, Corroborated: h.corroborated}
}

func TestGoldenViews(t *testing.T) {
	data, err := os.ReadFile(testutil.SharedGolden(t, "selector/text.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Views []struct {
			Tool   trajectory.Kind
			View   string
			Cursor *int
			Text   string
			Header goldenHeader
		}
	}
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	for _, tt := range golden.Views {
		e := readEvents([]Event{{Tool: tt.Tool, View: tt.View}})[0]
		if e.viewed != (tt.Cursor != nil) || e.viewed && e.cursor != *tt.Cursor {
			t.Errorf("%q has cursor %d, %t", tt.View, e.cursor, e.viewed)
		}
		if e.text != tt.Text {
			t.Errorf("%q has text %q, want %q", tt.View, e.text, tt.Text)
		}
		if tt.Tool != trajectory.KindOpen {
			continue
		}
		if diff := cmp.Diff(tt.Header, asGolden(e.header)); diff != "" {
			t.Errorf("header of %q mismatch (-want +got):\n%s", tt.View, diff)
		}
	}
}

func TestCutCursor(t *testing.T) {
	tests := []struct {
		view   string
		cursor int
		rest   string
		ok     bool
	}{
		{"[4] Title", 4, "Title", true},
		{" \n[12]\nTitle", 12, "Title", true},
		{"[0]", 0, "", true},
		{"[] Title", 0, "[] Title", false},
		{"[-1] Title", 0, "[-1] Title", false},
		{"[x] Title", 0, "[x] Title", false},
		{"[1", 0, "[1", false},
		{"[99999999999999999999] Title", 0, "[99999999999999999999] Title", false},
		{"see [4]", 0, "see [4]", false},
	}
	for _, tt := range tests {
		cursor, rest, ok := cutCursor(tt.view)
		if cursor != tt.cursor || rest != tt.rest || ok != tt.ok {
			t.Errorf("cutCursor(%q) = %d, %q, %t, want %d, %q, %t", tt.view, cursor, rest, ok, tt.cursor, tt.rest, tt.ok)
		}
	}
}

func TestTextOfViews(t *testing.T) {
	const mark = "**viewing lines [0 - 1] of 2**"
	tests := []struct {
		name string
		tool trajectory.Kind
		view string
		want string
	}{
		{"a marker with blanks around", trajectory.KindOpen, "[1] T\n  " + mark + " \r\nL0: x", "T x"},
		{"a marker inside a line stays", trajectory.KindOpen, "[1] T " + mark + "\nL0: x", "T " + mark + " x"},
		{"a marker in other words is none", trajectory.KindOpen, "[1] T\n**viewing lines [a - b] of n**\nL0: x", ""},
		{"one blank after a number", trajectory.KindOpen, "[1] " + mark + "\nL0:L1: x", "L1: x"},
		{"L without a number", trajectory.KindOpen, "[1] " + mark + "\nL: x\nLong: y", "L: x Long: y"},
		{"no cursor, no evidence", trajectory.KindOpen, "T\n" + mark + "\nL0: x", ""},
		{"nothing but a marker", trajectory.KindOpen, "[1] " + mark, ""},
		{"decomposed letters", trajectory.KindOpen, "[1] " + mark + "\nL0: e\u0301\u00a0x", "\u00e9 x"},
		{"find without a mark", trajectory.KindFind, "[1] T\n" + mark + "\nL0: x", ""},
		{"find with empty excerpts", trajectory.KindFind, "[1] T\nL0: # 【0†match at L1】\nL1: \nL2: # 【1†match at L2】\nL3: x", "x"},
		{"a mark that is no line's beginning", trajectory.KindFind, "[1] T\nx L0: # 【0†match at L1】\nL1: y", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := readEvents([]Event{{Tool: tt.tool, View: tt.view}})[0].text; got != tt.want {
				t.Errorf("text of %q = %q, want %q", tt.view, got, tt.want)
			}
		})
	}
}

func TestReadHeader(t *testing.T) {
	long := strings.Repeat("é", headerReach-len("(https://e.org/a)"))
	tests := []struct {
		name, view string
		want       header
	}{
		{"in capitals is no address", "T (HTTPS://e.org/a)", header{}},
		{"another scheme is no address", "T (ftp://e.org/a) (https://e.org/b)", header{kind: headerAddress, shown: "https://e.org/b", url: "https://e.org/b"}},
		{"a number stands at the beginning", "The Doc 4", header{}},
		{"a number is a word", "Doc 4th", header{}},
		{"a number and more", "Doc 4 of the series", header{kind: headerNumber, number: "4"}},
		{"search before address", "Doc 4 (https://e.org/a) (web-search://ts=0)", header{kind: headerSearch, number: "4"}},
		{"a search page that does not end", "T (web-search://ts=0", header{}},
		{"just within reach", long + "(https://e.org/a)", header{kind: headerAddress, shown: "https://e.org/a", url: "https://e.org/a"}},
		{"out of reach", long + strings.Repeat("é", 17) + "(https://e.org/a)", header{}},
		{"an end out of reach", "(https://e.org/" + strings.Repeat("é", addressReach) + ")", header{kind: headerAddress}},
		{"balanced", "(https://e.org/x_(y)_(z)) and (more)", header{kind: headerAddress, shown: "https://e.org/x_(y)_(z)", url: "https://e.org/x_%28y%29_%28z%29"}},
		{"a numbered line's last parenthesis", "(https://e.org/x_(y)\nL0: body", header{kind: headerAddress, shown: "https://e.org/x_(y", url: "https://e.org/x_%28y"}},
		{"not canonical", "(https://e.org/100%)", header{kind: headerAddress, shown: "https://e.org/100%"}},
		{"not canonical but for the field", "(https://e.org/100%)\nURL: https://e.org/100%25", header{kind: headerAddress, shown: "https://e.org/100%", url: "https://e.org/100%25", corroborated: true}},
		{"cut but for the field", "(https://e.org/...) URL:https://e.org/%2E..", header{kind: headerAddress, shown: "https://e.org/...", url: "https://e.org/...", corroborated: true}},
		{"cut with an ellipsis", "(https://e.org/a…)", header{kind: headerAddress, shown: "https://e.org/a…"}},
		{"a field after other words is none", "(https://e.org/a b)\nL0: see URL: https://e.org/a%20b", header{kind: headerAddress, shown: "https://e.org/a b", url: "https://e.org/a%20b"}},
		{"the shortest that decodes", "(https://e.org/a)\nL0: URL: https://e.org/%61 b", header{kind: headerAddress, shown: "https://e.org/a", url: "https://e.org/a", corroborated: true}},
		{"too many pieces", "(https://e.org/" + strings.Repeat("a", 70) + ")\nL0: URL: https://e.org/" + strings.Repeat(" a", 70),
			header{kind: headerAddress, shown: "https://e.org/" + strings.Repeat("a", 70), url: "https://e.org/" + strings.Repeat("a", 70)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, readHeader(tt.view), cmp.AllowUnexported(header{})); diff != "" {
				t.Errorf("header of %.80q mismatch (-want +got):\n%s", tt.view, diff)
			}
		})
	}
}

// Evidence is normal text but for the blank lines between excerpts, and an
// address is canonical.
func FuzzView(f *testing.F) {
	f.Add("[4] Doc 4 (https://e.org/a/b?x=a&b)\n**viewing lines [0 - 1] of 40**\nL0: URL: https://e.org/a%2Fb?x=a%26b\nL1: Body")
	f.Add("[3] Find\nL0: # 【0†match at L10】\nL1: one\nL2: two\nL4: # 【1†match at L11】 x")
	f.Add("[0] (http://(((")
	f.Fuzz(func(t *testing.T, view string) {
		if !utf8.ValidString(view) {
			t.Skip()
		}
		for _, e := range readEvents([]Event{{Tool: trajectory.KindOpen, View: view}, {Tool: trajectory.KindFind, View: view}}) {
			for excerpt := range strings.SplitSeq(e.text, "\n\n") {
				if text.Normal(excerpt) != excerpt || excerpt == "" && e.text != "" {
					t.Errorf("%q has text %q", view, e.text)
				}
			}
			h := e.header
			if _, ok := CanonicalURL(h.url); h.url != "" && (!ok || h.kind != headerAddress || h.shown == "") {
				t.Errorf("%q has header %+v", view, h)
			}
			if h.corroborated && h.url == "" {
				t.Errorf("%q is corroborated and has no address: %+v", view, h)
			}
		}
	})
}
