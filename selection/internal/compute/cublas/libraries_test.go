//go:build cgo && linux

package cublas

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCandidates(t *testing.T) {
	root := t.TempDir()
	for _, file := range []string{
		"toolkit/libcudart.so.12", "toolkit/libcublas.so.12", "toolkit/libcublasLt.so.12",
		"runtime/libcudart.so.13", "blas/libcublas.so.13", "blas/libcublasLt.so.13", // as wheels lie
		"old/libcudart.so.11.0", "old/libcublas.so.10",
	} {
		path := filepath.Join(root, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	toolkit := libraries{12, "toolkit/libcudart.so.12", "toolkit/libcublasLt.so.12", "toolkit/libcublas.so.12"}
	wheels := libraries{13, "runtime/libcudart.so.13", "blas/libcublasLt.so.13", "blas/libcublas.so.13"}
	tests := []struct {
		name    string
		folders []string
		want    []libraries
	}{
		{"a toolkit", []string{"toolkit"}, []libraries{toolkit}},
		{"two folders of wheels", []string{"blas", "runtime"}, []libraries{wheels}},
		{"the newest first", []string{"toolkit", "runtime", "blas"}, []libraries{wheels, toolkit}},
		{"no cuBLAS of its version", []string{"old"}, []libraries{{11, "old/libcudart.so.11.0", "", ""}}},
		{"no runtime", []string{"blas"}, nil},
		{"no folder", []string{"none", "runtime", "blas"}, []libraries{wheels}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var named []string
			for _, folder := range tt.folders {
				named = append(named, filepath.Join(root, folder))
			}
			got := candidates(strings.Join(named, ":"))
			for i := range got {
				for _, path := range []*string{&got[i].cudart, &got[i].cublasLt, &got[i].cublas} {
					*path = strings.TrimPrefix(*path, root+"/")
				}
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(libraries{})); diff != "" {
				t.Errorf("candidates mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// TestUsualCandidates leaves the names to the loader first.
func TestUsualCandidates(t *testing.T) {
	want := []libraries{
		{13, "libcudart.so.13", "libcublasLt.so.13", "libcublas.so.13"},
		{12, "libcudart.so.12", "libcublasLt.so.12", "libcublas.so.12"},
		{11, "libcudart.so.11.0", "libcublasLt.so.11", "libcublas.so.11"},
	}
	if diff := cmp.Diff(want, candidates("")[:3], cmp.AllowUnexported(libraries{})); diff != "" {
		t.Errorf("candidates mismatch (-want +got):\n%s", diff)
	}
}
