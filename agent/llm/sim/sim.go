// Package sim is a SIMULATED language model: a program of rules that reads
// English and answers behind the wire protocol of OpenAI and vLLM. It is there
// for the offline demo, for load and for faults.
//
// IT IS NOT A MODEL. How often it is right, how its rollouts differ, what
// helps it and what does not is what its rules and the numbers in skill.go make
// it: no accuracy, diversity or gain that is measured on it is a finding about
// language models.
//
// It knows what is asked of it by the words of the prompt (intent.go): a turn of
// research, in the first round or behind a summary of earlier ones, the answer, a
// pool of queries, a summary, a report on a record, the answer from several
// reports or from tools that look into attempts, how sure an answer is, whether a
// response is correct by the answer that stands with it (judge.go). Work that is
// already done at a question, a hint, it takes over as it does its own notes, unless
// it overlooks it (hint.go).
//
// It sees what a model sees, the messages and the tools of one request: no index,
// no world, no gold answers, nothing of other requests. What it
// knows is how relations are worded in English ([reader]). Its errors are those
// that search agents make: the nearest distractor, a hop too few, the wrong
// relation, belief in the first passage, an early guess, the same query again,
// a broken format. How often is a matter of skill and temperature (skill.go).
//
// [New] is the server as a handler, [Start] one on a loopback port:
//
//	POST /v1/chat/completions   also streamed; tools; stop; max_tokens; seed
//	POST /v1/embeddings         hashed bags of words
//	POST /tokenize              counts by the rule in tokens.go
//	GET  /v1/models, /health
//
// A reply is a pure function of the request: seed, temperature, messages and
// tools. The same request gets the same bytes, whatever else is going on; only
// the faults that count requests (see [Rule]) depend on order. A chat request
// without a seed has seed 0.
//
// # Faults
//
// [ReadFaults] reads rules that make replies go wrong as real servers and models
// do, from a JSON list or one rule a line:
//
//	{"match": {"turn": 3}, "fault": "a1-missing-brace"}
//	{"match": {"question": "(?i)harbor", "every": 10}, "fault": "c12-rate-limit", "times": 1}
//	{"match": {"asks": "summary"}, "fault": "r-no-headings"}
//	{"match": {}, "fault": "http-500", "rate": 0.02, "seed": 7}
//
// See [Rule] for the keys. [FaultNames] lists the faults; a letter and a number
// in a name is the row of the field report that it replays.
//
// # Departures
//
// The first queries of rollouts that choose for themselves are near-identical
// paraphrases, and a pool is diverse, because DivInit found models so: here both
// are set by hand (query.go, angles of the question). Rollouts that begin with
// the same passages tend to err together (skill.go), so a diverse start helps by
// construction.
//
// A summary of earlier rounds helps it because it reads it: what the summary says
// is not searched for again, and a wrong fact stays wrong unless the model reads
// evidence anew. That it doubts facts only where it is told to be critical, and how
// often, is set by hand (resume.go, the trait checks), and so is how often it
// marks a misread fact as verified (summary.go).
//
// The handler is safe for concurrent use.
//
// [reader]: trawl/agent/llm/sim/internal/reader
package sim

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// defaultMaxModelLen is the context window unless Options say otherwise.
const defaultMaxModelLen = 32768

// Options are how a simulated model is served. The zero value serves sim-base,
// at once and without faults.
type Options struct {
	Addr        string    // where [Start] listens; default a free port of 127.0.0.1
	Skill       Skill     // default Base
	Models      []string  // ids that are served, of sim-small, sim-base and sim-large; default the one of Skill. The request chooses
	MaxModelLen int       // tokens of prompt and completion; default 32768
	Latency     Latency   // default none
	Reasoning   Reasoning // default ReasoningNone
	Faults      []Rule    // see [ReadFaults]; default none
}

// A Reasoning says where the server puts the model's thinking.
type Reasoning string

// The places for thinking, as servers with and without a reasoning parser and
// of different ages put it.
const (
	ReasoningNone   Reasoning = "none"              // in the content: in <think> where the prompt asks for it, else as a sentence before the call
	ReasoningInline Reasoning = "inline"            // always as <think> in the content
	ReasoningField  Reasoning = "field"             // in the fields reasoning and reasoning_content
	ReasoningNew    Reasoning = "reasoning"         // in that field only
	ReasoningOld    Reasoning = "reasoning_content" // in that field only
)

// server is the handler's state: fixed settings, counts for faults, and parses
// that are kept to be quick.
type server struct {
	opts   Options
	models []string
	faults *injector
	parses parseCache
}

// New returns the server as a handler. An unknown model id in opts.Models is
// served with the skill Base.
func New(opts Options) http.Handler {
	if opts.Skill == "" {
		opts.Skill = Base
	}
	if opts.MaxModelLen <= 0 {
		opts.MaxModelLen = defaultMaxModelLen
	}
	if opts.Reasoning == "" {
		opts.Reasoning = ReasoningNone
	}
	s := &server{opts: opts, models: opts.Models, faults: newInjector(opts.Faults)}
	if len(s.models) == 0 {
		s.models = []string{opts.Skill.Model()}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	mux.HandleFunc("POST /v1/embeddings", s.embeddings)
	mux.HandleFunc("GET /v1/models", s.listModels)
	mux.HandleFunc("POST /tokenize", s.tokenize)
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, http.StatusNotFound, "NotFoundError", fmt.Sprintf("no route %s %s", r.Method, r.URL.Path))
	})
	return mux
}

// A Server is a simulated model that listens.
type Server struct {
	http *http.Server
	url  string
	done chan struct{}
}

// Start serves a simulated model over HTTP until Close. It fails if it cannot
// listen, and refuses an address that is not of this machine's loopback: the
// server has no authentication.
func Start(opts Options) (*Server, error) {
	addr := opts.Addr
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("sim: address %q: %w", addr, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("sim: address %q is not a loopback address", addr)
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("sim: listen on %s: %w", addr, err)
	}
	s := &Server{
		http: &http.Server{Handler: New(opts), ReadHeaderTimeout: 10 * time.Second},
		url:  "http://" + listener.Addr().String() + "/v1",
		done: make(chan struct{}),
	}
	go func() {
		defer close(s.done)
		s.http.Serve(listener) //nolint:errcheck // it ends with ErrServerClosed, by Close
	}()
	return s, nil
}

// URL returns the address for clients; it ends in /v1.
func (s *Server) URL() string { return s.url }

// Close drops the requests under way and frees the port. It does not wait for
// connections: clients keep spare ones on which no request ever came.
func (s *Server) Close() error {
	err := s.http.Close()
	<-s.done
	if err != nil {
		return fmt.Errorf("sim: close: %w", err)
	}
	return nil
}

// skillOf returns the skill that a model id asks for.
func (s *server) skillOf(model string) Skill {
	if name, ok := strings.CutPrefix(model, modelPrefix); ok {
		if skill, err := ParseSkill(name); err == nil {
			return skill
		}
	}
	return s.opts.Skill
}
