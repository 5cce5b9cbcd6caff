package gnn_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/testutil"
	"trawl/selection/gnn"
	"trawl/selection/graph"
)

func openCPU(t testing.TB) *gnn.Device {
	t.Helper()
	d, err := gnn.OpenDevice("cpu")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// saved writes a small model and returns it, the path and the bytes.
func saved(t testing.TB, c gnn.Config) (*gnn.Model[float32], string, []byte) {
	t.Helper()
	m := newModel(t, c, openCPU(t).Backend())
	path := filepath.Join(t.TempDir(), "model.safetensors")
	if err := m.Save(path, map[string]string{"questions": "12", "note": "simulated"}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return m, path, data
}

func TestCheckpoint(t *testing.T) {
	for _, tt := range ablations {
		t.Run(string(tt.variant)+" "+tt.name, func(t *testing.T) {
			c := small(tt.variant, tt.ablation)
			c.Embedder = "hashing/512"
			m, path, data := saved(t, c)
			got, err := gnn.Open(path, openCPU(t))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(m.Config(), got.Config()); diff != "" {
				t.Errorf("settings mismatch (-saved +opened):\n%s", diff)
			}
			if diff := cmp.Diff(map[string]string{"questions": "12", "note": "simulated"}, got.Notes()); diff != "" {
				t.Errorf("notes mismatch (-want +got):\n%s", diff)
			}
			in, vectors := inputs(tt.variant, 2)
			if diff := cmp.Diff(scores(t, m, in, vectors), scores(t, got, in, vectors)); diff != "" {
				t.Errorf("scores mismatch (-saved +opened):\n%s", diff)
			}
			// The same model is the same bytes.
			if err := got.Save(path, got.Notes()); err != nil {
				t.Fatal(err)
			}
			again, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(data, again) {
				t.Error("a model that was opened and saved has other bytes")
			}
		})
	}
}

// edited returns a checkpoint with another header: a JSON text of the same length,
// or padded to it.
func edited(t testing.TB, data []byte, old, new string) []byte {
	t.Helper()
	n := binary.LittleEndian.Uint64(data)
	header := string(data[8 : 8+n])
	if !strings.Contains(header, old) {
		t.Fatalf("the header lacks %q: %s", old, header)
	}
	header = strings.Replace(strings.TrimRight(header, " "), old, new, 1)
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(out, header...), data[8+n:]...)
}

func TestOpenRefuses(t *testing.T) {
	_, _, data := saved(t, small(graph.WebQA, gnn.Ablation{}))
	nan := bytes.Clone(data)
	binary.LittleEndian.PutUint32(nan[len(nan)-4:], math.Float32bits(float32(math.NaN())))
	tests := []struct {
		name string
		data []byte
		want string // part of the error
	}{
		{"empty", nil, "it is no safetensors file, or not a whole one"},
		{"another file", []byte("PK\x03\x04 is how archives begin"), "it is no safetensors file, or not a whole one"},
		{"cut", data[:len(data)-1], "it is no safetensors file, or not a whole one"},
		{"cut in the header", data[:100], "it is no safetensors file, or not a whole one"},
		{"more", append(bytes.Clone(data), 0), "it is no safetensors file, or not a whole one"},
		{"not ours", edited(t, data, `"trawl.selector":"1"`, `"trawl.other":"1"`), "it is no selector of trawl: its metadata lacks trawl.selector"},
		{"newer", edited(t, data, `"trawl.selector":"1"`, `"trawl.selector":"2"`), `it has version "2", and this program reads 1: train it anew, or use the program that wrote it`},
		{"no settings", edited(t, data, `"trawl.selector.config"`, `"trawl.selector.c"`), "its settings: "},
		{"unknown setting", edited(t, data, `\"ranks\"`, `\"rings\"`), "its settings: "},
		{"wrong setting", edited(t, data, `\"heads\":2`, `\"heads\":3`), "its settings: heads is 3: it divides hidden, which is 8"},
		{"huge setting", edited(t, data, `\"embedding\":5`, `\"embedding\":65536`), "its settings ask for 2097152 numbers in encoders alone"},
		{"other dimensions", edited(t, data, `\"embedding\":5`, `\"embedding\":6`), "tensor encoder.query.linear.weight: its shape is [8 5], where the settings give [8 6]"},
		{"fewer layers", edited(t, data, `\"layers\":2`, `\"layers\":1`), "tensor layer.1.next.bias is none of a model with its settings"},
		{"more layers", edited(t, data, `\"layers\":2`, `\"layers\":3`), "tensor layer.2.starts.weight is missing"},
		{"missing", edited(t, data, `"ffn.in.bias"`, `"ffn.in.bent"`), "tensor ffn.in.bias is missing"},
		{"half precision", edited(t, data, `"ffn.in.bias":{"dtype":"F32","shape":[32]`, `"ffn.in.bias":{"dtype":"F16","shape":[64]`), "tensor ffn.in.bias: its numbers are F16, a selector's F32"},
		{"NaN", nan, "number 15 is NaN"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "model.safetensors")
			if err := os.WriteFile(path, tt.data, 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := gnn.Open(path, openCPU(t))
			if err == nil || !strings.HasPrefix(err.Error(), "gnn: open "+path+": ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one that says %q", err, tt.want)
			}
		})
	}
	if _, err := gnn.Open(filepath.Join(t.TempDir(), "absent"), openCPU(t)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an absent file: error %v", err)
	}
}

