package agent

import (
	"context"
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"trawl/agent/llm"
	"trawl/agent/llm/reply"
	"trawl/internal/seed"
	"trawl/internal/text"
	"trawl/internal/transcript"
	"trawl/trajectory"
)

// maxAttempts is how often a model is asked in one turn until its reply says
// anything.
const maxAttempts = 3

// A draft is a turn that is being made.
type draft struct {
	turn     trajectory.Turn
	began    time.Time
	source   trajectory.SeedSource // of the turn's query if it was given
	attempt  int                   // of the next model call
	stubs    int                   // observations that are left out of requests
	halved   int                   // how often what the rollout is told of earlier ones is halved in them
	calm     bool                  // ask without thinking
	thoughts []string              // of replies that said nothing
	made     map[string]earlier    // calls that ran in this turn
	entropy  *float64              // of the action of the last reply
	repairs  []string
}

func newDraft(number int) *draft {
	now := time.Now()
	return &draft{turn: trajectory.Turn{Number: number, Started: now.UTC()}, began: now, made: map[string]earlier{}}
}

// note remembers what had to be mended, each name once.
func (d *draft) note(repairs ...string) {
	for _, n := range repairs {
		if !slices.Contains(d.repairs, n) {
			d.repairs = append(d.repairs, n)
		}
	}
}

func (d *draft) step(s trajectory.Step) {
	s.Turn, s.Source = d.turn.Number, d.source
	d.turn.Steps = append(d.turn.Steps, s)
}

func (d *draft) message(ms ...trajectory.Message) { d.turn.Messages = append(d.turn.Messages, ms...) }

func (d *draft) spend(calls int, u trajectory.CallUsage) {
	d.turn.Calls += calls
	d.turn.Usage.Add(u)
}

// ran notes a call that was carried out.
func (d *draft) ran(key string, kind trajectory.Kind) {
	d.made[key] = earlier{turn: d.turn.Number, kind: kind}
	switch kind {
	case trajectory.KindSearch:
		d.turn.Searches++
	case trajectory.KindOpen:
		d.turn.Opens++
	}
}

func (d *draft) seed(t Task, part any) int64 { return seed.Derive(t.Seed, d.turn.Number, part) }

// end makes the turn the last one.
func (d *draft) end(why trajectory.Termination, answer string, source trajectory.AnswerSource) {
	d.turn.Ended, d.turn.Answer, d.turn.Source = why, answer, source
}

// whole returns the finished turn: its first step carries what the model call
// cost and what had to be mended.
func (d *draft) whole() trajectory.Turn {
	d.turn.Millis = time.Since(d.began).Milliseconds()
	if len(d.turn.Steps) > 0 {
		rest := d.turn.Millis
		for _, s := range d.turn.Steps[1:] {
			rest -= s.Millis
		}
		d.turn.Steps[0].Millis = rest // with the model call, whose usage it has too
		d.turn.Steps[0].Usage = d.turn.Usage
		d.turn.Steps[0].Repairs = d.repairs
		d.turn.Steps[0].Entropy = d.entropy
	}
	return d.turn
}

// think lets the model choose what to do, and does it.
func (a *Agent) think(ctx context.Context, r *run, d *draft) error {
	limited, cancel := a.limited(ctx, r, d)
	defer cancel()
	rep, err := a.ask(limited, r, d, false)
	switch {
	case errors.Is(err, llm.ErrContextLength):
		return a.conclude(ctx, r, d, trajectory.TokenLimit)
	case err != nil && ctx.Err() == nil && limited.Err() != nil:
		return a.conclude(ctx, r, d, trajectory.TimeLimit)
	case err != nil:
		return err
	case rep.Answer != "":
		a.answered(d, rep)
	case len(rep.Calls) > 0:
		return a.act(ctx, r, d, rep)
	default:
		a.remind(d, rep)
	}
	return nil
}

