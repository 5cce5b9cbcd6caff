//go:build cgo && linux

package cublas_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/cublas"
)

// A fake is a folder with a libcudart and a libcublas that are testdata/fake.c,
// and the log of what they were asked for. A library that is loaded stays in the
// process, so each fake is a file of its own, with its own state.
type fake struct{ folder, log string }

// newFake makes an empty folder and lets the backend look there only.
func newFake(t *testing.T) fake {
	t.Helper()
	f := fake{folder: t.TempDir(), log: filepath.Join(t.TempDir(), "log")}
	t.Setenv("TRAWL_CUDA_LIBS", f.folder)
	t.Setenv("FAKE_LOG", f.log)
	return f
}

// plant is newFake with the libraries of CUDA 12.
func plant(t *testing.T) fake {
	t.Helper()
	f := newFake(t)
	pair(t, f, 12)
	return f
}

// compile makes a library, with gcc and perhaps a definition of testdata/fake.c.
func (f fake) compile(t *testing.T, name string, definitions ...string) {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("the fake libraries need gcc")
	}
	path := filepath.Join(f.folder, name)
	if len(definitions) > 0 {
		if err := gcc(path, definitions...); err != nil {
			t.Fatal(err)
		}
		return
	}
	library, err := plainLibrary()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, library, 0o755); err != nil {
		t.Fatal(err)
	}
}

func gcc(path string, definitions ...string) error {
	arguments := append(definitions, "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-Wl,-Bsymbolic",
		"-o", path, filepath.Join("testdata", "fake.c"))
	if out, err := exec.Command("gcc", arguments...).CombinedOutput(); err != nil {
		return fmt.Errorf("gcc: %w\n%s", err, out)
	}
	return nil
}

// plainLibrary returns the bytes of the library that most tests plant.
var plainLibrary = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "cublas")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "fake.so")
	if err := gcc(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// link gives a library other names. It is the same library under each: CUDA's own
// two share the state of their threads.
func (f fake) link(t *testing.T, name string, others ...string) {
	t.Helper()
	for _, other := range others {
		if err := os.Symlink(name, filepath.Join(f.folder, other)); err != nil {
			t.Fatal(err)
		}
	}
}

// pair plants the libraries of one version of CUDA.
func pair(t *testing.T, f fake, version int, definitions ...string) {
	t.Helper()
	name := fmt.Sprintf("libcudart.so.%d", version)
	f.compile(t, name, definitions...)
	f.link(t, name, fmt.Sprintf("libcublas.so.%d", version), fmt.Sprintf("libcublasLt.so.%d", version))
}

// open returns a backend, which the test closes.
func (f fake) open(t *testing.T) compute.Backend[float32] {
	t.Helper()
	b, err := cublas.Open()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// events returns the lines of the log that begin so.
func (f fake) events(t *testing.T, prefix string) []string {
	t.Helper()
	log, err := os.ReadFile(f.log)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(log)) {
		if strings.HasPrefix(line, prefix) {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// checkUse reports every misuse of the libraries.
func (f fake) checkUse(t *testing.T) {
	t.Helper()
	for _, line := range f.events(t, "misuse") {
		t.Error(line)
	}
}

// checkReleased reports what was taken from the device and not given back.
func (f fake) checkReleased(t *testing.T) {
	t.Helper()
	for _, kind := range []string{"device", "pinned", "stream", "handle"} {
		taken, given := len(f.events(t, "+ "+kind)), len(f.events(t, "- "+kind))
		if taken != given {
			t.Errorf("%s: %d taken, %d given back", kind, taken, given)
		}
	}
}
