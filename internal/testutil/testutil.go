// Package testutil finds what tests need outside their own folder.
package testutil

import (
	"os"
	"path/filepath"
	"testing"
)

// Root returns the root folder of the module.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("testutil: no go.mod above the working directory")
		}
		dir = parent
	}
}

// Shared returns the path of a file of the real data that may lie beside the
// checkout, in ../shared/data. It skips the test if the file is not there:
// no test needs it to pass.
func Shared(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(Root(t), "..", "shared", "data", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("real data %s is not beside the checkout", name)
	}
	return path
}
