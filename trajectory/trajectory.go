// Package trajectory is the record that every part of trawl shares: what one
// rollout asked, saw, thought and answered. [Trajectory] is one finished
// rollout, [Turn] one whole turn of a rollout under way; package
// [trawl/trajectory/store] keeps both on disk.
//
// A record is data: exported fields, JSON tags, and methods that check, compare
// and add up, but none that does work. It keeps structure (ranks, ids, scores) as well as the
// text that the model was shown, so that nobody has to parse rendered text
// later. Gold answers are not a field of anything here: a [Question] has an id
// and a text.
//
// The JSON form is schema version 1; testdata/v1.json is its golden file, and
// changing that file is a change of format.
package trajectory

import (
	"encoding/json"
	"time"
)

// Version is the schema version that this package writes.
const Version = 1

// A Question is what a rollout is asked.
type Question struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// A Key names one rollout of one run: the same key is the same piece of work,
// and is done at most once.
type Key struct {
	QuestionID string `json:"question_id"`
	Round      int    `json:"round"`   // from 1
	Rollout    int    `json:"rollout"` // from 0
	Config     string `json:"config"`  // hash of the settings that can change the result
}

// A Trajectory is one finished rollout. Seed is the seed of the rollout, from
// which those of its model calls are hashed.
type Trajectory struct {
	V           int          `json:"v"`
	QuestionID  string       `json:"question_id"`
	Round       int          `json:"round"`
	Rollout     int          `json:"rollout"`
	Config      string       `json:"config"`
	Question    string       `json:"question"`
	Seed        int64        `json:"seed"`
	SeedQuery   *SeedQuery   `json:"seed_query"` // nil if the model chose its own first query
	Steps       []Step       `json:"steps"`
	Messages    []Message    `json:"messages"` // what was sent and received, so that another program can replay it
	Answer      string       `json:"answer"`
	Source      AnswerSource `json:"answer_source"`
	Confidence  *float64     `json:"confidence"` // stated by the model, 0 to 1; nil if it stated none
	Termination Termination  `json:"termination"`
	Error       string       `json:"error"` // why the rollout failed; empty for one that is done
	Usage       Usage        `json:"usage"`
	Started     time.Time    `json:"started"` // its first turn, in UTC
	Millis      int64        `json:"ms"`      // that its turns took, without what lay between them when the run was interrupted
}

// Key returns the key of t.
func (t *Trajectory) Key() Key {
	return Key{QuestionID: t.QuestionID, Round: t.Round, Rollout: t.Rollout, Config: t.Config}
}

// A SeedQuery is the first query of a rollout when something other than the
// rollout's own model call chose it.
type SeedQuery struct {
	Text   string     `json:"text"`
	Source SeedSource `json:"source"`
}

// A SeedSource says where a query came from that something other than the
// rollout's own model call chose.
type SeedSource string

// The sources of such a query.
const (
	SeedPool      SeedSource = "pool"      // selected from the model's pool
	SeedRetry     SeedSource = "retry"     // from a second request for missing candidates
	SeedHeuristic SeedSource = "heuristic" // a span of the question
	SeedSelf      SeedSource = "self"      // the rollout chose for itself; Text is empty
)

// A Kind says what a step did.
type Kind string

// The kinds of steps.
const (
	KindSearch Kind = "search"
	KindOpen   Kind = "open"
	KindFind   Kind = "find"
	KindAnswer Kind = "answer"
	KindNone   Kind = "none" // neither a call nor an answer could be read from the reply
)

// A Step is one action of a rollout and what came back. A turn of the model
// that makes several calls has several steps with the same Turn.
type Step struct {
	Turn    int        `json:"turn"` // from 1
	Kind    Kind       `json:"kind"`
	Thought string     `json:"thought"`
	Call    *Call      `json:"call"`
	Query   string     `json:"query"`
	Source  SeedSource `json:"source,omitempty"` // of a query that was given: the seed, or a proposal for a later turn
	Results []Result   `json:"results"`
	Shown   string     `json:"shown"`             // the text the model saw
	Error   string     `json:"error"`             // a tool's failure, as the model was told
	Repairs []string   `json:"repairs"`           // what had to be mended to read the reply
	Usage   CallUsage  `json:"usage"`             // of the model call that led here, on its first step only
	Millis  int64      `json:"ms"`                // with that model call, likewise
	Entropy *float64   `json:"entropy,omitempty"` // in nats, of what the model chose between in that model call, likewise; nil if it is not known
}

