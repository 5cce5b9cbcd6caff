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
		return nil, text.JSONError(err)
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
		return within(key, text.JSONError(err))
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
