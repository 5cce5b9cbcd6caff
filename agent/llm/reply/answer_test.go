package reply_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm/reply"
)

func TestFallback(t *testing.T) {
	tests := []struct{ name, said, thought, want string }{
		{"the answer is", "I looked. The answer is Paris. That is all.", "", "Paris"},
		{"the answer to the question is", "The answer to the question is **Ray Manzarek**.", "", "Ray Manzarek"},
		{"the last one counts", "The answer is Rome. No, the answer is Paris", "", "Rome"}, // one line is one phrase: it ends at its first sentence
		{"the last line counts", "The answer is Rome.\nNo, the answer is Paris.", "", "Paris"},
		{"final answer", "Final answer: \"12 March 1951\"", "", "12 March 1951"},
		{"initials and titles end no sentence", "The answer is Dr. J. R. R. Tolkien. He wrote it.", "", "Dr. J. R. R. Tolkien"},
		{"therefore", "It was built there. Therefore, Rome", "", "Rome"},
		{"in the thought", "", "Hmm. So the answer is 5", "5"},
		{"the last sentence of the thought", "", "I looked at it. It must be Paris", "It must be Paris"},
		{"the last line of the text", "Well.\n\nParis", "", "Paris"},
		{"the confidence is no answer", "Paris\nConfidence: 80%", "", "Paris"},
		{"the text before the thought", "Paris", "It must be Rome", "Paris"},
		{"markup is no answer", "<tool_call>\n{\"name\": \"search\"}\n</tool_call>", "", ""},
		{"nor is it in the middle of a phrase", "The answer is <tool_call>", "", ""},
		{"a word that begins as an error does", "The answer is Exceptional Children.", "", "Exceptional Children"},
		{"an error is no answer", "Error: context length exceeded", "", ""},
		{"not even as the answer", "The answer is Internal Server Error", "", ""},
		{"nor is it in the thought", "", "Traceback (most recent call last)", ""},
		{"a long line is no answer", strings.Repeat("word ", 80), "", ""},
		{"a long sentence is none", "", strings.Repeat("word ", 41), ""},
		{"nothing", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := reply.Fallback(tt.said, tt.thought); got != tt.want {
				t.Errorf("Fallback = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestConfidence(t *testing.T) {
	val := func(f float64) *float64 { return &f }
	tests := []struct {
		text string
		want *float64
	}{
		{"Confidence: 85%", val(0.85)},
		{"**Confidence:** 85", val(0.85)},
		{"confidence: 0.85", val(0.85)},
		{"Confidence level: 100%", val(1)},
		{"Confidence: 1%", val(0.01)},
		{"Confidence: 1", val(1)},
		{"Confidence: 30%, later Confidence: 60%", val(0.6)},
		{"Confidence: 850", nil},
		{"Confidence: high", nil},
		{"I am confident", nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, reply.Confidence(tt.text)); diff != "" {
			t.Errorf("confidence of %q mismatch (-want +got):\n%s", tt.text, diff)
		}
	}
}
