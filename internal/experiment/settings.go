package experiment

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"trawl/internal/config"
)

// A Setting is one setting, as it stands behind --set, and where it is in its file.
type Setting struct {
	Key    string // with dots
	Value  string // YAML of one line
	Line   int
	Column int
}

func (s Setting) String() string { return s.Key + "=" + s.Value }

// Settings are the settings of a YAML mapping, in its order. They are told apart by
// keys down to the first value that is no mapping; the further keys of a request,
// under "extra", are one value.
type Settings []Setting

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (s *Settings) UnmarshalYAML(node ast.Node) error {
	*s = nil
	return s.add("", node)
}

// Leaves returns the settings of a settings file.
func Leaves(text []byte) (Settings, error) {
	file, err := config.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	var s Settings
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if err := s.add("", doc.Body); err != nil {
			return nil, fmt.Errorf("experiment: %w", err)
		}
	}
	return s, nil
}

// Has reports whether there is a setting of that key, of one above it or of one below.
func (s Settings) Has(key string) bool {
	_, ok := s.find(key)
	return ok
}

// Common returns the first setting of s that other has too, by [Settings.Has].
func (s Settings) Common(other Settings) (Setting, bool) {
	for _, mine := range s {
		if other.Has(mine.Key) {
			return mine, true
		}
	}
	return Setting{}, false
}

// Without returns the settings of s that other has not.
func (s Settings) Without(other Settings) Settings {
	var out Settings
	for _, mine := range s {
		if !other.Has(mine.Key) {
			out = append(out, mine)
		}
	}
	return out
}

// with returns the settings of s with one of them set.
func (s Settings) with(set Setting) Settings { return append(s.Without(Settings{set}), set) }

func (s Settings) find(key string) (Setting, bool) {
	for _, mine := range s {
		if mine.Key == key || strings.HasPrefix(mine.Key, key+".") || strings.HasPrefix(key, mine.Key+".") {
			return mine, true
		}
	}
	return Setting{}, false
}

// add appends what stands in node, under the keys before it.
func (s *Settings) add(before string, node ast.Node) error {
	switch n := node.(type) {
	case *ast.MappingNode:
		for _, pair := range n.Values {
			if err := s.add(before, pair); err != nil {
				return err
			}
		}
		return nil
	case *ast.MappingValueNode:
		name := n.Key.GetToken().Value
		key := before + name
		if _, mapping := n.Value.(ast.MapNode); mapping && name != "extra" {
			return s.add(key+".", n.Value)
		}
		value, err := oneLine(n.Value)
		if err != nil {
			return err
		}
		at := n.Value.GetToken().Position
		*s = append(*s, Setting{Key: key, Value: value, Line: at.Line, Column: at.Column})
		return nil
	case *ast.NullNode, *ast.CommentGroupNode:
		return nil
	}
	return at(node, "want keys with values, found %q", node.GetToken().Value)
}

// oneLine returns a value as YAML of one line: as it is written if it is plain, and
// as JSON otherwise, which is YAML too.
func oneLine(node ast.Node) (string, error) {
	switch n := node.(type) {
	case *ast.StringNode:
		if n.Token.Type == token.StringType && !strings.ContainsAny(n.Value, "\n") {
			return n.Value, nil
		}
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return node.GetToken().Value, nil
	}
	var v any
	if err := yaml.NodeToValue(node, &v); err != nil {
		return "", err
	}
	out, err := json.Marshal(v)
	if err != nil {
		return "", at(node, "%v", err)
	}
	return string(out), nil
}

// at returns an error at the place of a node.
func at(node ast.Node, format string, args ...any) error {
	p := node.GetToken().Position
	return fmt.Errorf("[%d:%d] %s", p.Line, p.Column, fmt.Sprintf(format, args...))
}
