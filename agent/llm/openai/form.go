package openai

import (
	"encoding/json"
	"errors"
	"strings"

	"trawl/agent/llm"
)

// A form is a set of departures from the usual form of a request that a server
// was found to need.
type form uint32

const (
	folded           form = 1 << iota // no role but user and assistant, in turn
	objectArguments                   // arguments of past calls as objects (Qwen3-Coder issue 444)
	noReasoning                       // no reasoning in past messages
	completionTokens                  // max_completion_tokens for max_tokens
	noLogprobs                        // no logprobs: they are asked for where they can be had
)

// tokensKey returns the key under which the bound of a completion is sent.
func (f form) tokensKey() string {
	if f&completionTokens != 0 {
		return "max_completion_tokens"
	}
	return "max_tokens"
}

// arguments returns the arguments of a past call as they are sent.
func (f form) arguments(args string) any {
	if f&objectArguments != 0 && json.Valid([]byte(args)) {
		return json.RawMessage(args)
	}
	return args
}

// refusedForm returns what the server would need, if err says that it refused
// a request for its form, and else 0.
func refusedForm(err error) form {
	var e *llm.Error
	if !errors.As(err, &e) || e.Status < 400 {
		return 0
	}
	said := strings.ToLower(e.Body)
	var f form
	for _, w := range formWords {
		if w.in(said) {
			f |= w.form
		}
	}
	return f
}

// A wording is a phrase that servers use: all of its parts, in lower case.
type wording struct {
	form  form
	parts []string
}

func (w wording) in(said string) bool {
	for _, p := range w.parts {
		if !strings.Contains(said, p) {
			return false
		}
	}
	return true
}

// formWords are what chat templates (through vLLM with status 400, through
// llama.cpp with 500) and strict servers say of forms that they refuse.
var formWords = []wording{
	{folded, []string{"system role not supported"}},                   // Gemma 2
	{folded, []string{"roles must alternate"}},                        // Gemma, Mistral, Llama 2
	{folded, []string{"only user and assistant roles are supported"}}, // Mistral 7B
	{folded, []string{"roles are supported, got system"}},             // Ministral
	{folded, []string{"roles are supported, got tool"}},
	{objectArguments, []string{"can only get item pairs from a mapping"}},              // templates that iterate over arguments
	{noReasoning, []string{"property 'reasoning", "is unsupported"}},                   // Groq
	{noReasoning, []string{"messages", "reasoning", "extra inputs are not permitted"}}, // pydantic
	{completionTokens, []string{"max_tokens", "use 'max_completion_tokens'"}},
	{noLogprobs, []string{"logprobs"}}, // OpenAI's reasoning models, Groq, pydantic, vLLM with --max-logprobs, llama.cpp with tools
}

// contextWords are what servers say of a prompt that is too long. Nothing else
// looks at the wording.
var contextWords = []wording{
	{parts: []string{"context_length_exceeded"}},                          // OpenAI's code
	{parts: []string{"maximum context length"}},                           // OpenAI, vLLM, SGLang
	{parts: []string{"maximum model length"}},                             // vLLM: the decoder prompt (length …) is longer than …
	{parts: []string{"max_tokens must be at least 1"}},                    // vLLM: it subtracted the prompt first
	{parts: []string{"longer than the model's context length"}},           // SGLang
	{parts: []string{"exceed_context_size"}},                              // llama.cpp's type
	{parts: []string{"available context size"}},                           // llama.cpp
	{parts: []string{"larger than the max context size"}},                 // llama.cpp, older and for embeddings
	{parts: []string{"context length", "overflow"}},                       // LM Studio
	{parts: []string{"exceeds", "context length"}},                        // Ollama
	{parts: []string{"exceeds", "context window"}},                        // hosted services
	{parts: []string{"inputs` tokens + `max_new_tokens` must be"}},        // TGI
	{parts: []string{"prompt is too long"}},                               // Anthropic's endpoint
	{parts: []string{"input token count", "exceeds the maximum number"}},  // Google's endpoint
	{parts: []string{"maximum prompt length is", "the request contains"}}, // xAI
	{parts: []string{"reduce the length of the messages or completion"}},  // Groq and others
}

// saysTooLong reports whether a server's words mean that the prompt does not
// fit the context window.
func saysTooLong(words ...string) bool {
	said := strings.ToLower(strings.Join(words, "\n"))
	for _, w := range contextWords {
		if w.in(said) {
			return true
		}
	}
	return false
}
