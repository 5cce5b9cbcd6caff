package utility

import (
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"trawl/agent/llm"
	"trawl/agent/llm/reply"
	"trawl/internal/prompt"
	"trawl/internal/seed"
	"trawl/internal/text"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

var prompts = prompt.New("utility", promptFiles, nil)

// What [Asked] asks, by the names of its prompts.
const (
	askEntails  = "entails"
	askClaims   = "claims"
	askKeypoint = "keypoint"
)

// reminder returns the words that ask for a reply in the form of a prompt again.
func reminder(name string) string { return prompts.Words("again-"+name, nil) }

// promptHash returns the hash of one prompt and its reminder, and of no other's.
func promptHash(name string) string {
	data, err := promptFiles.ReadFile("prompts/" + name + ".tmpl")
	if err != nil {
		panic("utility: there is no prompt " + name)
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(fmt.Appendf(nil, "%d\n%s%s", len(data), data, reminder(name))))
}

// ErrNoVerdict is the error of a judge that was asked and said nothing of use:
// what it was asked of is not scored, and the evaluation goes on.
var ErrNoVerdict = errors.New("no verdict")

// Asked asks a model: it is an [Entailer], an [Extractor] and a [Checker]. A reply
// that is none of the form is asked for again, with another seed and a reminder of
// the form, and then there is no verdict ([ErrNoVerdict]); so it is where the prompt
// does not fit the model. Any other failure is an error of the whole evaluation. It
// is safe for concurrent use if its client is.
type Asked struct {
	Client   llm.Client
	Sampling llm.Sampling
	Tries    int     // default 2
	Seed     int64   // of the seeds that are sent, which are hashed from what is asked and the try
	Words    float64 // of [Stated]: a reply none of whose claims is of the explanation is none
}

var (
	_ Entailer  = Asked{}
	_ Extractor = Asked{}
	_ Checker   = Asked{}
)

// Identity returns all that decides what is said by the prompt of a name, entails,
// claims or keypoint, beside the model and what it is asked of, as JSON: two of one
// identity judge alike. What another prompt alone needs is not in it.
func (a Asked) Identity(name string) string {
	words := a.Words
	if name != askClaims {
		words = 0
	}
	data, err := text.JSON(struct {
		Prompt   string       `json:"prompt"`
		Sampling llm.Sampling `json:"sampling"`
		Tries    int          `json:"tries"`
		Seed     int64        `json:"seed"`
		Words    float64      `json:"words,omitempty"`
	}{promptHash(name), a.Sampling, a.tries(), a.Seed, words})
	if err != nil { // an extra key of the request holds what is not JSON; such a request cannot be sent either
		return fmt.Sprintf("%+v", a.Sampling)
	}
	return string(data)
}

func (a Asked) tries() int {
	if a.Tries <= 0 {
		return 2
	}
	return a.Tries
}

// ask asks by a prompt until read takes a reply; about is what the seeds are
// hashed from.
func (a Asked) ask(ctx context.Context, name string, data any, about string, read func(said string) bool) error {
	words, said := prompts.Render(name, data), ""
	for try := range a.tries() {
		if try == 1 {
			words += "\n\n" + reminder(name)
		}
		s := seed.Derive(a.Seed, name, about, try)
		resp, err := a.Client.Complete(ctx, &llm.Request{
			Sampling: a.Sampling, Seed: &s, Messages: []llm.Message{{Role: llm.User, Content: words}},
		})
		switch {
		case errors.Is(err, llm.ErrContextLength):
			return fmt.Errorf("utility: %s: %w: %w", name, ErrNoVerdict, err)
		case errors.Is(err, llm.ErrMalformed) && ctx.Err() == nil:
			said = "what cannot be read"
			continue
		case err != nil:
			return fmt.Errorf("utility: %s: %w", name, err)
		}
		if said = saidIn(resp); resp.Finish != "length" && read(said) {
			return nil
		}
	}
	return fmt.Errorf("utility: %s: %w in %d replies, the last is %q", name, ErrNoVerdict, a.tries(), text.FirstChars(text.Collapse(said), 80))
}

// saidIn returns the reply without thinking; a server may take all of it for that.
func saidIn(resp *llm.Response) string {
	if text.Blank(resp.Message.Content) {
		return reply.AfterThinking(resp.Message.Reasoning)
	}
	return reply.AfterThinking(resp.Message.Content)
}

// Entails implements [Entailer].
func (a Asked) Entails(ctx context.Context, claim string, evidence []string) (p float64, err error) {
	claim = text.Collapse(claim)
	data := struct {
		Claim    string
		Evidence []string
	}{claim, evidence}
	err = a.ask(ctx, askEntails, data, claim, func(said string) (ok bool) {
		p, ok = Verdict(said)
		return ok
	})
	return p, err
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

// Extract implements [Extractor].
func (a Asked) Extract(ctx context.Context, explanation string) (claims []string, err error) {
	err = a.ask(ctx, askClaims, struct{ Lines []string }{lines(explanation)}, explanation, func(said string) (ok bool) {
		if claims, ok = ReadClaims(said); !ok || len(claims) == 0 {
			return ok
		}
		stated, _ := Stated(claims, explanation, a.Words)
		return len(stated) > 0
	})
	if err != nil {
		return nil, err
	}
	return claims, nil
}

// Check implements [Checker].
func (a Asked) Check(ctx context.Context, p Point) (s Stance, err error) {
	fact := text.Collapse(p.Fact)
	data := struct {
		Question, Fact string
		Lines          []string
	}{text.Collapse(p.Question), fact, lines(p.Response)}
	err = a.ask(ctx, askKeypoint, data, fact+"\n"+p.Response, func(said string) (ok bool) {
		s, ok = ReadStance(said)
		return ok
	})
	return s, err
}

// lines returns the lines of s that are not blank, each with single spaces.
func lines(s string) []string {
	var out []string
	for _, line := range strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if line = text.Collapse(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}
