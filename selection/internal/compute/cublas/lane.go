//go:build cgo && linux

package cublas

// #include "shim.h"
import "C"

import "trawl/selection/internal/compute"

// A lane is one of the queues of the device, which works it off in order and
// beside the others, with the arrays that its blocks use. Between the methods of
// a backend all lanes are idle.
type lane struct {
	b         *backend
	number    C.int
	x, y, sum mirror
	busy      bool // something may be queued

	// What finish does with the array that comes back; nil if none does.
	result *mirror
	into   compute.Matrix[float32]
	add    bool
}

// multiply queues y = x·w for a block. finish writes y.
func (l *lane) multiply(y, x compute.Matrix[float32], w factor, add bool) {
	if !l.upload(&l.x, x) || !l.y.fit(l.b, y.Rows*y.Cols) {
		return
	}
	p := C.trawl_product{
		c: l.y.device, a: l.x.device, b: w.copy.device,
		rows: C.int(y.Rows), cols: C.int(y.Cols), inner: C.int(x.Cols),
	}
	if w.transposed {
		p.transpose_b = 1
	}
	if l.b.well(C.trawl_multiply(l.b.gpu, l.number, p)) {
		l.fetch(&l.y, y, add)
	}
}

// addOuter queues sum = yᵀ·x, or sum += yᵀ·x, for a block.
func (l *lane) addOuter(y, x compute.Matrix[float32], add bool) {
	if !l.upload(&l.x, x) || !l.upload(&l.y, y) || !l.sum.fit(l.b, y.Cols*x.Cols) {
		return
	}
	p := C.trawl_product{
		c: l.sum.device, a: l.y.device, b: l.x.device,
		rows: C.int(y.Cols), cols: C.int(x.Cols), inner: C.int(x.Rows),
		transpose_a: 1,
	}
	if add {
		p.beta = 1
	}
	l.b.well(C.trawl_multiply(l.b.gpu, l.number, p))
}

// upload packs m and queues its way to the device. It reports whether all is well.
func (l *lane) upload(to *mirror, m compute.Matrix[float32]) bool {
	n := m.Rows * m.Cols
	if !to.fit(l.b, n) {
		return false
	}
	l.b.pack(to.numbers(n), m)
	l.busy = true
	return l.b.well(C.trawl_upload(l.b.gpu, l.number, to.device, to.host, bytes(n)))
}

// fetch queues the way back of what is as large as into, where finish puts it.
func (l *lane) fetch(from *mirror, into compute.Matrix[float32], add bool) {
	if l.b.err != nil {
		return
	}
	n := into.Rows * into.Cols
	if l.b.well(C.trawl_download(l.b.gpu, l.number, from.host, from.device, bytes(n))) {
		l.result, l.into, l.add = from, into, add
	}
}

// wait returns when the lane is idle, after a fault too: what is queued uses its
// arrays.
func (l *lane) wait() {
	if l.busy {
		l.b.well(C.trawl_wait(l.b.gpu, l.number))
	}
	l.busy = false
}

// finish waits and writes what has come back.
func (l *lane) finish() {
	l.wait()
	if l.result != nil && l.b.err == nil {
		l.b.unpack(l.into, l.result.numbers(l.into.Rows*l.into.Cols), l.add)
	}
	l.result, l.into = nil, compute.Matrix[float32]{}
}

func (l *lane) free() {
	for _, m := range []*mirror{&l.x, &l.y, &l.sum} {
		m.free(l.b)
	}
}