// limited bounds ctx by what is left of the rollout's time.
func (a *Agent) limited(ctx context.Context, r *run, d *draft) (context.Context, context.CancelFunc) {
	if r.time <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, d.began.Add(r.time-r.elapsed()))
}

func (a *Agent) answered(d *draft, rep reply.Reply) {
	source := trajectory.AnswerTool
	if rep.Tagged {
		source = trajectory.AnswerTag
	}
	d.message(a.opts.Dialect.said(rep, nil))
	d.step(trajectory.Step{Kind: trajectory.KindAnswer, Thought: a.thoughtOf(rep)})
	d.end(trajectory.Answered, rep.Answer, source)
}

// remind answers a reply that did nothing. One that said nothing leaves no
// message behind.
func (a *Agent) remind(d *draft, rep reply.Reply) {
	if m := a.opts.Dialect.said(rep, nil); m.Content != "" {
		d.message(m)
	}
	shown := a.opts.Dialect.reminder(a.tools)
	d.message(trajectory.Message{Role: llm.User, Content: shown})
	d.step(trajectory.Step{Kind: trajectory.KindNone, Thought: a.thoughtOf(rep), Shown: shown})
}

// thoughtOf returns the thinking of a reply and what it said beside its action.
func (a *Agent) thoughtOf(rep reply.Reply) string {
	if rep.Answer != "" {
		return rep.Thinking()
	}
	return reply.Join(rep.Thinking(), rep.Said)
}

// conclude makes the last call: no tools, a short completion, and whatever
// comes of it ends the rollout.
func (a *Agent) conclude(ctx context.Context, r *run, d *draft, why trajectory.Termination) error {
	d.message(trajectory.Message{Role: llm.User, Content: render("final", nil)})
	rep, err := a.ask(ctx, r, d, true)
	if err != nil && !errors.Is(err, llm.ErrContextLength) {
		return err
	}
	if len(rep.Calls) > 0 {
		d.note(repairFinalCalls)
		rep.Full = rep.Said
	}
	answer, source := a.finalAnswer(rep, d)
	kind := trajectory.KindAnswer
	if source == trajectory.AnswerNone {
		kind = trajectory.KindNone
	}
	if m := a.opts.Dialect.said(rep, nil); m.Content != "" {
		d.message(m)
	}
	d.step(trajectory.Step{Kind: kind, Thought: rep.Thinking()})
	d.end(why, answer, source)
	return nil
}

func (a *Agent) finalAnswer(rep reply.Reply, d *draft) (string, trajectory.AnswerSource) {
	if rep.Answer != "" && rep.Tagged {
		return rep.Answer, trajectory.AnswerFinalCall
	}
	if guess := reply.Fallback(rep.Said, rep.Thinking()); guess != "" {
		return guess, trajectory.AnswerFallback
	}
	for _, thought := range slices.Backward(d.thoughts) {
		if guess := reply.Fallback("", thought); guess != "" {
			return guess, trajectory.AnswerFallback
		}
	}
	return "", trajectory.AnswerNone
}

// ask gets a reply that says something, or the last of [maxAttempts]. A model
// that stopped inside its thinking is asked again with another seed and, if the
// server knows how, without thinking. (B5, B7)
func (a *Agent) ask(ctx context.Context, r *run, d *draft, final bool) (reply.Reply, error) {
	for try := 1; ; try++ {
		resp, err := a.complete(ctx, r, d, final)
		if err != nil {
			return reply.Reply{}, err
		}
		if final {
			resp = withoutCalls(resp, d)
		}
		rep := reply.Parse(resp, a.opts.Dialect.form())
		if try == maxAttempts || usable(rep, final) {
			d.note(rep.Repairs...)
			return rep, nil
		}
		d.note(repairRetried)
		if thought := rep.Thinking(); thought != "" {
			d.thoughts = append(d.thoughts, thought)
			d.calm = true
			d.note(repairThinkingOff)
		}
	}
}

