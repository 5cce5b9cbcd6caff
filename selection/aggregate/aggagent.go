package aggregate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"unicode/utf8"

	"trawl/agent/llm"
	"trawl/agent/llm/reply"
	"trawl/internal/transcript"
	"trawl/selection"
	"trawl/trajectory"
)

const (
	maxIterations = 100 // of an attempt (arXiv:2604.11753)
	maxCallTries  = 5   // replies in which a call is looked for, of an iteration (likewise)
	maxSilent     = 3   // iterations in a row without a call
	charsPerToken = 4
)

// AggAgent lets an agent look into the trajectories with tools, and write the
// answer.
type AggAgent struct{ method }

// NewAggAgent returns an AggAgent that asks client, which must know about tools.
// Its requests forbid several calls in one reply unless the options' extra keys
// say otherwise.
func NewAggAgent(client llm.Client, o Options) *AggAgent {
	if o.Sampling.TopP == nil {
		p := defaultTopP
		o.Sampling.TopP = &p
	}
	extra := map[string]any{"parallel_tool_calls": false}
	maps.Copy(extra, o.Sampling.Extra)
	o.Sampling.Extra = extra
	return &AggAgent{newMethod(aggAgent, client, o)}
}

// Select implements [selection.Selector].
func (a *AggAgent) Select(ctx context.Context, g selection.Group) (selection.Decision, error) {
	trajectories, err := candidates(g)
	if err != nil {
		return selection.Decision{}, err
	}
	d := a.begin(g)
	s := shelf(exhibits(trajectories))
	for number := range a.opts.Tries {
		r := d.attempt(number, s)
		ok, err := r.loop(ctx)
		if err != nil {
			return selection.Decision{}, a.fail(err)
		}
		if ok {
			return d.wrote(r.solution.text()), nil
		}
	}
	return d.none(fmt.Sprintf("none of %d attempts finished with a solution in the form asked for", a.opts.Tries)), nil
}

// An attempt is one conversation of the agent, from its beginning.
type attempt struct {
	*conversation
	shelf    shelf
	tools    []llm.Tool
	messages []trajectory.Message
	chars    int // of the messages and the tools, as JSON
	turn     int // the iteration, from 1
	silent   int // iterations in a row without a call, up to the last
	history  history
	solution solution
}

func (d *deciding) attempt(number int, s shelf) *attempt {
	a := &attempt{conversation: d.conversation("attempt", number), shelf: s, tools: toolSpecs(len(s))}
	a.chars = utf8.RuneCount(mustJSON(a.tools))
	lines := make([]string, len(s))
	for i, e := range s {
		lines[i] = e.line
	}
	a.add(trajectory.Message{Role: llm.System, Content: render("aggregator-system", nil)})
	a.add(trajectory.Message{Role: llm.User, Content: render("aggregator-task", struct {
		Question string
		Count    int
		Lines    []string
	}{d.question.Text, len(lines), lines})})
	return a
}

func (a *attempt) add(m trajectory.Message) {
	a.messages = append(a.messages, m)
	a.chars += utf8.RuneCount(mustJSON(m))
}

// loop carries the attempt out. It returns false if no valid solution came of it.
func (a *attempt) loop(ctx context.Context) (bool, error) {
	for a.turn = 1; a.turn <= maxIterations; a.turn++ {
		done, err := a.iterate(ctx)
		switch {
		case errors.Is(err, llm.ErrContextLength):
			return a.force(ctx, transcript.More(0, transcript.Observations(a.messages)))
		case err != nil || done:
			return done, err
		case a.lost():
			return a.force(ctx, 0)
		}
	}
	return a.force(ctx, 0)
}

// lost reports whether the model may only finish: its conversation is too long, or it
// gets nowhere.
func (a *attempt) lost() bool {
	return a.chars > charsPerToken*a.opts.Context || a.silent == maxSilent || a.history.repeats == maxRepeats
}

