package openai_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"trawl/agent/llm/openai"
)

// TestConnectionsAreKept makes calls one after another, and then many at once,
// twice: each time no more connections are made than there are calls at once.
func TestConnectionsAreKept(t *testing.T) {
	stream := "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	tests := []struct {
		name   string
		answer answer
		fails  bool
	}{
		{"reply", answer{body: saysHi}, false},
		{"stream", answer{body: stream}, false},
		{"refusal", answer{status: 400, body: "no"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const atOnce = 100
			var made atomic.Int64
			gate := make(chan struct{}, atOnce)
			inner := &server{answers: map[string][]answer{chat: {tt.answer}}}
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				gate <- struct{}{}
				inner.ServeHTTP(w, r)
				w.(http.Flusher).Flush() // chunked, so that the end comes apart from the last event
				<-gate
			}))
			s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
				if state == http.StateNew {
					made.Add(1)
				}
			}
			s.Start()
			defer s.Close()
			opts := named
			opts.Stream = tt.name == "stream"
			c := openai.New(s.URL, opts)
			call := func() {
				if _, err := c.Complete(t.Context(), user("q")); (err != nil) != tt.fails {
					t.Error(err)
				}
			}
			for range 10 {
				call()
			}
			if n := made.Load(); n != 1 {
				t.Errorf("%d connections for calls one after another, want 1", n)
			}
			for range 2 {
				var wg sync.WaitGroup
				for range atOnce {
					wg.Go(call)
				}
				wg.Wait()
			}
			if n := made.Load(); n > atOnce+1 {
				t.Errorf("%d connections for %d calls at once, twice", n, atOnce)
			}
		})
	}
}

// TestClosedWhileIdle has a server that closes each connection when the second
// request comes, as one does whose keep-alive ran out at that moment.
func TestClosedWhileIdle(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			r := bufio.NewReader(conn)
			if req, err := http.ReadRequest(r); err == nil {
				io.Copy(io.Discard, req.Body)
				fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(saysHi), saysHi)
				http.ReadRequest(r)
			}
			conn.Close()
		}
	}()
	c := openai.New(l.Addr().String(), named)
	for range 3 {
		if _, err := c.Complete(t.Context(), user("q")); err != nil {
			t.Fatal(err)
		}
	}
}
