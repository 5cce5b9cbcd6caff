// Package tool holds what an agent can do besides thinking: a [Tool] is one
// action, a [Set] the actions of an agent.
//
// A call goes through three steps. [Set.Bind] finds the tool by its name, and by
// nothing else, and gives the arguments the types that the tool's schema asks
// for; [Call.Run] runs it; [Result.Show] renders what the model is shown, within
// a budget. What comes from outside is data: the text shown has no line that a
// document could have begun and no markup that a model or a parser could take
// for its own (see [Defuse]), while [trajectory.Result] keeps the text as it is.
//
// A tool's failure is an error here and an observation for the model: the
// messages are written for it.
//
// Everything is safe for concurrent use if the tools are.
package tool

import (
	"context"

	"trawl/agent/llm"
	"trawl/trajectory"
)

// A Tool is one action of an agent. It is safe for concurrent use.
//
// Call gets the arguments that the schema of Spec names, each of the Go type
// that goes with its schema type: string, int, float64, bool, []any or
// map[string]any. Its error is shown to the model; Kind and Query of the result
// are set beside it, if they are known.
type Tool interface {
	Spec() llm.Tool
	Call(ctx context.Context, args map[string]any) (Result, error)
}

// A Result is what came of a call. Text is what the model is shown; a tool that
// leaves it empty is shown as its documents, the hits.
type Result struct {
	Kind  trajectory.Kind
	Query string
	Hits  []trajectory.Result
	Text  string
}
