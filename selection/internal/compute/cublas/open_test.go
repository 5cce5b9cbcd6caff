//go:build cgo && linux

package cublas_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/selection/internal/compute/cublas"
)

func TestName(t *testing.T) {
	b := plant(t).open(t)
	defer b.Close()
	if got, want := b.Name(), "cuda (Fake H200)"; got != want {
		t.Errorf("Name() = %q, want %q", got, want)
	}
}

func TestAbsent(t *testing.T) {
	tests := []struct {
		name  string
		plant func(t *testing.T, f fake)
		want  string // with FOLDER for the fake's
	}{
		{"nothing", func(*testing.T, fake) {},
			"libcudart and libcublas of CUDA 13, 12 or 11 are not found; TRAWL_CUDA_LIBS can name their folders"},
		{"no cuBLAS", func(t *testing.T, f fake) { f.compile(t, "libcudart.so.11.0") },
			"CUDA 11: FOLDER/libcudart.so.11.0 is there, but libcublas.so.11 is not"},
		{"no runtime", func(t *testing.T, f fake) { f.compile(t, "libcublas.so.12") },
			"libcudart and libcublas of CUDA 13, 12 or 11 are not found; TRAWL_CUDA_LIBS can name their folders"},
		{"no device", func(t *testing.T, f fake) { pair(t, f, 12); t.Setenv("FAKE_DEVICES", "0") },
			"CUDA 12: the driver shows no device"},
		{"no device, as an error", func(t *testing.T, f fake) { pair(t, f, 13); t.Setenv("FAKE_FAULT", "cudaGetDeviceCount:1:100") },
			"CUDA 13: cudaGetDeviceCount: no CUDA-capable device is detected (CUDA error 100)"},
		{"old drivers", func(t *testing.T, f fake) { pair(t, f, 13, "-DDRIVER_TOO_OLD"); pair(t, f, 12, "-DDRIVER_TOO_OLD") },
			"CUDA 13: the NVIDIA driver is missing, or too old for this version (CUDA error 35); " +
				"CUDA 12: the NVIDIA driver is missing, or too old for this version (CUDA error 35)"},
		{"no sgemm", func(t *testing.T, f fake) { pair(t, f, 12, "-DWITHOUT_SGEMM") },
			"CUDA 12: FOLDER/libcublas.so.12 has no cublasSgemm_v2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			tt.plant(t, f)
			b, err := cublas.Open()
			if b != nil || !errors.Is(err, cublas.ErrAbsent) {
				t.Fatalf("Open() = %v, %v; want no backend and ErrAbsent", b, err)
			}
			want := "cublas: no NVIDIA GPU to compute on: " + strings.ReplaceAll(tt.want, "FOLDER", f.folder)
			if diff := cmp.Diff(want, err.Error()); diff != "" {
				t.Errorf("error mismatch (-want +got):\n%s", diff)
			}
			f.checkReleased(t)
		})
	}
}

// TestDamagedLibrary has a file that the loader refuses, in its own words.
func TestDamagedLibrary(t *testing.T) {
	f := newFake(t)
	path := filepath.Join(f.folder, "libcudart.so.12")
	if err := os.WriteFile(path, []byte("half a download"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := cublas.Open()
	if want := "CUDA 12: " + path + ": "; !errors.Is(err, cublas.ErrAbsent) || !strings.Contains(err.Error(), want) {
		t.Errorf("Open() = %v, want ErrAbsent with %q", err, want)
	}
}

// TestLoader leaves the search to the loader, which reads LD_LIBRARY_PATH when a
// process starts: so TestLoader starts itself, and the second one opens.
func TestLoader(t *testing.T) {
	const mark = "TEST_LOADER"
	if os.Getenv(mark) != "" {
		b, err := cublas.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		t.Log(b.Name())
		return
	}
	f := newFake(t)
	pair(t, f, 13)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(self, "-test.run=^TestLoader$", "-test.v")
	child.Env = append(os.Environ(), mark+"=1", "TRAWL_CUDA_LIBS=", "LD_LIBRARY_PATH="+f.folder)
	out, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "cuda (Fake H200)") {
		t.Errorf("%v; want the fake device, got:\n%s", err, out)
	}
}

// TestOlderVersion has a runtime that is too new for the driver beside one that
// is not.
func TestOlderVersion(t *testing.T) {
	f := newFake(t)
	pair(t, f, 13, "-DDRIVER_TOO_OLD")
	pair(t, f, 12)
	b := f.open(t)
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}
