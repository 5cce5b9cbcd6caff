package config

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// fraction returns an error for the first fraction that stands where t has a
// whole number, which the decoder would cut off without a word.
func fraction(node ast.Node, t reflect.Type) error {
	switch n := node.(type) {
	case *ast.MappingNode:
		for _, pair := range n.Values {
			if err := fraction(pair, t); err != nil {
				return err
			}
		}
	case *ast.MappingValueNode:
		if field, ok := fieldOf(t, n.Key.String()); ok {
			return fraction(n.Value, field)
		}
	case *ast.FloatNode:
		if k := t.Kind(); k == reflect.Int || k == reflect.Int64 {
			p := n.GetToken().Position
			return placed{fmt.Sprintf("[%d:%d] ", p.Line, p.Column), fmt.Sprintf("want a whole number, found %q", n.GetToken().Value)}
		}
	}
	return nil
}

// fieldOf returns the type of the field of t with a YAML key.
func fieldOf(t reflect.Type, key string) (reflect.Type, bool) {
	if t.Kind() != reflect.Struct {
		return nil, false
	}
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ","); name == key {
			return t.Field(i).Type, true
		}
	}
	return nil, false
}