// iterate lets the model call one tool, and carries the call out. It returns
// true if that was a valid finish.
func (a *attempt) iterate(ctx context.Context) (bool, error) {
	r, err := a.call(ctx, a.tools, 0)
	if err != nil {
		return false, err
	}
	if !calls(r) {
		a.silent++
		a.add(trajectory.Message{Role: llm.Assistant, Content: words("no-call", struct{ Tries int }{maxCallTries})})
		a.add(trajectory.Message{Role: llm.User, Content: words("call-a-tool", struct{ Tools string }{toolNames(a.tools)})})
		return false, nil
	}
	a.silent = 0
	shown, done := a.perform(r.Calls[0])
	a.exchange(r, shown)
	return done, nil
}

// call asks until a reply has a call, and returns the last reply.
func (a *attempt) call(ctx context.Context, tools []llm.Tool, stubs int) (reply.Reply, error) {
	req := llm.Request{Messages: transcript.Wire(a.messages, stubs), Tools: tools}
	for try := 1; ; try++ {
		resp, err := a.complete(ctx, req, a.turn, try)
		if err != nil {
			return reply.Reply{}, err
		}
		if r := reply.Parse(resp, reply.Native); calls(r) || try == maxCallTries {
			return r, nil
		}
	}
}

// calls reports whether a reply calls a tool.
func calls(r reply.Reply) bool { return len(r.Calls) > 0 && r.Calls[0].Name != "" }

// perform carries out a call, unless it was made before, and returns what the model
// is shown of it; done says that it was a valid finish.
func (a *attempt) perform(c reply.Call) (shown string, done bool) {
	name := strings.ToLower(c.Name)
	if name == toolFinish {
		return a.finish(c.Args)
	}
	if a.history.again(c) {
		return words("repeated", nil), false
	}
	switch name {
	case toolSolution:
		return a.shelf.getSolution(c.Args), false
	case toolSearch:
		return a.shelf.search(c.Args), false
	case toolSegment:
		return a.shelf.segment(c.Args), false
	}
	return words("no-tool", struct{ Tools string }{toolNames(a.tools)}), false
}

// finish accepts a solution that is valid.
func (a *attempt) finish(args map[string]any) (shown string, done bool) {
	given, _ := argument(args, "solution").(string)
	sol, ok := solutionOf(given)
	if !ok {
		return words("bad-solution", nil), false
	}
	a.solution = sol
	return "", true
}

// exchange adds the first call of a reply and its result to the conversation.
// The id follows from the place, so that the same replies make the same
// conversation; nine letters and digits is what Mistral's templates insist on.
func (a *attempt) exchange(r reply.Reply, shown string) {
	c := r.Calls[0]
	if c.Args == nil {
		c.Args = map[string]any{}
	}
	id := fmt.Sprintf("a%08d", a.turn)
	a.add(trajectory.Message{
		Role: llm.Assistant, Content: r.Said, Reasoning: r.Thinking(),
		ToolCalls: []trajectory.ToolCall{{ID: id, Name: c.Name, Arguments: string(mustJSON(c.Args))}},
	})
	a.add(trajectory.Message{Role: llm.ToolRole, ToolCallID: id, Name: c.Name, Content: shown})
}

// force tells the model to finish, with no other tool. Of a conversation that
// does not fit the model, the oldest stubs tool results are left out, and more of
// them if that is not enough.
func (a *attempt) force(ctx context.Context, stubs int) (bool, error) {
	a.turn = maxIterations + 1
	a.add(trajectory.Message{Role: llm.User, Content: render("forced-finish", nil)})
	last := a.tools[len(a.tools)-1:] // finish
	r, err := a.call(ctx, last, stubs)
	for errors.Is(err, llm.ErrContextLength) {
		more := transcript.More(stubs, transcript.Observations(a.messages))
		if more == stubs {
			return false, nil
		}
		stubs = more
		r, err = a.call(ctx, last, stubs)
	}
	if err != nil || !calls(r) || !strings.EqualFold(r.Calls[0].Name, toolFinish) {
		return false, err
	}
	_, done := a.finish(r.Calls[0].Args)
	return done, nil
}
