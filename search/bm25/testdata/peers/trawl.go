// Command trawl prints what peers.py compares with: with one argument, a corpus,
// the terms of its passages as JSON lines; with two, an index and a file of
// queries, the best ten of each, and how long searches take, one at a time.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"time"

	"trawl/search"
	"trawl/search/bm25"
	"trawl/search/english"
)

// passes is how often all queries are asked; the first pass does not count.
const passes = 6

func main() {
	out := bufio.NewWriter(os.Stdout)
	var err error
	switch len(os.Args) {
	case 2:
		err = analyze(os.Args[1], json.NewEncoder(out))
	case 3:
		err = ask(os.Args[1], os.Args[2], json.NewEncoder(out))
	default:
		err = errors.New("want a corpus, or an index and a file of queries")
	}
	if err = errors.Join(err, out.Flush()); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// analyze prints the terms of each passage.
func analyze(corpus string, out *json.Encoder) error {
	return eachLine(corpus, func(l line) error {
		return out.Encode(map[string]any{"id": l.ID, "terms": english.Analyze(l.Contents)})
	})
}

// ask prints the hits of each query, and times the searches.
func ask(dir, queries string, out *json.Encoder) error {
	runtime.GOMAXPROCS(1)
	x, err := bm25.Open(dir)
	if err != nil {
		return err
	}
	defer x.Close()
	var questions []string
	if err := eachLine(queries, func(l line) error {
		questions = append(questions, l.Question)
		return nil
	}); err != nil {
		return err
	}
	var took []time.Duration
	for pass := range passes {
		for _, q := range questions {
			hits, d, err := timed(x, q)
			if err != nil {
				return err
			}
			if pass > 0 {
				took = append(took, d)
			} else if err := out.Encode(map[string]any{"query": q, "hits": short(hits)}); err != nil {
				return err
			}
		}
	}
	slices.Sort(took)
	fmt.Fprintf(os.Stderr, "%d searches: p50 %v, p95 %v\n", len(took), took[len(took)/2], took[len(took)*95/100])
	return nil
}

func timed(x *bm25.Index, query string) ([]search.Hit, time.Duration, error) {
	start := time.Now()
	hits, err := x.Search(context.Background(), query, 10)
	return hits, time.Since(start), err
}

// short returns the ids and scores of hits.
func short(hits []search.Hit) [][2]any {
	out := make([][2]any, len(hits))
	for i, h := range hits {
		out[i] = [2]any{h.ID, h.Score}
	}
	return out
}

// A line is one of a corpus or of a file of questions.
type line struct{ ID, Contents, Question string }

func eachLine(path string, f func(line) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	for lines := json.NewDecoder(bufio.NewReader(file)); ; {
		var l line
		if err := lines.Decode(&l); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := f(l); err != nil {
			return err
		}
	}
}
