package compute

import "time"

// A Meter is a [Backend] that counts what another one multiplies. Like a
// Backend, it is used by one goroutine at a time.
type Meter[T Float] struct {
	Backend[T]
	Products int           // products so far
	FLOP     int64         // their floating-point operations: 2·m·n·k each
	Time     time.Duration // their wall time, packing of weights included
}

// Metered returns a meter of b.
func Metered[T Float](b Backend[T]) *Meter[T] { return &Meter[T]{Backend: b} }

// Reset sets the counters to zero.
func (m *Meter[T]) Reset() { m.Products, m.FLOP, m.Time = 0, 0, 0 }

// MulT implements [Backend].
func (m *Meter[T]) MulT(y, x Matrix[T], w Weights[T], add bool) {
	defer m.count(time.Now(), y.Rows, y.Cols, x.Cols)
	m.Backend.MulT(y, x, w, add)
}

// Mul implements [Backend].
func (m *Meter[T]) Mul(y, x Matrix[T], w Weights[T], add bool) {
	defer m.count(time.Now(), y.Rows, y.Cols, x.Cols)
	m.Backend.Mul(y, x, w, add)
}

// AddOuter implements [Backend].
func (m *Meter[T]) AddOuter(w, y, x Matrix[T]) {
	defer m.count(time.Now(), w.Rows, w.Cols, y.Rows)
	m.Backend.AddOuter(w, y, x)
}

func (m *Meter[T]) count(start time.Time, rows, cols, inner int) {
	m.Products++
	m.FLOP += 2 * int64(rows) * int64(cols) * int64(inner)
	m.Time += time.Since(start)
}
