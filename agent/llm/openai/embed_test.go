package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trawl/agent/llm"
	"trawl/agent/llm/openai"
)

// lengths embeds a text as (3·length, 4·length), in reverse order.
func lengths(t *testing.T, batches *[][]string) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Model string
			Input []string
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.URL.Path != "/v1/embeddings" || in.Model != "m" {
			t.Errorf("%s: %+v, %v", r.URL.Path, in, err)
		}
		*batches = append(*batches, in.Input)
		io.WriteString(w, `{"data":[`)
		for i := len(in.Input) - 1; i >= 0; i-- {
			n := len(in.Input[i])
			fmt.Fprintf(w, `{"index":%d,"embedding":[%d,%d]}`, i, 3*n, 4*n)
			if i > 0 {
				io.WriteString(w, ",")
			}
		}
		io.WriteString(w, `],"usage":{"prompt_tokens":1}}`)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestEmbed(t *testing.T) {
	tests := []struct {
		name        string
		texts       []string
		want        [][]float32
		wantBatches [][]string
	}{
		{"batches of two, empty texts stay here", []string{"a", "", "bb", "ccc", ""},
			[][]float32{{0.6, 0.8}, {0, 0}, {0.6, 0.8}, {0.6, 0.8}, {0, 0}}, [][]string{{"a", "bb"}, {"ccc"}}},
		{"only empty texts: a word shows the length", []string{"", ""}, [][]float32{{0, 0}, {0, 0}}, [][]string{{"word"}}},
		{"nothing", nil, [][]float32{}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var batches [][]string
			c := openai.New(lengths(t, &batches).URL, openai.Options{Model: "m", Window: 100, Batch: 2})
			got, err := c.Embed(t.Context(), tt.texts)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
				t.Errorf("vectors mismatch (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.wantBatches, batches); diff != "" {
				t.Errorf("batches mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEmbedFailure(t *testing.T) {
	tests := []struct {
		name   string
		answer answer
		want   error
	}{
		{"fewer", answer{body: `{"data":[{"index":0,"embedding":[1]}]}`}, llm.ErrMalformed},
		{"none", answer{body: `{"data":[]}`}, llm.ErrMalformed},
		{"twice the same", answer{body: `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`}, llm.ErrMalformed},
		{"beyond", answer{body: `{"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]}`}, llm.ErrMalformed},
		{"of two lengths", answer{body: `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}`}, llm.ErrMalformed},
		{"empty", answer{body: `{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[]}]}`}, llm.ErrMalformed},
		{"no vectors", answer{body: `{"data":[{"index":0,"embedding":"AAAA"},{"index":1,"embedding":[]}]}`}, llm.ErrMalformed},
		{"null for a number", answer{body: `{"data":[{"index":0,"embedding":[1, null]},{"index":1,"embedding":[1,2]}]}`}, llm.ErrBadRequest},
		{"HTML", answer{body: `<html>`}, llm.ErrMalformed},
		{"too long", answer{status: 400, body: "input is larger than the max context size"}, llm.ErrContextLength},
		{"overloaded", answer{status: 429}, llm.ErrOverloaded},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, map[string][]answer{"/v1/embeddings": {tt.answer}})
			_, err := openai.New(s.URL, named).Embed(t.Context(), []string{"a", "b"})
			if !errors.Is(err, tt.want) {
				t.Errorf("err = %v, want %v", err, tt.want)
			}
		})
	}
}

func TestEmbedZero(t *testing.T) {
	s := newServer(t, map[string][]answer{"/v1/embeddings": {{body: `{"data":[{"index":0,"embedding":[0,0]}]}`}}})
	got, err := openai.New(s.URL, named).Embed(t.Context(), []string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range got[0] {
		if x != 0 || math.IsNaN(float64(x)) {
			t.Errorf("vector %v, want zeros", got[0])
		}
	}
}
