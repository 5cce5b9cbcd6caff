package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"trawl/search"
)

// What an answer is taken to have before it is made.
const (
	littleAnswer = 1 << 20 // bytes at least
	usualHit     = 16 << 10
)

// errFull: an answer has more bytes than there is room for.
var errFull = errors.New("the answer is too long")

// An answer is what a caller is sent, in pieces of JSON, one for each query.
type answer struct {
	pieces [][]byte
	single bool // the one piece is the result; else the result is a list of them
	size   int64
	held   *semaphore.Weighted // has size bytes for it
}

// answer carries out a call. A call whose hits are larger than hits mostly are is
// carried out again with room for the longest answer: to wait for more room while
// holding some would be to wait for others that do the same.
func (h *handler) answer(ctx context.Context, c call) (*answer, error) {
	room := min(max(littleAnswer, int64(len(c.queries)*c.top)*usualHit), h.opts.MaxAnswer)
	a, err := h.fill(ctx, c, room)
	if errors.Is(err, errFull) && room < h.opts.MaxAnswer {
		a, err = h.fill(ctx, c, h.opts.MaxAnswer)
	}
	return a, err
}

// fill searches for every query of a call and returns when no search is under
// way any more. It waits for room before it begins, and fails with [errFull] if
// the answer has more.
func (h *handler) fill(ctx context.Context, c call, room int64) (*answer, error) {
	a := &answer{pieces: make([][]byte, len(c.queries)), single: c.single, held: h.much}
	if room <= littleAnswer {
		a.held = h.little
	}
	if err := a.held.Acquire(ctx, room); err != nil {
		return nil, err
	}
	var size atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(h.opts.Workers)
	for i, query := range c.queries {
		g.Go(func() error {
			return h.find(ctx, query, c.top, func(hits []search.Hit) (err error) {
				a.pieces[i], err = c.encode(hits, func(n int) bool { return size.Add(int64(n)) <= room })
				return err
			})
		})
	}
	if err := g.Wait(); err != nil {
		a.held.Release(room)
		return nil, err
	}
	a.size = size.Load()
	a.held.Release(room - a.size)
	return a, nil
}

// encode returns the hits of one query as JSON. It asks fits about the bytes of
// each, and stops with [errFull] if they do not.
func (c call) encode(hits []search.Hit, fits func(int) bool) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	b.WriteByte('[')
	for i, hit := range hits {
		if i > 0 {
			b.WriteByte(',')
		}
		before := b.Len()
		if err := enc.Encode(c.shape(hit)); err != nil {
			return nil, fmt.Errorf("hit %q: %w", hit.ID, err)
		}
		b.Truncate(b.Len() - 1) // the line break
		if !fits(b.Len() - before) {
			return nil, errFull
		}
	}
	b.WriteByte(']')
	return bytes.Clone(b.Bytes()), nil // the buffer has up to twice as much
}

// send writes the answer, until it is written or the caller leaves, who then has
// fewer bytes than were promised.
func (a *answer) send(w http.ResponseWriter) {
	head, tail := `{"result":[`, `]}`
	if a.single {
		head, tail = `{"result":`, `}`
	}
	length := len(head) + len(tail) + max(len(a.pieces)-1, 0)
	for _, piece := range a.pieces {
		length += len(piece)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(length))
	between := head
	for _, piece := range a.pieces {
		if _, err := io.WriteString(w, between); err != nil {
			return
		}
		if _, err := w.Write(piece); err != nil {
			return
		}
		between = ","
	}
	if len(a.pieces) == 0 {
		tail = head + tail
	}
	io.WriteString(w, tail) //nolint:errcheck // as above
}

// release gives back the room that the answer took.
func (a *answer) release() { a.held.Release(a.size) }
