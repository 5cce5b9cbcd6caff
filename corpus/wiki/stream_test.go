package wiki_test

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/corpus/wiki"
)

// generate writes lines to a file, compressed if its name says so.
func generate(t testing.TB, name string, lines int, line func(w io.Writer, n int)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	buffered := bufio.NewWriter(f)
	var w io.Writer = buffered
	if strings.HasSuffix(name, ".gz") {
		z, _ := gzip.NewWriterLevel(buffered, gzip.BestSpeed)
		defer func() { z.Close(); buffered.Flush() }()
		w = z
	} else {
		defer buffered.Flush()
	}
	for n := range lines {
		line(w, n)
	}
	return path
}

// TestStreaming reads files of the shape of Wiki18 and of DPR's, whose content is
// many times the memory that the reading may take.
func TestStreaming(t *testing.T) {
	const (
		lines    = 100_000
		maxBytes = 2 << 20
	)
	body := strings.Repeat("words of a passage ", 10)
	passage := func(w io.Writer, n int) { fmt.Fprintf(w, `{"id": "%d", "contents": "\"Title\"\n%s"}`+"\n", n, body) }
	row := func(w io.Writer, n int) { fmt.Fprintf(w, "%d\t\"%s\"\tTitle\n", n+1, body) }
	tests := []struct {
		file string
		line func(io.Writer, int)
	}{{"wiki-18.jsonl.gz", passage}, {"psgs_w102.tsv", row}, {"psgs_w102.tsv.gz", row}}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			r := &wiki.Reader{Paths: []string{generate(t, tt.file, lines, tt.line)}}
			var before, now runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			n, most := 0, uint64(0)
			for doc, err := range r.All() {
				if err != nil {
					t.Fatal(err)
				}
				if doc.Title != "Title" || doc.Text != body {
					t.Fatalf("odd document %+v", doc)
				}
				if n++; n%(lines/4) == 0 {
					runtime.GC()
					runtime.ReadMemStats(&now)
					most = max(most, now.HeapAlloc)
				}
			}
			if n != lines {
				t.Errorf("%d documents, want %d", n, lines)
			}
			if most > before.HeapAlloc+maxBytes {
				t.Errorf("%d lines take %d bytes", lines, most-before.HeapAlloc)
			}
		})
	}
}

// TestBytes watches the progress from another goroutine, and then at each document.
func TestBytes(t *testing.T) {
	line := func(w io.Writer, n int) { fmt.Fprintf(w, `{"id":"%d","contents":"some text"}`+"\n", n) }
	first := generate(t, "a.jsonl", 20_000, line)
	second := generate(t, "b.jsonl.gz", 20_000, func(w io.Writer, n int) { line(w, n+20_000) })
	r := &wiki.Reader{Paths: []string{first, second}}
	if read, total := r.Bytes(); read != 0 || total != 0 {
		t.Errorf("before the reading: %d of %d bytes", read, total)
	}
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() {
		for last := int64(0); ; {
			read, total := r.Bytes()
			if read < last || read > total {
				t.Errorf("%d of %d bytes after %d", read, total, last)
				return
			}
			last = read
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	size := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	all, n := size(first)+size(second), 0
	for _, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		n++
		read, total := r.Bytes()
		if total != all || n == 20_000 && read != size(first) || n == 5000 && (read < size(first)/8 || read > size(first)/2) {
			t.Errorf("at document %d: %d of %d bytes, want total %d", n, read, total, all)
		}
	}
	close(stop)
	wg.Wait()
	if read, total := r.Bytes(); read != all || total != all {
		t.Errorf("after the reading: %d of %d bytes, want %d", read, total, all)
	}
}

func TestSkipped(t *testing.T) {
	tests := []struct {
		name, file, content string
		docs, skipped       int
	}{
		{"lines", "c.jsonl", `{"id":"1","contents":""}` + "\n" + `{"id":"2","contents":"\"\"\n "}` + "\n" + `{"id":"3","contents":"\"T\"\n"}` + "\n" +
			`{"id":"4","title":"","text":""}` + "\n" + `{"id":"5","text":"x"}` + "\n", 2, 3},
		{"rows", "c.tsv", "1\t\t\n2\t\tT\n3\tx\t\n", 2, 1},
		{"paragraphs", "c.json", `[{"title":"","text":" "},{"title":"a","text":""}]`, 1, 1},
		{"none", "c.jsonl", `{"id":"1","contents":"a"}`, 1, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			docs, r, err := read(t, wiki.Auto, write(t, tt.file, tt.content))
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]int{}
			if tt.skipped > 0 {
				want[wiki.EmptyPassages] = tt.skipped
			}
			if diff := cmp.Diff(want, r.Skipped); diff != "" || len(docs) != tt.docs {
				t.Errorf("%d documents, want %d; skipped mismatch (-want +got):\n%s", len(docs), tt.docs, diff)
			}
		})
	}
}

// TestStopCompressed ends the reading of bzip2 early: no goroutine may stay.
func TestStopCompressed(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 20 {
		for range wiki.Open("testdata/dump-multistream.xml.bz2", wiki.Auto) {
			break
		}
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines, before %d", after, before)
	}
}
