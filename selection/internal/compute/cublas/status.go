//go:build cgo && linux

package cublas

// #include "shim.h"
import "C"

import "fmt"

const (
	cudaErrorMemoryAllocation   = 2
	cudaErrorInsufficientDriver = 35
	cublasStatusAllocFailed     = 3
)

// memoryFull is the way out of a failed allocation.
const memoryFull = "; the device's memory is full: end what else uses it, or compute on the CPU"

// fault says which call failed, and how.
func fault(gpu *C.trawl_gpu, s C.trawl_status) error {
	advice := ""
	if s.cuda == cudaErrorMemoryAllocation || s.cublas == cublasStatusAllocFailed {
		advice = memoryFull
	}
	if s.cuda != 0 {
		return fmt.Errorf("%s: %s (CUDA error %d)%s", C.GoString(s.call), C.GoString(C.trawl_words(gpu, s.cuda)), s.cuda, advice)
	}
	return fmt.Errorf("%s: %s (cuBLAS status %d)%s", C.GoString(s.call), cublasWords(int(s.cublas)), s.cublas, advice)
}

// cublasWords returns the words for a cublasStatus_t. cuBLAS's own function for it
// is missing from the first releases of version 11.
func cublasWords(status int) string {
	switch status {
	case 1:
		return "the library is not initialized"
	case cublasStatusAllocFailed:
		return "allocation failed"
	case 7:
		return "invalid value"
	case 8:
		return "the device's architecture is not supported"
	case 11:
		return "the device's memory cannot be accessed"
	case 13:
		return "execution failed"
	case 14:
		return "internal error"
	case 15:
		return "not supported"
	case 16:
		return "license error"
	}
	return "unknown status"
}
