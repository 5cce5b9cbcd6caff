package agent_test

import (
	"testing"

	"trawl/agent"
	"trawl/trajectory"
)

func TestCallKey(t *testing.T) {
	key := func(name, args string) string {
		return agent.CallKey(trajectory.Call{Name: name, Arguments: []byte(args)})
	}
	same := [][2]string{
		{`{"query":"Ray  Manzarek"}`, `{"query":" ray manzarek "}`},
		{`{"query":"café"}`, `{"query":"cafe` + "\u0301" + `"}`},
		{`{"a":1,"b":["X"]}`, `{ "b":["x"], "a":1}`},
	}
	for _, s := range same {
		if key("search", s[0]) != key("search", s[1]) {
			t.Errorf("%s and %s are two calls, want one", s[0], s[1])
		}
	}
	if key("search", `{"query":"a"}`) == key("open", `{"query":"a"}`) || key("search", `{"query":"a"}`) == key("search", `{"query":"b"}`) {
		t.Error("calls that differ have one key")
	}
}
