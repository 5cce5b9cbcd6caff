package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sync/semaphore"

	"trawl/internal/text"
	"trawl/search"
)

// maxHits bounds the hits that one call may ask for, all queries together: of
// passages of 100 words they take some 70 MB.
const maxHits = 100_000

// Calls whose body is longer than shortBody have their turns, longBodies at once.
const (
	shortBody  = 256 << 10
	longBodies = 4
)

// ServeOptions are how an engine is served. The zero value selects the defaults.
type ServeOptions struct {
	Top        int           // topk of calls that name none; default 3, as in Search-R1
	MaxTop     int           // the greatest topk; default 1000
	MaxQueries int           // of one call; default 10,000
	MaxQuery   int           // bytes of one query; default 128 KiB
	MaxBody    int64         // bytes of one call; default 16 MiB
	MaxAnswer  int64         // bytes of one answer; default 128 MiB
	MaxHeld    int64         // bytes of all answers that are being made and sent, beyond which calls wait; default 512 MiB
	Patience   time.Duration // with callers who do not read, for each MiB of an answer; default 30 s
	Workers    int           // searches at once, of all calls; default GOMAXPROCS
	About      any           // what the health route says of the index, as JSON; default nothing
}

func (o ServeOptions) withDefaults() ServeOptions {
	o.Top = or(o.Top, 3)
	o.MaxTop = or(o.MaxTop, 1000)
	o.MaxQueries = or(o.MaxQueries, 10_000)
	o.MaxQuery = or(o.MaxQuery, 128<<10)
	o.MaxBody = or(o.MaxBody, 16<<20)
	o.MaxAnswer = or(o.MaxAnswer, 128<<20)
	o.MaxHeld = or(o.MaxHeld, 512<<20)
	o.Patience = or(o.Patience, 30*time.Second)
	o.Workers = or(o.Workers, runtime.GOMAXPROCS(0))
	return o
}

// or returns v or, if it is not positive, what to take instead.
func or[T int | int64 | time.Duration](v, instead T) T {
	if v > 0 {
		return v
	}
	return instead
}

type handler struct {
	engine search.Engine
	opts   ServeOptions
	slots  *semaphore.Weighted // one for each search under way
	long   *semaphore.Weighted // one for each call with a long body
	// Bytes of answers. Those of calls for little have their own, so that they do
	// not wait until somebody has read much.
	little, much *semaphore.Weighted
}

// Handler returns a handler of POST /retrieve and GET /health. A call that
// cannot be carried out is answered with {"error": "…"}: status 400 or 413 for
// one that asks wrongly or too much, 500 for one whose search fails, 503 for
// one that is cancelled.
//
// It holds an answer until the last search of the call is done, so that an
// answer is whole or has a status that says why not, and no more than MaxHeld of
// answers and what Workers searches have found. A caller who does not read is
// left after a while.
func Handler(engine search.Engine, o ServeOptions) http.Handler {
	o = o.withDefaults()
	h := &handler{
		engine: engine, opts: o,
		slots:  semaphore.NewWeighted(int64(o.Workers)),
		long:   semaphore.NewWeighted(longBodies),
		little: semaphore.NewWeighted(max(o.MaxHeld/4, littleAnswer)),
		much:   semaphore.NewWeighted(max(o.MaxHeld-o.MaxHeld/4, o.MaxAnswer)),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+retrievePath, h.retrieve)
	mux.HandleFunc("GET "+healthPath, func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusOK, health{Status: "ok", Server: mark, Index: o.About})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(newPatient(w, o.Patience), r)
	})
}

func (h *handler) retrieve(w http.ResponseWriter, r *http.Request) {
	body, done, err := h.body(w, r)
	if done != nil {
		defer done()
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		w.Header().Set("Connection", "close") // without reading the rest
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Errorf("the call has more than %d bytes", h.opts.MaxBody))
		return
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, fmt.Errorf("reading the call: %w", err))
		return
	}
	c, err := h.read(body)
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	a, err := h.answer(r.Context(), c)
	switch {
	case err == nil:
		defer a.release()
		a.send(w)
	case r.Context().Err() != nil:
		refuse(w, http.StatusServiceUnavailable, errors.New("the call was cancelled"))
	case errors.Is(err, errFull):
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Errorf("the answer has more than %d bytes: ask for fewer queries in one call, or with a smaller topk", h.opts.MaxAnswer))
	default:
		refuse(w, http.StatusInternalServerError, err)
	}
}

// body reads a call. If done is not nil, it is to be called once the body is no
// longer used.
func (h *handler) body(w http.ResponseWriter, r *http.Request) (body []byte, done func(), err error) {
	in := http.MaxBytesReader(w, r.Body, h.opts.MaxBody)
	body, err = io.ReadAll(io.LimitReader(in, shortBody))
	if err != nil || len(body) < shortBody {
		return body, nil, err
	}
	if err := h.long.Acquire(r.Context(), 1); err != nil {
		return nil, nil, err
	}
	rest, err := io.ReadAll(in)
	return append(body, rest...), func() { h.long.Release(1) }, err
}

// find searches for one query when its turn comes. What use is called with may be
// large, and is let go of before the next search begins.
func (h *handler) find(ctx context.Context, query string, n int, use func([]search.Hit) error) error {
	if err := h.slots.Acquire(ctx, 1); err != nil {
		return err
	}
	defer h.slots.Release(1)
	hits, err := h.engine.Search(ctx, query, n)
	if err != nil {
		return err
	}
	return use(hits)
}

func refuse(w http.ResponseWriter, status int, err error) {
	write(w, status, map[string]string{"error": err.Error()})
}

// write sends v as JSON. A caller who has left is none of our errors.
func write(w http.ResponseWriter, status int, v any) {
	data, err := text.JSON(v)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":"the answer is no JSON"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(status)
	w.Write(data) //nolint:errcheck // see above
}