func TestSaveRefuses(t *testing.T) {
	m, path, data := saved(t, small(graph.WebQA, gnn.Ablation{}))
	err := m.Save(path, map[string]string{"trawl.selector.config": "mine"})
	if want := "gnn: save " + path + `: note "trawl.selector.config": names that begin with trawl.selector are taken`; fmt.Sprint(err) != want {
		t.Errorf("error %q, want %q", err, want)
	}
	if err := m.Save(filepath.Join(path, "below"), nil); err == nil {
		t.Error("a file was made below a file")
	}
	if diff := cmp.Diff(map[string]string{"model.safetensors": string(data)}, testutil.Files(t, filepath.Dir(path))); diff != "" {
		t.Error("the saved model changed, or something is beside it")
	}
}

func FuzzOpen(f *testing.F) {
	_, _, data := saved(f, gnn.Config{Variant: graph.LongHorizon, Embedding: 1, Hidden: 1, Layers: 1, Heads: 1})
	f.Add(data)
	f.Add(data[:50])
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Add([]byte("\x08\x00\x00\x00\x00\x00\x00\x00{\"a\":{}}"))
	f.Add([]byte("\x04\x00\x00\x00\x00\x00\x00\x00null"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "model.safetensors")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		m, err := gnn.Open(path, openCPU(t))
		if err != nil {
			return
		}
		for _, p := range m.Params() {
			for _, v := range p.Value.Data {
				if math.IsNaN(float64(v)) {
					t.Fatalf("%s holds NaN", p.Name)
				}
			}
		}
	})
}

func TestFits(t *testing.T) {
	c := small(graph.WebQA, gnn.Ablation{})
	c.Embedder = "hashing/512"
	m, _, _ := saved(t, c)
	any, _, _ := saved(t, small(graph.WebQA, gnn.Ablation{}))
	tests := []struct {
		name     string
		model    *gnn.Model[float32]
		variant  graph.Variant
		embedder string
		dims     int
		want     string
	}{
		{"fits", m, graph.WebQA, "hashing/512", 5, "<nil>"},
		{"any embedder", any, graph.WebQA, "static", 5, "<nil>"},
		{"variant", m, graph.LongHorizon, "hashing/512", 5, "gnn: the model was trained on webqa graphs, these are long-horizon"},
		{"embedder", m, graph.WebQA, "static", 5, `gnn: the model was trained with the embedder "hashing/512", this one is "static"`},
		{"dims", m, graph.WebQA, "hashing/512", 6, "gnn: the model was trained with vectors of 5 numbers, these have 6"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := fmt.Sprint(tt.model.Fits(tt.variant, tt.embedder, tt.dims)); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestDevice(t *testing.T) {
	if _, err := gnn.OpenDevice("tpu"); fmt.Sprint(err) != `gnn: device "tpu": it is auto, cpu or cuda` {
		t.Errorf("error %v", err)
	}
	d := openCPU(t)
	if !strings.HasPrefix(d.Name(), "cpu (") || d.Note() != "" {
		t.Errorf("name %q, note %q", d.Name(), d.Note())
	}
	auto, err := gnn.OpenDevice("auto")
	if err != nil {
		t.Fatal(err)
	}
	defer auto.Close()
	forced, err := gnn.OpenDevice("cuda")
	switch {
	case err == nil:
		defer forced.Close()
		if auto.Name() != forced.Name() {
			t.Errorf("auto is %s, though there is %s", auto.Name(), forced.Name())
		}
	case auto.Name() != d.Name() || auto.Note() == "":
		t.Errorf("auto is %s, note %q, want %s and why: %v", auto.Name(), auto.Note(), d.Name(), err)
	case !strings.HasPrefix(err.Error(), "gnn: device cuda: ") || !strings.HasSuffix(err.Error(), "; --device cpu does without"):
		t.Errorf("error %q", err)
	}
}
