package gnn_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nlpodyssey/safetensors"

	"trawl/selection/gnn"
	"trawl/selection/graph"
)

// publicTensor is a tensor of a file that is not ours.
type publicTensor struct {
	shape []uint64
	data  []byte
}

func (publicTensor) DType() safetensors.DType { return safetensors.F32 }
func (p publicTensor) Shape() []uint64        { return p.shape }
func (p publicTensor) Data() []byte           { return p.data }
func (p publicTensor) DataLen() uint64        { return uint64(len(p.data)) }

// publicNames are names of methods.md A.5, written out by hand.
var publicNames = map[graph.Variant]map[string]string{
	graph.WebQA: {
		"encoder.chunk.linear.weight":        "chunk_encoder.0.weight",
		"encoder.query.norm.bias":            "query_encoder.1.bias",
		"vote.weight":                        "answer_occurrence_weight",
		"layer.1.rank2_of.weight":            "convs.1.convs.<chunk_occurrence___rank2_of___subquery>.lin_l.weight",
		"layer.0.starts.bias":                "convs.0.convs.<query___starts___subquery>.lin_l.bias",
		"layer.0.norm.subquery.weight":       "norms.0.subquery.weight",
		"attention.query.weight":             "answer_qformer.query_projection.weight",
		"attention.type":                     "answer_qformer.context_type",
		"attention.norm.weight":              "answer_qformer.attention_norm.weight",
		"ffn.in.bias":                        "answer_qformer.feed_forward.0.bias",
		"ffn.out.weight":                     "answer_qformer.feed_forward.3.weight",
		"ffn.norm.bias":                      "answer_qformer.output_norm.bias",
		"score.query.weight":                 "query_readout.weight",
		"score.answer.bias":                  "answer_readout.bias",
		"score.log_scale":                    "logit_scale",
		"layer.1.norm.chunk_occurrence.bias": "norms.1.chunk_occurrence.bias",
	},
	graph.LongHorizon: {
		"encoder.response.linear.bias": "response_encoder.0.bias",
		"vote.weight":                  "vote_projection.weight",
		"orphan":                       "orphan_state",
		"document":                     "document_state",
		"layer.0.belongs_to.weight":    "convs.0.convs.<evidence___belongs_to___document>.lin_l.weight",
		"layer.1.norm.document.weight": "norms.1.document.weight",
		"score.response.weight":        "response_readout.weight",
		"attention.value.weight":       "answer_qformer.value_projection.weight",
	},
}

func TestOpenPublic(t *testing.T) {
	for v, names := range publicNames {
		t.Run(string(v), func(t *testing.T) {
			c := small(v, gnn.Ablation{})
			m := newModel(t, c, openCPU(t).Backend())
			file := map[string]publicTensor{}
			for _, p := range m.Params() {
				name := m.PublicName(p.Name)
				if want, ok := names[p.Name]; ok && name != want {
					t.Errorf("%s is called %s, want %s", p.Name, name, want)
				}
				tensor := publicTensor{shape: []uint64{}}
				for _, n := range p.Shape {
					tensor.shape = append(tensor.shape, uint64(n))
				}
				if p.Name == "orphan" || p.Name == "document" {
					tensor.shape = slices.Insert(tensor.shape, 0, 1)
				}
				for _, x := range p.Value.Data {
					tensor.data = binary.LittleEndian.AppendUint32(tensor.data, math.Float32bits(x))
				}
				if _, twice := file[name]; twice {
					t.Fatalf("two tensors are called %s", name)
				}
				file[name] = tensor
			}
			path := filepath.Join(t.TempDir(), "public.safetensors")
			write(t, path, file)
			got, err := gnn.OpenPublic(path, c, openCPU(t))
			if err != nil {
				t.Fatal(err)
			}
			in, vectors := inputs(v, 2)
			if diff := cmp.Diff(scores(t, m, in, vectors), scores(t, got, in, vectors)); diff != "" {
				t.Errorf("scores mismatch (-written +read):\n%s", diff)
			}
			delete(file, "logit_scale")
			write(t, path, file)
			_, err = gnn.OpenPublic(path, c, openCPU(t))
			if want := "gnn: open " + path + ": tensor logit_scale is missing"; fmt.Sprint(err) != want {
				t.Errorf("error %q, want %q", err, want)
			}
			c.Ablation.NoNetwork = true
			_, err = gnn.OpenPublic(path, c, openCPU(t))
			if err == nil || !strings.Contains(err.Error(), "the public code's names are known for the whole model alone") {
				t.Errorf("error %v", err)
			}
		})
	}
}

func write(t *testing.T, path string, file map[string]publicTensor) {
	t.Helper()
	data, err := safetensors.Serialize(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
