package wiki_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"trawl/corpus/wiki"
	"trawl/internal/testutil"
	"trawl/search"
)

// read returns all documents and counts of a source.
func read(t testing.TB, format string, paths ...string) ([]search.Document, *wiki.Reader, error) {
	t.Helper()
	r := &wiki.Reader{Format: format, Paths: paths}
	var docs []search.Document
	for doc, err := range r.All() {
		if err != nil {
			return docs, r, err
		}
		docs = append(docs, doc)
	}
	return docs, r, nil
}

// write writes a file of a test's own and returns its path.
func write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func compressed(t testing.TB, content string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(content))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestGolden reads every file of testdata both as what it is and as auto.
func TestGolden(t *testing.T) {
	tests := []struct{ path, format string }{
		{"search-r1.jsonl", wiki.SearchR1},
		{"flashrag.jsonl", wiki.FlashRAG},
		{"dpr.tsv", wiki.DPR},
		{"hotpotqa.json", wiki.HotpotQA},
		{"hotpotqa-hf.jsonl", wiki.HotpotQA},
		{"2wiki.json", wiki.TwoWiki},
		{"musique.jsonl", wiki.MuSiQue},
		{"paragraphs.json", wiki.MuSiQue},
		{"titles.json", wiki.HotpotQA},
		{"notes", wiki.Text},
		{"dump.xml", wiki.WikiXML},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			path := filepath.Join("testdata", tt.path)
			docs, r, err := read(t, tt.format, path)
			if err != nil {
				t.Fatal(err)
			}
			testutil.Golden(t, "golden/"+tt.path+".jsonl", golden(docs, r))
			auto, _, err := read(t, wiki.Auto, path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(docs, auto); diff != "" {
				t.Errorf("auto reads otherwise (-%s +auto):\n%s", tt.format, diff)
			}
		})
	}
}

func golden(docs []search.Document, r *wiki.Reader) string {
	var b strings.Builder
	for _, doc := range docs {
		line, _ := json.Marshal(doc)
		fmt.Fprintf(&b, "%s\n", line)
	}
	fmt.Fprintf(&b, "merged %d, replaced %d\n", r.Merged, r.Replaced)
	for _, reason := range slices.Sorted(maps.Keys(r.Skipped)) {
		fmt.Fprintf(&b, "skipped %d %s\n", r.Skipped[reason], reason)
	}
	return b.String()
}

