package config

import (
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Parse parses YAML. In a list in brackets within a mapping in braces, the library
// takes any colon for that of a mapping; here one without a blank behind it is part
// of a text, as YAML has it, and [http://127.0.0.1:8000/v1] a list of one address.
func Parse(text []byte) (*ast.File, error) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, err
	}
	for _, doc := range file.Docs {
		if doc.Body != nil {
			ast.Walk(mender{}, doc.Body)
		}
	}
	return file, nil
}

// A mender makes texts of what is no mapping.
type mender struct{}

// Visit implements [ast.Visitor].
func (m mender) Visit(node ast.Node) ast.Visitor {
	list, ok := node.(*ast.SequenceNode)
	if !ok || !list.IsFlowStyle {
		return m
	}
	for i, item := range list.Values {
		if text := glued(item); text != nil {
			list.Values[i] = text
		}
	}
	return m
}

// glued returns the text that a node of one plain key, a colon and a plain value
// without a blank between them stands for, and nil of any other node.
func glued(node ast.Node) ast.Node {
	mapping, ok := node.(*ast.MappingNode)
	if !ok || mapping.IsFlowStyle || len(mapping.Values) != 1 {
		return nil
	}
	pair := mapping.Values[0]
	key, value := pair.Key.GetToken(), pair.Value.GetToken()
	if quoted(key) || quoted(value) || value.Position.Offset != pair.Start.Position.Offset+1 {
		return nil
	}
	whole := *key
	whole.Type, whole.Value, whole.Origin = token.StringType, key.Value+":"+value.Value, key.Value+":"+value.Value
	return ast.String(&whole)
}

func quoted(t *token.Token) bool {
	return t.Type == token.SingleQuoteType || t.Type == token.DoubleQuoteType
}
