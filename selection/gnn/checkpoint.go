package gnn

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/nlpodyssey/safetensors"

	"trawl/internal/atomicfile"
	"trawl/internal/text"
	"trawl/selection/graph"
	"trawl/selection/internal/compute"
)

// A checkpoint is a safetensors file: the parameters under their names, as
// float32, and in its metadata the version of this form and the settings as JSON,
// beside what the writer noted.
const (
	versionKey  = "trawl.selector"
	settingsKey = "trawl.selector.config"
	version     = "1"

	maxFile = 4 << 30 // a selector is some 31 MB
	maxHead = 1 << 24 // and its names some 20 KB
)

// Save writes the model to a file, at once: whoever opens it finds the old model
// or the new one. The notes are for [Model.Notes] of who reads it.
func (m *Model[T]) Save(path string, notes map[string]string) error {
	settings, err := json.Marshal(m.config)
	if err != nil {
		return fmt.Errorf("gnn: save %s: %w", path, err)
	}
	metadata := map[string]string{versionKey: version, settingsKey: string(settings)}
	for k, v := range notes {
		if strings.HasPrefix(k, versionKey) {
			return fmt.Errorf("gnn: save %s: note %q: names that begin with %s are taken", path, k, versionKey)
		}
		metadata[k] = v
	}
	tensors := make(map[string]view[T], len(m.params))
	for _, p := range m.params {
		tensors[p.Name] = view[T]{p}
	}
	err = atomicfile.Write(path, func(w io.Writer) error {
		return safetensors.SerializeToWriter(tensors, metadata, w)
	})
	if err != nil {
		return fmt.Errorf("gnn: save %s: %w", path, err)
	}
	return nil
}

// A view is a parameter as it stands in a file. The library's own view cannot
// hold a scalar.
type view[T compute.Float] struct{ p *Param[T] }

func (v view[T]) DType() safetensors.DType { return safetensors.F32 }
func (v view[T]) DataLen() uint64          { return uint64(4 * len(v.p.Value.Data)) }

func (v view[T]) Shape() []uint64 {
	shape := make([]uint64, len(v.p.Shape))
	for i, n := range v.p.Shape {
		shape[i] = uint64(n)
	}
	return shape
}

func (v view[T]) Data() []byte {
	data := make([]byte, 0, v.DataLen())
	for _, x := range v.p.Value.Data {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(x)))
	}
	return data
}

// Open reads a model that [Model.Save] wrote, to run on the device. It refuses a
// file that is damaged, that is no selector, or whose tensors are not those of its
// settings.
func Open(path string, d *Device) (*Model[float32], error) {
	m, err := open(path, d.Backend())
	if err != nil {
		return nil, fmt.Errorf("gnn: open %s: %w", path, err)
	}
	m.lock = &d.lock
	return m, nil
}

func open[T compute.Float](path string, b compute.Backend[T]) (*Model[T], error) {
	file, metadata, err := readFile(path)
	if err != nil {
		return nil, err
	}
	switch v, ok := metadata[versionKey]; {
	case !ok:
		return nil, fmt.Errorf("it is no selector of trawl: its metadata lacks %s", versionKey)
	case v != version:
		return nil, fmt.Errorf("it has version %q, and this program reads %s: train it anew, or use the program that wrote it", v, version)
	}
	var c Config
	decoder := json.NewDecoder(strings.NewReader(metadata[settingsKey]))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return nil, fmt.Errorf("its settings: %w", text.JSONError(err))
	}
	// The settings decide how much memory the model takes; the file has that much,
	// or something is wrong with it.
	if n, have := c.withDefaults().encoderSize(), file.bytes/4; n > have {
		return nil, fmt.Errorf("its settings ask for %d numbers in encoders alone, and it holds %d", n, have)
	}
	m, err := build(c, nil, b)
	if err != nil {
		return nil, fmt.Errorf("its settings: %w", err)
	}
	if err := m.fill(file.SafeTensors); err != nil {
		return nil, err
	}
	maps.DeleteFunc(metadata, func(k, _ string) bool { return strings.HasPrefix(k, versionKey) })
	m.notes, m.hash = metadata, file.hash
	return m, nil
}

// encoderSize is how many numbers the encoders' matrices have.
func (c Config) encoderSize() int64 {
	return int64(len(encoded)) * int64(c.Embedding) * int64(c.Hidden)
}

