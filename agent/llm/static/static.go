// Package static embeds texts with a table of vectors, one for each piece of a
// word: an [Embedder], made by [Open], reads a Model2Vec folder and needs neither
// a server nor a GPU. Meaning comes from the large model that the table was
// distilled from; the order of words is lost.
//
// Method: Tulkens and van Dongen, "Model2Vec: Fast State-of-the-Art Static Text
// Embeddings" (2024), and the folder layouts of their Python package model2vec
// 0.10, whose vectors this package reproduces: the mean of the vectors of a
// text's pieces, each times its weight if there are weights; unknown pieces are
// left out; at most max_length pieces count. Tokenizers are WordPiece behind the
// normalizer and pre-tokenizer of BERT; others are refused by name.
//
// # Departures
//
// Vectors always have unit length, as [llm.Embedder] wants, whether or not
// config.json says normalize. Sums are in float64. Unicode's tables are Go's, which
// are newer than those of the tokenizers library: of 198,656 characters tried, 568
// that Unicode named or moved since are dropped or split otherwise. Of 12,552 real
// texts under a vocabulary of 30,522 pieces, all have the same pieces.
//
// An Embedder is safe for concurrent use.
package static

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"trawl/agent/llm"
	"trawl/internal/text"
)

var _ llm.Embedder = (*Embedder)(nil)

// defaultLength is how many pieces count if config.json does not say.
const defaultLength = 512

// An Embedder holds the table of a Model2Vec folder.
type Embedder struct {
	tokens    *tokenizer
	table     table
	maxPieces int // of a text that count; 0: all
	maxChars  int // of a text that are read; 0: all
	sum       [sha256.Size]byte
}

// layouts are where the parts of a model lie in its folder: as model2vec and as
// sentence-transformers save it, and as the latter keeps it beside other modules.
var layouts = []struct{ config, tensors, tokenizer string }{
	{"config.json", "model.safetensors", "tokenizer.json"},
	{"config_sentence_transformers.json", "model.safetensors", "tokenizer.json"},
	{"config_sentence_transformers.json", "0_StaticEmbedding/model.safetensors", "0_StaticEmbedding/tokenizer.json"},
}

// Open reads the Model2Vec folder dir.
func Open(dir string) (*Embedder, error) {
	for _, l := range layouts {
		var parts [3][]byte
		err := error(nil)
		for i, name := range []string{l.config, l.tokenizer, l.tensors} {
			if parts[i], err = os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
				break
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("static: %w", err)
		}
		e, err := parse(parts[0], parts[1], parts[2])
		if err != nil {
			return nil, fmt.Errorf("static: %s: %w", dir, err)
		}
		return e, nil
	}
	return nil, fmt.Errorf("static: %s is no Model2Vec folder: it needs %s, %s and %s", dir, layouts[0].config, layouts[0].tensors, layouts[0].tokenizer)
}

// parse makes an Embedder of the content of its three files.
func parse(config, tokens, tensors []byte) (*Embedder, error) {
	e := &Embedder{maxPieces: defaultLength}
	var err error
	if e.maxPieces, err = maxLength(config); err != nil {
		return nil, fmt.Errorf("the config: %w", err)
	}
	if e.tokens, err = parseTokenizer(tokens); err != nil {
		return nil, fmt.Errorf("tokenizer.json: %w", err)
	}
	if e.table, err = parseTable(tensors, e.tokens.ids()); err != nil {
		return nil, fmt.Errorf("model.safetensors: %w", err)
	}
	e.maxChars = e.maxPieces * e.tokens.medianChars()
	h := sha256.New()
	for _, part := range [][]byte{config, tokens, tensors} {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(part))))
		h.Write(part)
	}
	h.Sum(e.sum[:0])
	return e, nil
}

// maxLength reads how many pieces of a text count: without the key 512, with
// null all.
func maxLength(config []byte) (int, error) {
	var c map[string]json.RawMessage
	if err := json.Unmarshal(config, &c); err != nil {
		return 0, err
	}
	raw, there := c["max_length"]
	if !there {
		return defaultLength, nil
	}
	var n *int
	if err := json.Unmarshal(raw, &n); err != nil || n != nil && (*n <= 0 || *n > math.MaxInt32) {
		return 0, fmt.Errorf("max_length is %s; want a number above 0, or null", raw)
	}
	if n == nil {
		return 0, nil
	}
	return *n, nil
}

// Dims returns how many numbers a vector has.
func (e *Embedder) Dims() int { return e.table.dims }

// Name returns what tells these vectors from all others: it covers every byte of
// the folder that decides them.
func (e *Embedder) Name() string { return fmt.Sprintf("static/%x/%d", e.sum[:6], e.table.dims) }

// Embed implements [llm.Embedder]. A text without a known piece has the zero
// vector. It fails only if ctx ended.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	sum := make([]float64, e.table.dims)
	for i, s := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		clear(sum)
		for _, id := range e.pieces(s) {
			e.table.add(sum, id)
		}
		vectors[i] = llm.Unit(sum)
	}
	return vectors, nil
}

// pieces returns the pieces of s that count.
func (e *Embedder) pieces(s string) []int32 {
	if e.maxChars > 0 {
		s = text.FirstChars(s, e.maxChars)
	}
	ids := e.tokens.pieces(s)
	if e.maxPieces > 0 && len(ids) > e.maxPieces {
		ids = ids[:e.maxPieces]
	}
	return slices.DeleteFunc(ids, func(id int32) bool { return id == e.tokens.unknown })
}
