package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"trawl/agent/llm"
	"trawl/agent/llm/reply"
	"trawl/agent/tool"
	"trawl/internal/text"
	"trawl/trajectory"
)

// A chosenTurn is a turn of a rollout that its model chose, and the conversation
// that it chose it in.
type chosenTurn struct {
	number   int
	messages []trajectory.Message
	final    bool // it was asked for its answer, and could not call
}

// chosenTurns returns the turns that the model of a finished rollout chose: those
// without the turns whose query was given. A record has messages and steps, but
// not which are whose: a turn's own begin with the model's message, what it was
// shown follows, and a turn that said nothing at all left only what it was shown.
func chosenTurns(t *trajectory.Trajectory) []chosenTurn {
	var out []chosenTurn
	at := 0 // behind the messages of the turn before
	for i := 0; i < len(t.Steps); {
		first, n := t.Steps[i], i
		for i < len(t.Steps) && t.Steps[i].Turn == first.Turn {
			i++
		}
		own, end := turnMessages(t.Messages, at, t.Steps[n:i])
		if first.Source == "" {
			out = append(out, chosenTurn{first.Turn, t.Messages[:own], i == len(t.Steps) && t.Termination != trajectory.Answered})
		}
		at = end
	}
	return out
}

// turnMessages returns where the messages of a turn begin that the model wrote, and
// where they end, of those from at on.
func turnMessages(ms []trajectory.Message, at int, steps []trajectory.Step) (own, end int) {
	silent := len(steps) == 1 && steps[0].Call == nil && steps[0].Shown != ""
	for own = at; own < len(ms) && ms[own].Role != llm.Assistant; own++ {
		if silent && ms[own].Role == llm.User && ms[own].Content == steps[0].Shown {
			return own, own + 1
		}
	}
	end = min(own+1, len(ms))
	for end < len(ms) && ms[end].Role == llm.ToolRole {
		end++
	}
	if shown := steps[0].Call != nil || silent; shown && end == own+1 && end < len(ms) && ms[end].Role == llm.User {
		end++ // results, or the reminder, are said by the user
	}
	return own, end
}

// symbol returns what a reply does in normal form, by which actions are the same or
// not: the tools that it calls with the words of their arguments, or the answer. ok
// is false if it does nothing.
func symbol(tools tool.Set, rep reply.Reply, final bool) (action string, ok bool) {
	answer := rep.Answer
	if final && (answer == "" || !rep.Tagged) {
		answer = reply.Fallback(rep.Said, rep.Thinking())
	}
	if answer != "" {
		return "answer " + text.AnswerKey(answer), true
	}
	if final {
		return "", false
	}
	var calls []string
	for _, c := range rep.Calls[:min(len(rep.Calls), reply.MaxCalls)] {
		bound, err := tools.Bind(c.Name, c.Args)
		if err != nil {
			calls = append(calls, c.Name+" "+argumentWords(c.Args))
		}
		for _, b := range bound.Calls {
			calls = append(calls, b.Name+" "+argumentWords(b.Args))
		}
	}
	return strings.Join(calls, "; "), len(calls) > 0
}

// argumentWords returns the words of arguments, as the actions of runs are compared by them:
// without regard to case and order.
func argumentWords(args map[string]any) string {
	var said []string
	for _, key := range slices.Sorted(maps.Keys(args)) {
		said = append(said, text.TokenKey(fmt.Sprint(args[key])))
	}
	return strings.Join(said, ", ")
}
