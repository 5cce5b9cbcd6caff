package openai

import (
	"context"
	"fmt"
	"math"

	goopenai "github.com/sashabaranov/go-openai"

	"trawl/agent/llm"
)

// Embed implements [llm.Embedder]. Texts go out in batches; the vectors are
// brought to unit length, which not every server does. An empty text, which
// some servers refuse, is never sent and has the zero vector.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	model, err := c.model(ctx)
	if err != nil {
		return nil, err
	}
	var sent []int // indices of the texts that are not empty
	for i, t := range texts {
		if t != "" {
			sent = append(sent, i)
		}
	}
	vectors := make([][]float32, len(texts))
	for len(sent) > 0 {
		n := min(len(sent), c.opts.Batch)
		if err := c.embedBatch(ctx, model.ID, texts, sent[:n], vectors); err != nil {
			return nil, err
		}
		sent = sent[n:]
	}
	return vectors, c.fillEmpty(ctx, model.ID, vectors)
}

// embedBatch sets the vectors of texts at the indices.
func (c *Client) embedBatch(ctx context.Context, model string, texts []string, indices []int, vectors [][]float32) error {
	input := make([]string, len(indices))
	for i, at := range indices {
		input[i] = texts[at]
	}
	reply, err := c.chat.CreateEmbeddings(ctx, goopenai.EmbeddingRequestStrings{
		Input: input, Model: goopenai.EmbeddingModel(model),
	})
	if err != nil {
		return c.explain(ctx, err)
	}
	if len(reply.Data) != len(input) {
		return c.oddVectors("%d vectors for %d texts", len(reply.Data), len(input))
	}
	for _, e := range reply.Data {
		if e.Index < 0 || e.Index >= len(indices) || vectors[indices[e.Index]] != nil {
			return c.oddVectors("vector %d of %d comes twice or not at all", e.Index, len(input))
		}
		if len(e.Embedding) == 0 || len(e.Embedding) != len(reply.Data[0].Embedding) {
			return c.oddVectors("vectors of %d and %d numbers", len(reply.Data[0].Embedding), len(e.Embedding))
		}
		normalize(e.Embedding)
		vectors[indices[e.Index]] = e.Embedding
	}
	return nil
}

func (c *Client) oddVectors(format string, args ...any) error {
	return &llm.Error{Kind: llm.ErrMalformed, Endpoint: c.name, Err: fmt.Errorf(format, args...)}
}

// fillEmpty makes the missing vectors zero vectors of the same length as the
// others. If all are missing, it asks the server, once, for the vector of some
// word, to see how long vectors are.
func (c *Client) fillEmpty(ctx context.Context, model string, vectors [][]float32) error {
	size := 0
	for _, v := range vectors {
		size = max(size, len(v))
	}
	for i, v := range vectors {
		if v != nil {
			continue
		}
		if size == 0 {
			var err error
			if size, err = c.length.get(ctx, func(ctx context.Context) (int, error) {
				probe := make([][]float32, 1)
				err := c.embedBatch(ctx, model, []string{"word"}, []int{0}, probe)
				return len(probe[0]), err
			}); err != nil {
				return err
			}
		}
		vectors[i] = make([]float32, size)
	}
	return nil
}

// normalize brings v to unit length. A zero vector stays.
func normalize(v []float32) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return
	}
	scale := 1 / math.Sqrt(sum)
	for i := range v {
		v[i] = float32(float64(v[i]) * scale)
	}
}
