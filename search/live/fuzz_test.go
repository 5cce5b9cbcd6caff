package live_test

import (
	"testing"

	"trawl/search"
	"trawl/search/english"
	"trawl/search/searchtest"
)

// FuzzSearch asks the index any query and feeds it any text: neither fails, and a
// word of its own is found behind any text.
func FuzzSearch(f *testing.F) {
	for _, q := range searchtest.OddQueries() {
		f.Add(q)
	}
	x := create(f)
	f.Fuzz(func(t *testing.T, s string) {
		if _, err := x.Search(t.Context(), s, 3); err != nil {
			t.Errorf("Search(%q): %v", s, err)
		}
		terms, all := english.Analyze(s+" zyzzyva"), english.AnalyzeAll(s+" zyzzyva")
		if len(terms) == 0 || terms[len(terms)-1] != "zyzzyva" || len(all) < len(terms) {
			t.Errorf("Analyze(%q) = %q of %q loses the last word", s, terms, all)
		}
		if len(s) > 1<<10 {
			return
		}
		add(t, x, search.Document{ID: "fuzz" + s, Title: s, Text: s + " zyzzyva", URL: s})
		got, ok, err := x.Get("fuzz" + s)
		if err != nil || !ok || got.Title != s || got.Text != s+" zyzzyva" || got.URL != s {
			t.Errorf("document of %q comes back as %+q, %v, %v", s, got, ok, err)
		}
	})
}
