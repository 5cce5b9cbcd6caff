package feature

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// The file of vectors, as FORMAT.md describes it.
const (
	magic      = "trawlvec"
	version    = 1
	headerSize = 1024
	nameAt     = 20
	maxName    = headerSize - nameAt - 4
	maxDims    = 1 << 16
	keySize    = len(key{})
)

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// sealed reports whether the last four bytes of b are the checksum of the others.
func sealed(b []byte) bool {
	n := len(b) - 4
	return binary.LittleEndian.Uint32(b[n:]) == checksum(b[:n])
}

// seal sets the last four bytes of b to the checksum of the others.
func seal(b []byte) {
	n := len(b) - 4
	binary.LittleEndian.PutUint32(b[n:], checksum(b[:n]))
}

// A header says whose vectors a file holds.
type header struct {
	name string
	dims int
}

func (h header) encode() []byte {
	b := make([]byte, headerSize)
	copy(b, magic)
	binary.LittleEndian.PutUint32(b[8:], version)
	binary.LittleEndian.PutUint32(b[12:], uint32(h.dims))
	binary.LittleEndian.PutUint32(b[16:], uint32(len(h.name)))
	copy(b[nameAt:], h.name)
	seal(b)
	return b
}

// decodeHeader reads a header of headerSize bytes.
func decodeHeader(b []byte) (header, error) {
	if string(b[:len(magic)]) != magic {
		return header{}, errors.New("is no file of vectors")
	}
	if v := binary.LittleEndian.Uint32(b[8:]); v != version {
		return header{}, fmt.Errorf("has version %d; this program reads version %d", v, version)
	}
	dims, size := binary.LittleEndian.Uint32(b[12:]), binary.LittleEndian.Uint32(b[16:])
	if !sealed(b) || dims == 0 || dims > maxDims || size > maxName {
		return header{}, errors.New("has a damaged header")
	}
	return header{name: string(b[nameAt:][:size]), dims: int(dims)}, nil
}

// fits reports why vectors of an embedder of that name and, if not 0, so many
// dimensions may not be mixed with those under h.
func (h header) fits(name string, dims int) error {
	if h.name != name {
		return fmt.Errorf("holds vectors of the embedder %s, not of %s", h.name, name)
	}
	if dims != 0 && h.dims != dims {
		return fmt.Errorf("holds vectors of %d numbers, not of %d", h.dims, dims)
	}
	return nil
}

// recordSize is that of a key, a vector of float16 numbers and a checksum.
func recordSize(dims int) int { return keySize + 2*dims + 4 }

// offset is where record i begins.
func offset(i, dims int) int64 { return headerSize + int64(i)*int64(recordSize(dims)) }

// encodeRecords returns the records of keys and their packed vectors.
func encodeRecords(keys []key, packed []byte, dims int) []byte {
	size := recordSize(dims)
	b := make([]byte, len(keys)*size)
	for i, k := range keys {
		r := b[i*size:][:size]
		copy(r, k[:])
		copy(r[keySize:], packed[i*2*dims:][:2*dims])
		seal(r)
	}
	return b
}

// readRecord sets r, which has the size of one, to record i and returns its key,
// if it is whole.
func readRecord(data io.ReaderAt, i, dims int, r []byte) (k key, ok bool) {
	if _, err := data.ReadAt(r, offset(i, dims)); err != nil || !sealed(r) {
		return key{}, false
	}
	return key(r[:keySize]), true
}

// readKeys returns the keys of n records: those in list, which holds the keys of
// the first records one after the other, and for the rest, or where list has
// zeros, those in the records. The key of a damaged record is zero.
func readKeys(data io.ReaderAt, n, dims int, list []byte) (keys []key, dropped int) {
	keys = make([]key, n)
	r := make([]byte, recordSize(dims))
	for i := range keys {
		if len(list) >= (i+1)*keySize {
			keys[i] = key(list[i*keySize:])
		}
		if keys[i] != (key{}) {
			continue
		}
		var ok bool
		if keys[i], ok = readRecord(data, i, dims, r); !ok {
			dropped++
		}
	}
	return keys, dropped
}