// A Call is a tool call as it was understood: after repair, decoding and
// typing of its arguments.
type Call struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// A Result is one retrieved document, whole, whatever part of it was shown.
type Result struct {
	Rank   int     `json:"rank"` // from 1
	ID     string  `json:"id"`
	Title  string  `json:"title"`
	URL    string  `json:"url"`
	Score  float64 `json:"score"`
	Text   string  `json:"text"`
	Parent string  `json:"parent"` // id of the view this one was opened from
}

// A Message is one message of the conversation with the model.
type Message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	Reasoning  string     `json:"reasoning,omitempty"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"` // on role "tool": the call it answers
	Name       string     `json:"name,omitempty"`         // on role "tool": the tool
}

// A ToolCall is a call as it stands in a message: Arguments is JSON in a string.
// Its JSON form is that of the chat protocol, so that messages can be sent again
// as they are.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string
}

// A Turn is one whole turn of a rollout under way: everything that the turn
// added. The turns of a rollout in order determine its state, so that a killed
// rollout goes on after its last whole turn.
type Turn struct {
	Number   int          `json:"turn"` // from 1
	Steps    []Step       `json:"steps"`
	Messages []Message    `json:"messages"`
	Calls    int          `json:"llm_calls"` // model calls made, retries for an unusable reply included
	Usage    CallUsage    `json:"usage"`     // of all those calls
	Searches int          `json:"searches"`  // carried out: neither failed nor the repetition of an earlier one
	Opens    int          `json:"opens"`     // likewise
	Answer   string       `json:"answer,omitempty"`
	Source   AnswerSource `json:"answer_source,omitempty"`
	Ended    Termination  `json:"termination,omitempty"` // set on the last turn
	Started  time.Time    `json:"started"`               // in UTC
	Millis   int64        `json:"ms"`
}

// An AnswerSource says how the answer was read.
type AnswerSource string

// The sources of an answer.
const (
	AnswerTag       AnswerSource = "tag"        // from an answer tag or line in a turn of its own choice
	AnswerTool      AnswerSource = "tool"       // from a tool-free reply or a finish call in the native dialect
	AnswerFinalCall AnswerSource = "final-call" // from the tool-free last call at a limit
	AnswerFallback  AnswerSource = "fallback"   // guessed from a reply that kept no format
	AnswerNone      AnswerSource = "none"       // there is no answer
	AnswerState     AnswerSource = "state"      // from the state in which a round ended; no rollout's line has it
)

// A Termination says why a rollout ended.
type Termination string

// The ways a rollout ends.
const (
	Answered   Termination = "answered"
	TurnLimit  Termination = "turn-limit"
	TokenLimit Termination = "token-limit"
	TimeLimit  Termination = "time-limit"
	Loop       Termination = "loop"
	Failed     Termination = "error"
	Cancelled  Termination = "cancelled"
)

// Usage is what a whole rollout cost. Tokens are as the server counted them;
// Estimated says that at least one count is trawl's own estimate.
type Usage struct {
	LLMCalls   int  `json:"llm_calls"`
	Prompt     int  `json:"prompt"`
	Completion int  `json:"completion"`
	Cached     int  `json:"cached"`
	Searches   int  `json:"searches"`
	Opens      int  `json:"opens"`
	Estimated  bool `json:"estimated,omitempty"`
}

// CallUsage is what one model call cost, in tokens.
type CallUsage struct {
	Prompt     int  `json:"prompt"`
	Completion int  `json:"completion"`
	Cached     int  `json:"cached"`
	Estimated  bool `json:"estimated,omitempty"`
}

// A Pool is what came of one request for diverse first queries: one query for
// each rollout of a question, and what asking cost. The cost is counted in
// rollout 0 of the question.
type Pool struct {
	QuestionID string      `json:"question_id"`
	Round      int         `json:"round"`
	Config     string      `json:"config"`
	Queries    []SeedQuery `json:"queries"`    // by rollout
	Candidates []string    `json:"candidates"` // all that were parsed, in order
	Calls      int         `json:"llm_calls"`
	Usage      CallUsage   `json:"usage"`
}
