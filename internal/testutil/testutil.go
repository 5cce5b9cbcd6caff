// Package testutil finds what tests need outside their own folder, and holds what
// they make to golden files.
package testutil

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// Shared returns the path of a file of the real data, which lies in the folder
// TRAWL_TEST_DATA or, if that is not set, beside the checkout in ../shared/data.
// It skips the test if the file is not there: no test needs it to pass.
func Shared(t testing.TB, name string) string {
	t.Helper()
	return beside(t, "real data", sharedData(t), name)
}

// SharedGolden is [Shared] for the golden numbers, in the folder golden beside
// that of the real data.
func SharedGolden(t testing.TB, name string) string {
	t.Helper()
	return beside(t, "golden data", filepath.Join(sharedData(t), "..", "golden"), name)
}

func sharedData(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("TRAWL_TEST_DATA"); dir != "" {
		return dir
	}
	return filepath.Join(Root(t), "..", "shared", "data")
}

func beside(t testing.TB, what, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s %s is not here; TRAWL_TEST_DATA names the folder of the real data", what, name)
	}
	return path
}

// Golden compares got with the golden file at path, below the package's
// testdata folder, or writes the file when TRAWL_UPDATE_GOLDEN is set (make golden).
func Golden(t testing.TB, path, got string) {
	t.Helper()
	path = filepath.Join("testdata", filepath.FromSlash(path))
	if updating() {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; make golden writes it", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s mismatch (-want +got), make golden rewrites it:\n%s", path, diff)
	}
}

// GoldenFolder is [Golden] for a folder: dir must hold the same files as the
// golden folder at path, and no others.
func GoldenFolder(t testing.TB, path, dir string) {
	t.Helper()
	path = filepath.Join("testdata", filepath.FromSlash(path))
	if updating() {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(path, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(Files(t, path), Files(t, dir)); diff != "" {
		t.Errorf("%s mismatch (-want +got), make golden rewrites it:\n%s", path, diff)
	}
}

func updating() bool { return os.Getenv("TRAWL_UPDATE_GOLDEN") != "" }

// Files returns the content of every file below dir, by its path there.
func Files(t testing.TB, dir string) map[string]string {
	t.Helper()
	content := make(map[string]string)
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		content[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return content
}
