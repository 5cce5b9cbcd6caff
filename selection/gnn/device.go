package gnn

import (
	"fmt"
	"sync"

	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/cpu"
	"trawl/selection/internal/compute/cublas"
)

// A Device is what multiplies: the processor, or an NVIDIA GPU. Training on it,
// and several devices of one GPU, are for one goroutine at a time; [Model.Scores]
// of the models that were opened on it wait for each other.
type Device struct {
	meter *compute.Meter[float32]
	gpu   bool
	note  string
	lock  sync.Mutex
}

// OpenDevice opens a device by its name: "cpu"; "cuda", which fails if there is no
// GPU that works; or "auto", also "", the GPU if there is one that works and
// otherwise the processor.
func OpenDevice(name string) (*Device, error) {
	switch name {
	case "", "auto", "cpu", "cuda":
	default:
		return nil, fmt.Errorf("gnn: device %q: it is auto, cpu or cuda", name)
	}
	d := new(Device)
	if name != "cpu" {
		b, err := cublas.Open()
		switch {
		case err == nil:
			d.meter, d.gpu = compute.Metered(b), true
			return d, nil
		case name == "cuda":
			return nil, fmt.Errorf("gnn: device cuda: %w; --device cpu does without", err)
		}
		d.note = err.Error()
	}
	d.meter = compute.Metered(cpu.New())
	return d, nil
}

// Name says what the device is, for people.
func (d *Device) Name() string { return d.meter.Name() }

// Note says why the device is not the GPU; it is empty if it is, or if nobody
// asked.
func (d *Device) Note() string { return d.note }

// Peak measures what the processor's cores multiply and add at most, in GFLOP/s. It
// is 0 for a GPU, whose peak nothing here measures.
func (d *Device) Peak() float64 {
	if d.gpu {
		return 0
	}
	return cpu.Peak()
}

// Backend returns what models multiply with, for [New].
func (d *Device) Backend() compute.Backend[float32] { return d.meter }

// Meter returns the count of the products so far.
func (d *Device) Meter() *compute.Meter[float32] { return d.meter }

// Close gives the device back. No model on it is used after it.
func (d *Device) Close() error {
	if err := d.meter.Close(); err != nil {
		return fmt.Errorf("gnn: %s: %w", d.Name(), err)
	}
	return nil
}
