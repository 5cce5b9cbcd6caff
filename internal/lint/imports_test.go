package lint_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trawl/internal/testutil"
)

// mayImport is the law: for each package of the module, what of the module it
// may import outside its tests. A package without a row fails, so a new package
// is a decision. Arrows go down (ARCHITECTURE.md has the picture).
var mayImport = map[string][]string{
	// words
	"trajectory":          {},
	"search":              {},
	"agent/llm":           {},
	"internal/text":       {},
	"internal/seed":       {},
	"internal/atomicfile": {},
	"internal/filelock":   {},
	"internal/prompt":     {},
	// jobs
	"agent/llm/openai":              {"agent/llm", "internal/text"},
	"agent/llm/hashing":             {"agent/llm", "internal/text"},
	"agent/llm/static":              {"agent/llm", "internal/text"},
	"agent/llm/llmtest":             {"agent/llm"},
	"agent/llm/reply":               {"agent/llm", "internal/text"},
	"agent/llm/sim":                 {"agent/llm/hashing", "agent/llm/sim/internal/reader", "internal/text", "internal/seed"},
	"agent/llm/sim/internal/reader": {},
	"internal/httpcall":             {"internal/text"},
	"internal/figures":              {"internal/atomicfile"},
	"internal/transcript":           {"agent/llm", "internal/text", "trajectory"},
	"search/bm25":                   {"search", "search/english", "search/index"},
	"search/english":                {},
	"search/index":                  {"search", "internal/atomicfile", "internal/filelock"},
	"search/live":                   {"search", "search/english", "search/index"},
	"search/opensearch":             {"search", "internal/httpcall", "search/english", "search/index", "internal/text"},
	"search/remote":                 {"search", "internal/httpcall", "internal/text"},
	"search/searchtest":             {"search"},
	"trajectory/exchange":           {"agent/llm", "agent/llm/reply", "trajectory", "internal/text"},
	"trajectory/store":              {"trajectory", "internal/atomicfile", "internal/filelock", "internal/text"},
	"corpus/dataset":                {"trajectory", "internal/text"},
	"corpus/wiki":                   {"search", "corpus/wiki/wikitext", "internal/text"},
	"corpus/wiki/wikitext":          {},
	"corpus/weave":                  {"search", "internal/atomicfile", "internal/text", "internal/seed"},
	"recursion/internal/summary":    {"agent/llm/reply", "trajectory", "internal/text"},
	"eval":                          {"trajectory", "corpus/dataset", "internal/text", "internal/seed"},
	"eval/judge":                    {"agent/llm", "agent/llm/reply", "internal/prompt", "internal/text", "internal/seed"},
	// strategies
	"agent/tool":          {"trajectory", "search", "agent/llm", "internal/text"},
	"agent":               {"agent/tool", "agent/llm", "agent/llm/reply", "trajectory", "internal/prompt", "internal/text", "internal/seed", "internal/transcript"},
	"rollout/divinit":     {"agent/llm", "trajectory", "internal/prompt", "internal/text", "internal/seed"},
	"rollout":             {"agent", "agent/llm", "trajectory", "internal/seed"},
	"recursion":           {"recursion/internal/summary", "agent", "agent/llm", "agent/llm/reply", "rollout", "rollout/divinit", "trajectory", "internal/prompt", "internal/text", "internal/seed", "internal/transcript"},
	"selection":           {"trajectory"},
	"selection/baseline":  {"selection", "trajectory", "internal/text", "internal/seed"},
	"selection/aggregate": {"selection", "trajectory", "agent/llm", "agent/llm/reply", "internal/prompt", "internal/text", "internal/seed", "internal/transcript"},
	"selection/graph":     {"selection", "trajectory", "internal/text"},
	"selection/feature":   {"agent/llm", "internal/filelock", "internal/text"},
	"selection/gnn": {"selection", "selection/baseline", "selection/graph", "selection/internal/compute", "selection/internal/compute/vector",
		"selection/internal/compute/cpu", "selection/internal/compute/cublas", "internal/atomicfile", "internal/text", "internal/seed"},
	"selection/train": {"selection/gnn", "selection/graph", "selection/internal/compute", "selection/internal/compute/vector",
		"internal/atomicfile", "internal/filelock", "internal/text", "internal/seed"},
	"selection/internal/compute":             {},
	"selection/internal/compute/vector":      {"selection/internal/compute"},
	"selection/internal/compute/cpu":         {"selection/internal/compute", "selection/internal/compute/vector"},
	"selection/internal/compute/cublas":      {"selection/internal/compute"},
	"selection/internal/compute/computetest": {"selection/internal/compute", "internal/seed"},
	"eval/pool":                              {"eval", "selection", "selection/graph", "corpus/dataset", "trajectory", "internal/text"},
	"eval/compare":                           {"eval", "selection", "selection/baseline", "corpus/dataset", "trajectory", "internal/seed"},
	"eval/scaffold":                          {"eval", "corpus/dataset", "trajectory", "internal/prompt", "internal/text"},
	"eval/utility":                           {"eval", "agent/llm", "agent/llm/reply", "corpus/dataset", "trajectory", "internal/prompt", "internal/seed", "internal/text"},
	// wiring
	"internal/report":     {"eval", "eval/compare", "eval/pool", "eval/scaffold", "eval/utility", "corpus/dataset", "internal/figures", "internal/text", "selection/graph", "trajectory"},
	"configs":             {},
	"internal/config":     {"configs"},
	"internal/experiment": {"configs", "eval", "internal/config"},
	"internal/lint":       {},
	"internal/testutil":   {},
	"cmd/trawl":           {"*"},
}

func TestImports(t *testing.T) {
	root := testutil.Root(t)
	seen := map[string]bool{}
	used := map[string]map[string]bool{}
	eachGoFile(t, root, func(file string) {
		pkg := filepath.ToSlash(filepath.Dir(file))
		seen[pkg] = true
		if used[pkg] == nil {
			used[pkg] = map[string]bool{}
		}
		allowed, ok := mayImport[pkg]
		if !ok {
			t.Errorf("%s: package %s has no row in mayImport", file, pkg)
			return
		}
		for _, imp := range imports(t, filepath.Join(root, file)) {
			target, ours := strings.CutPrefix(imp, "trawl/")
			used[pkg][target] = true
			if ours && !slices.Contains(allowed, target) && !slices.Contains(allowed, "*") {
				t.Errorf("%s imports %s, which %s may not", file, imp, pkg)
			}
		}
	})
	for pkg := range mayImport {
		if !seen[pkg] {
			t.Errorf("mayImport has a row for %s, which does not exist", pkg)
		}
		for _, target := range mayImport[pkg] {
			if target != "*" && !used[pkg][target] {
				t.Errorf("mayImport lets %s import %s, which it does not", pkg, target)
			}
		}
	}
}

// TestNoCycleOfLayers makes sure that the table itself has no cycle.
func TestNoCycleOfLayers(t *testing.T) {
	var visit func(pkg string, trail []string)
	visit = func(pkg string, trail []string) {
		if slices.Contains(trail, pkg) {
			t.Fatalf("mayImport has a cycle: %s", strings.Join(append(trail, pkg), " → "))
		}
		for _, next := range mayImport[pkg] {
			visit(next, append(slices.Clone(trail), pkg))
		}
	}
	for pkg := range mayImport {
		visit(pkg, nil)
	}
}

// eachGoFile calls f with every Go file of the module that is no test, as a
// path below root.
func eachGoFile(t *testing.T, root string, f func(file string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && p != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || path.Ext(p) != ".go" || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, p)
		if err == nil {
			f(rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func imports(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, spec := range parsed.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}
