//go:build !amd64

package cpu

// kernels are those of this machine, the fastest first.
func kernels() []*kernel[float32] {
	return []*kernel[float32]{portableKernel[float32]()}
}
