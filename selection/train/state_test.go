package train

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func someState(t testing.TB) (header, [][]float32, []byte) {
	t.Helper()
	h := header{
		Settings: "a", Data: "b", Steps: []int{3, 0}, Lengths: []int{2, 0, 3},
		Position: position{Epoch: 1, Batch: 7, Sum: Loss{BCE: 1. / 3}, Graphs: 70, Best: 1, Epochs: []Epoch{{Loss: Loss{Hard: 2e-300}, Validation: Score{Questions: 3, Accuracy: 2. / 3}}}},
	}
	tensors := [][]float32{{1, -math.MaxFloat32}, {}, {0, math.SmallestNonzeroFloat32, 0.1}}
	var b bytes.Buffer
	if err := writeState(&b, h, tensors); err != nil {
		t.Fatal(err)
	}
	return h, tensors, b.Bytes()
}

func TestStateRoundTrip(t *testing.T) {
	h, tensors, data := someState(t)
	gotHeader, got, err := readState(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(h, gotHeader); diff != "" {
		t.Errorf("header mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(tensors, got); diff != "" {
		t.Errorf("tensors mismatch (-want +got):\n%s", diff)
	}
}

// TestDamagedState cuts a state at every byte, and flips a bit of every byte.
func TestDamagedState(t *testing.T) {
	_, _, data := someState(t)
	for i := range data {
		if _, _, err := readState(data[:i]); !errors.Is(err, errDamaged) {
			t.Errorf("the first %d bytes: error %v, want %v", i, err, errDamaged)
		}
		flipped := bytes.Clone(data)
		flipped[i] ^= 1 << (i % 8)
		if _, _, err := readState(flipped); !errors.Is(err, errDamaged) {
			t.Errorf("byte %d flipped: error %v, want %v", i, err, errDamaged)
		}
	}
	if _, _, err := readState(append(data, 0)); !errors.Is(err, errDamaged) {
		t.Errorf("a byte too many: error %v, want %v", err, errDamaged)
	}
}

func TestReadTensors(t *testing.T) {
	data := make([]byte, 8)
	for _, lengths := range [][]int{{3}, {-1, 3}, {1}, {1, 1, 1}, {math.MaxInt}, nil} {
		if _, err := readTensors(data, lengths); !errors.Is(err, errDamaged) {
			t.Errorf("two numbers in tensors of %v: error %v, want %v", lengths, err, errDamaged)
		}
	}
}

// FuzzReadState: a state is read whole or refused, and what is read can be
// written again.
func FuzzReadState(f *testing.F) {
	_, _, data := someState(f)
	f.Add(data)
	f.Add([]byte(stateMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, tensors, err := readState(sealed(data))
		if err != nil {
			if !errors.Is(err, errDamaged) {
				t.Fatalf("error %v is not %v", err, errDamaged)
			}
			return
		}
		if len(tensors) != len(h.Lengths) {
			t.Errorf("%d tensors for %d lengths", len(tensors), len(h.Lengths))
		}
		var b bytes.Buffer
		if err := writeState(&b, h, tensors); err != nil {
			t.Fatal(err)
		}
		if _, again, err := readState(b.Bytes()); err != nil || !bitEqual(tensors, again) {
			t.Errorf("written again it reads otherwise: %v", err)
		}
	})
}

// sealed returns data with the checksum that it should end in, so that a fuzzer
// gets past it.
func sealed(data []byte) []byte {
	if len(data) < sha256.Size {
		return data
	}
	body := data[:len(data)-sha256.Size]
	sum := sha256.Sum256(body)
	return append(bytes.Clone(body), sum[:]...)
}

func bitEqual(a, b [][]float32) bool {
	return cmp.Equal(a, b, cmp.Comparer(func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }))
}
