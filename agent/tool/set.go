package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"trawl/agent/llm"
	"trawl/internal/text"
)

// MaxExpand is how many calls a list of texts for one text parameter becomes.
const MaxExpand = 4

// A Set is the tools of an agent. The zero Set has none.
type Set struct {
	entries []entry
}

type entry struct {
	tool   Tool
	spec   llm.Tool
	params schema
}

// NewSet returns the set of the tools, in their order. Of two with one name the
// first counts.
func NewSet(tools ...Tool) Set {
	var s Set
	for _, t := range tools {
		spec := t.Spec()
		s.entries = append(s.entries, entry{tool: t, spec: spec, params: readSchema(spec.Parameters)})
	}
	return s
}

// Specs returns what a model is told of the tools.
func (s Set) Specs() []llm.Tool {
	specs := make([]llm.Tool, len(s.entries))
	for i, e := range s.entries {
		specs[i] = e.spec
	}
	return specs
}

// Names returns the tools' names, separated by commas.
func (s Set) Names() string {
	names := make([]string, len(s.entries))
	for i, e := range s.entries {
		names[i] = e.spec.Name
	}
	return strings.Join(names, ", ")
}

// A Call is a call that can run: a tool, and arguments of the types that it asks for.
type Call struct {
	Name string
	Args map[string]any
	tool Tool
}

// A Bound is what [Set.Bind] made of one call.
type Bound struct {
	Calls   []Call // at least one; several if a list of texts stood for one text
	Typed   bool   // an argument got another type
	Renamed bool   // an argument without a known name was taken for the one that was missing
	Dropped int    // texts of the list that became no call
}

// Bind finds the tool called name and types args by its schema: texts stay
// texts, whatever they look like; a number for a text is its digits; a text for
// a number or a list is read. Arguments that the schema does not name are left
// out. A list of texts for a text becomes one call each, at most [MaxExpand].
//
// The error of an unknown tool or of arguments that do not fit is written for
// the model and names what exists.
func (s Set) Bind(name string, args map[string]any) (Bound, error) {
	e, ok := s.find(name)
	if !ok {
		return Bound{}, fmt.Errorf("there is no tool %q; the tools are: %s", Defuse(text.Truncate(text.Collapse(name), 64)), s.Names())
	}
	sets, b, err := e.params.bind(args)
	if err != nil {
		return Bound{}, fmt.Errorf("the arguments of %s cannot be used: %w", e.spec.Name, err)
	}
	for _, args := range sets {
		b.Calls = append(b.Calls, Call{Name: e.spec.Name, Args: args, tool: e.tool})
	}
	return b, nil
}

// find prefers the exact name to one that differs in case.
func (s Set) find(name string) (entry, bool) {
	name = strings.TrimSpace(name)
	for _, e := range s.entries {
		if e.spec.Name == name {
			return e, true
		}
	}
	for _, e := range s.entries {
		if strings.EqualFold(e.spec.Name, name) {
			return e, true
		}
	}
	return entry{}, false
}

// Run carries out the call.
func (c Call) Run(ctx context.Context) (Result, error) { return c.tool.Call(ctx, c.Args) }

// Arguments returns the arguments as JSON with sorted keys.
func (c Call) Arguments() json.RawMessage { return Arguments(c.Args) }

// Arguments returns args as JSON with sorted keys and without HTML escapes, the
// form that records and conversations carry. What cannot be written is "{}".
func Arguments(args map[string]any) json.RawMessage {
	data, err := text.JSON(args)
	if err != nil || args == nil {
		return json.RawMessage("{}")
	}
	return data
}
