package tool_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm"
	"trawl/agent/tool"
)

// A recorder is a tool that keeps what it was called with.
type recorder struct {
	name, schema string
	got          map[string]any
}

func (r *recorder) Spec() llm.Tool {
	return llm.Tool{Name: r.name, Parameters: json.RawMessage(r.schema)}
}

func (r *recorder) Call(_ context.Context, args map[string]any) (tool.Result, error) {
	r.got = args
	return tool.Result{Text: r.name}, nil
}

const (
	searchSchema = `{"type":"object","properties":{"query":{"type":"string"},"top":{"type":"integer"}},"required":["query"]}`
	openSchema   = `{"type":"object","properties":{"url":{"type":["null","string"]},"at":{"type":"number"},"raw":{"type":"boolean"},"tags":{"type":"array"},"more":{"type":"object"},"any":{}},"required":[]}`
)

func testSet() tool.Set {
	return tool.NewSet(&recorder{name: "search", schema: searchSchema}, &recorder{name: "open", schema: openSchema}, &recorder{name: "odd", schema: "no schema"}, &recorder{name: "search", schema: "{}"})
}

func TestBind(t *testing.T) {
	type object = map[string]any
	num := func(s string) json.Number { return json.Number(s) }
	tests := []struct {
		name, tool string
		args       object
		want       []object
		bound      tool.Bound
		err        string
	}{
		{name: "as asked", tool: "search", args: object{"query": "x", "top": num("3")}, want: []object{{"query": "x", "top": 3}}},
		{name: "texts stay texts", tool: "search", args: object{"query": "123_456"}, want: []object{{"query": "123_456"}}},
		{name: "a number for a text keeps its digits", tool: "search", args: object{"query": num("1.50")}, want: []object{{"query": "1.50"}}, bound: tool.Bound{Typed: true}},
		{name: "a truth for a text", tool: "search", args: object{"query": true}, want: []object{{"query": "true"}}, bound: tool.Bound{Typed: true}},
		{name: "texts for numbers and truths", tool: "open", args: object{"at": "1.5", "raw": "True", "tags": "a"}, want: []object{{"at": 1.5, "raw": true, "tags": []any{"a"}}}, bound: tool.Bound{Typed: true}},
		{name: "another name in another case", tool: " Search ", args: object{"query": "x"}, want: []object{{"query": "x"}}},
		{name: "unknown arguments are left out", tool: "search", args: object{"query": "x", "lang": "en"}, want: []object{{"query": "x"}}},
		{name: "the only argument has another name", tool: "search", args: object{"q": "x"}, want: []object{{"query": "x"}}, bound: tool.Bound{Renamed: true}},
		{name: "or none", tool: "search", args: object{"": "x"}, want: []object{{"query": "x"}}, bound: tool.Bound{Renamed: true}},
		{name: "null is nothing", tool: "open", args: object{"url": nil}, want: []object{{}}},
		{name: "no type is any type", tool: "open", args: object{"any": num("1")}, want: []object{{"any": num("1")}}},
		{name: "a list of one", tool: "search", args: object{"query": []any{"x"}, "top": num("3")}, want: []object{{"query": "x", "top": 3}}},
		{name: "a list of texts, some equal or empty, too many", tool: "search", args: object{"query": []any{"a", "b", "a", " ", "c", num("4"), "e", "f"}},
			want: []object{{"query": "a"}, {"query": "b"}, {"query": "c"}, {"query": "4"}}, bound: tool.Bound{Dropped: 2}},
		{name: "a tool without a schema", tool: "odd", args: object{"x": "y"}, want: []object{{"x": "y"}}},

		{name: "an unknown tool", tool: "<b>browse</b>", err: `there is no tool "‹b>browse‹/b>"; the tools are: search, open, odd, search`},
		{name: "nothing", tool: "search", args: object{}, err: `"query" is missing; the parameters are: query (string), top (integer)`},
		{name: "an empty list", tool: "search", args: object{"query": []any{}}, err: "the list has no text"},
		{name: "a list of lists", tool: "search", args: object{"query": []any{[]any{}}}, err: "it must be a text"},
		{name: "an object", tool: "search", args: object{"query": object{}}, err: "it must be a text"},
		{name: "no whole number", tool: "search", args: object{"query": "x", "top": num("1.5")}, err: "no whole number"},
		{name: "a number out of range", tool: "search", args: object{"query": "x", "top": num("1e300")}, err: "out of range"},
		{name: "no number", tool: "open", args: object{"at": "NaN"}, err: "it must be a number"},
		{name: "no truth", tool: "open", args: object{"raw": "perhaps"}, err: "it must be true or false"},
		{name: "no object", tool: "open", args: object{"more": "x"}, err: "it must be an object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := testSet().Bind(tt.tool, tt.args)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("Bind error = %v, want one with %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var args []object
			for _, c := range got.Calls {
				args = append(args, c.Args)
			}
			if diff := cmp.Diff(tt.want, args); diff != "" {
				t.Errorf("arguments mismatch (-want +got):\n%s", diff)
			}
			if got.Typed != tt.bound.Typed || got.Renamed != tt.bound.Renamed || got.Dropped != tt.bound.Dropped {
				t.Errorf("Bind = typed %v, renamed %v, dropped %d, want %+v", got.Typed, got.Renamed, got.Dropped, tt.bound)
			}
		})
	}
}

// A call goes to the tool of its name, whatever its arguments say. (A19)
func TestDispatch(t *testing.T) {
	search, python := &recorder{name: "search", schema: searchSchema}, &recorder{name: "python", schema: `{"properties":{"code":{"type":"string"}}}`}
	bound, err := tool.NewSet(python, search).Bind("search", map[string]any{"query": []any{"Monty Python film"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bound.Calls[0].Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if python.got != nil || search.got["query"] != "Monty Python film" {
		t.Errorf("python got %v, search got %v", python.got, search.got)
	}
}

func TestArguments(t *testing.T) {
	got := string(tool.Arguments(map[string]any{"b": "x & <y>", "a": json.Number("10")}))
	if want := `{"a":10,"b":"x & <y>"}`; got != want {
		t.Errorf("Arguments = %s, want %s", got, want)
	}
	if got := string(tool.Arguments(nil)); got != "{}" {
		t.Errorf("Arguments(nil) = %s, want {}", got)
	}
}
