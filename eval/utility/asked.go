package utility

import (
	"context"
	"embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"trawl/agent/llm"
	"trawl/agent/llm/reply"
	"trawl/internal/prompt"
	"trawl/internal/text"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

var prompts = prompt.New("utility", promptFiles, nil)

// PromptHash returns the hash of the prompts.
func PromptHash() string { return prompts.Hash() }

// Asked is the entailer that asks a model. A reply that is no verdict is asked for
// again, and then the claim is not scored.
type Asked struct {
	Client   llm.Client
	Sampling llm.Sampling
	Tries    int // default 2
}

var _ Entailer = Asked{}

// Entails implements [Entailer].
func (a Asked) Entails(ctx context.Context, claim string, evidence []string) (float64, error) {
	words := prompts.Render("entails", struct {
		Claim    string
		Evidence []string
	}{text.Collapse(claim), evidence})
	tries := a.Tries
	if tries <= 0 {
		tries = 2
	}
	said := ""
	for try := range tries {
		seed := int64(try)
		resp, err := a.Client.Complete(ctx, &llm.Request{
			Sampling: a.Sampling, Seed: &seed,
			Messages: []llm.Message{{Role: llm.User, Content: words}},
		})
		if err != nil {
			return 0, fmt.Errorf("utility: entailment: %w", err)
		}
		said = reply.AfterThinking(resp.Message.Content)
		if p, ok := Verdict(said); ok {
			return p, nil
		}
	}
	return 0, fmt.Errorf("utility: entailment: no verdict in %d replies, the last is %q", tries, text.FirstChars(text.Collapse(said), 80))
}

var verdict = regexp.MustCompile(`(?i)^[\s*_"']*(?:([0-9]{1,3})\s*(?:%|/\s*100)?|(yes)|(no))[\s*_"'.]*$`)

// Verdict reads a reply that is a number from 0 to 100 and nothing else, or yes or
// no. A reply that merely has one in it is no verdict.
func Verdict(s string) (p float64, ok bool) {
	m := verdict.FindStringSubmatch(strings.TrimSpace(s))
	switch {
	case m == nil:
		return 0, false
	case m[2] != "":
		return 1, true
	case m[3] != "":
		return 0, true
	}
	n, err := strconv.Atoi(m[1])
	if err != nil || n > 100 {
		return 0, false
	}
	return float64(n) / 100, true
}
