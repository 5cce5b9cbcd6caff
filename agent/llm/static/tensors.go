package static

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/nlpodyssey/safetensors"
)

// A table has the vectors of pieces.
type table struct {
	dims    int
	rows    []float32 // n×dims
	mapping []int32   // row of each piece; nil: piece i has row i
	weights []float32 // of each piece; nil: all 1
}

// parseTable reads the tensors of a model whose tokenizer has ids pieces. Newer
// folders with a reduced vocabulary have a row for each cluster of pieces, with
// "mapping" and "weights" beside "embeddings".
func parseTable(file []byte, ids int) (table, error) {
	tensors, err := safetensors.Deserialize(file)
	if err != nil {
		return table{}, err
	}
	view, ok := tensors.Tensor("embeddings")
	if !ok {
		view, ok = tensors.Tensor("embedding.weight") // sentence-transformers
	}
	if !ok || len(view.Shape()) != 2 || view.Shape()[1] == 0 {
		return table{}, fmt.Errorf("no matrix \"embeddings\" or \"embedding.weight\" among %q", tensors.Names())
	}
	t := table{dims: int(view.Shape()[1])}
	if t.rows, err = floats(view); err != nil {
		return table{}, fmt.Errorf("embeddings: %w", err)
	}
	if i := slices.IndexFunc(t.rows, notFinite); i >= 0 {
		return table{}, fmt.Errorf("embeddings: row %d has a number that is NaN or infinite", i/t.dims)
	}
	if view, ok := tensors.Tensor("weights"); ok {
		if t.weights, err = floats(view); err != nil {
			return table{}, fmt.Errorf("weights: %w", err)
		}
		if len(t.weights) != ids || slices.ContainsFunc(t.weights, notFinite) {
			return table{}, fmt.Errorf("weights: %d numbers for %d pieces, or one that is NaN or infinite", len(t.weights), ids)
		}
	}
	view, ok = tensors.Tensor("mapping")
	if !ok {
		if rows := len(t.rows) / t.dims; rows != ids {
			return table{}, fmt.Errorf("%d vectors for %d pieces, and no mapping", rows, ids)
		}
		return t, nil
	}
	if t.mapping, err = indices(view, len(t.rows)/t.dims); err != nil {
		return table{}, fmt.Errorf("mapping: %w", err)
	}
	if len(t.mapping) != ids {
		return table{}, fmt.Errorf("mapping: %d numbers for %d pieces", len(t.mapping), ids)
	}
	return t, nil
}

// add adds the vector of a piece to sum.
func (t *table) add(sum []float64, id int32) {
	row, weight := id, 1.0
	if t.weights != nil {
		weight = float64(t.weights[id])
	}
	if t.mapping != nil {
		row = t.mapping[id]
	}
	for i, x := range t.rows[int(row)*t.dims:][:t.dims] {
		sum[i] += weight * float64(x)
	}
}

func notFinite(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) }

// floats returns the numbers of a tensor. Whole numbers are taken as they are:
// the scale of a quantized table does not matter at unit length.
func floats(t safetensors.TensorView) ([]float32, error) {
	size, read := 0, (func([]byte) float32)(nil)
	switch t.DType() {
	case safetensors.F64:
		size, read = 8, func(b []byte) float32 { return float32(math.Float64frombits(binary.LittleEndian.Uint64(b))) }
	case safetensors.F32:
		size, read = 4, func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }
	case safetensors.F16:
		size, read = 2, func(b []byte) float32 { return half(binary.LittleEndian.Uint16(b)) }
	case safetensors.I8:
		size, read = 1, func(b []byte) float32 { return float32(int8(b[0])) }
	default:
		return nil, fmt.Errorf("numbers of type %v; want F64, F32, F16 or I8", t.DType())
	}
	out := make([]float32, len(t.Data())/size)
	for i := range out {
		out[i] = read(t.Data()[i*size:])
	}
	return out, nil
}

// half returns the value of a float16.
func half(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, h>>10&31, uint32(h&0x3ff)
	if exponent == 31 {
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	}
	// Exponent and fraction in the places of a float32 stand for 2^(15-127) times
	// the number.
	magnitude := math.Float32frombits(uint32(h&0x7fff)<<13) * 0x1p112
	return math.Float32frombits(math.Float32bits(magnitude) | sign)
}

// indices returns the whole numbers of a tensor, all from 0 to n-1.
func indices(t safetensors.TensorView, n int) ([]int32, error) {
	size, read := 0, (func([]byte) int64)(nil)
	switch t.DType() {
	case safetensors.I64:
		size, read = 8, func(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) }
	case safetensors.I32:
		size, read = 4, func(b []byte) int64 { return int64(int32(binary.LittleEndian.Uint32(b))) }
	default:
		return nil, fmt.Errorf("numbers of type %v; want I64 or I32", t.DType())
	}
	out := make([]int32, len(t.Data())/size)
	for i := range out {
		x := read(t.Data()[i*size:])
		if x < 0 || x >= int64(n) {
			return nil, errors.New("a number beyond the vectors")
		}
		out[i] = int32(x)
	}
	return out, nil
}
