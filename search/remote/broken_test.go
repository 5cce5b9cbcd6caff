package remote_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trawl/search/remote"
)

// TestBrokenAnswers has servers that say these bytes and hang up. What has a
// status keeps it, and only silence is a server that cannot be reached.
func TestBrokenAnswers(t *testing.T) {
	tests := []struct {
		name, says string
		calls      int32
		want       string
	}{
		{"a refusal that is cut", "HTTP/1.1 404 Not Found\r\nContent-Length: 99\r\n\r\n<h1>Not F", 1, "HTTP 404 Not Found, no content type: Not F"},
		{"a failure that is cut", "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 99\r\n\r\nbusy", 2, "attempt 2 of 2: HTTP 503 Service Unavailable, no content type: busy"},
		{"an answer that is cut", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"res", 2, "attempt 2 of 2: the answer is broken after 5 bytes: unexpected EOF"},
		{"a chunk that is cut", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{\"res", 2, "attempt 2 of 2: the answer is broken after 5 bytes: unexpected EOF"},
		{"no gzip", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 12\r\n\r\n{\"result\":[]", 2, "attempt 2 of 2: the answer is broken after 0 bytes: gzip: invalid header"},
		{"another protocol", "SSH-2.0-OpenSSH_9.6\r\n", 2, `attempt 2 of 2: the answer is broken: malformed HTTP response "SSH-2.0-OpenSSH_9.6"`},
		{"half a header", "HTTP/1.1 200 OK\r\nContent-", 2, "attempt 2 of 2: the answer is broken: malformed MIME header: missing colon: \"Content-\""},
		{"nothing", "", 2, "attempt 2 of 2: the server cannot be reached: EOF"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			address, calls := blunt(t, tt.says)
			c := client(t, "http://"+address, remote.Options{Attempts: 2, Wait: time.Millisecond})
			_, err := c.Search(t.Context(), "q", 3)
			if want := "remote: " + c.String() + ": " + tt.want; err == nil || err.Error() != want || calls.Load() != tt.calls {
				t.Errorf("%d calls, error\n%v, want\n%s", calls.Load(), err, want)
			}
			if errors.Is(err, remote.ErrUnreachable) != (tt.says == "") {
				t.Errorf("error %v is ErrUnreachable: %t", err, tt.says != "")
			}
		})
	}
}

// TestUnfinishedAnswer has a server that stops within an answer without a word.
func TestUnfinishedAnswer(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"res`)            //nolint:errcheck // see says
		http.NewResponseController(w).Flush() //nolint:errcheck // see says
		<-r.Context().Done()
	})
	c := dial(t, h, remote.Options{Attempts: 1, Timeout: 50 * time.Millisecond})
	_, err := c.Search(t.Context(), "q", 3)
	if err == nil || !strings.HasSuffix(err.Error(), "the answer is not complete after 50ms") || errors.Is(err, remote.ErrUnreachable) {
		t.Errorf("error %v, want one of an answer that is not complete", err)
	}
}

// blunt answers every call with the same bytes and hangs up, until the test ends.
func blunt(t *testing.T, says string) (address string, calls *atomic.Int32) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	calls = new(atomic.Int32)
	var g sync.WaitGroup
	g.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			calls.Add(1)
			if r, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				io.Copy(io.Discard, r.Body) //nolint:errcheck // the client sees what came of it
				io.WriteString(conn, says)  //nolint:errcheck // as above
			}
			conn.Close() //nolint:errcheck // as above
		}
	})
	t.Cleanup(func() { l.Close(); g.Wait() })
	return l.Addr().String(), calls
}
