package static

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// bert is the normalizer of BERT's tokenizers, as the tokenizers library has it.
type bert struct {
	clean, chinese, strip, lower bool
}

func parseBert(raw json.RawMessage) (bert, error) {
	p := struct {
		CleanText          bool  `json:"clean_text"`
		HandleChineseChars bool  `json:"handle_chinese_chars"`
		StripAccents       *bool `json:"strip_accents"`
		Lowercase          bool  `json:"lowercase"`
	}{}
	if err := json.Unmarshal(raw, &p); err != nil {
		return bert{}, fmt.Errorf("normalizer: %w", err)
	}
	b := bert{clean: p.CleanText, chinese: p.HandleChineseChars, strip: p.Lowercase, lower: p.Lowercase}
	if p.StripAccents != nil {
		b.strip = *p.StripAccents
	}
	return b, nil
}

// normalize drops control characters, makes white space spaces, puts spaces
// around Chinese characters, strips accents, and lowers case, as far as it is
// set to.
func (b bert) normalize(s string) string {
	var out strings.Builder
	out.Grow(len(s) + len(s)/8)
	for _, r := range s {
		switch {
		case b.clean && (r == 0 || r == utf8.RuneError || isControl(r)):
		case b.clean && isSpace(r):
			out.WriteByte(' ')
		case b.chinese && isChinese(r):
			out.WriteByte(' ')
			out.WriteRune(r)
			out.WriteByte(' ')
		default:
			out.WriteRune(r)
		}
	}
	s = out.String()
	if b.strip {
		s = stripAccents(s)
	}
	if b.lower {
		s = lower(s)
	}
	return s
}

// stripAccents decomposes s (NFD) and drops its nonspacing marks.
func stripAccents(s string) string {
	if isASCII(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(s))
}

// lower lowers each character by itself, unlike [strings.ToLower] also "İ", which
// becomes two.
func lower(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	var out strings.Builder
	for _, r := range s {
		if r == 'İ' {
			out.WriteString("i̇")
			continue
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isSpace(r rune) bool { return unicode.IsSpace(r) }

// isControl reports whether r is a control, format or private character and none
// of tab, line feed and carriage return.
func isControl(r rune) bool {
	return r != '\t' && r != '\n' && r != '\r' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co)
}

func isPunct(r rune) bool {
	return unicode.IsPunct(r) || r < utf8.RuneSelf && unicode.IsSymbol(r)
}

// isChinese reports whether r is in the CJK blocks that BERT names.
func isChinese(r rune) bool {
	return 0x4e00 <= r && r <= 0x9fff || 0x3400 <= r && r <= 0x4dbf ||
		0x20000 <= r && r <= 0x2a6df || 0x2a700 <= r && r <= 0x2b73f ||
		0x2b740 <= r && r <= 0x2b81f || 0x2b920 <= r && r <= 0x2ceaf ||
		0xf900 <= r && r <= 0xfaff || 0x2f800 <= r && r <= 0x2fa1f
}

// words yields the words of s, split at white space and around every punctuation
// character.
func words(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		from := 0
		for i, r := range s {
			space := isSpace(r)
			if !space && !isPunct(r) {
				continue
			}
			if i > from && !yield(s[from:i]) {
				return
			}
			_, size := utf8.DecodeRuneInString(s[i:])
			from = i + size
			if !space && !yield(s[i:from]) {
				return
			}
		}
		if from < len(s) {
			yield(s[from:])
		}
	}
}

// A wordPiece cuts words into pieces of a vocabulary.
type wordPiece struct {
	vocab    map[string]int32
	inner    map[string]int32 // pieces that go on with a word, without the prefix
	unknown  int32
	maxChars int // of a word; longer ones are unknown
	longest  int // bytes of a piece
}

func parseWordPiece(raw json.RawMessage) (w wordPiece, unknown int32, err error) {
	p := struct {
		UnkToken string           `json:"unk_token"`
		Prefix   *string          `json:"continuing_subword_prefix"`
		MaxChars *int             `json:"max_input_chars_per_word"`
		Vocab    map[string]int32 `json:"vocab"`
	}{}
	if err := json.Unmarshal(raw, &p); err != nil {
		return wordPiece{}, 0, fmt.Errorf("model: %w", err)
	}
	unknown, ok := p.Vocab[p.UnkToken]
	if !ok {
		return wordPiece{}, 0, fmt.Errorf("model: the unknown token %q is not in the vocabulary", p.UnkToken)
	}
	prefix, maxChars := "##", 100 // the library's defaults
	if p.Prefix != nil {
		prefix = *p.Prefix
	}
	if p.MaxChars != nil {
		maxChars = *p.MaxChars
	}
	w = wordPiece{vocab: p.Vocab, inner: make(map[string]int32), unknown: unknown, maxChars: maxChars}
	for piece, id := range p.Vocab {
		w.longest = max(w.longest, len(piece))
		if rest, ok := strings.CutPrefix(piece, prefix); ok {
			w.inner[rest] = id
		}
	}
	return w, unknown, nil
}

// appendPieces appends the pieces of a word: again and again the longest that
// the rest begins with. If there is none, the whole word is unknown.
func (w *wordPiece) appendPieces(ids []int32, word string) []int32 {
	if utf8.RuneCountInString(word) > w.maxChars {
		return append(ids, w.unknown)
	}
	begin := len(ids)
	pieces := w.vocab
	for len(word) > 0 {
		id, size := longestIn(pieces, word, w.longest)
		if size == 0 {
			return append(ids[:begin], w.unknown)
		}
		ids = append(ids, id)
		word = word[size:]
		pieces = w.inner
	}
	return ids
}

// longestIn returns the longest of the pieces, of at most that many bytes, that
// word begins with; size is 0 if there is none.
func longestIn(pieces map[string]int32, word string, most int) (id int32, size int) {
	for size := min(len(word), most); size > 0; size-- {
		if size < len(word) && !utf8.RuneStart(word[size]) {
			continue
		}
		if id, ok := pieces[word[:size]]; ok {
			return id, size
		}
	}
	return 0, 0
}
