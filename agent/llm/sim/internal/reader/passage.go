package reader

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Passage is a document as it was shown.
type Passage struct {
	Title string
	Text  string
}

// A Shelf is the passages of one conversation, in the order in which they were
// shown, prepared for reading. It is not safe for concurrent use.
type Shelf struct {
	// Careful readers leave out what is [Shelf.Refuted].
	Careful bool

	pages []page
}

// A page is a passage made ready: its text in lower case, byte for byte, its
// sentences, and the name that its title gives.
type page struct {
	Passage
	low       string
	sentences []span // found when first needed
	name      string // the title without what brackets add, in lower case
}

// NewShelf prepares passages. One that is shown twice is kept once.
func NewShelf(passages []Passage) *Shelf {
	s := &Shelf{pages: make([]page, 0, len(passages))}
	seen := make(map[Passage]struct{}, len(passages))
	for _, p := range passages {
		if _, twice := seen[p]; twice {
			continue
		}
		seen[p] = struct{}{}
		p.Title = strings.Trim(p.Title, `"`)
		s.pages = append(s.pages, page{Passage: p, low: fold(p.Text), name: nameKey(p.Title)})
	}
	return s
}

// Len returns the number of different passages.
func (s *Shelf) Len() int { return len(s.pages) }

// Titles returns the titles of the passages, in order.
func (s *Shelf) Titles() []string {
	out := make([]string, len(s.pages))
	for i := range s.pages {
		out[i] = s.pages[i].Title
	}
	return out
}

// nameKey returns the form by which names compare: lower case, without an
// article, quotes, and a bracketed addition at the end.
func nameKey(s string) string {
	s = fold(strings.Trim(s, ` "“”`))
	if i := strings.LastIndex(s, " ("); i > 0 && strings.HasSuffix(s, ")") {
		s = s[:i]
	}
	s = strings.TrimPrefix(s, "the ")
	return strings.ReplaceAll(s, "’", "'")
}

// split finds the sentences of the page.
func (p *page) split() []span {
	if p.sentences != nil {
		return p.sentences
	}
	s, start := p.Text, 0
	for i := 0; i < len(s); i++ {
		if c := s[i]; c != '.' && c != '!' && c != '?' {
			continue
		}
		end := i + 1
		for end < len(s) && (s[end] == '"' || s[end] == ')' || s[end] == '\'') {
			end++
		}
		if end < len(s) && s[end] != ' ' || !endsSentence(s, i, end) {
			continue
		}
		p.sentences = append(p.sentences, span{start, end})
		for end < len(s) && s[end] == ' ' {
			end++
		}
		start, i = end, end-1
	}
	if start < len(s) {
		p.sentences = append(p.sentences, span{start, len(s)})
	}
	return p.sentences
}

// endsSentence reports whether the point at i, closed at end, ends a sentence:
// a capital or a digit follows, and no initial or title stands before it.
func endsSentence(s string, i, end int) bool {
	if end >= len(s) {
		return true
	}
	r, _ := utf8.DecodeRuneInString(s[end+1:])
	if r == '"' || r == '“' || r == '(' {
		r = 'A'
	}
	if !unicode.IsUpper(r) && !unicode.IsDigit(r) {
		return false
	}
	word := s[strings.LastIndexByte(s[:i], ' ')+1 : i]
	word = strings.TrimLeft(word, `("`)
	return s[i] != '.' || word == "" || !isInitial(word)
}

// isAbout reports how well the page's title gives the name: 2 the same, 1 one
// holds the other as whole words, 0 not.
func (p *page) isAbout(key string) int {
	switch {
	case key == "":
		return 0
	case p.name == key:
		return 2
	case len(key) >= 5 && holds(p.name, key), len(p.name) >= 5 && holds(key, p.name):
		return 1
	}
	return 0
}

// holds reports whether part stands in s at word boundaries.
func holds(s, part string) bool { return find(s, part, 0) >= 0 }

// find returns the first place of part in s from at on that begins and ends at
// word boundaries, or −1.
func find(s, part string, at int) int {
	for at <= len(s) {
		i := strings.Index(s[at:], part)
		if i < 0 {
			return -1
		}
		i += at
		end := i + len(part)
		if (i == 0 || !isWordByte(s[i-1]) || !isWordByte(part[0])) && (end == len(s) || !isWordByte(s[end]) || !isWordByte(part[len(part)-1])) {
			return i
		}
		at = i + 1
	}
	return -1
}