// IsCheckpoint says why the file at path is no checkpoint of a selector; nil if
// it is one. It reads no more than the head of the file.
func IsCheckpoint(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("gnn: %w", err)
	}
	defer f.Close()
	head := make([]byte, 8)
	if _, err := io.ReadFull(f, head); err != nil {
		return fmt.Errorf("gnn: %s is no checkpoint", path)
	}
	var names struct {
		Metadata map[string]string `json:"__metadata__"`
	}
	n := binary.LittleEndian.Uint64(head)
	if n > maxHead || json.NewDecoder(io.LimitReader(f, int64(n))).Decode(&names) != nil || names.Metadata[versionKey] == "" {
		return fmt.Errorf("gnn: %s is no checkpoint", path)
	}
	return nil
}

// A tensorFile is a whole safetensors file in memory.
type tensorFile struct {
	safetensors.SafeTensors
	bytes int64
	hash  string
}

func readFile(path string) (tensorFile, map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return tensorFile{}, nil, err
	}
	defer f.Close()
	var data bytes.Buffer
	n, err := data.ReadFrom(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return tensorFile{}, nil, err
	case n > maxFile:
		return tensorFile{}, nil, fmt.Errorf("it is longer than %d bytes, which no selector is", int64(maxFile))
	}
	_, header, err := safetensors.ReadMetadata(data.Bytes())
	if err != nil {
		return tensorFile{}, nil, fmt.Errorf("it is no safetensors file, or not a whole one: %w", err)
	}
	file, err := safetensors.Deserialize(data.Bytes())
	if err != nil {
		return tensorFile{}, nil, err
	}
	sum := sha256.Sum256(data.Bytes())
	return tensorFile{file, n, hex.EncodeToString(sum[:])}, header.Metadata(), nil
}

// fill gives the model the numbers of a file, which has the model's tensors and
// no others.
func (m *Model[T]) fill(file safetensors.SafeTensors) error {
	for _, p := range m.params {
		t, ok := file.Tensor(p.Name)
		if !ok {
			return fmt.Errorf("tensor %s is missing", p.Name)
		}
		if err := p.fill(t, slices.Equal[[]uint64]); err != nil {
			return fmt.Errorf("tensor %s: %w", p.Name, err)
		}
	}
	if file.Len() > len(m.params) {
		names := file.Names()
		slices.Sort(names)
		for _, name := range names {
			if !slices.ContainsFunc(m.params, func(p *Param[T]) bool { return p.Name == name }) {
				return fmt.Errorf("tensor %s is none of a model with its settings", name)
			}
		}
	}
	m.Changed()
	return nil
}

// fill sets the numbers of a parameter, if the tensor has the same shape.
func (p *Param[T]) fill(t safetensors.TensorView, same func(a, b []uint64) bool) error {
	if t.DType() != safetensors.F32 {
		return fmt.Errorf("its numbers are %s, a selector's F32", t.DType())
	}
	want := view[T]{p}.Shape()
	if got := t.Shape(); !same(got, want) {
		return fmt.Errorf("its shape is %v, where the settings give %v", got, want)
	}
	data := t.Data()
	for i := range p.Value.Data {
		v := math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		if x := float64(v); math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("number %d is %v", i, v)
		}
		p.Value.Data[i] = T(v)
	}
	return nil
}

// Notes returns what was noted beside the model when it was saved; nil if it was
// not read from a file.
func (m *Model[T]) Notes() map[string]string { return maps.Clone(m.notes) }

// Hash returns the SHA-256 of the file that the model was read from; "" if it was
// not read from one.
func (m *Model[T]) Hash() string { return m.hash }

// Fits says why the model cannot score graphs of a variant with an embedder's
// vectors, or nil if it can. Vectors of another embedder have another meaning,
// even where they have the same length.
func (m *Model[T]) Fits(v graph.Variant, embedder string, dims int) error {
	c := m.config
	switch {
	case v != c.Variant:
		return fmt.Errorf("gnn: the model was trained on %s graphs, these are %s", c.Variant, v)
	case c.Embedder != "" && embedder != c.Embedder:
		return fmt.Errorf("gnn: the model was trained with the embedder %q, this one is %q", c.Embedder, embedder)
	case dims != c.Embedding:
		return fmt.Errorf("gnn: the model was trained with vectors of %d numbers, these have %d", c.Embedding, dims)
	}
	return nil
}
