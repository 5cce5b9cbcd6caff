// Package aggregate holds the selectors that let a model write the answer:
// [SolAgg] from the rollouts' final messages, [SummAgg] from reports on them, and
// [AggAgent], an agent that looks into the trajectories with tools. [Confidence]
// asks how sure a rollout's answer is, and [Asked] lets another selector decide
// by that. Their decisions say what their model calls cost.
//
// SolAgg, SummAgg and AggAgent are those of arXiv:2604.11753 (SummAgg after
// ParallelMuse), with the settings and the reading of answers by which
// arXiv:2609.39912 (SEL) A.2 compares them with its selector.
//
// A group of which no rollout has an answer is [selection.ErrEmpty]; a rollout
// that failed is not shown to a model. A model that never keeps to the format is
// no error: the decision has no answer, which counts as wrong, and a note. Nor is
// a reply that cannot be read: it says nothing, and is asked for again as one that
// does not keep to the format. A server that cannot be reached, is overloaded or
// refuses a request is an error, and so is the end of the context.
//
// Steps of a trajectory are its messages from the model's first one on, counted
// from 1; a message of the user's that holds <information> is the tool's
// [reconstruction: the sources do not say what a step is]. A trajectory that
// was recorded without messages is read from its steps.
//
// # Departures
//
// Waiting between attempts is [llm.Retry]'s, around the client; here only replies
// that cannot be used are asked for again, each with another seed and at once.
//
// The zero [Options] set a top-p for AggAgent alone, since SEL A.2 names
// temperature 1 and 10,000 tokens for SolAgg and SummAgg, and no top-p. trawl's
// settings have one sampling for all that the aggregator's model is asked:
// through the command line SolAgg, SummAgg and Confidence have AggAgent's 0.95.
//
// A rollout without an answer gives SolAgg no report, even if it has a last
// message: that is no prediction. For a model trajectories are numbered from 1, by
// their place among those shown; trawl's records number rollouts from 0, and no
// note of a decision uses the model's numbers.
//
// Reports are numbered from 1 without gaps where rollouts have none. Reports that
// do not fit the model are shortened in the middle, the longest first; a record
// that does not fit loses its oldest results first, then its oldest exchanges,
// never the question. A report's headings are lowered where they would begin
// another report. The prompt's own example of an answer, which small models copy,
// is no answer.
//
// AggAgent ends with a forced finish not only at its limit of context but also
// after its last iteration, after three iterations in a row without a call, after
// three repeats of earlier calls without a new one in between, and where the server
// refuses the prompt as too long, then with old tool results left out. A call, other
// than of finish, that equals an earlier one of the attempt but for case, composition
// of characters and white space is not carried out again: its result says so. After an iteration without a call a message of the user's follows
// the error text, since many chat templates want the roles to alternate. Texts
// are also cut at sixteen characters a word, because some scripts write no
// spaces. What has no run of [a-z0-9] is compared by single letters and digits.
//
// Results of AggAgent's tools are JSON; what says that there is none, or that a
// call cannot be carried out, is plain text.
//
// The fresh tokens of a cost are counted for each whole attempt of AggAgent anew.
//
// Everything here is safe for concurrent use.
package aggregate

import (
	"fmt"
	"strings"

	"trawl/agent/llm"
	"trawl/internal/seed"
	"trawl/internal/text"
	"trawl/selection"
	"trawl/trajectory"
)

// Options set how a model is asked. The zero value is the papers' setting.
type Options struct {
	Sampling llm.Sampling // default temperature 1.0, 10,000 tokens a completion, and top-p 0.95 for AggAgent
	Seed     int64
	Tries    int // for an answer, a report, a confidence, and whole attempts of AggAgent; default 3
	Context  int // tokens that AggAgent's conversation may have, at four characters each; default 102,400

	// Tools are those that the rollouts' conversations were made with. Confidence
	// sends them along, not to be called, so that a prefix which the server has
	// cached fits.
	Tools []llm.Tool
}

const (
	defaultTemperature = 1.0
	defaultTopP        = 0.95
	defaultMaxTokens   = 10000
	defaultTries       = 3
	defaultContext     = 102400
)

// The names of the methods.
const (
	solAgg     = "solagg"
	summAgg    = "summagg"
	aggAgent   = "aggagent"
	confidence = "confidence"
)

// maxParallel bounds the model calls that one decision makes at once.
const maxParallel = 16

// newMethod fills in the defaults, and drops the options that only the others
// of the methods read.
func newMethod(name string, client llm.Client, o Options) method {
	if o.Sampling.Temperature == nil {
		t := defaultTemperature
		o.Sampling.Temperature = &t
	}
	if o.Sampling.MaxTokens == 0 {
		o.Sampling.MaxTokens = defaultMaxTokens
	}
	if o.Tries <= 0 {
		o.Tries = defaultTries
	}
	switch {
	case name != aggAgent:
		o.Context = 0
	case o.Context <= 0:
		o.Context = defaultContext
	}
	if name != confidence {
		o.Tools = nil
	}
	return method{name: name, client: client, opts: o}
}

// A method is what the ways to ask a model share.
type method struct {
	name   string
	client llm.Client
	opts   Options
}

// Identity returns all that decides beside the rollouts and the model, as JSON:
// two selectors of one identity decide alike.
func (m method) Identity() string {
	id := struct {
		Method   string       `json:"method"`
		Prompts  string       `json:"prompts"`
		Sampling llm.Sampling `json:"sampling"`
		Tries    int          `json:"tries"`
		Context  int          `json:"context,omitempty"`
		Tools    []llm.Tool   `json:"tools,omitempty"`
		Seed     int64        `json:"seed"`
	}{m.name, PromptHash(), m.opts.Sampling, m.opts.Tries, m.opts.Context, m.opts.Tools, m.opts.Seed}
	data, err := text.JSON(id)
	if err != nil { // an extra key of the request holds what is not JSON; such a request cannot be sent either
		return fmt.Sprintf("%+v", id)
	}
	return string(data)
}

// candidates returns the trajectories that are done, [selection.ErrEmpty] if none
// of them has an answer.
func candidates(g selection.Group) ([]*trajectory.Trajectory, error) {
	var done []*trajectory.Trajectory
	answered := false
	for _, t := range g.Trajectories {
		if t.Error == "" {
			done = append(done, t)
			answered = answered || answers(t)
		}
	}
	if !answered {
		return nil, selection.ErrEmpty
	}
	return done, nil
}

// answers reports whether t is done and has an answer.
func answers(t *trajectory.Trajectory) bool { return t.Error == "" && !text.Blank(t.Answer) }

// base returns the seed of a decision: it depends on the settings, the method,
// the question and which rollouts are in the group.
func (m method) base(g selection.Group) int64 {
	rollouts := make([]string, len(g.Trajectories))
	for i, t := range g.Trajectories {
		rollouts[i] = fmt.Sprintf("%d/%d", t.Round, t.Rollout)
	}
	return seed.Derive(m.opts.Seed, m.name, g.Question.ID, strings.Join(rollouts, ","))
}

// fail says which method an error is of. Of which question, the caller knows.
func (m method) fail(err error) error {
	return fmt.Errorf("aggregate: %s: %w", m.name, err)
}

var (
	_ selection.Selector = (*SolAgg)(nil)
	_ selection.Selector = (*SummAgg)(nil)
	_ selection.Selector = (*AggAgent)(nil)
	_ selection.Selector = (*Confidence)(nil)
	_ selection.Selector = Asked{}
)
