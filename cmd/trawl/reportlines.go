package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"

	"trawl/trajectory/store"
)

// unreadLine is in what is told of each line that cannot be read.
const unreadLine = "skipped a line that cannot be read"

// mostLines is how many lines of a kind are told before they are counted.
const mostLines = 3

// fewLines passes on what is written to it, of one kind of lines the first few; it
// counts the others, and close says how many there were. What comes after that is
// dropped. It is safe for concurrent use.
type fewLines struct {
	to     io.Writer
	of     string
	mu     sync.Mutex
	met    int
	closed bool
}

// Write implements [io.Writer].
func (f *fewLines) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return len(p), nil
	}
	if bytes.Contains(p, []byte(f.of)) {
		if f.met++; f.met > mostLines {
			return len(p), nil
		}
	}
	return f.to.Write(p)
}

func (f *fewLines) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	if more := f.met - mostLines; more > 0 {
		fmt.Fprintf(f.to, "trawl: and %d more lines that cannot be read\n", more)
	}
}

// unread says what of a run's files cannot be read; "" if all can be.
func unread(all []store.Counts) string {
	lines, torn := 0, int64(0)
	var first []string
	for _, c := range all {
		lines += len(c.Dropped)
		torn += c.Torn
		for _, bad := range c.Dropped {
			if len(first) < mostLines {
				first = append(first, bad.Error())
			}
		}
	}
	var said []string
	if lines > 0 {
		more := ""
		if lines > len(first) {
			more = fmt.Sprintf("; and %d more", lines-len(first))
		}
		said = append(said, fmt.Sprintf("%d lines cannot be read and are in no figure: %s%s", lines, strings.Join(first, "; "), more))
	}
	if torn > 0 {
		said = append(said, fmt.Sprintf("a last line was cut short, of which %d bytes are there, in no figure either", torn))
	}
	return strings.Join(said, "; ")
}
