//go:build cgo && linux

package cublas_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/cublas"
)

// TestStartFault has a device that is there and does not start.
func TestStartFault(t *testing.T) {
	tests := []struct{ fault, want string }{
		{"cublasCreate_v2:1:1", "cublas: cuda: cublasCreate_v2: the library is not initialized (cuBLAS status 1)"},
		{"cublasCreate_v2:2:3", "cublas: cuda: cublasCreate_v2: allocation failed (cuBLAS status 3); the device's memory is full: end what else uses it, or compute on the CPU"},
		{"cudaStreamCreate:2:2", "cublas: cuda: cudaStreamCreate: out of memory (CUDA error 2); the device's memory is full: end what else uses it, or compute on the CPU"},
	}
	for _, tt := range tests {
		t.Run(tt.fault, func(t *testing.T) {
			f := plant(t)
			t.Setenv("FAKE_FAULT", tt.fault)
			b, err := cublas.Open()
			if b != nil || err == nil || errors.Is(err, cublas.ErrAbsent) {
				t.Fatalf("Open() = %v, %v; want no backend and an error that is not ErrAbsent", b, err)
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("error mismatch (-want +got):\n%s", diff)
			}
			f.checkUse(t)
			f.checkReleased(t)
		})
	}
}

// TestFaults lets a product fail. The fault is kept, what was to be written stays
// as it was, then and in later products, and all is given back.
func TestFaults(t *testing.T) {
	const full = "; the device's memory is full: end what else uses it, or compute on the CPU"
	tests := []struct {
		fault string
		want  string // of Err
		lost  bool   // the device gives nothing back
	}{
		{"cudaMalloc:1:2", "12 bytes: cudaMalloc: out of memory (CUDA error 2)" + full, false},       // w
		{"cudaMalloc:3:2", "4 bytes: cudaMalloc: out of memory (CUDA error 2)" + full, false},        // y
		{"cudaHostAlloc:2:2", "12 bytes: cudaHostAlloc: out of memory (CUDA error 2)" + full, false}, // x
		{"cudaMemcpyAsync:1:1", "cudaMemcpyAsync: invalid argument (CUDA error 1)", false},
		{"cudaMemcpyAsync:3:1", "cudaMemcpyAsync: invalid argument (CUDA error 1)", false},
		{"cublasSgemm_v2:1:13", "cublasSgemm_v2: execution failed (cuBLAS status 13)", false},
		{"cublasSgemm_v2:1:77", "cublasSgemm_v2: unknown status (cuBLAS status 77)", false},
		{"cudaStreamSynchronize:2:700", "cudaStreamSynchronize: an illegal memory access was encountered (CUDA error 700)", true},
	}
	products := []struct {
		name string
		do   func(b compute.Backend[float32], y, x, w compute.Matrix[float32], weights compute.Weights[float32])
	}{
		{"MulT", func(b compute.Backend[float32], y, x, _ compute.Matrix[float32], weights compute.Weights[float32]) {
			b.MulT(y, x, weights, false)
		}},
		{"Mul", func(b compute.Backend[float32], y, x, _ compute.Matrix[float32], weights compute.Weights[float32]) {
			b.Mul(x, y, weights, true)
		}},
		{"AddOuter", func(b compute.Backend[float32], y, x, w compute.Matrix[float32], _ compute.Weights[float32]) {
			b.AddOuter(w, y, x)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.fault, func(t *testing.T) {
			f := plant(t)
			t.Setenv("FAKE_FAULT", tt.fault)
			b := f.open(t)
			y, x, w := whole(1, 1, 3), whole(1, 3, 4), whole(1, 3, 5)
			weights := b.Weights(w)
			unused := b.Weights(w)
			for round, p := range products {
				before := []compute.Matrix[float32]{clone(y), clone(x), clone(w)}
				p.do(b, y, x, w, weights)
				if b.Err() == nil {
					t.Fatalf("%s: no fault", p.name)
				}
				if diff := cmp.Diff("cublas: cuda (Fake H200): "+tt.want, b.Err().Error()); diff != "" {
					t.Errorf("product %d, %s: Err() mismatch (-want +got):\n%s", round, p.name, diff)
				}
				if diff := cmp.Diff(before, []compute.Matrix[float32]{y, x, w}); diff != "" {
					t.Errorf("product %d, %s, wrote (-before +after):\n%s", round, p.name, diff)
				}
			}
			unused.Free()
			if err := b.Close(); err != nil {
				t.Errorf("Close() = %v, want nil: Err has told", err)
			}
			f.checkUse(t)
			if !tt.lost {
				f.checkReleased(t)
			}
		})
	}
}

// TestOuterFaults lets a sum over three blocks fail in the second lane, between
// the blocks, and on its way back (six uploads, then two downloads).
func TestOuterFaults(t *testing.T) {
	for _, fault := range []string{"cublasSgemm_v2:2:14", "cudaStreamSynchronize:1:4", "cudaMemcpyAsync:7:1", "cudaMemcpyAsync:8:1"} {
		t.Run(fault, func(t *testing.T) {
			f := plant(t)
			t.Setenv("FAKE_FAULT", fault)
			b := f.open(t)
			w := whole(1, 1024, 3)
			want := clone(w)
			b.AddOuter(w, whole(6000, 1, 4), whole(6000, 1024, 5))
			if b.Err() == nil {
				t.Error("no fault")
			}
			b.AddOuter(w, whole(1, 1, 4), whole(1, 1024, 5))
			same(t, "w", want, w)
			if err := b.Close(); err != nil {
				t.Errorf("Close() = %v, want nil: Err has told", err)
			}
			f.checkReleased(t)
		})
	}
}

// TestCloseFault has a device that fails when it is given back.
func TestCloseFault(t *testing.T) {
	tests := []struct{ fault, want string }{
		{"cudaFree:1:700", "cudaFree: an illegal memory access was encountered (CUDA error 700)"},
		{"cublasDestroy_v2:2:14", "cublasDestroy_v2: internal error (cuBLAS status 14)"},
	}
	for _, tt := range tests {
		t.Run(tt.fault, func(t *testing.T) {
			f := plant(t)
			t.Setenv("FAKE_FAULT", tt.fault)
			b := f.open(t)
			b.AddOuter(whole(1, 1, 3), whole(1, 1, 4), whole(1, 1, 5))
			if err := b.Err(); err != nil {
				t.Fatal(err)
			}
			if got, want := fmt.Sprint(b.Close()), "cublas: cuda (Fake H200): "+tt.want; got != want {
				t.Errorf("Close() = %s, want %s", got, want)
			}
		})
	}
}