func TestLines(t *testing.T) {
	const one, two = `{"id":"1","contents":"\"A\"\na"}`, `{"id":"2","contents":"\"B\"\nb"}`
	want := []search.Document{{ID: "1", Title: "A", Text: "a"}, {ID: "2", Title: "B", Text: "b"}}
	tests := []struct{ name, content string }{
		{"plain", one + "\n" + two + "\n"},
		{"no end of the last line", one + "\n" + two},
		{"blank lines", "\n" + one + "\n\n  \n" + two + "\n\n"},
		{"carriage returns", one + "\r\n" + two + "\r\n"},
		{"byte order mark", "\xef\xbb\xbf" + one + "\n" + two + "\n"},
		{"compressed", compressed(t, one+"\n"+two+"\n")},
		{"compressed in two members", compressed(t, one+"\n") + compressed(t, two+"\n")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			docs, _, err := read(t, wiki.Auto, write(t, "corpus", tt.content))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, docs); diff != "" {
				t.Errorf("documents mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLongLines(t *testing.T) {
	word := strings.Repeat("long ", 100_000)
	docs, _, err := read(t, wiki.Auto, write(t, "c.jsonl", `{"id":"1","contents":"T\n`+word+`"}`))
	if err != nil || len(docs) != 1 || docs[0].Text != word {
		t.Errorf("a line of %d bytes: %d documents, %v", len(word), len(docs), err)
	}
	_, _, err = read(t, wiki.SearchR1, write(t, "c.jsonl", "\n"+strings.Repeat("x", 16<<20+1)))
	if err == nil || !strings.Contains(err.Error(), "c.jsonl:2: the line is longer than 16 MiB") {
		t.Errorf("a line of more than 16 MiB: %v", err)
	}
}

func TestInvalidUTF8(t *testing.T) {
	tests := []struct{ name, file, content string }{
		{"jsonl", "c.jsonl", "{\"id\":\"1\",\"contents\":\"T\\na\xffb\"}\n{\"id\":\"2\",\"contents\":\"T\\nfine\"}\n"},
		{"dpr", "c.tsv", "1\ta\xffb\tT\n2\tfine\tT\n"},
		{"text", "c.txt", "a\xffb"},
		{"list", "c.json", "[{\"title\":\"T\",\"text\":\"a\xffb\"}]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			docs, r, err := read(t, wiki.Auto, write(t, tt.file, tt.content))
			if err != nil {
				t.Fatal(err)
			}
			if docs[0].Text != "a\uFFFDb" || r.Replaced != 1 {
				t.Errorf("text is %q and %d documents were replaced, want %q and 1", docs[0].Text, r.Replaced, "a\uFFFDb")
			}
		})
	}
}

func TestErrors(t *testing.T) {
	row := "1\ttext\ttitle\n"
	tests := []struct {
		name, format, file, content string
		want                        string
	}{
		{"half a last line", wiki.Auto, "c.jsonl", `{"id":"1","contents":"a"}` + "\n" + `{"id":"2","cont`, "c.jsonl:2: the last line is cut off: not JSON"},
		{"half a line amid others", wiki.Auto, "c.jsonl", `{"id":"1","contents":"a"}` + "\n{\"id\":\n\n", "c.jsonl:2: not JSON"},
		{"no id", wiki.SearchR1, "c.jsonl", `{"contents":"a"}` + "\n", "c.jsonl:1: key id: missing"},
		{"empty id", wiki.SearchR1, "c.jsonl", `{"id":"","contents":"a"}` + "\n", "c.jsonl:1: key id: empty"},
		{"an id of another kind", wiki.SearchR1, "c.jsonl", `{"id":[1],"contents":"a"}` + "\n", "c.jsonl:1: key id: want a string or a number"},
		{"no contents", wiki.SearchR1, "c.jsonl", `{"id":"1","title":"a"}` + "\n", "c.jsonl:1: key contents: missing"},
		{"contents of another kind", wiki.SearchR1, "c.jsonl", `{"id":"1","contents":7}` + "\n", "c.jsonl:1: key contents: want a string, found a number"},
		{"a list for an object", wiki.SearchR1, "c.jsonl", "[]\n", "c.jsonl:1: want an object, found a list"},
		{"duplicate number", wiki.SearchR1, "c.jsonl", `{"id":"1","contents":"a"}` + "\n\n" + `{"id":1,"contents":"b"}` + "\n", "c.jsonl:3: key id: \"1\" stands also at "},
		{"duplicate name", wiki.SearchR1, "c.jsonl", `{"id":"x","contents":"a"}` + "\n" + `{"id":"x","contents":"b"}` + "\n", "c.jsonl:2: key id: \"x\" stands also at "},
		{"too few columns", wiki.DPR, "c.tsv", row + "2\ttext\n", "c.tsv:2: want 3 columns (id, text, title), found 2"},
		{"half a last row", wiki.DPR, "c.tsv", row + "2\ttex", "c.tsv:2: the last line is cut off: want 3 columns"},
		{"no id in a row", wiki.DPR, "c.tsv", "\ttext\ttitle\n", "c.tsv:1: key id: empty"},
		{"context of another kind", wiki.HotpotQA, "c.json", "[{\"context\":[]},\n{\"context\":[[\"t\"]]}]", "c.json:2: record 2: key context[0]: want [title, [sentence, …]]"},
		{"context is a number", wiki.HotpotQA, "c.json", `[{"context":5}]`, "c.json:1: record 1: key context: want a list"},
		{"columns that differ", wiki.HotpotQA, "c.json", `[{"context":{"title":["a"],"sentences":[]}}]`, "record 1: key context: 1 titles and 0 lists"},
		{"no context", wiki.HotpotQA, "c.jsonl", `{"question":"?"}` + "\n", "c.jsonl:1: key context: missing"},
		{"no paragraph_text", wiki.MuSiQue, "c.jsonl", `{"paragraphs":[{"title":"t"}]}` + "\n", "c.jsonl:1: key paragraphs[0].paragraph_text: missing"},
		{"half a record of a list", wiki.HotpotQA, "c.json", `[{"title":"a","text":"b"},{"title":"a","te`, "c.json:1: record 2: the file is cut off"},
		{"a list without end", wiki.HotpotQA, "c.json", `[{"title":"a","text":"b"}`, "c.json: the list does not end: the file is cut off"},
		{"half an object of titles", wiki.HotpotQA, "c.json", `{"a":["b"],"c":["d`, "c.json:1: record 2: the file is cut off"},
		{"an object without end", wiki.HotpotQA, "c.json", `{"a":["b"]`, "c.json: the object does not end: the file is cut off"},
		{"sentences of another kind", wiki.HotpotQA, "c.json", `{"a":["b"],"c":"d"}`, "c.json:1: record 2: want a list"},
		{"half a paragraph line", wiki.MuSiQue, "c.jsonl", `{"title":"a","text":"b"}` + "\n" + `{"title`, "c.jsonl:2: the last line is cut off: not JSON"},
		{"cut compression", wiki.SearchR1, "c.gz", compressed(t, strings.Repeat(`{"id":"1"`, 99))[:40], "c.gz:1: the file is cut off"},
		{"unknown to auto", wiki.Auto, "c.bin", "hello\n", "say which of search-r1, "},
		{"nothing to auto", wiki.Auto, "c.jsonl", "", "c.jsonl is empty"},
		{"blanks", wiki.Auto, "c.txt", " \n\n", "c.txt is empty"},
		{"nothing, compressed", wiki.SearchR1, "c.jsonl.gz", compressed(t, ""), "c.jsonl.gz is empty"},
		{"no format to be told", wiki.Auto, "c", "some words", "say which of search-r1, "},
		{"UTF-16", wiki.Auto, "c.jsonl", "\xff\xfe{\x00", "c.jsonl is UTF-16: save it as UTF-8"},
		{"UTF-16 of the other kind", wiki.Text, "c.txt", "\xfe\xff\x00a", "c.txt is UTF-16: save it as UTF-8"},
		{"binary rows", wiki.Auto, "c.tsv", "a\tb\tc\x00", "c.tsv is binary, not text"},
		{"binary without a name", wiki.Auto, "c", "a\tb\t\x00\x01\n", "c is binary, not text"},
		{"a Parquet file", wiki.Auto, "c.parquet", "PAR1\x15\x00\x15", "c.parquet is Parquet, not text"},
		{"questions", wiki.Auto, "q.jsonl", `{"id":"1","question":"?","golden_answers":["a"]}` + "\n", "q.jsonl looks like a data set of questions, not a corpus"},
		{"a list of questions", wiki.Auto, "q.json", `[{"question":"?","answer":"a"}]`, "q.json looks like a data set of questions"},
		{"unknown format", "parquet", "c.jsonl", "", `unknown format "parquet"; known are auto, `},
		{"no text", wiki.Text, "c.txt", strings.Repeat("x", 2<<20), "c.txt: a word of more than 1 MiB: not a text file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, tt.file, tt.content)
			_, _, err := read(t, tt.format, path)
			if err == nil {
				t.Fatal("no error")
			}
			if !strings.HasPrefix(err.Error(), "wiki: ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %q, want %q in it", err, tt.want)
			}
			if strings.Contains(tt.want, "also at") && !strings.HasSuffix(err.Error(), path+":1") {
				t.Errorf("error %q does not name the first place", err)
			}
		})
	}
}

