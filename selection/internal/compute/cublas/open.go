//go:build cgo && linux

package cublas

/*
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"trawl/selection/internal/compute"
)

// Open readies the first NVIDIA GPU. If there is none for this process, the error
// wraps [ErrAbsent]; a GPU that is there but does not start gives its own error.
func Open() (compute.Backend[float32], error) {
	gpu, err := load()
	if err != nil {
		return nil, err
	}
	b := &backend{gpu: gpu, name: "cuda", resident: map[*weights]bool{}}
	var name [C.trawl_text]C.char
	if !b.well(C.trawl_start(gpu, &name[0])) {
		C.trawl_stop(gpu)
		C.free(unsafe.Pointer(gpu))
		return nil, b.err
	}
	b.name = fmt.Sprintf("cuda (%s)", C.GoString(&name[0]))
	for i := range b.lanes {
		b.lanes[i] = lane{b: b, number: C.int(i)}
	}
	return b, nil
}

// load returns the first pair of libraries that sees a device.
func load() (*C.trawl_gpu, error) {
	var reasons []string
	for _, l := range candidates(os.Getenv(pathVariable)) {
		gpu, reason := try(l)
		if gpu != nil {
			return gpu, nil
		}
		// The loader and a toolkit's folder often lead to the same file.
		if reason != "" && !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	if reasons == nil {
		return nil, fmt.Errorf("cublas: %w: libcudart and libcublas of CUDA 13, 12 or 11 are not found; %s can name their folders", ErrAbsent, pathVariable)
	}
	return nil, fmt.Errorf("cublas: %w: %s", ErrAbsent, strings.Join(reasons, "; "))
}

// try loads one pair of libraries. It asks the runtime for a device before it
// loads cuBLAS, hundreds of megabytes. The reason why it returns nil is empty if
// the loader finds no runtime, which says nothing of another version.
func try(l libraries) (*C.trawl_gpu, string) {
	var why [C.trawl_text]C.char
	cudart := C.CString(l.cudart)
	defer C.free(unsafe.Pointer(cudart))
	gpu := C.trawl_load(cudart, &why[0])
	if gpu == nil {
		if !filepath.IsAbs(l.cudart) {
			return nil, ""
		}
		return nil, fmt.Sprintf("CUDA %d: %s", l.version, C.GoString(&why[0]))
	}
	if reason := ready(gpu, l); reason != "" {
		C.free(unsafe.Pointer(gpu))
		return nil, fmt.Sprintf("CUDA %d: %s", l.version, reason)
	}
	return gpu, ""
}

// ready finishes what try begins. It returns the reason why it could not, or "".
func ready(gpu *C.trawl_gpu, l libraries) string {
	var devices C.int
	switch s := C.trawl_count(gpu, &devices); {
	case s.cuda == cudaErrorInsufficientDriver: // which is also said where there is none
		return "the NVIDIA driver is missing, or too old for this version (CUDA error 35)"
	case s.call != nil:
		return fault(gpu, s).Error()
	}
	if devices == 0 {
		return "the driver shows no device"
	}
	if l.cublas == "" {
		return fmt.Sprintf("%s is there, but libcublas.so.%d is not", l.cudart, l.version)
	}
	cublas := C.CString(l.cublas)
	defer C.free(unsafe.Pointer(cublas))
	var lt *C.char
	if l.cublasLt != "" {
		lt = C.CString(l.cublasLt)
		defer C.free(unsafe.Pointer(lt))
	}
	var why [C.trawl_text]C.char
	if C.trawl_load_cublas(gpu, lt, cublas, &why[0]) == 0 {
		return C.GoString(&why[0])
	}
	return ""
}
