package wiki_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/corpus/wiki"
	"trawl/search"
)

// dumpOf makes a dump of pages, of which each is a title and a text.
func dumpOf(pages ...[2]string) string {
	var b strings.Builder
	b.WriteString(`<mediawiki><siteinfo><base>http://w.example/wiki/Main_Page</base></siteinfo>`)
	for i, p := range pages {
		fmt.Fprintf(&b, "\n<page><title>%s</title><ns>0</ns><id>%d</id><revision><id>1</id><text>%s</text></revision></page>", p[0], i+1, p[1])
	}
	return b.String() + "\n</mediawiki>\n"
}

// bzipped returns a file that bzip2 made of testdata/dump.xml, which Go cannot:
// dump.xml.bz2, or dump-multistream.xml.bz2, the thirds of it one after another
// with the stream of nothing before the last.
func bzipped(t testing.TB, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name+".xml.bz2"))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestDumpCompressed(t *testing.T) {
	content, err := os.ReadFile("testdata/dump.xml")
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := read(t, wiki.WikiXML, "testdata/dump.xml")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ file, content string }{
		{"pages-articles.xml.gz", compressed(t, string(content))},
		{"pages-articles.xml.bz2", bzipped(t, "dump")},
		{"pages-articles-multistream.xml.bz2", bzipped(t, "dump-multistream")},
		{"without an ending", bzipped(t, "dump")},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			got, r, err := read(t, wiki.Auto, write(t, tt.file, tt.content))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("documents mismatch (-plain +compressed):\n%s", diff)
			}
			if done, total := r.Bytes(); done != total || total != int64(len(tt.content)) {
				t.Errorf("read %d of %d bytes, want all %d", done, total, len(tt.content))
			}
		})
	}
}

func TestDumpErrors(t *testing.T) {
	whole := dumpOf([2]string{"A &amp; B", "Some text."}, [2]string{"C", "More text."})
	one := bzipped(t, "dump")
	tests := []struct{ name, file, content, want string }{
		{"cut in a page", "d.xml", whole[:257], `d.xml: page "C": byte 257 of the XML: the file is cut off`},
		{"cut between pages", "d.xml", strings.TrimSuffix(whole, "</mediawiki>\n"), `d.xml: page "C": byte `},
		{"cut in a tag", "d.xml", whole[:strings.Index(whole, "ns>0")+2], `d.xml: page "A & B": byte `},
		{"cut before pages", "d.xml", whole[:30], "d.xml: byte 30 of the XML: the file is cut off"},
		{"gzip, cut", "d.xml.gz", compressed(t, whole)[:100], "the file is cut off"},
		{"bzip2, cut", "d.xml.bz2", one[:len(one)-20], "the file is cut off"},
		{"bzip2, cut in its head", "d.xml.bz2", "BZh9", "the file is cut off"},
		{"bzip2, damaged", "d.xml.bz2", strings.Replace(one, one[10:14], "\x00\x00\x00\x00", 1), "the file is damaged: bzip2: "},
		{"bzip2, with more behind", "d.xml.bz2", one + "garbage garbage", "d.xml.bz2: the bzip2 data end 15 bytes before the file does: something else stands behind them"},
		{"bzip2, a second stream cut", "d.xml.bz2", one + one[:20], "the file is cut off"},
		{"another kind of XML", "d.xml", "<?xml version='1.0'?>\n<feed><doc>x</doc></feed>", "want a dump of MediaWiki, found the element <feed>"},
		{"a web page", "d.xml", "<!DOCTYPE html>\n<html><body>404</body></html>", "found the element <html>"},
		{"no XML", "d.xml", "hello", "want a dump of MediaWiki, found no element"},
		{"tags that cross", "d.xml", "<mediawiki><page><title>T</page></title>", `</page> closes another element`},
		{"no id", "d.xml", "<mediawiki><page><title>T</title></page></mediawiki>", "key id or title: missing"},
		{"a namespace without number", "d.xml", "<mediawiki><page><title>T</title><ns>x</ns></page>", `key ns: want a number, found "x"`},
		{"the same page twice", "d.xml", strings.ReplaceAll(whole, "<id>2</id>", "<id>1</id>"), `key id: "1-1" stands also at `},
		{"deep", "d.xml", "<mediawiki>" + strings.Repeat("<x>", 1000), "more than 100 deep"},
		{"an empty tag", "d.xml", "<mediawiki><>", "an empty tag"},
		{"a long page", "d.xml", dumpOf([2]string{"A", strings.Repeat("word ", 4<<20)}), "an element is longer than 16 MiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, tt.file, tt.content)
			_, _, err := read(t, wiki.Auto, path)
			if err == nil || !strings.HasPrefix(err.Error(), "wiki: "+path) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want %q in it", err, tt.want)
			}
		})
	}
}

