package graph

import (
	"bytes"
	"encoding/json"
	"strconv"

	"trawl/trajectory"
)

// none is no event, and a group that is not known.
const none = -1

// An event is an [Event] as it was understood.
type event struct {
	Event
	args   arguments
	cursor int    // of the view that came back
	viewed bool   // a view with a cursor came back
	text   string // of the evidence that it is; empty if it is none
	header header // of an open

	parent   int  // event on whose view it was made, or none
	valid    bool // nothing contradicts that
	identity identity
	group    int // of pages that are one if nothing is known of them, or none
}

// Arguments are what a call asked for.
type arguments struct {
	ok     bool // they were a JSON object
	query  string
	latest bool // the cursor is that of the latest view: left out or −1
	number bool // the cursor is an integer
	cursor int
	id     target
}

// A target is the page or link that an open asks for.
type target struct {
	set     bool
	address string // empty if it is no text
}

// readEvents reads the events of a rollout, each by itself.
func readEvents(list []Event) []event {
	events := make([]event, len(list))
	for i := range list {
		e := event{Event: list[i], args: readArguments(list[i].Args), parent: none, group: none}
		var rest string
		e.cursor, rest, e.viewed = cutCursor(e.View)
		switch {
		case e.Tool == trajectory.KindOpen:
			e.header = readHeader(rest)
			e.text = openText(rest)
		case e.Tool == trajectory.KindFind:
			e.text = findText(rest)
		case e.Query == "":
			e.Query = e.args.query
		}
		if !e.viewed {
			e.text = ""
		}
		events[i] = e
	}
	return events
}

// continues reports whether an event stays on its parent's page: a find, or an
// open that names no page.
func (e *event) continues() bool {
	return e.Tool == trajectory.KindFind || e.Tool == trajectory.KindOpen && !e.args.id.set
}

func readArguments(raw json.RawMessage) arguments {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil || m == nil {
		return arguments{}
	}
	a := arguments{ok: true, id: readTarget(m["id"])}
	a.query, _ = readText(m["query"])
	cursor, present := m["cursor"]
	if !present {
		a.latest, a.number = true, true
		return a
	}
	a.cursor, a.number = readInteger(cursor)
	a.latest = a.number && a.cursor == -1
	return a
}

// readTarget reads the argument "id". One that is left out, null or −1 is none.
func readTarget(raw json.RawMessage) target {
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return target{}
	}
	if f, err := strconv.ParseFloat(string(raw), 64); err == nil && f == -1 {
		return target{}
	}
	address, _ := readText(raw)
	return target{set: true, address: address}
}

func readText(raw json.RawMessage) (string, bool) {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// readInteger reads a JSON number that is written as an integer. One that is too
// large for an int is owned by no view, and read as −2, which no view owns either.
func readInteger(raw json.RawMessage) (n int, ok bool) {
	s := string(bytes.TrimPrefix(raw, []byte("-")))
	if s == "" || digits(s) != len(s) {
		return 0, false
	}
	n, err := strconv.Atoi(string(raw))
	if err != nil {
		return -2, true
	}
	return n, true
}
