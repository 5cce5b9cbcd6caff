package remote_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/search"
	"trawl/search/remote"
)

// TestServers has the answers of the servers that people run, in their shapes.
func TestServers(t *testing.T) {
	hit := func(score float64, id, title, text string) search.Hit {
		return search.Hit{Document: search.Document{ID: id, Title: title, Text: text}, Score: score}
	}
	tests := []struct {
		name, answer string
		want         []search.Hit
	}{
		{"Search-R1, dense or without stored documents",
			`{"result":[[{"document":{"id":"15","contents":"\"Evan Morris\"\nEvan L. Morris was a \"\"lobbyist\"\"."},"score":12.25},{"document":{"id":"7","contents":"\"B\"\nb"},"score":3}]]}`,
			[]search.Hit{hit(12.25, "15", "Evan Morris", `Evan L. Morris was a ""lobbyist"".`), hit(3, "7", "B", "b")}},
		{"Search-R1, bm25 with stored documents", // printf '"A"\na b' | sha256sum
			`{"result":[[{"document":{"title":"A","text":"a b","contents":"\"A\"\na b"},"score":2.5}]]}`,
			[]search.Hit{hit(2.5, "sha256:c4a2252397ae8a8b", "A", "a b")}},
		{"Search-R1, scores off all the same",
			`{"result":[[{"id":"1","contents":"\"A\"\na"},{"id":"0","contents":"\"B\"\nb"}]]}`,
			[]search.Hit{hit(1, "1", "A", "a"), hit(0.5, "0", "B", "b")}},
		{"Search-R1's web searches",
			`{"result":[[{"document":{"contents":"\"A\"\na b"}},{"document":{"contents":"\"A\"\na b"}},{"document":{"contents":"one line"}}]]}`,
			[]search.Hit{hit(1, "sha256:c4a2252397ae8a8b", "A", "a b"), hit(0.5, "sha256:2be5032af5695ca5", "one line", "")}},
		{"Search-R1's reranking",
			`{"result":[[{"document":"\"A\"\na b","score":-3.5}]]}`, []search.Hit{hit(-3.5, "sha256:c4a2252397ae8a8b", "A", "a b")}},
		{"Search-R1's reranking, scores off",
			`{"result":[["\"A\"\na b"]]}`, []search.Hit{hit(1, "sha256:c4a2252397ae8a8b", "A", "a b")}},
		{"BrowseComp-Plus",
			`{"result":[{"document":{"title":"B","text":"b"},"docid":"62"},{"document":{"title":"","text":"a"},"docid":"3"}]}`,
			[]search.Hit{hit(1, "62", "B", "b"), hit(0.5, "3", "", "a")}},
		{"ids that are numbers, or beside the text",
			`{"result":[[{"document":{"id":15,"contents":"\"A\"\na"},"score":2},{"document":{"docid":"d","text":"b","url":"u"},"score":1}]]}`,
			[]search.Hit{hit(2, "15", "A", "a"), {Document: search.Document{ID: "d", Text: "b", URL: "u"}, Score: 1}}},
		{"no order, and ties",
			`{"result":[[{"document":{"id":"c","text":""},"score":1},{"document":{"id":"b","text":""},"score":1},{"document":{"id":"a","text":""},"score":2}]]}`,
			[]search.Hit{hit(2, "a", "", ""), hit(1, "b", "", ""), hit(1, "c", "", "")}},
		{"one score is missing",
			`{"result":[[{"document":{"id":"c","text":""},"score":1},{"document":{"id":"b","text":""},"score":null}]]}`,
			[]search.Hit{hit(1, "c", "", ""), hit(0.5, "b", "", "")}},
		{"NaN, as Python writes it",
			`{"result":[[{"document":{"id":"c","text":"NaN \"-Infinity"},"score":NaN},{"document":{"id":"b","text":""},"score":2}]]}`,
			[]search.Hit{hit(1, "c", "", `NaN "-Infinity`), hit(0.5, "b", "", "")}},
		{"infinities",
			`{"result":[[{"document":{"id":"c","text":""},"score":-Infinity},{"document":{"id":"b","text":""},"score":Infinity}]]}`,
			[]search.Hit{hit(1, "c", "", ""), hit(0.5, "b", "", "")}},
		{"a score beyond all",
			`{"result":[[{"document":{"id":"c","text":""},"score":1},{"document":{"id":"b","text":""},"score":1e999}]]}`,
			[]search.Hit{hit(1, "c", "", ""), hit(0.5, "b", "", "")}},
		{"scores in strings",
			`{"result":[[{"document":{"id":"c","text":""},"score":"3.5"},{"document":{"id":"b","text":""},"score":" 12.25"}]]}`,
			[]search.Hit{hit(12.25, "b", "", ""), hit(3.5, "c", "", "")}},
		{"strings that are no scores",
			`{"result":[[{"document":{"id":"c","text":""},"score":"nan"},{"document":{"id":"b","text":""},"score":"high"}]]}`,
			[]search.Hit{hit(1, "c", "", ""), hit(0.5, "b", "", "")}},
		{"a byte order mark", "\uFEFF" + `{"result":[[{"document":{"id":"a","text":"x"},"score":2}]]}`, []search.Hit{hit(2, "a", "", "x")}},
		{"control characters", // of the title they become spaces; an id and a text are what they are
			`{"result":[[{"document":{"id":"a\u001b\u0000","title":"\u001b[1mA\u0000\u0007\tb\r","text":"x\u001b"},"score":2}]]}`,
			[]search.Hit{hit(2, "a\x1b\x00", "[1mA b", "x\x1b")}},
		{"more than asked for",
			`{"result":[["a","b","c","d","e"]]}`,
			[]search.Hit{hit(1, "sha256:ee195db0cd14979e", "a", ""), hit(0.5, "sha256:c531b3dea7338c63", "b", ""), hit(1.0/3, "sha256:b487d56dcb6e43a9", "c", "")}},
		{"the document twice",
			`{"result":[[{"document":{"id":"a","text":"x"},"score":1},{"document":{"id":"a","text":"y"},"score":2}]]}`,
			[]search.Hit{hit(2, "a", "", "y")}},
		{"no hits", `{"result":[[]]}`, nil},
		{"no hits, flat", `{"result":[]}`, nil},
		{"no hits, null", `{"result":[null]}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := dial(t, says(http.StatusOK, "application/json", tt.answer), remote.Options{})
			got, err := c.Search(t.Context(), "q", 3)
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("%v, hits mismatch (-want +got):\n%s", err, diff)
			}
		})
	}
}

// says answers every call with the same.
func says(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		io.WriteString(w, body) //nolint:errcheck // the caller may have left
	}
}

func TestRequest(t *testing.T) {
	var path, user string
	var body map[string]any
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path = r.URL.String()
		user, _, _ = r.BasicAuth()
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		io.WriteString(w, `{"result":[[]]}`) //nolint:errcheck // see says
	})
	base := dial(t, h, remote.Options{})
	host := strings.TrimSuffix(strings.TrimPrefix(base.String(), "http://"), "/retrieve")
	for _, tt := range []struct{ address, path, user string }{
		{"http://" + host, "/retrieve", ""},
		{"http://" + host + "/", "/retrieve", ""},
		{"http://" + host + "/retrieve", "/retrieve", ""},
		{"http://" + host + "/wiki/retrieve/", "/wiki/retrieve", ""},
		{"http://ann:secret@" + host + "/wiki?key=k", "/wiki/retrieve?key=k", "ann"},
	} {
		c := client(t, tt.address, remote.Options{MaxTop: 50})
		if _, err := c.Search(t.Context(), "a \"query\"", 99); err != nil {
			t.Fatal(err)
		}
		if path != tt.path || user != tt.user {
			t.Errorf("%s called %s as %q, want %s as %q", tt.address, path, user, tt.path, tt.user)
		}
		want := map[string]any{
			"queries": []any{"a \"query\""}, "query": "a \"query\"", "return_scores": true,
			"topk": 50.0, "topk_rerank": 50.0, "topk_retrieval": 50.0,
		}
		if diff := cmp.Diff(want, body); diff != "" {
			t.Errorf("body mismatch (-want +got):\n%s", diff)
		}
		if strings.Contains(c.String(), "secret") || strings.Contains(c.String(), "key=k") {
			t.Errorf("String() shows what is secret: %s", c)
		}
	}
	for _, address := range []string{"", "localhost:8000", "ftp://host/", "http://", "/retrieve", "http://a:secret@host:port/"} {
		if c, err := remote.New(address, remote.Options{}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("New(%q) = %v, %v, want an error without the password", address, c, err)
		}
	}
}

// TestRefusedAnswers has answers that are none. The first is H13 of the field
// report: a page of a proxy, which crashed a client that took it for JSON.
func TestRefusedAnswers(t *testing.T) {
	const page = "<html>\r\n<head><title>502 Bad Gateway</title><style>h1 {color: red}</style></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx/1.18 &amp; \x1b[1mco\x1b[0m</center>\r\n</body>\r\n</html>\r\n"
	tests := []struct {
		name         string
		status       int
		kind, answer string
		want         string
	}{
		{"a proxy's page", 502, "text/html; charset=utf-8", page, "attempt 1 of 1: HTTP 502 Bad Gateway, text/html: 502 Bad Gateway 502 Bad Gateway nginx/1.18 & [1mco[0m"},
		{"a page with status 200", 200, "text/html", "<!DOCTYPE html><p>Sign in</p>", "text/html in place of JSON (HTTP 200): Sign in"},
		{"an empty page", 200, "text/plain", "", "text/plain in place of JSON (HTTP 200): "},
		{"FastAPI, another route", 404, "application/json", `{"detail":"Not Found"}`, `HTTP 404 Not Found, application/json: {"detail":"Not Found"}`},
		{"FastAPI, another call", 422, "application/json", `{"detail":[{"msg":"field required"}]}`, `HTTP 422 Unprocessable Entity, application/json: {"detail":[{"msg":"field required"}]}`},
		{"Search-R1 without scores", 500, "text/plain", "Internal Server Error", "attempt 1 of 1: HTTP 500 Internal Server Error, text/plain: Internal Server Error"},
		{"cut off", 200, "application/json", `{"result":[[{"docu`, `not an answer of a /retrieve server: not JSON: it is cut off: {"result":[[{"docu`},
		{"NaN in what is no JSON", 200, "application/json", `{"result":[[NaN,}]]}`, `not an answer of a /retrieve server: not JSON at byte 13: {"result":[[NaN,}]]}`},
		{"a score that is a list", 200, "application/json", `{"result":[[{"document":"a","score":[1]}]]}`, `not an answer of a /retrieve server: hit 1: key score: want a number, found [1]: {"result":[[{"document":"a","score":[1]}]]}`},
		{"another protocol", 200, "application/json", `{"hits":[]}`, `not an answer of a /retrieve server: it has no key result: {"hits":[]}`},
		{"result is an object", 200, "application/json", `{"result":{}}`, `not an answer of a /retrieve server: key result: want a list, found an object: {"result":{}}`},
		{"result is null", 200, "application/json", `{"result":null}`, `not an answer of a /retrieve server: it has no key result: {"result":null}`},
		{"several lists", 200, "application/json", `{"result":[[],[]]}`, `not an answer of a /retrieve server: key result: 2 lists for one query: {"result":[[],[]]}`},
		{"a hit that is a number", 200, "application/json", `{"result":[[7]]}`, `not an answer of a /retrieve server: hit 1: want an object, found a number: {"result":[[7]]}`},
		{"a hit of nothing", 200, "application/json", `{"result":[["a",null]]}`, `not an answer of a /retrieve server: hit 2: the document has neither contents nor text: {"result":[["a",null]]}`},
		{"an id that is a list", 200, "application/json", `{"result":[[{"id":[],"text":""}]]}`, `not an answer of a /retrieve server: hit 1: key id: want a string or a number: {"result":[[{"id":[],"text":""}]]}`},
		{"too long", 200, "application/json", `{"result":[["` + strings.Repeat("a", 1000) + `"]]}`, "the answer has more than 999 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := dial(t, says(tt.status, tt.kind, tt.answer), remote.Options{Attempts: 1, MaxBody: 999})
			hits, err := c.Search(t.Context(), "q", 3)
			want := "remote: " + c.String() + ": " + tt.want
			if err == nil || err.Error() != want || hits != nil {
				t.Errorf("%d hits and error\n%v, want\n%s", len(hits), err, want)
			}
			if errors.Is(err, remote.ErrUnreachable) {
				t.Error("a server that answers is said to be unreachable")
			}
		})
	}
}

// TestJSONAsHTML is a small server that sends JSON under the type of pages.
func TestJSONAsHTML(t *testing.T) {
	c := dial(t, says(200, "text/html; charset=utf-8", "\n"+`{"result":[["a"]]}`), remote.Options{})
	if hits, err := c.Search(t.Context(), "q", 3); err != nil || len(hits) != 1 {
		t.Errorf("%v, %v, want one hit", hits, err)
	}
}

func TestRedirect(t *testing.T) {
	c := dial(t, http.RedirectHandler("https://ann:secret@elsewhere.example/retrieve?key=k", http.StatusMovedPermanently), remote.Options{})
	_, err := c.Search(t.Context(), "q", 3)
	want := "remote: " + c.String() + ": HTTP 301 Moved Permanently, no content type, redirects to https://elsewhere.example/retrieve"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestNothingIsSent(t *testing.T) {
	c := client(t, "http://127.0.0.1:1", remote.Options{Transport: transport(func(*http.Request) (*http.Response, error) {
		t.Error("a request was sent")
		return nil, errors.New("no")
	})})
	for _, tt := range []struct {
		query string
		n     int
	}{{"q", 0}, {"q", -1}, {"", 3}, {" \t", 3}} {
		if hits, err := c.Search(t.Context(), tt.query, tt.n); err != nil || len(hits) != 0 {
			t.Errorf("Search(%q, %d) = %v, %v", tt.query, tt.n, hits, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Search(ctx, "q", 3); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

// transport is a round tripper that is a function.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
