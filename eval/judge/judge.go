// Package judge asks a model whether an answer is right, where comparing words
// does not do: [Judge]. [GAIA] is a scorer that needs no model.
//
// A judge has one of five styles, each a prompt and a form of reply:
//
//   - browsecomp: four lines, as the graders of BrowseComp and HLE have them:
//     extracted_final_answer, reasoning, correct, confidence
//   - hle: the same as a JSON object, which is also asked of the server as a schema
//   - divinit: reasons, then CORRECT or INCORRECT on the last line (DivInit, A.2)
//   - tongyi: one word, Correct or Incorrect (Tongyi DeepResearch, for GAIA and WebWalker)
//   - simpleqa: one letter, A, B or C (SimpleQA, and Tongyi DeepResearch for it)
//
// A verdict is a whole word in its place and nothing that merely holds it:
// INCORRECT is not CORRECT, "Ambiguous" is no A, and lines that contradict each
// other are none. A reply without a verdict is asked for again. If none of the
// tries leads to one, the answer is unscored, never wrong. An empty answer is
// incorrect, and no model is asked.
//
// # Departures
//
// What is judged and the forms of the replies are the sources'; the words of the
// prompts are ours. Further departures:
//
//   - simple-evals (openai/simple-evals) compares the whole match of its pattern,
//     "correct: yes", with "yes", so that nothing is ever correct; here it is the
//     group. Where nothing matches, it says no; here the answer is unscored.
//   - Tongyi DeepResearch takes every reply that begins with an a, "Ambiguous" too,
//     for correct, and an "INCORRECT" is correct wherever "CORRECT" is looked for.
//     Here the set of words is exact.
//   - The judges of BrowseComp and HLE are told to write confidence 100, AggAgent's 0,
//     where a response states none; here it is none.
//   - Judges of BrowseComp see the whole last message of an agent; here it is the
//     answer, as that is what rollouts of all programs have.
//   - Golds are shown as alternatives; a gold "A OR B" is two, as AggAgent's are.
//   - That a response which does not give the correct answer is incorrect is said to
//     DivInit's judge outright; its rubric speaks of contradiction alone.
//   - DivInit's judge may write 300 tokens, others 2,048; here it is as the options say.
//   - A later try has another seed and ends with a reminder of the form: at
//     temperature 0 a seed alone changes nothing.
package judge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"trawl/agent/llm"
	"trawl/agent/llm/reply"
	"trawl/internal/seed"
	"trawl/internal/text"
)

// Options set how a model is asked. The zero value selects the defaults.
type Options struct {
	Style    Style        // default BrowseComp
	Sampling llm.Sampling // default temperature 0, which is sent, and 2,048 tokens
	Tries    int          // for a verdict; default 3
	Seed     int64
}

const (
	defaultMaxTokens = 2048
	defaultTries     = 3
)

// A Verdict is what a judge says of an answer.
type Verdict string

// The verdicts.
const (
	Correct   Verdict = "correct"
	Incorrect Verdict = "incorrect"
	Unscored  Verdict = "unscored" // the judge gave none
)

// A Ruling is a verdict and what stands around it.
type Ruling struct {
	Verdict    Verdict
	Extracted  string   // the answer that the judge found in the response; "" if it says nothing of it
	Reasoning  string   // likewise
	Confidence *float64 // 0 to 1, that the judge found in the response; nil if none
	Reason     string   // why there is no verdict, or what is special about it
	Calls      int      // of the model
	Usage      llm.Usage
}

// A Judge asks a model. It is safe for concurrent use if its client is.
type Judge struct {
	client llm.Client
	opts   Options
	form   form
}

// New returns a judge that asks client. It fails for an unknown style.
func New(client llm.Client, o Options) (*Judge, error) {
	if o.Style == "" {
		o.Style = BrowseComp
	}
	f, ok := forms[o.Style]
	if !ok {
		return nil, fmt.Errorf("judge: unknown style %q: want %s", o.Style, styleList())
	}
	if o.Sampling.Temperature == nil {
		zero := 0.0
		o.Sampling.Temperature = &zero
	}
	if o.Sampling.MaxTokens == 0 {
		o.Sampling.MaxTokens = defaultMaxTokens
	}
	o.Sampling.Extra = f.withSchema(o.Sampling.Extra)
	if o.Tries <= 0 {
		o.Tries = defaultTries
	}
	return &Judge{client: client, opts: o, form: f}, nil
}