// withoutCalls drops the calls of a last reply, so that what it says counts.
func withoutCalls(resp *llm.Response, d *draft) *llm.Response {
	if len(resp.Message.ToolCalls) == 0 {
		return resp
	}
	d.note(repairFinalCalls)
	said := *resp
	said.Message.ToolCalls = nil
	return &said
}

// usable reports whether there is anything to do with a reply; for a last one,
// whether it has an answer outside its thinking.
func usable(rep reply.Reply, final bool) bool {
	if final {
		return rep.Answer != "" || rep.Said != "" && reply.Fallback(rep.Said, "") != ""
	}
	return !rep.Empty()
}

// complete makes one model call. A request that does not fit is made again
// with less in it. (C1, C4)
func (a *Agent) complete(ctx context.Context, r *run, d *draft, final bool) (*llm.Response, error) {
	for {
		resp, err := a.client.Complete(ctx, a.request(r, d, final))
		switch {
		case err == nil:
			d.attempt++
			d.spend(1, trajectory.CallUsage(resp.Usage))
			d.entropy = actionEntropy(resp)
			return resp, nil
		case !errors.Is(err, llm.ErrContextLength):
			return nil, err
		}
		if !d.smaller(r) {
			return nil, err
		}
		d.note(repairShrunk)
	}
}

// smaller leaves more out of the requests of the turn, false if there is nothing
// more: earlier results, down to none, then half of what the rollout is told of
// earlier attempts, half of that, and so on. The question stays.
func (d *draft) smaller(r *run) bool {
	if more := transcript.More(d.stubs, transcript.Observations(r.traj.Messages)); more > d.stubs {
		d.stubs = more
		return true
	}
	if p := r.task.Preface; p == nil || utf8.RuneCountInString(p.Text)>>d.halved < shortestPreface {
		return false
	}
	d.halved++
	return true
}

// shortestPreface is the length in characters below which what a rollout is told
// of earlier attempts is not halved again: a few lines.
const shortestPreface = 400

// messages returns the conversation as it goes into the requests of the turn,
// results apart.
func (a *Agent) messages(r *run, d *draft) []trajectory.Message {
	ms := slices.Concat(r.traj.Messages, d.turn.Messages)
	if d.halved == 0 {
		return ms
	}
	task, p := r.task, *r.task.Preface
	p.Text = text.Middle(p.Text, utf8.RuneCountInString(p.Text)>>d.halved, cutPreface)
	task.Preface = &p
	return append(a.opts.Dialect.opening(task, a.opts.Turns), ms[r.opening:]...)
}

// cutPreface stands where the middle of what a rollout is told was left out.
const cutPreface = "\n[… shortened …]\n"

func (a *Agent) request(r *run, d *draft, final bool) *llm.Request {
	callSeed := d.seed(r.task, d.attempt)
	req := a.opts.Request(transcript.Wire(a.messages(r, d), d.stubs), a.tools.Specs(), final)
	req.Seed, req.Affinity = &callSeed, r.task.Question.ID
	if d.calm {
		req.Extra = llm.WithoutThinking(req.Extra)
	}
	return req
}

// Request returns the request that an agent with these options makes at a point of
// a conversation, for its last answer or for what comes next, without seed and
// affinity. Others ask the same of it to learn what else the model could have done.
func (o Options) Request(ms []llm.Message, tools []llm.Tool, final bool) *llm.Request {
	req := &llm.Request{Sampling: o.Sampling, Messages: ms, Logprobs: o.Logprobs}
	if o.Dialect == Tags {
		req.Stop = append(slices.Clone(req.Stop), closeSearch, closeAnswer)
	} else {
		req.Tools, req.NoTools = tools, final
	}
	if final {
		req.MaxTokens = o.FinalTokens
	} else {
		req.Reserve = o.FinalTokens
	}
	return req
}
