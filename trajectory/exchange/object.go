package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"trawl/internal/text"
)

// An object is a JSON object that is read key by key. What nobody asks for is
// what cannot be carried over. Keys are told without regard to case.
type object map[string]json.RawMessage

// parseObject reads a JSON object.
func parseObject(data []byte) (object, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, jsonError(err)
	}
	if all == nil {
		return nil, errors.New("want an object, found null")
	}
	o := make(object, len(all))
	for _, key := range slices.Sorted(maps.Keys(all)) { // of two that differ in case the lower one stands
		low := strings.ToLower(key)
		if old, ok := o[low]; ok && !isEmpty(old) {
			o[low+" (in other letters)"] = old
		}
		o[low] = all[key]
	}
	return o, nil
}

// take returns the value of a key and strikes it out; nil if there is none.
func (o object) take(key string) json.RawMessage {
	raw := o[strings.ToLower(key)]
	delete(o, strings.ToLower(key))
	return raw
}

// first is take for the first of the keys that has a value, with its name.
func (o object) first(keys ...string) (raw json.RawMessage, key string) {
	for _, key := range keys {
		if !isEmpty(o[key]) {
			return o.take(key), key
		}
	}
	return o.take(keys[0]), keys[0]
}

// read decodes the value of a key, if it has one.
func (o object) read(key string, into any) error { return decode(key, o.take(key), into) }

// scalar reads the value of a key with [scalar].
func (o object) scalar(key string, into *string) error { return scalar(key, o.take(key), into) }

// inner returns the object under a key; an empty one if there is none.
func (o object) inner(key string) (object, error) {
	raw := o.take(key)
	if isEmpty(raw) {
		return object{}, nil
	}
	in, err := parseObject(raw)
	if err != nil {
		return nil, within(key, err)
	}
	return in, nil
}

// leave counts in lost what is left of o, by name behind prefix.
func (o object) leave(prefix string, lost map[string]int) {
	for key, raw := range o {
		if !isEmpty(raw) {
			lost[prefix+key]++
		}
	}
}

// turned makes a list of objects of an object of lists of one length, which is how data
// sets of Hugging Face keep a Sequence: {"role":["user"],"content":["Who?"]}. Anything
// else comes back as it is.
func turned(raw json.RawMessage) (json.RawMessage, error) {
	var lists map[string][]json.RawMessage
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &lists) != nil || len(lists) == 0 {
		return raw, nil
	}
	var items []map[string]json.RawMessage
	first := ""
	for _, key := range slices.Sorted(maps.Keys(lists)) {
		switch {
		case lists[key] == nil: // null: no message has it
			continue
		case first == "":
			first, items = key, make([]map[string]json.RawMessage, len(lists[key]))
		case len(lists[key]) != len(items):
			return nil, fmt.Errorf("lists of different lengths: %s has %d, %s has %d", first, len(items), key, len(lists[key]))
		}
		for i, value := range lists[key] {
			if items[i] == nil {
				items[i] = map[string]json.RawMessage{}
			}
			items[i][key] = value
		}
	}
	return json.Marshal(items)
}

// isEmpty reports whether there is nothing in a value that could be lost.
func isEmpty(raw json.RawMessage) bool {
	switch string(raw) {
	case "", "null", `""`, "[]", "{}":
		return true
	}
	return false
}

// decode reads a value, which may be missing, and names the key in its error.
func decode(key string, raw json.RawMessage, into any) error {
	if len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return within(key, jsonError(err))
	}
	return nil
}

// within names the key that an error is under.
func within(key string, err error) error {
	if inner, ok := strings.CutPrefix(err.Error(), "key "); ok {
		return errors.New("key " + key + "." + inner)
	}
	return fmt.Errorf("key %s: %w", key, err)
}

// jsonError is [text.JSONError], and tells what is nested too deep to be read from what
// is no JSON.
func jsonError(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && strings.Contains(syntax.Error(), "max depth") {
		return errors.New("nested too deep: more than 10000 objects and lists in one another")
	}
	return text.JSONError(err)
}
