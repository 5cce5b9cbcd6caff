package lint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"trawl/internal/testutil"
)

// longestFunction is the length in lines that no function outside tests passes.
const longestFunction = 100

// TestStyle checks what house style a parser can see: a package comment, a
// comment on each exported name, no init, no function that is too long.
func TestStyle(t *testing.T) {
	root := testutil.Root(t)
	documented := map[string]bool{}
	eachGoFile(t, root, func(file string) {
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, filepath.Join(root, file), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		pkg := filepath.ToSlash(filepath.Dir(file))
		documented[pkg] = documented[pkg] || parsed.Doc != nil
		for _, decl := range parsed.Decls {
			checkDecl(t, fset, decl)
		}
	})
	for pkg, ok := range documented {
		if !ok {
			t.Errorf("package %s has no package comment", pkg)
		}
	}
}

func checkDecl(t *testing.T, fset *token.FileSet, decl ast.Decl) {
	t.Helper()
	at := fset.Position(decl.Pos())
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && d.Name.Name == "init" {
			t.Errorf("%s: init function", at)
		}
		if n := fset.Position(d.End()).Line - at.Line + 1; n > longestFunction {
			t.Errorf("%s: %s has %d lines, more than %d", at, d.Name.Name, n, longestFunction)
		}
		if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
			t.Errorf("%s: %s has no comment", at, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if ts, ok := spec.(*ast.TypeSpec); ok && ts.Name.IsExported() && d.Doc == nil && ts.Doc == nil {
				t.Errorf("%s: type %s has no comment", at, ts.Name.Name)
			}
		}
	}
}

// exportedReceiver reports whether d is a function, or a method of an exported
// type other than the methods that everybody knows.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	switch d.Name.Name {
	case "Error", "String", "Unwrap", "Is", "Len", "Less", "Swap", "ServeHTTP":
		return false
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if gen, ok := typ.(*ast.IndexExpr); ok {
		typ = gen.X
	}
	name, ok := typ.(*ast.Ident)
	return ok && name.IsExported()
}

// TestNames keeps words out of identifiers that the house does not use: two
// papers are called TRACE, and drawers are not named.
func TestNames(t *testing.T) {
	root := testutil.Root(t)
	eachGoFile(t, root, func(file string) {
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, filepath.Join(root, file), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range parsed.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range gen.Specs {
				if ts, ok := spec.(*ast.TypeSpec); ok {
					checkName(t, fset.Position(ts.Pos()), ts.Name.Name)
				}
			}
		}
	})
}

func checkName(t *testing.T, at token.Position, name string) {
	t.Helper()
	for _, bad := range []string{"Manager", "Helper", "Utils", "Util", "Searcher", "Trace"} {
		if strings.HasSuffix(name, bad) {
			t.Errorf("%s: type %s: the house has no %s", at, name, bad)
		}
	}
}
