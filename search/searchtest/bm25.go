package searchtest

import (
	"math"
	"strings"
	"testing"

	"trawl/search"
)

// RunBM25 tests, after [Run], that the engine ranks by BM25 with k1 = 0.9 and
// b = 0.4 as package [trawl/search/live] states it.
func RunBM25(t *testing.T, open Open) {
	Run(t, open)
	t.Run("scores worked by hand", func(t *testing.T) { testScores(t, open) })
	t.Run("the analyzer is Anserini's", func(t *testing.T) { testAnalyzer(t, open) })
	t.Run("a query of stop words finds", func(t *testing.T) { testStopWords(t, open) })
	t.Run("a rarer term counts more", func(t *testing.T) { testRarity(t, open) })
	t.Run("more of a term counts more", func(t *testing.T) { testFrequency(t, open) })
	t.Run("a longer document counts less", func(t *testing.T) { testLength(t, open) })
}

// testScores has three documents with the terms
//
//	1: cat dog           dl 2
//	2: cat cat dog fox   dl 4
//	3: fox owl owl       dl 3
//
// so that N = 3 and avgdl = 3, and with k1 = 0.9 and b = 0.4
//
//	idf(cat) = idf(dog) = idf(fox) = ln(1 + 1.5/2.5) = 0.4700036292457356
//	idf(owl)                       = ln(1 + 2.5/1.5) = 0.9808292530117262
//	k1·(1 − b + b·dl/avgdl) = 0.78, 1.02, 0.9 for documents 1, 2, 3
//
//	cat in 1: 0.4700036 · 1/1.78 = 0.2640469827
//	cat in 2: 0.4700036 · 2/3.02 = 0.3112606816
//	dog in 2: 0.4700036 · 1/2.02 = 0.2326750640
//	fox in 2: the same
//	fox in 3: 0.4700036 · 1/1.9  = 0.2473703312
//	owl in 3: 0.9808293 · 2/2.9  = 0.6764339676
func testScores(t *testing.T, open Open) {
	engine := open(t, []search.Document{
		{ID: "1", Title: "cat", Text: "dog"},
		{ID: "2", Title: "cat", Text: "cat dog fox"},
		{ID: "3", Title: "fox", Text: "owl owl"},
	})
	type hit struct {
		id    string
		score float64
	}
	tests := []struct {
		name, query string
		want        []hit
	}{
		{"one term", "cat", []hit{{"2", 0.3112606816}, {"1", 0.2640469827}}},
		{"a term twice counts twice", "cat cat", []hit{{"2", 0.6225213632}, {"1", 0.5280939654}}},
		{"terms add up", "fox owl", []hit{{"3", 0.9238042988}, {"2", 0.2326750640}}},
		{"three terms", "dog fox cat", []hit{{"2", 0.7766108096}, {"1", 0.5280939654}, {"3", 0.2473703312}}},
		{"an unknown term adds nothing", "owl zyzzyva", []hit{{"3", 0.6764339676}}},
		{"a stop word beside others adds nothing", "the owl", []hit{{"3", 0.6764339676}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			hits := find(t, engine, tt.query, 10)
			if len(hits) != len(tt.want) {
				t.Fatalf("found %q, want %v", ids(hits), tt.want)
			}
			for i, h := range hits {
				if h.ID != tt.want[i].id || math.Abs(h.Score-tt.want[i].score) > 1e-9 {
					t.Errorf("hit %d is %q with %.10f, want %q with %.10f", i, h.ID, h.Score, tt.want[i].id, tt.want[i].score)
				}
			}
		})
	}
}

func testAnalyzer(t *testing.T, open Open) {
	tests := []struct{ text, query string }{
		{"Running ponies", "RUN pony"},
		{"the captain’s ships", "captain ship"},
		{"a generalization", "generalizations"},
	}
	for _, tt := range tests {
		engine := open(t, []search.Document{{ID: "1", Text: tt.text}, {ID: "2", Text: "something else"}})
		for _, query := range []string{tt.text, tt.query} {
			if got := ids(find(t, engine, query, 2)); len(got) != 1 || got[0] != "1" {
				t.Errorf("%q found %q, want the document %q", query, got, tt.text)
			}
		}
	}
}

func testStopWords(t *testing.T, open Open) {
	engine := open(t, []search.Document{
		{ID: "1", Title: "Hamlet", Text: "To be, or not to be: that is the question, said the prince of Denmark."},
		{ID: "2", Title: "Plain", Text: "A plain is a flat area of land."},
		{ID: "3", Title: "Otters", Text: "Otters eat fish."},
		{ID: "4", Title: "It", Text: "It, novel"},
	})
	for _, tt := range []struct{ query, id string }{{"to be or not to be", "1"}, {"It", "4"}, {"This is it!", "4"}} {
		got := ids(find(t, engine, tt.query, 10))
		if len(got) == 0 || got[0] != tt.id {
			t.Errorf("%q found %q, want %q first", tt.query, got, tt.id)
		}
		for _, id := range got {
			if id == "3" {
				t.Errorf("%q found a document that has none of its words", tt.query)
			}
		}
	}
}

// testRarity gives every document one term, and term i to i documents.
func testRarity(t *testing.T, open Open) {
	terms := []string{"ant", "bee", "cow", "dog", "elk", "fox"}
	var docs []search.Document
	for i, term := range terms {
		for range i + 1 {
			docs = append(docs, search.Document{ID: string(rune('A' + len(docs))), Text: term + " animal"})
		}
	}
	engine := open(t, docs)
	last := math.Inf(1)
	for i, term := range append(terms, "animal") {
		hits := find(t, engine, term, len(docs))
		if want := min(i+1, len(docs)); term != "animal" && len(hits) != want {
			t.Fatalf("%q found %d documents, want %d", term, len(hits), want)
		}
		if !(hits[0].Score < last) || hits[0].Score <= 0 {
			t.Errorf("%q, in %d documents, scores %v, and a rarer term %v", term, len(hits), hits[0].Score, last)
		}
		last = hits[0].Score
	}
}

// testFrequency gives documents of one length more and more of one term.
func testFrequency(t *testing.T, open Open) {
	const length = 12
	var docs []search.Document
	var want []string
	for tf := length; tf >= 1; tf-- {
		id := string(rune('A' + tf))
		docs = append(docs, search.Document{ID: id, Text: strings.Repeat("owl ", tf) + strings.Repeat("elk ", length-tf)})
		want = append(want, id)
	}
	descending(t, find(t, open(t, docs), "owl", length), want)
}

// testLength gives documents one term and more and more of others.
func testLength(t *testing.T, open Open) {
	var docs []search.Document
	var want []string
	for length := 1; length <= 40; length += 3 {
		id := string(rune('z' - length))
		docs = append(docs, search.Document{ID: id, Title: "owl", Text: strings.Repeat("elk ", length)})
		want = append(want, id)
	}
	descending(t, find(t, open(t, docs), "owl", len(docs)), want)
}

// descending checks that the hits are the wanted ones, each better than the next.
func descending(t *testing.T, hits []search.Hit, want []string) {
	t.Helper()
	if len(hits) != len(want) {
		t.Fatalf("found %q, want %q", ids(hits), want)
	}
	for i, h := range hits {
		if h.ID != want[i] {
			t.Errorf("hit %d is %q, want %q", i, h.ID, want[i])
		}
		if i > 0 && !(h.Score < hits[i-1].Score) {
			t.Errorf("hit %d scores %v and the one before it %v", i, h.Score, hits[i-1].Score)
		}
	}
}
