package wiki_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/corpus/wiki"
	"trawl/search"
)

func TestQuotedColumns(t *testing.T) {
	tests := []struct{ name, row, text, title string }{
		{"none quoted", "a\tb", "a", "b"},
		{"both quoted", `"a"` + "\t" + `"b"`, "a", "b"},
		{"doubled quotes", `"a ""b"" c"` + "\t" + `"""b"""`, `a "b" c`, `"b"`},
		{"empty quoted", `""` + "\tb", "", "b"},
		{"empty last", "a\t", "a", ""},
		{"empty quoted last", "a\t" + `""`, "a", ""},
		{"only quotes", `""""` + "\tb", `"`, "b"},
		{"a tab between quotes", "\"a\tb\"\tc", "a\tb", "c"},
		{"quote inside", `a"b` + "\tc", `a"b`, "c"},
		{"quote at the beginning alone", `"a b` + "\tc", `"a b`, "c"},
		{"quoted word at the beginning", `"a" b` + "\tc", `"a" b`, "c"},
		{"quote at the end alone", "a\tb\"", "a", `b"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			docs, _, err := read(t, wiki.DPR, write(t, "c.tsv", "id\ttext\ttitle\n7\t"+tt.row+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			want := []search.Document{{ID: "7", Title: tt.title, Text: tt.text}}
			if diff := cmp.Diff(want, docs); diff != "" {
				t.Errorf("row %q mismatch (-want +got):\n%s", tt.row, diff)
			}
		})
	}
}

// TestIDs has ids that only look alike, and then each of them a second time.
func TestIDs(t *testing.T) {
	distinct := []string{"0", "00", "1", "01", "1.0", "-1", "+1", " 1", "a", "A", "268435455", "268435456", "999999999", "1000000000", "99999999999999999999", "é", "e\u0301"}
	var b strings.Builder
	for _, id := range distinct {
		fmt.Fprintf(&b, "%s\ttext\ttitle\n", id)
	}
	docs, _, err := read(t, wiki.DPR, write(t, "c.tsv", b.String()))
	if err != nil || len(docs) != len(distinct) {
		t.Errorf("%d documents of %d, %v", len(docs), len(distinct), err)
	}
	for i, id := range distinct {
		path := write(t, "c.tsv", b.String()+id+"\tother\tother\n")
		_, _, err := read(t, wiki.DPR, path)
		want := fmt.Sprintf("wiki: %s:%d: key id: %q stands also at %s:%d", path, len(distinct)+1, id, path, i+1)
		if err == nil || err.Error() != want {
			t.Errorf("a second %q: %v, want %s", id, err, want)
		}
	}
}

// TestPassages checks how many words the passages of a text have.
func TestPassages(t *testing.T) {
	tests := []struct {
		words int
		want  []int
	}{
		{1, []int{1}}, {99, []int{99}}, {100, []int{100}}, {119, []int{119}}, {120, []int{100, 20}},
		{199, []int{100, 99}}, {200, []int{100, 100}}, {219, []int{100, 119}}, {220, []int{100, 100, 20}}, {305, []int{100, 100, 105}},
	}
	for _, tt := range tests {
		var words []string
		for i := range tt.words {
			words = append(words, fmt.Sprint("w", i))
		}
		docs, _, err := read(t, wiki.Auto, write(t, "my notes.v2.txt", strings.Join(words, "\n \t")))
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		var all []string
		for i, doc := range docs {
			fields := strings.Fields(doc.Text)
			got = append(got, len(fields))
			all = append(all, fields...)
			if want := fmt.Sprintf("my notes.v2.txt#%d", i+1); doc.ID != want || doc.Title != "my notes.v2" {
				t.Errorf("passage %d is %q titled %q, want %q titled %q", i, doc.ID, doc.Title, want, "my notes.v2")
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%d words make passages of (-want +got):\n%s", tt.words, diff)
		}
		if diff := cmp.Diff(words, all); diff != "" {
			t.Errorf("words are lost or moved (-want +got):\n%s", diff)
		}
	}
}

func TestAuto(t *testing.T) {
	const dpr = "1\ttext\ttitle\n"
	tests := []struct {
		name, file, content string
		want                int // documents
	}{
		{"rows by name", "psgs_w102.TSV", dpr, 1},
		{"rows by content", "psgs", dpr, 1},
		{"rows, compressed", "psgs_w102.tsv.gz", compressed(t, dpr), 1},
		{"text, compressed", "a.md.gz", compressed(t, "some words"), 1},
		{"contents behind other keys", "x", `{"metadata":{"title":["a"]},"id":"1","contents":"a"}`, 1},
		{"a first record longer than the head", "x.json", `[{"id":"1","question":"?","context":[["t",["` + strings.Repeat("long ", 30_000) + `"]]]}]`, 1},
		{"titles with a first sentence longer than the head", "x.json", `{"t":["` + strings.Repeat("long ", 30_000) + `"]}`, 1},
		{"an indented list", "x.json", "[\n  {\n    \"title\": \"t\",\n    \"text\": \"x\"\n  }\n]\n", 1},
		{"lines of questions", "x.jsonl", `{"context":[["t",["a","b"]],["u",["c"]]]}` + "\n" + `{"context":[]}` + "\n", 2},
		{"an empty list of titles", "x.json", `{"t":[],"u":["a"]}`, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			docs, _, err := read(t, wiki.Auto, write(t, tt.file, tt.content))
			if err != nil || len(docs) != tt.want {
				t.Errorf("%d documents, %v, want %d", len(docs), err, tt.want)
			}
		})
	}
}

// TestPassageKeys has records of several corpora, each as lines and as a list.
func TestPassageKeys(t *testing.T) {
	tests := []struct {
		name, record string
		want         search.Document
	}{
		{"BEIR", `{"_id":"a1","title":"T","text":"x","metadata":{}}`, search.Document{ID: "a1", Title: "T", Text: "x"}},
		{"BEIR, flat", `{"_id":"a1","title":"T","text":"x"}`, search.Document{ID: "a1", Title: "T", Text: "x"}},
		{"BrowseComp-Plus", `{"docid":"7","text":"x","url":"u"}`, search.Document{ID: "7", Text: "x", URL: "u"}},
		{"FlashRAG", `{"id":"1","title":"T","text":"x"}`, search.Document{ID: "1", Title: "T", Text: "x"}},
		{"Search-R1", `{"id":1,"contents":"\"T\"\nx"}`, search.Document{ID: "1", Title: "T", Text: "x"}},
		{"several ids", `{"docid":"3","_id":"2","id":"1","text":"x"}`, search.Document{ID: "1", Text: "x"}},
		{"keys in other cases behind", `{"id":"1","text":"x","ID":"2","TEXT":"y"}`, search.Document{ID: "1", Text: "x"}},
		{"keys in other cases before", `{"ID":{},"Text":5,"id":"1","text":"x"}`, search.Document{ID: "1", Text: "x"}},
		{"a key in another case only", `{"id":"1","Title":"T","text":"x","":"y"}`, search.Document{ID: "1", Title: "T", Text: "x"}},
		{"null", `{"id":"1","title":null,"text":"x","url":null}`, search.Document{ID: "1", Text: "x"}},
	}
	for _, tt := range tests {
		for _, content := range []string{tt.record + "\n", "[" + tt.record + "]", " [\n " + tt.record + "\n]\n"} {
			docs, _, err := read(t, wiki.Auto, write(t, "c.json", content))
			if err != nil {
				t.Errorf("%s: %q: %v", tt.name, content, err)
				continue
			}
			if diff := cmp.Diff([]search.Document{tt.want}, docs); diff != "" {
				t.Errorf("%s: %q mismatch (-want +got):\n%s", tt.name, content, diff)
			}
		}
	}
}

func TestPassageListErrors(t *testing.T) {
	tests := []struct{ content, want string }{
		{`[{"id":"1","text":"a"},` + "\n" + `{"id":"1","text":"b"}]`, `c.json: record 2: key id: "1" stands also at `},
		{`[{"id":"1","text":"a"},` + "\n" + `{"text":"b"}]`, "c.json:2: record 2: key id: missing"},
		{`[{"id":"1","text":"a"},` + "\n" + `{"id":"2","te`, "c.json:1: record 2: the file is cut off"},
		{`[{"id":"1","text":"a"}`, "c.json: the list does not end: the file is cut off"},
	}
	for _, tt := range tests {
		if _, _, err := read(t, wiki.Auto, write(t, "c.json", tt.content)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: error is %v, want %q in it", tt.content, err, tt.want)
		}
	}
}

func ExampleOpen() {
	for doc, err := range wiki.Open("testdata/hotpotqa.json", wiki.Auto) {
		if err != nil {
			panic(err)
		}
		fmt.Println(doc.ID, doc.Title)
	}
	// Output:
	// 23bae1b6376711ed Ann Ash
	// 6ce0918e35608293 Bo Birch
	// 76da00b2e8b75d5a Simon &amp; Sons
	// 51b54f68bb254d17 Dusk (painting)
}