// Identity returns all that decides beside the question, the answers and the
// model, as JSON: two judges of one identity rule alike.
func (j *Judge) Identity() string {
	id := struct {
		Judge    Style        `json:"judge"`
		Prompts  string       `json:"prompts"`
		Sampling llm.Sampling `json:"sampling"`
		Tries    int          `json:"tries"`
		Seed     int64        `json:"seed"`
	}{j.opts.Style, PromptHash(), j.opts.Sampling, j.opts.Tries, j.opts.Seed}
	data, err := text.JSON(id)
	if err != nil { // an extra key of the request holds what is not JSON; such a request cannot be sent either
		return fmt.Sprintf("%+v", id)
	}
	return string(data)
}

// Judge rules on a response to a question by its gold answers, of which any one is
// enough. It returns an error if there are no golds or the model cannot be asked; a
// model that gives no verdict, or for which the prompt is too long, leaves the
// response unscored.
func (j *Judge) Judge(ctx context.Context, question string, golds []string, response string) (Ruling, error) {
	c := newCase(question, golds, response)
	switch {
	case len(c.Golds) == 0:
		return Ruling{}, errors.New("judge: there is no gold answer to judge by")
	case c.Response == "":
		return Ruling{Verdict: Incorrect, Reason: "there is no answer"}, nil
	}
	r := Ruling{Verdict: Unscored}
	for try := range j.opts.Tries {
		resp, err := j.ask(ctx, c, try)
		r.Calls++
		switch {
		case errors.Is(err, llm.ErrContextLength):
			r.Reason = "the prompt does not fit the judge's context"
			return r, nil
		case errors.Is(err, llm.ErrMalformed) && ctx.Err() == nil:
			r.Reason = "the server's reply cannot be read"
			continue
		case err != nil:
			return Ruling{}, fmt.Errorf("judge: %w", err)
		}
		r.Usage = sum(r.Usage, resp.Usage)
		if j.read(resp, &r) {
			return r, nil
		}
	}
	return r, nil
}

// ask makes the call of a try.
func (j *Judge) ask(ctx context.Context, c asked, try int) (*llm.Response, error) {
	prompt := render(string(j.opts.Style), c)
	if try > 0 {
		prompt += "\n\n" + words("again-"+string(j.opts.Style))
	}
	s := seed.Derive(j.opts.Seed, "judge", j.opts.Style, c.Question, c.Response, try)
	return j.client.Complete(ctx, &llm.Request{
		Sampling: j.opts.Sampling,
		Messages: []llm.Message{{Role: llm.User, Content: prompt}},
		Seed:     &s,
	})
}

// read takes the verdict of a reply into r, or why there is none.
func (j *Judge) read(resp *llm.Response, r *Ruling) bool {
	said := reply.AfterThinking(resp.Message.Content)
	if said == "" && text.Blank(resp.Message.Content) { // a server may take all of a reply for reasoning
		said = reply.AfterThinking(resp.Message.Reasoning)
	}
	switch {
	case resp.Finish == "length":
		r.Reason = "the judge's reply breaks off"
		return false
	case said == "":
		r.Reason = "the judge's reply is empty"
		return false
	}
	got, ok := j.form.read(said)
	if !ok {
		r.Reason = "the judge's reply has no verdict: " + quoted(said)
		return false
	}
	got.Calls, got.Usage = r.Calls, r.Usage
	*r = got
	return true
}

// maxQuoted bounds what a reason quotes of a reply, in characters.
const maxQuoted = 80

func quoted(said string) string {
	return fmt.Sprintf("%q", text.Middle(text.Collapse(said), maxQuoted, " … "))
}

func sum(a, b llm.Usage) llm.Usage {
	return llm.Usage{Prompt: a.Prompt + b.Prompt, Completion: a.Completion + b.Completion, Cached: a.Cached + b.Cached, Estimated: a.Estimated || b.Estimated}
}

// An asked is what a prompt shows, each text on one line, so that no response can
// look like a part of the prompt.
type asked struct {
	Question string
	Golds    []string
	Response string
}

func newCase(question string, golds []string, response string) asked {
	c := asked{Question: text.Collapse(question), Response: text.Collapse(response)}
	for _, g := range golds {
		for alternative := range strings.SplitSeq(text.Collapse(g), " OR ") {
			if !text.Blank(alternative) && !slices.Contains(c.Golds, alternative) {
				c.Golds = append(c.Golds, alternative)
			}
		}
	}
	return c
}
