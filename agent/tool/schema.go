package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A schema is what binding needs of a JSON schema of type object.
type schema struct {
	names    []string // of all parameters, sorted
	types    map[string]string
	required []string
	open     bool // there is no readable schema: arguments pass as they are
}

func readSchema(raw json.RawMessage) schema {
	var parsed struct {
		Properties map[string]struct {
			Type json.RawMessage `json:"type"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if err := json.Unmarshal(raw, &parsed); err != nil {
		return schema{open: true}
	}
	s := schema{types: make(map[string]string, len(parsed.Properties)), required: parsed.Required}
	for name, p := range parsed.Properties {
		s.types[name] = firstType(p.Type)
	}
	s.names = slices.Sorted(maps.Keys(s.types))
	return s
}

// firstType reads "type", which is a name or a list of names.
func firstType(raw json.RawMessage) string {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return one
	}
	var many []string
	if json.Unmarshal(raw, &many) == nil {
		for _, t := range many {
			if t != "null" {
				return t
			}
		}
	}
	return ""
}

// bind returns one argument map for each call that args stand for.
func (s schema) bind(args map[string]any) ([]map[string]any, Bound, error) {
	if s.open {
		return []map[string]any{args}, Bound{}, nil
	}
	var b Bound
	args, b.Renamed = s.rename(args)
	single := make(map[string]any, len(args))
	several, texts := "", []string(nil)
	for _, name := range s.names {
		v, ok := args[name]
		if !ok || v == nil {
			continue
		}
		if list, isList := v.([]any); isList && s.types[name] == "string" && several == "" {
			var err error
			if texts, err = textsOf(list); err != nil {
				return nil, b, fmt.Errorf("%q: %w", name, err)
			}
			several = name
			continue
		}
		typed, changed, err := convert(v, s.types[name])
		if err != nil {
			return nil, b, fmt.Errorf("%q: %w", name, err)
		}
		single[name], b.Typed = typed, b.Typed || changed
	}
	sets := []map[string]any{single}
	if several != "" {
		sets = expand(single, several, texts[:min(len(texts), MaxExpand)])
		b.Dropped = len(texts) - len(sets)
	}
	for _, name := range s.required {
		if _, ok := sets[0][name]; !ok {
			return nil, b, fmt.Errorf("%q is missing; the parameters are: %s", name, s.describe())
		}
	}
	return sets, b, nil
}

// rename gives the only argument the name of the only required parameter that
// is missing, if it has no known name itself: models write "q" for "query", or
// no name at all.
func (s schema) rename(args map[string]any) (map[string]any, bool) {
	if len(args) != 1 || len(s.required) != 1 {
		return args, false
	}
	for name, v := range args {
		if _, known := s.types[name]; !known {
			return map[string]any{s.required[0]: v}, true
		}
	}
	return args, false
}

func (s schema) describe() string {
	parts := make([]string, len(s.names))
	for i, name := range s.names {
		parts[i] = name + " (" + s.types[name] + ")"
	}
	return strings.Join(parts, ", ")
}

// textsOf returns the distinct, non-empty texts of a list.
func textsOf(list []any) ([]string, error) {
	var texts []string
	for _, v := range list {
		s, _, err := convert(v, "string")
		if err != nil {
			return nil, err
		}
		if t := s.(string); strings.TrimSpace(t) != "" && !slices.Contains(texts, t) {
			texts = append(texts, t)
		}
	}
	if len(texts) == 0 {
		return nil, errors.New("the list has no text")
	}
	return texts, nil
}

func expand(args map[string]any, name string, texts []string) []map[string]any {
	sets := make([]map[string]any, len(texts))
	for i, t := range texts {
		sets[i] = maps.Clone(args)
		sets[i][name] = t
	}
	return sets
}

// convert returns v as a value of the schema type want, and whether it had
// another one.
func convert(v any, want string) (typed any, changed bool, err error) {
	switch want {
	case "string":
		return toText(v)
	case "integer":
		n, changed, err := toNumber(v)
		if err == nil && n != math.Trunc(n) {
			err = fmt.Errorf("%v is no whole number", n)
		}
		if err == nil && math.Abs(n) > 1<<53 {
			err = fmt.Errorf("%v is out of range", n)
		}
		return int(n), changed, err
	case "number":
		return toNumber(v)
	case "boolean":
		return toBool(v)
	case "array":
		if _, ok := v.([]any); ok {
			return v, false, nil
		}
		return []any{v}, true, nil
	case "object":
		if _, ok := v.(map[string]any); !ok {
			return nil, false, errors.New("it must be an object")
		}
	}
	return v, false, nil
}

func toText(v any) (any, bool, error) {
	switch v := v.(type) {
	case string:
		return v, false, nil
	case json.Number:
		return v.String(), true, nil
	case bool:
		return strconv.FormatBool(v), true, nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true, nil
	}
	return nil, false, errors.New("it must be a text")
}

func toNumber(v any) (float64, bool, error) {
	switch v := v.(type) {
	case json.Number:
		n, err := v.Float64()
		return n, false, err
	case float64:
		return v, false, nil
	case string:
		n, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return 0, true, errors.New("it must be a number")
		}
		return n, true, nil
	}
	return 0, false, errors.New("it must be a number")
}

func toBool(v any) (any, bool, error) {
	switch v := v.(type) {
	case bool:
		return v, false, nil
	case string:
		if b, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(v))); err == nil {
			return b, true, nil
		}
	}
	return nil, false, errors.New("it must be true or false")
}
