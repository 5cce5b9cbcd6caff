package dataset

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPythonList(t *testing.T) {
	tests := []struct {
		in   string
		want []string
		err  string
	}{
		{in: `[]`},
		{in: ` ['a', "b's"] `, want: []string{"a", "b's"}},
		{in: `['a',]`, want: []string{"a"}},
		{in: `['it\'s', "say \"x\"", 'a"b']`, want: []string{"it's", `say "x"`, `a"b`}},
		{in: `['caf\xe9', '\u6771\n', 'é']`, want: []string{"café", "東\n", "é"}},
		{in: `["a", "b"]`, want: []string{"a", "b"}},
		{in: `'a'`, err: "not a Python list"},
		{in: `['a'`, err: "where a comma should be"},
		{in: `['a`, err: "does not end"},
		{in: `[a]`, err: "where a string should begin"},
		{in: `['\q']`, err: "invalid syntax"},
		{in: `['a'] x`, err: "where a comma should be"},
	}
	for _, tt := range tests {
		got, err := pythonList(tt.in)
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("pythonList(%s) error = %v, want %q", tt.in, err, tt.err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("pythonList(%s) (-want +got):\n%s", tt.in, diff)
		}
	}
}

func TestLinkTitles(t *testing.T) {
	got := linkTitles([]string{
		"https://en.wikipedia.org/wiki/Charlotte_Bront%C3%AB", "https://en.m.wikipedia.org/wiki/Coal#Use", "en.wikipedia.org/wiki/Grazia_Deledda",
		"https://en.wikipedia.org/wiki/AC/DC_discography?x=1", "https://w.wiki/ASFv", "https://en.wikipedia.org/w/index.php?title=Bronco", "",
		"https://en.wikipedia.org/wiki/Coal", "https://en.wikipedia.org/wiki/100%_(song)", "https://en.wikipedia.org/wiki/X8#R, https://en.wikipedia.org/wiki/Park,_Ohio",
	})
	want := []string{"Charlotte Brontë", "Coal", "Grazia Deledda", "AC/DC discography", "100% (song)", "X8", "Park, Ohio"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("titles (-want +got):\n%s", diff)
	}
}
