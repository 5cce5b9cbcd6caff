package agent

import "trawl/agent/llm"

// A ReadCall is a call as the parser read it.
type ReadCall struct {
	Name string
	Args map[string]any
}

// A Read is what the parser made of a response.
type Read struct {
	Thought, Answer string
	Tagged          bool
	Calls           []ReadCall
	Repairs         []string
	Empty           bool
}

// Parse opens the parser to the tests.
func Parse(resp *llm.Response, d Dialect) Read {
	r := parse(resp, d)
	out := Read{Thought: r.thinking(), Answer: r.answer, Tagged: r.tagged, Repairs: r.repairs, Empty: r.empty()}
	for _, c := range r.calls {
		out.Calls = append(out.Calls, ReadCall{Name: c.name, Args: c.args})
	}
	return out
}

// What the tests check by hand.
var (
	FallbackAnswer   = fallbackAnswer
	StatedConfidence = statedConfidence
	Wire             = wire
	Render           = render
	CallKey          = callKey
)

// Limits of the parser.
const (
	MaxCalls = maxCalls
	MaxRead  = maxRead
	MaxMend  = maxMend
)
