package feature

import (
	"bytes"
	"testing"
)

// FuzzFile reads any bytes as a file of vectors and as one of keys: nothing
// panics, and what is taken for a record is one.
func FuzzFile(f *testing.F) {
	h := header{name: "fake", dims: 2}
	a, b := keyOf("a"), keyOf("b")
	file := append(h.encode(), encodeRecords([]key{a, b}, []byte{0, 60, 0, 0, 0, 0, 0, 60}, 2)...)
	f.Add(file, append(a[:], b[:]...))
	f.Add(file[:len(file)-3], a[:5])
	f.Add(file, []byte{})
	f.Add([]byte(magic), make([]byte, 40))
	f.Fuzz(func(t *testing.T, file, list []byte) {
		if len(file) < headerSize {
			return
		}
		h, err := decodeHeader(file[:headerSize])
		if err != nil {
			return
		}
		if !bytes.Equal(h.encode()[:nameAt+len(h.name)], file[:nameAt+len(h.name)]) {
			t.Errorf("header %+v does not come back as it was", h)
		}
		n := (len(file) - headerSize) / recordSize(h.dims)
		keys, dropped := readKeys(bytes.NewReader(file), n, h.dims, list)
		zeros := 0
		r := make([]byte, recordSize(h.dims))
		for i, k := range keys {
			if k == (key{}) {
				zeros++
			}
			if got, ok := readRecord(bytes.NewReader(file), i, h.dims, r); ok && (i+1)*keySize > len(list) && got != k {
				t.Errorf("record %d has the key %x, want %x", i, k, got)
			}
		}
		if len(keys) != n || zeros < dropped {
			t.Errorf("%d keys of %d records, %d zero, %d dropped", len(keys), n, zeros, dropped)
		}
	})
}
