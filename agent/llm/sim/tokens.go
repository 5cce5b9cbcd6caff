package sim

import (
	"hash/fnv"
	"unicode/utf8"
)

// The simulated model's tokens are words and punctuation: a run of letters and
// digits makes one token for every eight bytes or part of it, every other
// character but white space makes one, and white space makes none except for
// line ends. That is near what byte-pair vocabularies give for English, and it
// is a pure function of the text.
const (
	wordPiece       = 8  // bytes of a word in one token
	messageOverhead = 4  // tokens of the chat template around one message
	replyOverhead   = 3  // tokens that open the reply
	cacheBlock      = 16 // vLLM caches prompts in blocks of this many tokens
	vocabulary      = 150_000
)

// eachToken calls f with the ends of every token of s until f returns false.
func eachToken(s string, f func(start, end int) bool) {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case isWordByte(c):
			start := i
			for i < len(s) && isWordByte(s[i]) && (i-start < wordPiece || !utf8.RuneStart(s[i])) {
				i++
			}
			if !f(start, i) {
				return
			}
		default:
			if !f(i, i+1) {
				return
			}
			i++
		}
	}
}

// isWordByte reports whether c belongs to a word; all bytes of characters
// beyond ASCII do.
func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= utf8.RuneSelf
}

// countTokens returns the number of tokens of s.
func countTokens(s string) int {
	n := 0
	eachToken(s, func(int, int) bool { n++; return true })
	return n
}

// cutTokens returns the longest prefix of s of at most n tokens, and the tokens
// that it has.
func cutTokens(s string, n int) (prefix string, count int) {
	cut := len(s)
	eachToken(s, func(start, end int) bool {
		if count == n {
			cut = start
			return false
		}
		count++
		return true
	})
	return s[:cut], count
}

// tokenIDs returns the tokens of s as numbers.
func tokenIDs(s string) []int {
	ids := []int{}
	eachToken(s, func(start, end int) bool {
		h := fnv.New32a()
		h.Write([]byte(s[start:end]))
		ids = append(ids, int(h.Sum32()%vocabulary))
		return true
	})
	return ids
}

// promptTokens counts the tokens of the prompt that messages and tools make,
// and how many of them a server with prefix caching would have kept from the
// turn before: the conversation up to and including the last reply, in whole
// blocks. The latter depends on the request alone, not on what the server has
// seen, so that results do not depend on scheduling.
func promptTokens(messages []message, tools []tool) (total, cached int) {
	for i := range tools {
		f := &tools[i].Function
		total += messageOverhead + countTokens(f.Name) + countTokens(f.Description) + countTokens(string(f.Parameters))
	}
	kept := 0
	for i := range messages {
		m := &messages[i]
		total += messageOverhead + countTokens(m.text()) + countTokens(m.reasoning())
		for j := range m.ToolCalls {
			total += messageOverhead + countTokens(m.ToolCalls[j].Function.Name) + countTokens(m.ToolCalls[j].arguments())
		}
		if m.Role == "assistant" {
			kept = total
		}
	}
	return total + replyOverhead, kept / cacheBlock * cacheBlock
}

// promptIDs returns tokens of a chat prompt, count of them: those of the texts,
// and 0 for those of the template.
func promptIDs(messages []message, count int) []int {
	ids := make([]int, 0, count)
	for i := range messages {
		ids = append(ids, tokenIDs(messages[i].text())...)
	}
	return append(ids, make([]int, count-len(ids))...)
}
