package openai

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
)

// events yields the data of each server-sent event in r: the contents of its
// data lines, joined by newlines. Comments, other fields and any number of blank
// lines are skipped (go-openai gives up after 300, its issue 70). An event that
// the end of r cuts off before its blank line is yielded too. The last pair has
// the error of r, if there is one; a line beyond max bytes is one. The data is
// valid until the next step.
func events(r io.Reader, max int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, max)
		var data []byte
		open := false // an event has begun
		for first := true; lines.Scan(); first = false {
			line := lines.Bytes()
			if first {
				line = bytes.TrimPrefix(line, []byte("\ufeff"))
			}
			if len(line) == 0 {
				if open && !yield(data, nil) {
					return
				}
				data, open = data[:0], false
				continue
			}
			value, ok := bytes.CutPrefix(line, []byte("data:"))
			if !ok {
				continue
			}
			if open {
				data = append(data, '\n')
			}
			data, open = append(data, bytes.TrimPrefix(value, []byte(" "))...), true
		}
		if open && !yield(data, nil) {
			return
		}
		if err := lines.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// errCut is a stream that ended before its reply did.
var errCut = errors.New("the stream was cut off")

// merge reads a stream to its end and returns the whole reply. A stream that
// ends without saying so, by [DONE] or a finish reason, was cut off.
func (t *transport) merge(ctx context.Context, r io.Reader, clock *clock) ([]byte, error) {
	var a assembly
	done := false
	for data, err := range events(r, int(t.opts.MaxBytes)) {
		switch {
		case errors.Is(err, bufio.ErrTooLong):
			return nil, t.malformed(fmt.Errorf("an event longer than %d bytes", t.opts.MaxBytes), nil)
		case err != nil:
			return nil, t.lost(ctx, err)
		}
		clock.tick()
		if done, err = t.mergeEvent(&a, data); err != nil {
			return nil, err
		}
		if done {
			break
		}
	}
	if !done && a.finish == "" {
		return nil, t.lost(ctx, errCut)
	}
	out, err := a.encode()
	if err != nil {
		return nil, t.malformed(err, nil)
	}
	return out, nil
}

// mergeEvent adds one event to a and reports whether it was the last. Servers
// that leave out the blank lines make one event of several, a line each.
func (t *transport) mergeEvent(a *assembly, data []byte) (done bool, err error) {
	if bytes.IndexByte(data, '\n') >= 0 && !json.Valid(data) {
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			if done, err = t.mergeEvent(a, line); done || err != nil {
				return done, err
			}
		}
		return false, nil
	}
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return false, nil
	}
	if string(data) == "[DONE]" {
		return true, nil
	}
	var c completion
	if err := json.Unmarshal(data, &c); err != nil {
		return false, t.malformed(misshapen(err), data)
	}
	if c.failed() {
		return false, t.failure(data)
	}
	a.add(&c)
	return false, nil
}
