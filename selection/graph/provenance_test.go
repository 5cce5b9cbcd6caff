package graph

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/trajectory"
)

// call returns an event whose view has a cursor, or that came back with nothing
// if cursor is negative. It was made after n messages and returned as the next.
func call(tool trajectory.Kind, n int, args string, cursor int) Event {
	e := Event{Tool: tool, Args: json.RawMessage(args), Call: n, Return: n + 1}
	if cursor < 0 {
		e.Return = -1
		return e
	}
	e.View = fmt.Sprintf("[%d] page\n**viewing lines [0 - 0] of 1**\nL0: text", cursor)
	return e
}

func TestLink(t *testing.T) {
	const search, open, find = trajectory.KindSearch, trajectory.KindOpen, trajectory.KindFind
	type source struct {
		Parent int
		Valid  bool
	}
	says := func(e Event, parent int) Event { e.Source = &parent; return e }
	at := func(e Event, call, returned int) Event { e.Call, e.Return = call, returned; return e }
	start := call(search, 0, `{"query":"q"}`, 0)
	tests := []struct {
		name   string
		events []Event
		want   []source // of the events after start
	}{
		{"the latest view if no cursor is given", []Event{call(open, 2, `{}`, 1), call(find, 4, `{}`, 2)}, []source{{0, true}, {1, true}}},
		{"the latest view by −1", []Event{call(open, 2, `{"id":1}`, 1), call(find, 4, `{"cursor":-1}`, 2)}, []source{{0, true}, {1, true}}},
		{"a view by its cursor", []Event{call(open, 2, `{"id":1}`, 1), call(open, 4, `{"cursor":0,"id":2}`, 2)}, []source{{0, true}, {0, true}}},
		{"a failed call is no view", []Event{call(open, 2, `{}`, -1), call(open, 4, `{}`, 1)}, []source{{0, false}, {0, true}}},
		{"nobody owns the cursor", []Event{call(open, 2, `{"cursor":7}`, 1), call(open, 4, `{"cursor":-2}`, 2)}, []source{{none, true}, {none, true}}},
		{"a cursor beyond all numbers", []Event{call(open, 2, `{"cursor":99999999999999999999}`, 1)}, []source{{none, true}}},
		{"a cursor null", []Event{call(open, 2, `{"cursor":null}`, 1)}, []source{{none, false}}},
		{"a cursor in quotes", []Event{call(open, 2, `{"cursor":"0"}`, 1)}, []source{{none, false}}},
		{"a cursor true", []Event{call(find, 2, `{"cursor":true}`, 1)}, []source{{none, false}}},
		{"a cursor −1.0", []Event{call(open, 2, `{"cursor":-1.0}`, 1)}, []source{{none, false}}},
		{"a cursor 0e0", []Event{call(open, 2, `{"cursor":0e0}`, 1)}, []source{{none, false}}},
		{"a search has no parent and no cursor", []Event{call(search, 2, `{"cursor":"x"}`, 1)}, []source{{none, true}}},
		{"arguments that are a list", []Event{call(open, 2, `[0]`, 1)}, []source{{none, false}}},
		{"arguments null", []Event{call(search, 2, `null`, 1)}, []source{{none, false}}},
		{"arguments that do not parse", []Event{call(open, 2, `{"cursor":0`, 1)}, []source{{none, false}}},
		{"no arguments", []Event{call(open, 2, ``, 1)}, []source{{none, false}}},
		{"a cursor that comes back twice later", []Event{call(open, 2, `{"cursor":0}`, 1), call(open, 4, `{"cursor":1}`, 2), call(open, 6, `{"cursor":0}`, 1)},
			[]source{{0, false}, {1, true}, {0, false}}},
		{"two owners of a cursor", []Event{call(open, 2, `{"cursor":0}`, 1), call(open, 4, `{"cursor":0}`, 1), call(find, 6, `{"cursor":1}`, 2), call(find, 8, `{"cursor":2}`, 3)},
			[]source{{0, false}, {0, false}, {none, false}, {3, true}}},
		{"two owners of the latest cursor", []Event{call(open, 2, `{"cursor":0}`, 1), call(open, 4, `{"cursor":0}`, 1), call(find, 6, `{}`, 2)},
			[]source{{0, false}, {0, false}, {none, false}}},
		{"calls of one message do not see each other", []Event{at(call(open, 2, `{}`, 1), 2, 3), at(call(open, 2, `{}`, 2), 2, 4), call(find, 5, `{}`, 3)},
			[]source{{0, true}, {0, true}, {2, true}}},
		{"two returns at one position", []Event{at(call(open, 2, `{"cursor":0}`, 1), 2, 3), at(call(open, 2, `{"cursor":0}`, 2), 2, 3), call(find, 5, `{}`, 3), call(find, 7, `{"cursor":2}`, 4)},
			[]source{{0, false}, {0, false}, {none, false}, {2, true}}},
		{"a return at its call", []Event{at(call(open, 2, `{}`, 1), 2, 2)}, []source{{0, false}}},
		{"a return before its call is seen", []Event{at(call(open, 4, `{"cursor":0}`, 1), 4, 2), call(find, 3, `{}`, 2)}, []source{{0, false}, {1, true}}},
		{"the record agrees", []Event{says(call(open, 2, `{}`, 1), 0), says(call(search, 4, `{}`, 2), none)}, []source{{0, true}, {none, true}}},
		{"the record contradicts", []Event{says(call(open, 2, `{}`, 1), none), says(call(open, 4, `{"cursor":0}`, 2), 1)}, []source{{0, false}, {0, false}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			events := readEvents(append([]Event{start}, tt.events...))
			link(events)
			if events[0].parent != none || !events[0].valid {
				t.Errorf("the search has parent %d, valid %t", events[0].parent, events[0].valid)
			}
			var got []source
			for _, e := range events[1:] {
				got = append(got, source{e.parent, e.valid})
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("provenance mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRoot(t *testing.T) {
	events := readEvents([]Event{
		call(trajectory.KindSearch, 0, `{}`, 0),
		call(trajectory.KindOpen, 2, `{}`, 1),
		call(trajectory.KindFind, 4, `{}`, 2),
		call(trajectory.KindOpen, 6, `{"cursor":9}`, 3),
		call(trajectory.KindFind, 8, `{"cursor":3}`, 4),
	})
	link(events)
	for i, want := range []struct {
		root   int
		search bool
	}{{0, true}, {0, true}, {0, true}, {3, false}, {3, false}} {
		if n, search := root(events, i); n != want.root || search != want.search {
			t.Errorf("root of event %d = %d, %t, want %d, %t", i, n, search, want.root, want.search)
		}
	}
	circle := readEvents([]Event{
		{Tool: trajectory.KindOpen, Args: json.RawMessage(`{"cursor":2}`), View: "[1] x", Call: 5, Return: 1},
		{Tool: trajectory.KindOpen, Args: json.RawMessage(`{"cursor":1}`), View: "[2] x", Call: 5, Return: 2},
	})
	link(circle)
	if circle[0].parent != 1 || circle[1].parent != 0 {
		t.Fatalf("parents %d and %d are no circle", circle[0].parent, circle[1].parent)
	}
	if n, search := root(circle, 0); n != 0 || search {
		t.Errorf("root of a circle = %d, %t, want 0, false", n, search)
	}
}
