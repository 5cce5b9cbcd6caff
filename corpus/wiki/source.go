package wiki

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"unicode/utf8"

	"trawl/internal/text"
)

// maxLine is how long a line may be.
const maxLine = 16 << 20

// A source is an open file, decompressed.
type source struct {
	*bufio.Reader
	file  *os.File
	unzip *bunzip // nil without bzip2
}

// openSource opens a file.
func openSource(f file) (*source, error) {
	opened, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	s := &source{file: opened}
	raw := bufio.NewReaderSize(counted{opened, f.read}, 1<<16)
	var r io.Reader = raw
	if head, _ := raw.Peek(4); isBzip(head) {
		s.unzip = newBunzip(raw, opened)
		r = s.unzip
	}
	if s.Reader, err = text.NewReader(r); err != nil {
		s.close()
		if errors.Is(err, text.ErrUTF16) {
			return nil, fmt.Errorf("%s %w", f.path, err)
		}
		return nil, fmt.Errorf("%s: %w", f.path, cause(err))
	}
	return s, nil
}

func (s *source) close() {
	if s.unzip != nil {
		s.unzip.close()
	}
	s.file.Close()
}

// counted counts the bytes read, unless n is nil.
type counted struct {
	io.Reader
	n *atomic.Int64
}

// Read implements [io.Reader].
func (c counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	if c.n != nil {
		c.n.Add(int64(n))
	}
	return n, err
}

// errCutOff is that of a file that ends too early.
var errCutOff = errors.New("the file is cut off")

// cause words an error of reading: compressed files are often cut short.
func cause(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errCutOff
	}
	return err
}

// A line of a file, without its end.
type line struct {
	text  []byte // valid until the next line is read
	ended bool   // by "\n"; only the last line of a file may not be
}

// next reads a line. At the end of the file it returns io.EOF.
func (s *source) next(buf []byte) (line, error) {
	buf = buf[:0]
	for {
		chunk, err := s.ReadSlice('\n')
		buf = append(buf, chunk...)
		switch {
		case len(buf) > maxLine:
			return line{}, fmt.Errorf("the line is longer than %d MiB", maxLine>>20)
		case err == nil:
			text := bytes.TrimSuffix(buf[:len(buf)-1], []byte("\r"))
			return line{text, true}, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(buf) > 0:
			return line{buf, false}, nil
		default:
			return line{}, err
		}
	}
}

// A parser makes a record of a line; ok is false for a line that is none, such
// as a header. number counts from 1.
type parser func(text []byte, number int) (rec record, ok bool, err error)

// readLines visits the records of a file with one a line.
func readLines(f file, parse parser, visit visitor) error {
	src, err := openSource(f)
	if err != nil {
		return err
	}
	defer src.close()
	return src.eachRecord(f.path, parse, visit)
}

// eachRecord visits the records of lines.
func (s *source) eachRecord(path string, parse parser, visit visitor) error {
	return s.eachLine(path, func(raw []byte, at place) error {
		rec, ok, err := parse(raw, at.line)
		if err != nil || !ok {
			return err
		}
		rec.place, rec.replaced = at, !utf8.Valid(raw)
		if err := visit(rec); err != nil {
			return visitError{err}
		}
		return nil
	})
}

// A visitError is an error of the visitor, not of the file.
type visitError struct{ error }

// eachLine gives read every line that is not blank. An error of read is that of
// the line, whose place it gets, except a [visitError], which ends the reading as
// it is.
func (s *source) eachLine(path string, read func(raw []byte, at place) error) error {
	var buf []byte
	for number := 1; ; number++ {
		at := place{path, number}
		l, err := s.next(buf)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%v: %w", at, cause(err))
		}
		buf = l.text
		if len(bytes.TrimSpace(l.text)) == 0 {
			continue
		}
		err = read(l.text, at)
		ofVisitor := visitError{}
		switch {
		case errors.As(err, &ofVisitor):
			return ofVisitor.error
		case err != nil && !l.ended:
			return fmt.Errorf("%v: the last line is cut off: %w", at, err)
		case err != nil:
			return fmt.Errorf("%v: %w", at, err)
		}
	}
}
