package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"trawl/internal/text"
	"trawl/search"
)

// maxHits bounds the hits that one call may ask for, all queries together: of
// passages of 100 words they take some 70 MB.
const maxHits = 100_000

// ServeOptions are how an engine is served. The zero value selects the defaults.
type ServeOptions struct {
	Top        int   // topk of calls that name none; default 3, as in Search-R1
	MaxTop     int   // the greatest topk; default 1000
	MaxQueries int   // of one call; default 10,000
	MaxBody    int64 // bytes of one call; default 16 MiB
	Workers    int   // searches at once, of all calls; default GOMAXPROCS
	About      any   // what the health route says of the index, as JSON; default nothing
}

func (o ServeOptions) withDefaults() ServeOptions {
	o.Top = or(o.Top, 3)
	o.MaxTop = or(o.MaxTop, 1000)
	o.MaxQueries = or(o.MaxQueries, 10_000)
	o.MaxBody = or(o.MaxBody, 16<<20)
	o.Workers = or(o.Workers, runtime.GOMAXPROCS(0))
	return o
}

// or returns v or, if it is not positive, what to take instead.
func or[T int | int64](v, instead T) T {
	if v > 0 {
		return v
	}
	return instead
}

type handler struct {
	engine search.Engine
	opts   ServeOptions
	slots  *semaphore.Weighted // one for each search under way
}

// Handler returns a handler of POST /retrieve and GET /health. A call that
// cannot be carried out is answered with {"error": "…"}: status 400 or 413 for
// one that asks wrongly or too much, 500 for one whose search fails, 503 for
// one that is cancelled.
func Handler(engine search.Engine, o ServeOptions) http.Handler {
	o = o.withDefaults()
	h := &handler{engine: engine, opts: o, slots: semaphore.NewWeighted(int64(o.Workers))}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+retrievePath, h.retrieve)
	mux.HandleFunc("GET "+healthPath, func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusOK, health{Status: "ok", Server: mark, Index: o.About})
	})
	return mux
}

func (h *handler) retrieve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.opts.MaxBody))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
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
	found, err := h.searchAll(r.Context(), c)
	switch {
	case err == nil:
		write(w, http.StatusOK, answer{Result: c.render(found)})
	case r.Context().Err() != nil:
		refuse(w, http.StatusServiceUnavailable, errors.New("the call was cancelled"))
	default:
		refuse(w, http.StatusInternalServerError, err)
	}
}

// searchAll searches for every query of a call and returns when no search is
// under way any more.
func (h *handler) searchAll(ctx context.Context, c call) ([][]search.Hit, error) {
	found := make([][]search.Hit, len(c.queries))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(h.opts.Workers)
	for i, query := range c.queries {
		g.Go(func() (err error) {
			if err := h.slots.Acquire(ctx, 1); err != nil {
				return err
			}
			defer h.slots.Release(1)
			found[i], err = h.engine.Search(ctx, query, c.top)
			return err
		})
	}
	return found, g.Wait()
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
