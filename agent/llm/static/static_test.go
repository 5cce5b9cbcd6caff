package static_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nlpodyssey/safetensors"

	"trawl/agent/llm/static"
)

type example struct {
	Text   string    `json:"text"`
	Vector []float32 `json:"vector"`
}

func golden(t testing.TB, name string) (texts []string, vectors [][]float32) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".golden.json"))
	check(t, err)
	var examples []example
	check(t, json.Unmarshal(data, &examples))
	for _, e := range examples {
		texts, vectors = append(texts, e.Text), append(vectors, e.Vector)
	}
	return texts, vectors
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, dir string) *static.Embedder {
	t.Helper()
	e, err := static.Open(dir)
	check(t, err)
	return e
}

// TestGolden compares with vectors that the Python package made.
func TestGolden(t *testing.T) {
	tests := []struct {
		folder    string
		tolerance float64
	}{
		{"plain", 2e-6},
		{"clusters", 2e-3}, // its means are rounded to float16 there
	}
	for _, tt := range tests {
		t.Run(tt.folder, func(t *testing.T) {
			e := open(t, filepath.Join("testdata", tt.folder))
			texts, want := golden(t, tt.folder)
			got, err := e.Embed(t.Context(), texts)
			check(t, err)
			for i, text := range texts {
				if diff := cmp.Diff(want[i], got[i], cmpopts.EquateApprox(0, tt.tolerance)); diff != "" {
					t.Errorf("vector of %q mismatch (-want +got):\n%s", text, diff)
				}
			}
			if len(texts) < 30 || e.Dims() != 6 {
				t.Errorf("%d texts of %d dimensions, want 30 or more of 6", len(texts), e.Dims())
			}
		})
	}
}

func TestName(t *testing.T) {
	plain, clusters := open(t, "testdata/plain"), open(t, "testdata/clusters")
	for _, e := range []*static.Embedder{plain, clusters} {
		if !strings.HasPrefix(e.Name(), "static/") || !strings.HasSuffix(e.Name(), "/6") || len(e.Name()) != len("static/0123456789ab/6") {
			t.Errorf("name %q", e.Name())
		}
	}
	// A change here refuses every checkpoint that was trained with a static embedder.
	if diff := cmp.Diff("static/4666e9058284/6", plain.Name()); diff != "" {
		t.Errorf("name mismatch (-want +got):\n%s", diff)
	}
	moved := copyFolder(t, "testdata/plain", nil)
	if diff := cmp.Diff(plain.Name(), open(t, moved).Name()); diff != "" {
		t.Errorf("name of a copy mismatch (-want +got):\n%s", diff)
	}
	shorter := copyFolder(t, "testdata/plain", map[string]string{"config.json": `{"max_length": 23}`})
	if open(t, shorter).Name() == plain.Name() {
		t.Error("another limit of length has the same name")
	}
}

