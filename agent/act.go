package agent

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"trawl/agent/llm/reply"
	"trawl/agent/tool"
	"trawl/internal/text"
	"trawl/trajectory"
)

// A planned call has its place in the conversation; what it asks may be
// possible or not.
type planned struct {
	call    trajectory.Call
	bound   tool.Call
	problem string // why it cannot run, for the model
	dropped bool   // there are too many
	key     string // see callKey
}

// act runs the calls of a reply, one after the other, and adds to the turn what
// was said, done and shown: a step for each call, and for each call in the
// conversation exactly one result, come what may. The calls that run share the
// room for results. (D5)
func (a *Agent) act(ctx context.Context, r *run, d *draft, rep reply.Reply) error {
	plan := a.plan(r, d, rep.Calls)
	limited, cancel := a.limited(ctx, r, d)
	defer cancel()
	left, waiting := a.opts.ObservationChars, toRun(r, plan)
	calls := make([]trajectory.Call, len(plan))
	results := make([]observation, len(plan))
	for i, p := range plan {
		step := a.perform(limited, r, d, p, left/max(len(waiting), 1))
		if err := ctx.Err(); err != nil {
			return err
		}
		if i == 0 {
			step.Thought = a.thoughtOf(rep)
		}
		delete(waiting, p.key)
		left -= min(left, utf8.RuneCountInString(step.Shown))
		calls[i], results[i] = p.call, observation{p.call, step.Shown}
		if !p.dropped {
			d.step(step)
		}
	}
	d.message(a.opts.Dialect.said(rep, calls))
	d.message(a.opts.Dialect.observed(results)...)
	return nil
}

// toRun returns the keys of the calls that will be carried out: not those too
// many, those that cannot run, and repetitions.
func toRun(r *run, plan []planned) map[string]bool {
	keys := map[string]bool{}
	for _, p := range plan {
		if _, known := r.seen[p.key]; !known && !p.dropped && p.problem == "" {
			keys[p.key] = true
		}
	}
	return keys
}

// plan binds the calls and gives each its place.
func (a *Agent) plan(r *run, d *draft, calls []reply.Call) []planned {
	o := outline{draft: d}
	for _, c := range calls {
		bound, err := a.tools.Bind(c.Name, c.Args)
		if err != nil {
			o.add(planned{call: trajectory.Call{Name: c.Name, Arguments: tool.Arguments(c.Args)}, problem: err.Error()})
			continue
		}
		noteBinding(d, bound)
		for _, b := range bound.Calls {
			o.add(planned{call: trajectory.Call{Name: b.Name, Arguments: b.Arguments()}, bound: b})
		}
	}
	if len(o.calls) > reply.MaxCalls {
		d.note(reply.CallsCut)
	}
	return o.calls
}

// An outline is the plan of a turn being made.
type outline struct {
	draft *draft
	calls []planned
}

// add gives a call its place and its id. Servers draw ids at random; these
// follow from the place, so that the same replies make the same conversation.
// Nine letters and digits is the form that Mistral's templates insist on.
func (o *outline) add(p planned) {
	p.call.ID = fmt.Sprintf("t%04di%03d", o.draft.turn.Number, len(o.calls))
	p.key = callKey(p.call)
	p.dropped = len(o.calls) >= reply.MaxCalls
	o.calls = append(o.calls, p)
}

func noteBinding(d *draft, b tool.Bound) {
	for _, n := range []struct {
		done bool
		name string
	}{{b.Typed, repairTyped}, {b.Renamed, repairRenamed}, {len(b.Calls) > 1, repairExpanded}, {b.Dropped > 0, repairListCut}} {
		if n.done {
			d.note(n.name)
		}
	}
}

// perform runs one call and shows at most budget characters of what it found.
// A call that was made before is not run again. Whatever goes wrong is shown to
// the model.
func (a *Agent) perform(ctx context.Context, r *run, d *draft, p planned, budget int) trajectory.Step {
	step := trajectory.Step{Kind: trajectory.KindNone, Call: &p.call}
	before, known := r.seen[p.key]
	if !known {
		before, known = d.made[p.key]
	}
	switch {
	case p.dropped:
		step.Shown = notRun(fmt.Sprintf("one turn has room for %d calls", reply.MaxCalls))
	case p.problem != "":
		fail(&step, p.problem)
	case known:
		step.Kind = before.kind
		step.Query, _ = queryOf(p.call)
		step.Shown = render("repeated", struct{ Turn int }{before.turn})
	case ctx.Err() != nil:
		step.Error = "the time is used up"
		step.Shown = notRun(step.Error)
	default:
		execute(ctx, &step, p.bound, budget)
		if step.Error == "" {
			d.ran(p.key, step.Kind)
		}
	}
	return step
}

// execute runs a call. Results are kept whole and shown cut.
func execute(ctx context.Context, step *trajectory.Step, c tool.Call, budget int) {
	began := time.Now()
	result, err := c.Run(ctx)
	step.Millis = time.Since(began).Milliseconds()
	step.Query = result.Query
	if result.Kind != "" {
		step.Kind = result.Kind
	}
	if err != nil {
		fail(step, err.Error())
		return
	}
	step.Results = result.Hits
	step.Shown = result.Show(budget)
}

// maxReason is how many bytes of a tool's failure are shown.
const maxReason = 400

// fail makes a tool's failure what the model is shown. Its text may come from
// anywhere.
func fail(step *trajectory.Step, why string) {
	step.Error = text.Truncate(tool.Defuse(text.Collapse(why)), maxReason)
	step.Shown = render("failed", struct{ Reason string }{step.Error})
}

func notRun(why string) string { return render("not-run", struct{ Reason string }{why}) }
