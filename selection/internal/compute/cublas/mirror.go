//go:build cgo && linux

package cublas

// #include "shim.h"
import "C"

import (
	"fmt"
	"unsafe"

	"trawl/selection/internal/compute"
)

// grain is how many numbers are worth a goroutine to copy: 128 KiB.
const grain = 1 << 15

// A mirror is an array of the device and one of the same size of the host, in
// pinned memory, which the device reads and writes by itself.
type mirror struct {
	host, device unsafe.Pointer
	floats       int
}

func bytes(floats int) C.size_t { return C.size_t(4 * floats) }

// fit makes room for n numbers, the old ones lost, and reports whether all is
// well. It does nothing after a fault. No lane may be using the mirror.
func (m *mirror) fit(b *backend, n int) bool {
	if b.err != nil || n <= m.floats {
		return b.err == nil
	}
	n = max(n, min(2*m.floats, blockFloats)) // few growths on the way to a full block
	m.free(b)
	if !m.alloc(b, C.trawl_alloc_pinned(b.gpu, &m.host, bytes(n)), n) ||
		!m.alloc(b, C.trawl_alloc(b.gpu, &m.device, bytes(n)), n) {
		return false
	}
	m.floats = n
	return true
}

// alloc is [backend.well] for an allocation of n numbers.
func (m *mirror) alloc(b *backend, s C.trawl_status, n int) bool {
	if s.call != nil && b.err == nil {
		b.err = fmt.Errorf("cublas: %s: %d bytes: %w", b.name, bytes(n), fault(b.gpu, s))
	}
	return b.err == nil
}

// numbers returns the first n numbers of the host's array.
func (m *mirror) numbers(n int) []float32 { return unsafe.Slice((*float32)(m.host), n) }

func (m *mirror) free(b *backend) {
	if m.device != nil {
		b.well(C.trawl_free(b.gpu, m.device))
	}
	if m.host != nil {
		b.well(C.trawl_free_pinned(b.gpu, m.host))
	}
	*m = mirror{}
}

// pack writes m's rows one after the other.
func (b *backend) pack(to []float32, m compute.Matrix[float32]) {
	b.Rows(m.Rows, max(1, grain/max(1, m.Cols)), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			copy(to[i*m.Cols:], m.Row(i))
		}
	})
}

// unpack sets m's rows from what pack wrote, or adds it to them.
func (b *backend) unpack(m compute.Matrix[float32], from []float32, add bool) {
	b.Rows(m.Rows, max(1, grain/max(1, m.Cols)), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to, row := m.Row(i), from[i*m.Cols:][:m.Cols]
			if !add {
				copy(to, row)
				continue
			}
			for j, v := range row {
				to[j] += v
			}
		}
	})
}

// A weights is a matrix of the host and its copy on the device.
type weights struct {
	b     *backend
	w     compute.Matrix[float32] // out×in
	copy  mirror
	fresh bool // the copy holds w's numbers
}

// Weights implements [compute.Backend]. The first product sends w to the device.
func (b *backend) Weights(w compute.Matrix[float32]) compute.Weights[float32] {
	r := &weights{b: b, w: w}
	b.resident[r] = true
	return r
}

// Changed implements [compute.Weights].
func (r *weights) Changed() { r.fresh = false }

// Free implements [compute.Weights].
func (r *weights) Free() {
	r.copy.free(r.b)
	delete(r.b.resident, r)
}

// ready sends w's numbers to the device if they are not there. It waits, so that
// every lane sees them.
func (r *weights) ready() {
	if r.fresh {
		return
	}
	l := &r.b.lanes[0]
	r.fresh = l.upload(&r.copy, r.w)
	l.wait()
}
