package exchange

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
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
			yield(part{line: 1}, jsonError(err))
			return
		}
		for n := 1; dec.More(); n++ {
			var item json.RawMessage
			count.from = dec.InputOffset()
			err := dec.Decode(&item)
			if err == nil && len(item) > maxLine {
				err = errTooLong
			}
			if err != nil {
				yield(part{line: count.failed(err)}, fmt.Errorf("item %d: %w", n, jsonError(err)))
				return
			}
			if !yield(part{text: item, line: count.at(dec.InputOffset())}, nil) {
				return
			}
		}
		if _, err := dec.Token(); err != nil {
			yield(part{line: count.failed(err)}, jsonError(err))
			return
		}
		switch _, err := dec.Token(); {
		case err == nil:
			yield(part{line: count.at(dec.InputOffset())}, errors.New("something follows the list"))
		case !errors.Is(err, io.EOF):
			yield(part{line: count.failed(err)}, jsonError(err))
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
	from int64 // where the item begins that is being read
	line int   // before the first end
}

// Read reads a little at a time, so that little is read beyond an item, and fails if
// one is too long.
func (l *lineCounter) Read(p []byte) (int, error) {
	const little = 64 << 10
	p = p[:min(len(p), little)]
	if l.read-l.from > maxLine+little {
		return 0, errTooLong
	}
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
var errTooLong = fmt.Errorf("a rollout of more than %d MiB, which is the limit: want one rollout a line, a file or a row", maxLine>>20)

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
