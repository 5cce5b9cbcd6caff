package sim

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"

	"trawl/agent/llm/hashing"
)

// embeddings answers POST /v1/embeddings with hashed bags of words: texts with
// common words are near each other, and that is all.
func (s *server) embeddings(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Model      string `json:"model"`
		Input      any    `json:"input"` // a string or a list of strings
		Dimensions int    `json:"dimensions"`
		Encoding   string `json:"encoding_format"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&req); err != nil {
		writeError(w, http.StatusBadRequest, "BadRequestError", err.Error())
		return
	}
	texts, err := inputs(req.Input)
	if err == nil && req.Encoding != "" && req.Encoding != "float" && req.Encoding != "base64" {
		err = fmt.Errorf("encoding_format %q is not supported", req.Encoding)
	}
	if err == nil && (req.Dimensions < 0 || req.Dimensions > maxDimensions) {
		err = fmt.Errorf("dimensions must be from 1 to %d, got %d", maxDimensions, req.Dimensions)
	}
	if err != nil {
		writeError(w, http.StatusBadRequest, "BadRequestError", err.Error())
		return
	}
	vectors, err := hashing.Embedder{Dims: req.Dimensions}.Embed(r.Context(), texts)
	if err != nil {
		return // the client has gone
	}
	if req.Model == "" {
		req.Model = s.models[0]
	}
	writeJSON(w, http.StatusOK, embeddingList(req.Model, texts, vectors, req.Encoding == "base64"))
}

// maxDimensions bounds the vectors that a request may ask for.
const maxDimensions = 8192

func inputs(v any) ([]string, error) {
	switch in := v.(type) {
	case string:
		return []string{in}, nil
	case []any:
		out := make([]string, len(in))
		for i, e := range in {
			s, ok := e.(string)
			if !ok {
				return nil, fmt.Errorf("input[%d] is not a string", i)
			}
			out[i] = s
		}
		return out, nil
	}
	return nil, fmt.Errorf("input must be a string or a list of strings")
}

type embeddingResponse struct {
	Object string      `json:"object"`
	Data   []embedding `json:"data"`
	Model  string      `json:"model"`
	Usage  usage       `json:"usage"`
}

type embedding struct {
	Object string `json:"object"`
	Index  int    `json:"index"`
	Vector any    `json:"embedding"` // numbers, or packed in base64
}

func embeddingList(model string, texts []string, vectors [][]float32, packed bool) embeddingResponse {
	out := embeddingResponse{Object: "list", Model: model, Data: make([]embedding, len(vectors))}
	for i, v := range vectors {
		out.Data[i] = embedding{Object: "embedding", Index: i, Vector: v}
		if packed {
			out.Data[i].Vector = pack(v)
		}
		out.Usage.Prompt += countTokens(texts[i])
	}
	out.Usage.Total = out.Usage.Prompt
	return out
}

// pack returns v as little-endian float32 in base64, as the wire has it.
func pack(v []float32) string {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(b)
}