func TestPaths(t *testing.T) {
	if _, _, err := read(t, wiki.Auto, filepath.Join(t.TempDir(), "absent.jsonl")); err == nil || !strings.Contains(err.Error(), "absent.jsonl") {
		t.Errorf("an absent file: %v", err)
	}
	if _, _, err := read(t, wiki.Auto, t.TempDir()); err == nil || !strings.Contains(err.Error(), "no .txt, .md, .json, .jsonl, .tsv or .xml file in the folder; it holds no files") {
		t.Errorf("an empty folder: %v", err)
	}
	if _, _, err := read(t, wiki.DPR, t.TempDir()); err == nil || !strings.Contains(err.Error(), "no .json, .jsonl, .tsv or .xml file in the folder") {
		t.Errorf("a folder as dpr: %v", err)
	}
	a := write(t, "a.jsonl", `{"id":"1","contents":"a"}`+"\n")
	b := write(t, "b.tsv", "1\ttext\ttitle\n")
	if _, _, err := read(t, wiki.Auto, a, b); err == nil || !strings.HasSuffix(err.Error(), b+`:1: key id: "1" stands also at `+a+":1") {
		t.Errorf("an id in two files: %v", err)
	}
	first, _, err := read(t, wiki.Auto, "testdata/hotpotqa.json", "testdata/2wiki.json")
	if err != nil {
		t.Fatal(err)
	}
	second, r, err := read(t, wiki.Auto, "testdata/2wiki.json", "testdata/hotpotqa.json")
	if err != nil {
		t.Fatal(err)
	}
	byID := func(a, b search.Document) int { return strings.Compare(a.ID, b.ID) }
	slices.SortFunc(first, byID)
	slices.SortFunc(second, byID)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the order of files changes ids (-one +other):\n%s", diff)
	}
	if r.Merged != 2 {
		t.Errorf("merged %d paragraphs, want 2: Ann Ash within HotpotQA, Bo Birch across", r.Merged)
	}
}

