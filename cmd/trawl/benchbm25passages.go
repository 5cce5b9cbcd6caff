package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strconv"

	"trawl/corpus/wiki"
	"trawl/search"
)

// Passages for a benchmark lie in a file of their own, so that making them is no
// part of what is measured: for each one the lengths of id, title, URL and text
// as uvarints, and these bytes.

// A passagesInfo says what the passages of a benchmark are.
type passagesInfo struct {
	count  int
	bytes  int64             // of titles and texts
	sample []search.Document // spread evenly
}

// writePassages writes the passages that docs yields, of which there must be as
// many as stride and count say, and keeps every stride-th.
func writePassages(ctx context.Context, path string, docs iter.Seq2[search.Document, error], stride int) (info passagesInfo, err error) {
	f, err := os.Create(path)
	if err != nil {
		return info, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<20)
	var head []byte
	for doc, err := range docs {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return info, err
		}
		if info.count%stride == 0 {
			info.sample = append(info.sample, doc)
		}
		info.count++
		info.bytes += int64(len(doc.Title) + len(doc.Text))
		parts := [...]string{doc.ID, doc.Title, doc.URL, doc.Text}
		head = head[:0]
		for _, part := range parts {
			head = binary.AppendUvarint(head, uint64(len(part)))
		}
		if _, err := w.Write(head); err != nil {
			return info, err
		}
		for _, part := range parts {
			if _, err := w.WriteString(part); err != nil {
				return info, err
			}
		}
	}
	// What the system still has to write would disturb what is measured next.
	return info, errors.Join(w.Flush(), f.Sync())
}

// telling tells how many of the documents came, and once more at their end.
func telling(docs iter.Seq2[search.Document, error], bar *progress) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		n := 0
		for doc, err := range docs {
			if n++; n%1000 == 0 {
				bar.set(n, 0)
			}
			if !yield(doc, err) {
				break
			}
		}
		bar.set(n, 0)
	}
}

// readPassages streams a file of passages.
func readPassages(path string) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(search.Document{}, err)
			return
		}
		defer f.Close()
		r := passageReader{Reader: bufio.NewReaderSize(f, 1<<20)}
		for {
			doc, err := r.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", path, err)
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	}
}

// A passageReader reads passages with one allocation each.
type passageReader struct {
	*bufio.Reader
	room []byte
}

func (r *passageReader) next() (doc search.Document, err error) {
	var ends [4]uint64
	total := uint64(0)
	for i := range ends {
		n, err := binary.ReadUvarint(r)
		if err != nil {
			return doc, err
		}
		total += n
		ends[i] = total
	}
	r.room = slices.Grow(r.room[:0], int(total))[:total]
	if _, err := io.ReadFull(r, r.room); err != nil {
		return doc, fmt.Errorf("a passage of %d bytes: %w", total, io.ErrUnexpectedEOF)
	}
	s := string(r.room)
	return search.Document{ID: s[:ends[0]], Title: s[ends[0]:ends[1]], URL: s[ends[1]:ends[2]], Text: s[ends[2]:]}, nil
}

// syntheticPassages yields made-up passages.
func syntheticPassages(s *synthetic, n int) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		for i := range n {
			if !yield(s.passage(i), nil) {
				return
			}
		}
	}
}

// corpusPassages yields n passages of a file or folder. If it has fewer, they come
// again with other ids. distinct says afterwards how many there are.
func corpusPassages(path string, n int, distinct *int) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		docs := some(wiki.Open(path, wiki.Auto), path)
		for left, round := n, 0; ; round++ {
			for doc, err := range docs {
				if round > 0 {
					doc.ID += " again " + strconv.Itoa(round)
				} else {
					*distinct++
				}
				if !yield(doc, err) || err != nil {
					return
				}
				if left--; left == 0 {
					return
				}
			}
		}
	}
}
