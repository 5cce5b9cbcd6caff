package exchange

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"trawl/internal/text"
)

// A part is the text of one rollout in a file, and where it begins.
type part struct {
	text    []byte
	line    int
	trial   *int           // of a log of trials; nil elsewhere
	section string         // of such a log
	lost    map[string]int // what such a log has beside its agents, or lacks
}

// jsonLines yields the lines of r that are not blank, without surrounding blanks.
func jsonLines(r *bufio.Reader) iter.Seq2[part, error] {
	return func(yield func(part, error) bool) {
		n := 0
		for line, err := range lines(r) {
			n++
			if line = bytes.TrimSpace(line); err == nil && len(line) == 0 {
				continue
			}
			if !yield(part{text: line, line: n}, err) || err != nil {
				return
			}
		}
	}
}

// whole yields all of r as one part.
func whole(r *bufio.Reader) iter.Seq2[part, error] {
	return func(yield func(part, error) bool) {
		all, err := io.ReadAll(io.LimitReader(r, maxLine+1))
		if err == nil && len(all) > maxLine {
			err = errTooLong
		}
		yield(part{text: all, line: 1}, err)
	}
}

// listed yields the items of a JSON list, or the lines of a file that is none. The
// line of an item is the one at which it ends.
func listed(r *bufio.Reader) iter.Seq2[part, error] {
	return func(yield func(part, error) bool) {
		if first, err := firstByte(r); err != nil || first != '[' {
			jsonLines(r)(yield)
			return
		}
		count := &lineCounter{r: r, line: 1}
		dec := json.NewDecoder(count)
		if _, err := dec.Token(); err != nil {
			yield(part{line: 1}, text.JSONError(err))
			return
		}
		for n := 1; dec.More(); n++ {
			var item json.RawMessage
			if err := dec.Decode(&item); err != nil {
				yield(part{line: count.failed(err)}, fmt.Errorf("item %d: %w", n, text.JSONError(err)))
				return
			}
			if !yield(part{text: item, line: count.at(dec.InputOffset())}, nil) {
				return
			}
		}
		if _, err := dec.Token(); err != nil {
			yield(part{line: count.failed(err)}, text.JSONError(err))
			return
		}
		switch _, err := dec.Token(); {
		case err == nil:
			yield(part{line: count.at(dec.InputOffset())}, errors.New("something follows the list"))
		case !errors.Is(err, io.EOF):
			yield(part{line: count.failed(err)}, text.JSONError(err))
		}
	}
}

// firstByte returns the first byte of r that is no blank, and leaves it there.
func firstByte(r *bufio.Reader) (byte, error) {
	for {
		c, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		if !bytes.ContainsRune([]byte(" \t\r\n"), rune(c)) {
			return c, r.UnreadByte()
		}
	}
}

// A lineCounter says in which line a byte stands of what was read through it.
type lineCounter struct {
	r    io.Reader
	ends []int64 // offsets of line ends
	read int64
	line int // before the first end
}

func (l *lineCounter) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			l.ends = append(l.ends, l.read+int64(i))
		}
	}
	l.read += int64(n)
	return n, err
}

// at returns the line of the byte before an offset; offsets rise.
func (l *lineCounter) at(offset int64) int {
	for len(l.ends) > 0 && l.ends[0] < offset-1 {
		l.ends = l.ends[1:]
		l.line++
	}
	return l.line
}

// failed returns the line of an error: that at which JSON stops to be JSON, else
// the last that was read.
func (l *lineCounter) failed(err error) int {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return l.at(syntax.Offset)
	}
	return l.at(l.read)
}

// errTooLong is the error of a file that is not of rollouts.
var errTooLong = fmt.Errorf("longer than %d bytes: want one rollout a line", maxLine)

// lines yields the lines of r without their ends.
func lines(r *bufio.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		scan := bufio.NewScanner(r)
		scan.Buffer(nil, maxLine)
		for scan.Scan() {
			if !yield(scan.Bytes(), nil) {
				return
			}
		}
		if err := scan.Err(); err != nil {
			if errors.Is(err, bufio.ErrTooLong) {
				err = errTooLong
			}
			yield(nil, err)
		}
	}
}
