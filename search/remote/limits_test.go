package remote_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"trawl/search"
	"trawl/search/remote"
)

const mib = 1 << 20

// pages is an engine that finds these many hits of so many bytes, and counts the
// searches. It finds nothing for "nothing".
func pages(many, size int, searches *atomic.Int32) searcher {
	body := strings.Repeat("x", size)
	return func(_ context.Context, query string, n int) ([]search.Hit, error) {
		if query == "nothing" {
			return nil, nil
		}
		searches.Add(1)
		var hits []search.Hit
		for i := range min(n, many) {
			hits = append(hits, search.Hit{Document: search.Document{ID: fmt.Sprint(i), Text: body}, Score: 1})
		}
		return hits, nil
	}
}

// TestLargeAnswer makes a small call whose answer would be 600 MiB, and one whose
// answer is just short enough: longer than the hits' number lets expect.
func TestLargeAnswer(t *testing.T) {
	var searches atomic.Int32
	h := remote.Handler(pages(3, mib, &searches), remote.ServeOptions{MaxAnswer: 8 * mib, Workers: 2})
	ask := func(queries int) (int, string) {
		w := call(t.Context(), h, `{"queries":[`+strings.TrimSuffix(strings.Repeat(`"page",`, queries), ",")+`],"topk":3}`)
		return w.Code, w.Body.String()
	}
	const want = `{"error":"the answer has more than 8388608 bytes: ask for fewer queries in one call, or with a smaller topk"}`
	for range 3 { // or the room of the first is not given back
		searches.Store(0)
		if status, got := ask(200); status != http.StatusRequestEntityTooLarge || got != want || searches.Load() > 5 {
			t.Errorf("status %d after %d searches, answer %.200s, want 413 after 5 at most, %s", status, searches.Load(), got, want)
		}
	}
	status, got := ask(2)
	var answer struct{ Result [][]struct{ Contents string } }
	if err := json.Unmarshal([]byte(got), &answer); err != nil || status != 200 || len(answer.Result) != 2 || len(answer.Result[1]) != 3 || len(answer.Result[1][2].Contents) != mib+3 {
		t.Errorf("status %d, %d bytes: %v, want two lists of three pages", status, len(got), err)
	}
}

// TestSlowReaders has six callers who ask for 3 MiB each and do not read. There
// is room for two such answers, as 9 MiB are for calls for much, 3 · 4/4: a call
// takes 4 MiB until it is known that 3 are enough. Pipes have no buffers, so the
// first two are left after 30 s, the next after 60 and the last after 90.
func TestSlowReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var searches atomic.Int32
		h := remote.Handler(pages(1, 3*mib-100, &searches), remote.ServeOptions{MaxAnswer: 4 * mib, MaxHeld: 12 * mib})
		o, stop := piped(h)
		defer stop()
		for range 6 {
			defer askRaw(t, o, 1, 1000).Close()
			synctest.Wait()
		}
		start := time.Now()
		for round := 1; round <= 3; round++ {
			if got := searches.Load(); got != int32(2*round) {
				t.Errorf("%d searches after %v, want %d", got, time.Since(start), 2*round)
			}
			if round == 1 {
				little(t, h)
				impatient(t, h)
			}
			time.Sleep(time.Until(start.Add(time.Duration(round)*30*time.Second + time.Second)))
		}
		if w := call(t.Context(), h, `{"queries":["q"],"topk":1000}`); w.Code != 200 || time.Since(start) > 92*time.Second {
			t.Errorf("status %d after %v for a caller who reads, want 200 at once", w.Code, time.Since(start))
		}
	})
}

// little asks for few hits, which have room of their own.
func little(t *testing.T, h http.Handler) {
	t.Helper()
	start := time.Now()
	if w := call(t.Context(), h, `{"queries":["nothing"],"topk":3}`); w.Code != 200 || time.Since(start) != 0 {
		t.Errorf("status %d after %v for a call for little, want 200 at once", w.Code, time.Since(start))
	}
}

// impatient waits for room, and leaves.
func impatient(t *testing.T, h http.Handler) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	start := time.Now()
	if w := call(ctx, h, `{"queries":["nothing"],"topk":1000}`); w.Code != http.StatusServiceUnavailable || time.Since(start) != 10*time.Second {
		t.Errorf("status %d after %v, want 503 after 10s", w.Code, time.Since(start))
	}
}

// TestPatience reads 3 MiB in pieces, each in time, for more than a minute.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var searches atomic.Int32
		o, stop := piped(remote.Handler(pages(3, mib, &searches), remote.ServeOptions{}))
		defer stop()
		conn := askRaw(t, o, 1, 3)
		defer conn.Close()
		start, total := time.Now(), 0
		for b := make([]byte, mib/2); ; time.Sleep(10 * time.Second) {
			n, err := io.ReadFull(conn, b)
			total += n
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); total < 3*mib || took < time.Minute {
			t.Errorf("read %d bytes in %v, want 3 MiB in more than a minute", total, took)
		}
	})
}

// askRaw makes a call on a connection of its own, which closes after the answer.
func askRaw(t *testing.T, o remote.Options, queries, topk int) net.Conn {
	t.Helper()
	conn, err := o.Transport.(*http.Transport).DialContext(t.Context(), "tcp", "server")
	if err != nil {
		t.Fatal(err)
	}
	body := fmt.Sprintf(`{"queries":[%s],"topk":%d}`, strings.TrimSuffix(strings.Repeat(`"q",`, queries), ","), topk)
	if _, err := fmt.Fprintf(conn, "POST /retrieve HTTP/1.1\r\nHost: server\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestLongBodies makes six calls at once whose bodies are long: four are read at
// once, and the others when these are done.
func TestLongBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := remote.Handler(searcher(func(ctx context.Context, _ string, _ int) ([]search.Hit, error) {
			return nil, wait(ctx, time.Second)
		}), remote.ServeOptions{Workers: 99})
		query := `"` + strings.Repeat("a", 100<<10) + `"`
		start := time.Now()
		var g sync.WaitGroup
		for range 6 {
			g.Go(func() {
				if w := call(t.Context(), h, `{"queries":[`+query+`,`+query+`,`+query+`]}`); w.Body.String() != `{"result":[[],[],[]]}` {
					t.Errorf("status %d: %.100s", w.Code, w.Body)
				}
			})
		}
		g.Wait()
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("took %v, want 2s", took)
		}
	})
}
