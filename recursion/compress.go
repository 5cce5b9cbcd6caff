package recursion

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"trawl/agent/llm"
	"trawl/internal/seed"
	"trawl/internal/text"
	"trawl/internal/transcript"
	"trawl/recursion/internal/summary"
	"trawl/trajectory"
)

// maxAttempts is how often a model is asked for one summary until it writes one.
const maxAttempts = 3

// A Compressor makes states of trajectories.
type Compressor struct {
	client llm.Client
	opts   Options
}

// NewCompressor returns a compressor that asks client; of the options, Variant,
// Sampling and Tools are its own.
func NewCompressor(client llm.Client, o Options) *Compressor { return &Compressor{client, o} }

// Compress returns the state in which the round of t leaves its question. Before
// is the state that the round began with, nil if there was none; Spent adds to
// its own. A summary that does not fit the model or that the model does not
// write is no error: the state is then that of before ([trajectory.StateCarried]),
// or none. A server that cannot be reached, is overloaded or refuses the request
// is one, and so is the end of ctx.
func (c *Compressor) Compress(ctx context.Context, t *trajectory.Trajectory, before *trajectory.State) (trajectory.State, error) {
	began := time.Now()
	d := &draft{conversation: conversation(t), task: t, earlier: tells(before)}
	written, err := c.summary(ctx, d)
	if err != nil {
		return trajectory.State{}, fmt.Errorf("recursion: summary of %v: %w", t.Key(), err)
	}
	s := d.state(written, before)
	s.V, s.QuestionID, s.Round, s.Rollout, s.Config = trajectory.StateVersion, t.QuestionID, t.Round, t.Rollout, t.Config
	s.Queries = queries(t.Steps)
	s.Calls, s.Usage = d.calls, d.usage
	s.Started, s.Millis = began.UTC(), time.Since(began).Milliseconds()
	if before != nil {
		s.Spent = before.Spent
	}
	s.Spent.Tokens += t.Usage.Prompt + t.Usage.Completion + d.usage.Prompt + d.usage.Completion
	s.Spent.Millis += t.Millis + s.Millis
	return s, nil
}

// A draft is a summary that is being made.
type draft struct {
	conversation transcript.Conversation
	task         *trajectory.Trajectory
	earlier      bool // the round began with a summary
	attempt      int
	fit          transcript.Fit
	calm         bool // ask without thinking
	calls        int
	usage        trajectory.CallUsage
	repairs      []string
}

// note remembers what had to be mended, each name once.
func (d *draft) note(repairs ...string) {
	for _, r := range repairs {
		if !slices.Contains(d.repairs, r) {
			d.repairs = append(d.repairs, r)
		}
	}
}

// state completes the state of a summary; without one, it is that of before.
func (d *draft) state(s trajectory.State, before *trajectory.State) trajectory.State {
	switch {
	case s.Raw != "":
		s.Origin = trajectory.StateModel
		s.Repairs = append(d.repairs, s.Repairs...)
		return s
	case d.earlier:
		s = carried(before)
	default:
		s = summary.Parse("")
		s.Origin = trajectory.StateNone
	}
	s.Repairs = d.repairs
	return s
}

// carried returns what goes on of a state when nothing follows it.
func carried(before *trajectory.State) trajectory.State {
	return trajectory.State{
		CurrentAnswer: before.CurrentAnswer, Facts: before.Facts, Conclusions: before.Conclusions, Sources: before.Sources,
		Uncertainties: before.Uncertainties, Failed: before.Failed, Uncompleted: before.Uncompleted, Discarded: before.Discarded,
		Conflicts: before.Conflicts, Raw: before.Raw, Origin: trajectory.StateCarried,
	}
}

// summary gets a text from the model, read as a state, one without Raw if it
// writes none. A reply that says
// nothing, or in which no section can be read, is asked for again, with another
// seed and, if it was thinking that took its place, without that; prose is better
// than nothing in the end, and calls of tools are nothing. (B3, B5, B7)
func (c *Compressor) summary(ctx context.Context, d *draft) (trajectory.State, error) {
	var prose reading
	for ; d.attempt < maxAttempts; d.attempt++ {
		if d.attempt > 0 {
			d.note(repairRetried)
		}
		resp, err := c.complete(ctx, d)
		switch {
		case err != nil && ctx.Err() != nil:
			return trajectory.State{}, ctx.Err()
		case errors.Is(err, llm.ErrContextLength):
			d.note(repairUnfit)
			return trajectory.State{}, nil
		case errors.Is(err, llm.ErrMalformed):
			continue
		case err != nil:
			return trajectory.State{}, err
		}
		got := d.read(resp)
		if got.sections() {
			d.note(got.repairs...)
			return got.state, nil
		}
		if got.state.Raw != "" {
			prose = got
		}
	}
	if prose.state.Raw == "" {
		d.note(repairNoSummary)
	}
	d.note(prose.repairs...)
	return prose.state, nil
}

// complete makes one model call. A request that does not fit is made again with
// less of the conversation in it. (C1, C4)
func (c *Compressor) complete(ctx context.Context, d *draft) (*llm.Response, error) {
	for {
		resp, err := c.client.Complete(ctx, c.request(d))
		if err == nil {
			d.calls++
			d.usage.Add(trajectory.CallUsage(resp.Usage))
			return resp, nil
		}
		if !errors.Is(err, llm.ErrContextLength) {
			return nil, err
		}
		next, ok := d.conversation.Smaller(d.fit)
		if !ok {
			return nil, err
		}
		d.fit = next
		d.note(repairShrunk)
		if next.Dropped > 0 {
			d.note(repairExchanges)
		}
	}
}

func (c *Compressor) request(d *draft) *llm.Request {
	callSeed := seed.Derive(d.task.Seed, "summary", d.attempt)
	ask := trajectory.Message{Role: llm.User, Content: c.prompt(d)}
	req := &llm.Request{
		Sampling: c.opts.Sampling,
		Messages: d.conversation.Wire(d.fit, ask),
		Tools:    c.opts.Tools,
		NoTools:  len(c.opts.Tools) > 0,
		Seed:     &callSeed,
		Affinity: d.task.QuestionID,
	}
	if d.calm {
		req.Extra = llm.WithoutThinking(req.Extra)
	}
	return req
}

func (c *Compressor) prompt(d *draft) string {
	return render("summary", struct {
		Question      string
		Full, Earlier bool
	}{text.Collapse(d.task.Question), c.opts.Variant == Full, d.earlier})
}

// queries returns the searches that were carried out, in order: not those that
// failed, and not those that only repeat one and so have no results.
func queries(steps []trajectory.Step) []string {
	out := []string{}
	seen := map[string]bool{}
	for _, s := range steps {
		if s.Kind != trajectory.KindSearch || s.Error != "" || text.Blank(s.Query) {
			continue
		}
		key := text.Fold(s.Query)
		if len(s.Results) > 0 || !seen[key] {
			out = append(out, text.Collapse(s.Query))
		}
		seen[key] = true
	}
	return out
}
