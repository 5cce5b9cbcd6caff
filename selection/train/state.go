package train

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// stateMagic begins a file of training state and tells its version.
const stateMagic = "trawlts1"

// errDamaged says that a file is no training state, or not all of one.
var errDamaged = errors.New("it is damaged")

// A header is all of a training state that is no tensor. FORMAT.md describes the
// file.
type header struct {
	Settings string   `json:"settings"` // hash of all that decides the result, data apart
	Data     string   `json:"data"`     // hash of the examples
	Position position `json:"position"`
	Steps    []int    `json:"steps"`   // of the optimizer, by tensor
	Lengths  []int    `json:"lengths"` // of the tensors that follow
}

// A position says how far a training is.
type position struct {
	Stage  int     `json:"stage"`
	Epoch  int     `json:"epoch"` // from 0, of the stage
	Batch  int     `json:"batch"` // the next one, from 0, of the epoch
	Sum    Loss    `json:"sum"`   // of the epoch's batch losses, each times its graphs
	Graphs int     `json:"graphs"`
	Epochs []Epoch `json:"epochs"` // done, of the stage
	Best   int     `json:"best"`   // the best one, from 1; 0: none is done
}

// writeState writes a header and tensors, whose lengths it fills in.
func writeState(w io.Writer, h header, tensors [][]float32) error {
	h.Lengths = make([]int, len(tensors))
	for i, t := range tensors {
		h.Lengths[i] = len(t)
	}
	head, err := json.Marshal(h)
	if err != nil {
		return err
	}
	sum := sha256.New()
	to := io.MultiWriter(w, sum)
	if _, err := io.WriteString(to, stateMagic); err != nil {
		return err
	}
	if err := binary.Write(to, binary.LittleEndian, uint64(len(head))); err != nil {
		return err
	}
	if _, err := to.Write(head); err != nil {
		return err
	}
	for _, t := range tensors {
		if err := writeNumbers(to, t); err != nil {
			return err
		}
	}
	_, err = w.Write(sum.Sum(nil))
	return err
}

func writeNumbers(w io.Writer, numbers []float32) error {
	buffer := make([]byte, 0, 1<<14)
	for part := range slices.Chunk(numbers, cap(buffer)/4) {
		buffer = buffer[:0]
		for _, x := range part {
			buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(x))
		}
		if _, err := w.Write(buffer); err != nil {
			return err
		}
	}
	return nil
}

// readState reads what writeState wrote, and nothing else: any other bytes are
// [errDamaged].
func readState(data []byte) (header, [][]float32, error) {
	var h header
	body, ok := bytes.CutPrefix(data, []byte(stateMagic))
	if !ok {
		return h, nil, fmt.Errorf("%w: it does not begin as one", errDamaged)
	}
	if len(body) < 8+sha256.Size {
		return h, nil, fmt.Errorf("%w: it has %d bytes", errDamaged, len(data))
	}
	cut := len(data) - sha256.Size
	if sum := sha256.Sum256(data[:cut]); !bytes.Equal(sum[:], data[cut:]) {
		return h, nil, fmt.Errorf("%w: its checksum does not fit", errDamaged)
	}
	length := binary.LittleEndian.Uint64(body)
	body = body[8 : len(body)-sha256.Size]
	if length > uint64(len(body)) {
		return h, nil, fmt.Errorf("%w: a header of %d bytes", errDamaged, length)
	}
	if err := json.Unmarshal(body[:length], &h); err != nil {
		return h, nil, fmt.Errorf("%w: header: %w", errDamaged, err)
	}
	tensors, err := readTensors(body[length:], h.Lengths)
	return h, tensors, err
}

// readTensors cuts data into tensors of the given lengths, with nothing left.
func readTensors(data []byte, lengths []int) ([][]float32, error) {
	tensors := make([][]float32, len(lengths))
	for i, n := range lengths {
		if n < 0 || n > len(data)/4 {
			return nil, fmt.Errorf("%w: tensor %d of %d numbers", errDamaged, i, n)
		}
		tensors[i] = make([]float32, n)
		for j := range tensors[i] {
			tensors[i][j] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*j:]))
		}
		data = data[4*n:]
	}
	if len(data) > 0 {
		return nil, fmt.Errorf("%w: %d bytes too many", errDamaged, len(data))
	}
	return tensors, nil
}