// copyFolder copies a folder, with other content for some of its files.
func copyFolder(t testing.TB, from string, other map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	check(t, os.CopyFS(dir, os.DirFS(from)))
	for name, content := range other {
		check(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		check(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	return dir
}

func file(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	check(t, err)
	return string(data)
}

// TestLayouts: sentence-transformers lays the same model out in other ways.
func TestLayouts(t *testing.T) {
	tokens := file(t, "testdata/plain/tokenizer.json")
	tensors := strings.Replace(file(t, "testdata/plain/model.safetensors"), `"embeddings"`, `"embedding.weight"`, 1)
	longer := uint64(len(`"embedding.weight"`) - len(`"embeddings"`))
	head := []byte(tensors)
	binary.LittleEndian.PutUint64(head, binary.LittleEndian.Uint64(head)+longer)
	tests := []struct {
		name  string
		files map[string]string
	}{
		{"at the top", map[string]string{"config_sentence_transformers.json": "{}", "model.safetensors": string(head), "tokenizer.json": tokens}},
		{"in a folder", map[string]string{"config_sentence_transformers.json": "{}", "0_StaticEmbedding/model.safetensors": string(head), "0_StaticEmbedding/tokenizer.json": tokens}},
	}
	want, err := open(t, "testdata/plain").Embed(t.Context(), []string{"the film Titanic"})
	check(t, err)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, content := range tt.files {
				check(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
				check(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
			}
			got, err := open(t, dir).Embed(t.Context(), []string{"the film Titanic"})
			check(t, err)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("vectors mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// A tensor is one that safetensors writes.
type tensor struct {
	kind  safetensors.DType
	shape []uint64
	data  []byte
}

func (v tensor) DType() safetensors.DType { return v.kind }
func (v tensor) Shape() []uint64          { return v.shape }
func (v tensor) Data() []byte             { return v.data }
func (v tensor) DataLen() uint64          { return uint64(len(v.data)) }

// model returns a file of the tensors.
func model(t testing.TB, tensors map[string]tensor) string {
	t.Helper()
	data, err := safetensors.Serialize(tensors, nil)
	check(t, err)
	return string(data)
}

// three is a tokenizer of three pieces.
const three = `{"normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true},
	"pre_tokenizer":{"type":"BertPreTokenizer"},
	"model":{"type":"WordPiece","unk_token":"[UNK]","vocab":{"[UNK]":0,"a":1,"##b":2}}}`

// TestNumberTypes writes the rows (0,0), (2,0), (0,-1) in every type.
func TestNumberTypes(t *testing.T) {
	numbers := []float64{0, 0, 2, 0, 0, -1}
	tests := []struct {
		kind safetensors.DType
		put  func(b []byte, x float64) []byte
	}{
		{safetensors.F64, func(b []byte, x float64) []byte { return binary.LittleEndian.AppendUint64(b, math.Float64bits(x)) }},
		{safetensors.F32, func(b []byte, x float64) []byte {
			return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
		}},
		{safetensors.F16, func(b []byte, x float64) []byte {
			return binary.LittleEndian.AppendUint16(b, map[float64]uint16{0: 0, 2: 0x4000, -1: 0xbc00}[x])
		}},
		{safetensors.I8, func(b []byte, x float64) []byte { return append(b, byte(int8(x))) }},
	}
	for _, tt := range tests {
		t.Run(tt.kind.String(), func(t *testing.T) {
			var data []byte
			for _, x := range numbers {
				data = tt.put(data, x)
			}
			dir := copyFolder(t, "testdata/plain", map[string]string{
				"tokenizer.json":    three,
				"model.safetensors": model(t, map[string]tensor{"embeddings": {tt.kind, []uint64{3, 2}, data}}),
			})
			got, err := open(t, dir).Embed(t.Context(), []string{"ab", "A", "abc"})
			check(t, err)
			// (2,0)+(0,-1) has the length √5; "abc" is unknown.
			want := [][]float32{{0.8944272, -0.4472136}, {1, 0}, {0, 0}}
			if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
				t.Errorf("vectors mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	tokens := file(t, "testdata/plain/tokenizer.json")
	replace := func(old, with string) map[string]string {
		if !strings.Contains(tokens, old) {
			t.Fatalf("no %s in the tokenizer", old)
		}
		return map[string]string{"tokenizer.json": strings.Replace(tokens, old, with, 1)}
	}
	zeros := func(kind safetensors.DType, size int, shape ...uint64) tensor {
		n := size
		for _, s := range shape {
			n *= int(s)
		}
		return tensor{kind, shape, make([]byte, n)}
	}
	tensors := func(v map[string]tensor) map[string]string {
		return map[string]string{"tokenizer.json": three, "model.safetensors": model(t, v)}
	}
	nan := zeros(safetensors.F32, 4, 3, 2)
	binary.LittleEndian.PutUint32(nan.data[4*3:], math.Float32bits(float32(math.NaN())))
	infinite := zeros(safetensors.F16, 2, 3, 2)
	binary.LittleEndian.PutUint16(infinite.data[2*5:], 0xfc00)
	good := zeros(safetensors.F32, 4, 3, 2)
	beyond := zeros(safetensors.I64, 8, 3)
	beyond.data[0] = 3
	tests := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"Unigram", replace(`"type":"WordPiece"`, `"type":"Unigram"`), "tokenizer.json: the model is Unigram; only WordPiece can be read"},
		{"other normalizer", replace(`"type":"BertNormalizer"`, `"type":"NFC"`), "the normalizer is NFC; only BertNormalizer can be read"},
		{"other pre-tokenizer", replace(`{"type":"BertPreTokenizer"}`, `null`), "the pre_tokenizer is none; only BertPreTokenizer can be read"},
		{"no JSON", map[string]string{"tokenizer.json": "<html>"}, "tokenizer.json: invalid character"},
		{"no unknown token", replace(`"unk_token":"[UNK]"`, `"unk_token":"<unk>"`), `the unknown token "<unk>" is not in the vocabulary`},
		{"single words", replace(`"single_word":false`, `"single_word":true`), `the added token "[PAD]" is empty, or single_word`},
		{"hole in the ids", replace(`"the":`, `"thee":400,"xxx":`), "pieces are not numbered from 0"},
		{"zero length", map[string]string{"config.json": `{"max_length": 0}`}, "max_length is 0; want a number above 0, or null"},
		{"length of words", map[string]string{"config.json": `{"max_length": "long"}`}, `max_length is "long"`},
		{"config", map[string]string{"config.json": `[]`}, "the config: "},
		{"cut off", map[string]string{"model.safetensors": file(t, "testdata/plain/model.safetensors")[:1000]}, "model.safetensors: "},
		{"no matrix", tensors(map[string]tensor{"x": good}), `no matrix "embeddings" or "embedding.weight" among ["x"]`},
		{"other type", tensors(map[string]tensor{"embeddings": zeros(safetensors.BF16, 2, 3, 2)}), "embeddings: numbers of type BF16"},
		{"too few rows", tensors(map[string]tensor{"embeddings": zeros(safetensors.F32, 4, 2, 2)}), "2 vectors for 3 pieces, and no mapping"},
		{"NaN", tensors(map[string]tensor{"embeddings": nan}), "row 1 has a number that is NaN or infinite"},
		{"infinite", tensors(map[string]tensor{"embeddings": infinite}), "row 2 has a number that is NaN or infinite"},
		{"weights", tensors(map[string]tensor{"embeddings": good, "weights": zeros(safetensors.F32, 4, 2)}), "weights: 2 numbers for 3 pieces"},
		{"type of weights", tensors(map[string]tensor{"embeddings": good, "weights": zeros(safetensors.I32, 4, 3)}), "weights: numbers of type I32"},
		{"mapping", tensors(map[string]tensor{"embeddings": good, "mapping": zeros(safetensors.I32, 4, 2)}), "mapping: 2 numbers for 3 pieces"},
		{"mapping beyond", tensors(map[string]tensor{"embeddings": good, "mapping": beyond}), "mapping: a number beyond the vectors"},
		{"type of mapping", tensors(map[string]tensor{"embeddings": good, "mapping": zeros(safetensors.F32, 4, 3)}), "mapping: numbers of type F32"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := copyFolder(t, "testdata/plain", tt.files)
			_, err := static.Open(dir)
			if err == nil || !strings.HasPrefix(err.Error(), "static: "+dir+": ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("err = %v, want one with %q", err, tt.want)
			}
		})
	}
	t.Run("no such folder", func(t *testing.T) {
		dir := t.TempDir()
		_, err := static.Open(dir)
		if want := "static: " + dir + " is no Model2Vec folder: it needs config.json, model.safetensors and tokenizer.json"; err == nil || err.Error() != want {
			t.Errorf("err = %v, want %s", err, want)
		}
	})
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := open(t, "testdata/plain").Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want context.Canceled", err)
	}
}

func TestConcurrent(t *testing.T) {
	e := open(t, "testdata/clusters")
	texts, _ := golden(t, "clusters")
	want, err := e.Embed(t.Context(), texts)
	check(t, err)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if got, err := e.Embed(t.Context(), texts); err != nil || !cmp.Equal(want, got) {
				t.Errorf("other vectors at once with others: %v", err)
			}
		})
	}
	wg.Wait()
}

// FuzzOpen reads any bytes as the files of a folder; what opens embeds.
func FuzzOpen(f *testing.F) {
	for _, folder := range []string{"plain", "clusters"} {
		dir := filepath.Join("testdata", folder)
		f.Add(file(f, filepath.Join(dir, "config.json")), file(f, filepath.Join(dir, "tokenizer.json")), file(f, filepath.Join(dir, "model.safetensors")), "the FILM [SEP] 東京")
	}
	f.Add(`{}`, three, model(f, map[string]tensor{"embeddings": {safetensors.I8, []uint64{3, 1}, []byte{1, 2, 3}}}), "ab\xff")
	f.Fuzz(func(t *testing.T, config, tokens, tensors, text string) {
		dir := copyFolder(t, "testdata/plain", map[string]string{"config.json": config, "tokenizer.json": tokens, "model.safetensors": tensors})
		e, err := static.Open(dir)
		if err != nil {
			return
		}
		v, err := e.Embed(t.Context(), []string{text, ""})
		check(t, err)
		square := 0.0
		for _, x := range v[0] {
			square += float64(x) * float64(x)
		}
		if len(v[0]) != e.Dims() || math.Abs(square-1) > 1e-5 && square != 0 {
			t.Errorf("%d numbers of square %v, want %d of 0 or 1", len(v[0]), square, e.Dims())
		}
	})
}

func BenchmarkEmbed(b *testing.B) {
	e := open(b, "testdata/plain")
	text := strings.Repeat("Who was the director of the film Titanic in Paris? ", 8)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		_, err := e.Embed(b.Context(), []string{text})
		check(b, err)
	}
}