// TestOtherSources has sources that are no file of a corpus.
func TestOtherSources(t *testing.T) {
	dir := func(files ...string) string {
		path := t.TempDir()
		for _, name := range files {
			content := fmt.Sprintf(`{"id":%q,"contents":"a"}`, name)
			if strings.HasPrefix(name, "empty") {
				content = ""
			}
			if err := os.WriteFile(filepath.Join(path, name), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	one := dir("a.jsonl")
	tests := []struct {
		name, format string
		paths        []string
		docs         int
		want         string // of the error
	}{
		{"a folder of lines", wiki.Auto, []string{dir("b.jsonl", "a.jsonl", "c.json")}, 3, ""},
		{"a folder of lines, by name of the format", wiki.SearchR1, []string{dir("b.jsonl", "a.jsonl")}, 2, ""},
		{"texts beside others, as text", wiki.Text, []string{dir("b.jsonl", "a.md")}, 1, ""},
		{"parts of a dump", wiki.Auto, []string{dir("w-20240101-pages-articles1.xml-p1p41242.bz2", "w-pages-articles2.xml-p5p6", "w-pages-articles-multistream-index.txt.bz2")}, 2, ""},
		{"an empty file among others", wiki.Auto, []string{dir("empty.jsonl", "a.jsonl")}, 1, ""},
		{"texts beside others", wiki.Auto, []string{dir("b.jsonl", "a.jsonl", "README.md")}, 0, "holds 2 .jsonl, 1 .md: give the files one by one, or say that the format is text"},
		{"only others", wiki.Auto, []string{dir("a.parquet", "b.parquet", "LICENSE")}, 0, "no .txt, .md, .json, .jsonl, .tsv or .xml file in the folder; it holds 2 .parquet, 1 other"},
		{"no texts", wiki.Text, []string{dir("a.jsonl")}, 0, "no .txt or .md file in the folder; it holds 1 .jsonl"},
		{"a folder twice", wiki.Auto, []string{one, one}, 0, one + " is given twice"},
		{"a file by two names", wiki.Auto, []string{filepath.Join(one, "a.jsonl"), filepath.Join(one, ".", "..", filepath.Base(one)) + "/./a.jsonl"}, 0, "are the same file or folder"},
		{"a device", wiki.Auto, []string{os.DevNull}, 0, os.DevNull + " is a device: want a file or a folder"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			docs, _, err := read(t, tt.format, tt.paths...)
			if tt.want == "" && (err != nil || len(docs) != tt.docs) {
				t.Errorf("%d documents, %v, want %d", len(docs), err, tt.docs)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error is %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestLinkedFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(write(t, "blob", `{"id":"1","contents":"a"}`), filepath.Join(dir, "corpus.jsonl")); err != nil {
		t.Skip(err)
	}
	if docs, _, err := read(t, wiki.Auto, dir); err != nil || len(docs) != 1 {
		t.Errorf("a folder of links: %d documents, %v", len(docs), err)
	}
}

func TestStop(t *testing.T) {
	for range wiki.Open("testdata/search-r1.jsonl", wiki.Auto) {
		break
	}
	r := &wiki.Reader{Paths: []string{"testdata/hotpotqa.json"}}
	for range 2 { // a stream can be had again, with counts of its own
		n := 0
		for _, err := range r.All() {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != 4 || r.Merged != 1 {
			t.Errorf("%d documents and %d merged, want 4 and 1", n, r.Merged)
		}
	}
}

func TestRealData(t *testing.T) {
	tests := []struct {
		file         string
		docs, merged int
	}{
		{"search_r1_example/corpus.jsonl", 10, 0},
		{"multihop_601/corpus.jsonl", 11951, 0},
		{"r1_searcher_rollouts/corpus.jsonl", 14215, 0},
		{"hipporag/musique_train.json", 1890, 110},
		{"hipporag/musique_train_corpus.json", 1890, 0},
		{"hotpotqa_distractor_300/hotpot_easy_100.json", 980, 0},
		{"hotpotqa_distractor_300/hotpot_dev_distractor_v1.first53.json", 521, 1},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			docs, r, err := read(t, wiki.Auto, testutil.Shared(t, tt.file))
			if err != nil {
				t.Fatal(err)
			}
			if len(docs) != tt.docs || r.Merged != tt.merged {
				t.Errorf("%d documents and %d merged, want %d and %d", len(docs), r.Merged, tt.docs, tt.merged)
			}
			for _, doc := range docs {
				if doc.ID == "" || doc.Title == "" || doc.Text == "" || strings.HasPrefix(doc.Title, `"`) && strings.HasSuffix(doc.Title, `"`) {
					t.Fatalf("odd document %+v", doc)
				}
			}
		})
	}
}

// FuzzRead feeds every format any bytes: documents come whole or an error does.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"search-r1.jsonl", "dpr.tsv", "hotpotqa.json", "musique.jsonl", "titles.json", "notes/b.md"} {
		content, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Add([]byte("{\"a\":[\"\xff"))
	f.Add([]byte("\"\"\"\t\"\t\"\n"))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := write(t, "corpus", string(content))
		for _, format := range wiki.Formats() {
			docs, _, err := read(t, format, path)
			if err != nil && !strings.Contains(err.Error(), path) {
				t.Errorf("%s: error %q does not name the file", format, err)
			}
			seen := make(map[string]bool)
			for _, doc := range docs {
				if doc.ID == "" || seen[doc.ID] {
					t.Errorf("%s: id %q is empty or double", format, doc.ID)
				}
				seen[doc.ID] = true
				if !utf8.ValidString(doc.ID + doc.Title + doc.Text + doc.URL) {
					t.Errorf("%s: %+q is not UTF-8", format, doc)
				}
			}
		}
	})
}
