package openai

import (
	"encoding/json"

	goopenai "github.com/sashabaranov/go-openai"

	"trawl/agent/llm"
)

// A tokenList is what a reply, or a part of one, says of its tokens. What cannot be
// read of it is lost for the whole reply, and the reply itself is not.
type tokenList struct {
	tokens []goopenai.LogProb
	broken bool
}

// add takes in the logprobs of one completion or event. bytes, where a server sends
// them, is the token; token has a mark in the place of half a letter. A token with an
// alternative that has no logprob is taken as one without alternatives.
func (l *tokenList) add(raw json.RawMessage) {
	if len(raw) == 0 {
		return
	}
	var said *struct {
		Content []struct {
			Token   string
			Bytes   []byte
			Logprob float64
			Top     []struct {
				Logprob *float64
			} `json:"top_logprobs"`
		}
	}
	if err := json.Unmarshal(raw, &said); err != nil {
		l.broken = true
		return
	}
	if said == nil {
		return
	}
	for _, t := range said.Content {
		p := goopenai.LogProb{Bytes: t.Bytes, LogProb: t.Logprob}
		if p.Bytes == nil {
			p.Bytes = []byte(t.Token)
		}
		for _, alternative := range t.Top {
			if alternative.Logprob == nil { // 0 would be certainty
				p.TopLogProbs = nil
				break
			}
			p.TopLogProbs = append(p.TopLogProbs, goopenai.TopLogProbs{LogProb: *alternative.Logprob})
		}
		l.tokens = append(l.tokens, p)
	}
}

// encode returns the tokens as go-openai reads them; nil if there are none.
func (l *tokenList) encode() *goopenai.LogProbs {
	if l.broken || len(l.tokens) == 0 {
		return nil
	}
	return &goopenai.LogProbs{Content: l.tokens}
}

// tokens returns the tokens of a choice, if they were asked for.
func tokens(choice *goopenai.ChatCompletionChoice, req *llm.Request) []llm.Token {
	if choice.LogProbs == nil || req.Logprobs <= 0 {
		return nil
	}
	out := make([]llm.Token, len(choice.LogProbs.Content))
	for i, t := range choice.LogProbs.Content {
		out[i] = llm.Token{Text: string(t.Bytes), Top: make([]float64, len(t.TopLogProbs))}
		for j, alternative := range t.TopLogProbs {
			out[i].Top[j] = alternative.LogProb
		}
	}
	return out
}
