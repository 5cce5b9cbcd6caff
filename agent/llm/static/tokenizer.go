package static

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A tokenizer cuts texts into pieces that have vectors.
type tokenizer struct {
	bert    bert
	words   wordPiece
	raw     marks // tokens that are found before the text is normalized: "[SEP]"
	normal  marks // and after
	unknown int32
	sizes   []int // characters of each piece, by its id
}

// tokenizerFile is what counts in a tokenizer.json. Truncation and padding do
// not: model2vec replaces them.
type tokenizerFile struct {
	AddedTokens  []addedToken    `json:"added_tokens"`
	Normalizer   json.RawMessage `json:"normalizer"`
	PreTokenizer json.RawMessage `json:"pre_tokenizer"`
	Model        json.RawMessage `json:"model"`
}

type addedToken struct {
	ID         int32  `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"`
	LStrip     bool   `json:"lstrip"`
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"`
}

// parseTokenizer reads a tokenizer.json of the Hugging Face tokenizers library.
func parseTokenizer(data []byte) (*tokenizer, error) {
	var f tokenizerFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	if err := wantType("normalizer", f.Normalizer, "BertNormalizer"); err != nil {
		return nil, err
	}
	if err := wantType("pre_tokenizer", f.PreTokenizer, "BertPreTokenizer"); err != nil {
		return nil, err
	}
	if err := wantType("model", f.Model, "WordPiece"); err != nil {
		return nil, err
	}
	t := &tokenizer{}
	var err error
	if t.bert, err = parseBert(f.Normalizer); err != nil {
		return nil, err
	}
	if t.words, t.unknown, err = parseWordPiece(f.Model); err != nil {
		return nil, err
	}
	if err := t.addTokens(f.AddedTokens); err != nil {
		return nil, err
	}
	return t, t.measure(f.AddedTokens)
}

// wantType refuses a part of a tokenizer that is not of the type.
func wantType(part string, raw json.RawMessage, want string) error {
	var p struct {
		Type string `json:"type"`
	}
	if len(raw) > 0 && !bytes.Equal(raw, []byte("null")) {
		if err := json.Unmarshal(raw, &p); err != nil {
			return fmt.Errorf("%s: %w", part, err)
		}
	}
	if p.Type == "" {
		p.Type = "none"
	}
	if p.Type != want {
		return fmt.Errorf("the %s is %s; only %s can be read", part, p.Type, want)
	}
	return nil
}

// addTokens takes over the tokens that are cut out of a text before anything else.
func (t *tokenizer) addTokens(tokens []addedToken) error {
	for _, a := range tokens {
		if a.Content == "" || a.SingleWord || a.LStrip || a.RStrip {
			return fmt.Errorf("the added token %q is empty, or single_word, lstrip or rstrip, which cannot be read", a.Content)
		}
		if a.Normalized {
			t.normal.add(t.bert.normalize(a.Content), a.ID)
		} else {
			t.raw.add(a.Content, a.ID)
		}
	}
	return nil
}

// measure notes the size of every piece and makes sure that ids are 0 to n-1.
func (t *tokenizer) measure(added []addedToken) error {
	byText := make(map[string]int32, len(t.words.vocab)+len(added))
	for piece, id := range t.words.vocab {
		byText[piece] = id
	}
	for _, a := range added {
		byText[a.Content] = a.ID
	}
	t.sizes = make([]int, len(byText))
	for i := range t.sizes {
		t.sizes[i] = -1
	}
	for piece, id := range byText {
		if id < 0 || int(id) >= len(t.sizes) || t.sizes[id] >= 0 {
			return fmt.Errorf("the %d pieces are not numbered from 0: id %d is twice there, or beyond", len(t.sizes), id)
		}
		t.sizes[id] = utf8.RuneCountInString(piece)
	}
	if len(t.sizes) == 0 {
		return errors.New("no pieces")
	}
	return nil
}

// ids returns how many pieces there are.
func (t *tokenizer) ids() int { return len(t.sizes) }

// medianChars returns the median of the pieces' characters, rounded down.
func (t *tokenizer) medianChars() int {
	sorted := slices.Sorted(slices.Values(t.sizes))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// pieces returns the ids of the pieces of s.
func (t *tokenizer) pieces(s string) (ids []int32) {
	t.raw.split(s, func(s string, id int32) {
		if id >= 0 {
			ids = append(ids, id)
			return
		}
		t.normal.split(t.bert.normalize(s), func(s string, id int32) {
			if id >= 0 {
				ids = append(ids, id)
				return
			}
			for word := range words(s) {
				ids = t.words.appendPieces(ids, word)
			}
		})
	})
	return ids
}

// marks are tokens that stand in a text as they are, longest first for each first
// byte.
type marks struct{ byFirst map[byte][]mark }

type mark struct {
	text string
	id   int32
}

func (m *marks) add(text string, id int32) {
	if text == "" {
		return
	}
	if m.byFirst == nil {
		m.byFirst = make(map[byte][]mark)
	}
	list := append(m.byFirst[text[0]], mark{text, id})
	slices.SortStableFunc(list, func(a, b mark) int { return len(b.text) - len(a.text) })
	m.byFirst[text[0]] = list
}

// split calls f for every mark in s, with its id, and for what stands between
// them, with -1. Of marks that overlap, the one that begins first counts, and of
// those the longest.
func (m *marks) split(s string, f func(s string, id int32)) {
	if len(m.byFirst) == 0 {
		f(s, -1)
		return
	}
	from := 0
	for i := 0; i < len(s); {
		found := m.at(s[i:])
		if found.text == "" {
			i++
			continue
		}
		if i > from {
			f(s[from:i], -1)
		}
		f(found.text, found.id)
		i += len(found.text)
		from = i
	}
	if from < len(s) {
		f(s[from:], -1)
	}
}

// at returns the longest mark that s begins with, if there is one.
func (m *marks) at(s string) mark {
	for _, k := range m.byFirst[s[0]] {
		if strings.HasPrefix(s, k.text) {
			return k
		}
	}
	return mark{}
}