// TestDumpCutKeepsPages checks that what stands before the cut is read: two of
// three streams here, of which the second ends amid the third article.
func TestDumpCutKeepsPages(t *testing.T) {
	zipped := bzipped(t, "dump-multistream")
	docs, _, err := read(t, wiki.Auto, write(t, "d.xml.bz2", zipped[:len(zipped)-30]))
	if err == nil || !strings.HasSuffix(err.Error(), "the file is cut off") {
		t.Errorf("a dump that is cut off: %v", err)
	}
	if len(docs) != 2 {
		t.Errorf("%d documents before the cut, want 2", len(docs))
	}
}

func TestDumpPages(t *testing.T) {
	hundred := strings.Repeat("word ", 119)
	tests := []struct {
		name, dump string
		want       []string // ids
		skipped    map[string]int
	}{
		{"passages", dumpOf([2]string{"A", hundred + "word"}, [2]string{"B", hundred}), []string{"1-1", "1-2", "2-1"}, nil},
		{"a redirect by its text", dumpOf([2]string{"A", "#REDIRECT [[B]]"}, [2]string{"B", "# item [[x]]"}), []string{"2-1"}, map[string]int{wiki.Redirects: 1}},
		{"namespaces by title", `<mediawiki><siteinfo><namespaces><namespace key="1">Talk</namespace></namespaces></siteinfo>` +
			`<page><title>Talk:A</title><id>1</id><revision><text>a</text></revision></page>` +
			`<page><title>Star: A</title><id>2</id><revision><text>a</text></revision></page></mediawiki>`, []string{"2-1"}, map[string]int{wiki.OtherNamespaces: 1}},
		{"items that are no redirects", dumpOf([2]string{"A", "#[[Apple]]"}, [2]string{"B", "#1 [[Hit]]"}), []string{"1-1", "2-1"}, nil},
		{"redirects of other kinds", dumpOf([2]string{"A", "\n#redirect: [[B]]"}, [2]string{"B", "#WEITERLEITUNG[[C]]"}, [2]string{"C", "#перенаправление [[D]]"}), nil, map[string]int{wiki.Redirects: 3}},
		{"a history whose last text was withdrawn", strings.ReplaceAll(dumpOf([2]string{"A", "a"}, [2]string{"B", "b"}, [2]string{"C", "c"}), "</revision>",
			`</revision><revision><id>2</id><text deleted="deleted"/></revision>`), nil, map[string]int{wiki.EmptyPages: 3}},
		{"a history", strings.ReplaceAll(dumpOf([2]string{"A", "a"}), "</revision>", `</revision><revision><model>wikitext</model><text>b</text></revision>`), []string{"1-1"}, nil},
		{"a comment", dumpOf([2]string{"A", "a &lt;!-- {{disambig}} --&gt;"}), []string{"1-1"}, nil},
		{"disambiguation", dumpOf([2]string{"A", "x {{Disambig|geo}}"}, [2]string{"B", "x {{disambiguation needed}}"}, [2]string{"C (disambiguation)", "c"}),
			[]string{"2-1"}, map[string]int{wiki.Disambiguations: 2}},
		{"no text", dumpOf([2]string{"A", "{{x}}"}, [2]string{"B", ""}), nil, map[string]int{wiki.EmptyPages: 2}},
		{"comments in the XML", "<?xml version='1.0'?><!-- <page> --><mediawiki><page><title>T</title><id>1</id><revision><text>a<!-- b --> c</text></revision></page></mediawiki>", []string{"1-1"}, nil},
		{"two dumps in one", dumpOf([2]string{"A", "a"}) + strings.Replace(dumpOf([2]string{"B", "b"}), "<id>1", "<id>9", 1), []string{"1-1", "9-1"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			docs, r, err := read(t, wiki.Auto, write(t, "d", tt.dump))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, doc := range docs {
				got = append(got, doc.ID)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("ids mismatch (-want +got):\n%s", diff)
			}
			if tt.skipped == nil {
				tt.skipped = map[string]int{}
			}
			if diff := cmp.Diff(tt.skipped, r.Skipped); diff != "" {
				t.Errorf("skipped mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDumpAddresses(t *testing.T) {
	page := dumpOf([2]string{"C&amp;A: 50% off? (é)", "text"})
	tests := []struct{ base, want string }{
		{"http://w.example/wiki/Main_Page", "http://w.example/wiki/C%26A:_50%25_off%3F_(%C3%A9)"},
		{"http://w.example/index.php?title=Main_Page", ""},
		{"Main_Page", ""},
		{"", ""},
	}
	for _, tt := range tests {
		docs, _, err := read(t, wiki.Auto, write(t, "d.xml", strings.Replace(page, "http://w.example/wiki/Main_Page", tt.base, 1)))
		if err != nil {
			t.Fatal(err)
		}
		want := []search.Document{{ID: "1-1", Title: "C&A: 50% off? (é)", Text: "text", URL: tt.want}}
		if diff := cmp.Diff(want, docs); diff != "" {
			t.Errorf("base %q mismatch (-want +got):\n%s", tt.base, diff)
		}
	}
}

// TestDumpBesideLines has ids of lines that look like those of a dump.
func TestDumpBesideLines(t *testing.T) {
	dump := write(t, "d.xml", dumpOf([2]string{"A", strings.Repeat("word ", 200)}, [2]string{"B", "b"}, [2]string{"C", strings.Repeat("word ", 300)}))
	line := func(id string) string { return write(t, "l.jsonl", fmt.Sprintf(`{"id":%q,"contents":"a"}`, id)) }
	tests := []struct {
		id     string
		double bool
	}{{"1", false}, {"1-1", true}, {"1-2", true}, {"1-3", false}, {"1-0", false}, {"1-02", false}, {"1-", false},
		{"2-1", true}, {"2-2", false}, {"3-3", true}, {"3-4", false}, {"4-1", false}}
	for _, tt := range tests {
		lines := line(tt.id)
		for _, paths := range [][]string{{dump, lines}, {lines, dump}} {
			if _, _, err := read(t, wiki.Auto, paths...); (err != nil) != tt.double {
				t.Errorf("id %q, beside a dump: %v", tt.id, err)
			}
		}
	}
}

// TestDumpBesideManyLines has a thousand ids of the shape of a dump's, on its
// pages and behind what it has of them: none is looked up, which would read all
// again each time.
func TestDumpBesideManyLines(t *testing.T) {
	const n = 1000
	var pages [][2]string
	var lines strings.Builder
	for i := range n {
		pages = append(pages, [2]string{fmt.Sprint("T", i), strings.Repeat("w ", 100*(i%2+1))})
		fmt.Fprintf(&lines, `{"id":"%d-9","contents":"a"}`+"\n", i+1)
	}
	start := time.Now()
	docs, _, err := read(t, wiki.Auto, write(t, "d.xml", dumpOf(pages...)), write(t, "l.jsonl", lines.String()))
	if err != nil || len(docs) != 2*n+n/2 {
		t.Errorf("%d documents, %v, want %d", len(docs), err, 2*n+n/2)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

// FuzzDump reads dumps of any bytes: an error names the file, documents are whole.
func FuzzDump(f *testing.F) {
	content, err := os.ReadFile("testdata/dump.xml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	f.Add([]byte(dumpOf([2]string{"A", "&lt;&#38;&#x41;&bad;&"}, [2]string{"B", "<![CDATA[x]]]>"})))
	f.Add([]byte("<mediawiki a='>'><!-- --><page/></mediawiki>"))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "d.xml")
		if err := os.WriteFile(path, bytes.ReplaceAll(content, []byte{0}, nil), 0o644); err != nil {
			t.Fatal(err)
		}
		docs, _, err := read(t, wiki.WikiXML, path)
		if err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("error %q does not name the file", err)
		}
		seen := map[string]bool{}
		for _, doc := range docs {
			if doc.ID == "" || seen[doc.ID] || doc.Title == "" || doc.Text == "" {
				t.Errorf("odd document %+q", doc)
			}
			seen[doc.ID] = true
		}
	})
}
