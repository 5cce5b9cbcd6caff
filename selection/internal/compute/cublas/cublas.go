// Package cublas multiplies on an NVIDIA GPU. [Open] returns a
// [compute.Backend] of float32, or an error that wraps [ErrAbsent] and says why
// there is none: no GPU, no driver, no library, or a binary built without cgo or
// for another system than Linux.
//
// Nothing of CUDA is needed to build it. libcudart and libcublas, a pair of one
// version (13, 12 or 11), are loaded at run time: by the loader, which knows
// LD_LIBRARY_PATH, or from the folders where toolkits are installed. The
// environment variable TRAWL_CUDA_LIBS names other folders, separated by colons,
// and then only those are looked in; the wheels of Python's package index keep
// the two in site-packages/nvidia/cuda_runtime/lib and nvidia/cublas/lib, or both
// in nvidia/cu13/lib. The device is the first that CUDA_VISIBLE_DEVICES lets the
// process see.
//
// # How a product runs
//
// Weights stay on the device until [compute.Weights.Changed]; x goes there and y
// comes back with every product, which costs more than the arithmetic. So rows
// are packed by all cores into pinned memory, where views lose their stride, and
// blocks of rows take turns in two lanes: while one lane's block travels and is
// multiplied, the host packs or unpacks the other's. Memory on both sides is
// bounded by the block, not by the matrix. What is added to (y of a product that
// adds, w of AddOuter) stays on the host, which adds what comes back: that saves
// sending it there. AddOuter sums over blocks on the device and brings back one
// sum a lane.
//
// Arithmetic is float32 without TF32, cuBLAS's default. Each lane has its own
// stream and its own handle, the condition under which cuBLAS returns the same
// bits for the same operands.
//
// A fault of the device is kept, with the call and CUDA's or cuBLAS's word for
// it, and later products leave y and w as they are. A backend is used by one
// goroutine at a time; which thread that is does not matter.
package cublas

import "errors"

// ErrAbsent says that this process cannot use an NVIDIA GPU at all. What wraps it
// says why. A GPU that is there and fails gives another error.
var ErrAbsent = errors.New("no NVIDIA GPU to compute on")
