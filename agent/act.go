package agent

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

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
}

// act runs the calls of a reply, one after the other, and adds to the turn what
// was said, done and shown: a step for each call, and for each call in the
// conversation exactly one result, come what may. (D5)
func (a *Agent) act(ctx context.Context, r *run, d *draft, rep reply) error {
	plan := a.plan(r, d, rep.calls)
	limited, cancel := a.limited(ctx, r, d)
	defer cancel()
	left := a.opts.ObservationChars
	calls := make([]trajectory.Call, len(plan))
	results := make([]observation, len(plan))
	for i, p := range plan {
		step := a.perform(limited, r, d, p, left/(len(plan)-i))
		if err := ctx.Err(); err != nil {
			return err
		}
		if i == 0 {
			step.Thought = a.thoughtOf(rep)
		}
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

// plan binds the calls and gives each an id.
func (a *Agent) plan(r *run, d *draft, calls []call) []planned {
	var plan []planned
	for _, c := range calls {
		bound, err := a.tools.Bind(c.name, c.args)
		if err != nil {
			plan = append(plan, planned{call: a.place(r, d, plan, c.id, c.name, tool.Arguments(c.args)), problem: err.Error(), dropped: len(plan) >= maxCalls})
			continue
		}
		noteBinding(d, bound)
		for i, b := range bound.Calls {
			id := c.id
			if i > 0 {
				id = "" // the model gave one id for the list
			}
			plan = append(plan, planned{call: a.place(r, d, plan, id, b.Name, b.Arguments()), bound: b, dropped: len(plan) >= maxCalls})
		}
	}
	if len(plan) > maxCalls {
		d.note(repairCallsCut)
	}
	return plan
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

// place gives a call its place in the record. An id of the model's stays if it
// is the only one of its kind in the conversation.
func (a *Agent) place(r *run, d *draft, plan []planned, id, name string, args []byte) trajectory.Call {
	taken := func(id string) bool {
		return r.ids[id] || slices.ContainsFunc(plan, func(p planned) bool { return p.call.ID == id })
	}
	if id != "" && taken(id) {
		d.note(repairCallID)
		id = ""
	}
	if id == "" {
		id = fmt.Sprintf("call_%d_%d", d.turn.Number, len(plan))
		for taken(id) {
			id += "x"
		}
	}
	return trajectory.Call{ID: id, Name: name, Arguments: args}
}

// perform runs one call and shows at most budget characters of what it found.
// A call that was made before is not run again. Whatever goes wrong is shown to
// the model.
func (a *Agent) perform(ctx context.Context, r *run, d *draft, p planned, budget int) trajectory.Step {
	step := trajectory.Step{Kind: trajectory.KindNone, Call: &p.call}
	key := callKey(p.call)
	before, known := r.seen[key]
	if !known {
		before, known = d.made[key]
	}
	switch {
	case p.dropped:
		step.Shown = notRun(fmt.Sprintf("one turn has room for %d calls", maxCalls))
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
			d.made[key] = earlier{turn: d.turn.Number, kind: step.Kind}
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
