package config

import (
	"fmt"
	"regexp"

	"github.com/goccy/go-yaml/ast"
)

var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`)

// An expander replaces ${VAR} and ${VAR:-default} in the strings of a parsed
// tree. Working on the tree and not on the text keeps a value with a quote or a
// colon in it from changing the structure.
type expander struct {
	getenv func(string) (string, bool)
	err    error
}

// Visit implements [ast.Visitor].
func (e *expander) Visit(node ast.Node) ast.Visitor {
	if s, ok := node.(*ast.StringNode); ok {
		s.Value = variable.ReplaceAllStringFunc(s.Value, func(m string) string { return e.value(s, m) })
	}
	return e
}

func (e *expander) value(at ast.Node, m string) string {
	part := variable.FindStringSubmatch(m)
	if v, ok := e.getenv(part[1]); ok {
		return v
	}
	if part[2] == "" && e.err == nil {
		p := at.GetToken().Position
		e.err = fmt.Errorf("[%d:%d] ${%s} is not set; set it, or write ${%s:-default}", p.Line, p.Column, part[1], part[1])
	}
	return part[3]
}
