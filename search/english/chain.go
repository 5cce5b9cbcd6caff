package english

import (
	"strings"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/token/porter"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
)

// maxToken is the length in runes at which a token is cut in pieces, as in
// Lucene's StandardTokenizer.
const maxToken = 255

// chain returns the words of a text by bleve's tokenizer, those without a term
// left out.
func chain(text string) []Word {
	var words []Word
	for _, token := range unicode.NewUnicodeTokenizer().Tokenize([]byte(strings.ToValidUTF8(text, "\uFFFD"))) {
		for rest := token.Term; len(rest) > 0; {
			var piece []byte
			piece, rest = cut(rest)
			if w := filter(piece); w.Term != "" {
				words = append(words, w)
			}
		}
	}
	return words
}

// cut cuts the first maxToken runes off.
func cut(token []byte) (piece, rest []byte) {
	n := 0
	for i := 0; i < maxToken && n < len(token); i++ {
		_, size := utf8.DecodeRune(token[n:])
		n += size
	}
	return token[:n:n], token[n:]
}

// filter returns what becomes of a token, which it overwrites.
func filter(token []byte) Word {
	stream := analysis.TokenStream{{Term: token}}
	stream = en.NewPossessiveFilter().Filter(stream)
	stream = lowercase.NewLowerCaseFilter().Filter(stream)
	stop := isStopWord(stream[0].Term)
	stream = porter.NewPorterStemmer().Filter(stream)
	return Word{Term: string(stream[0].Term), Stop: stop}
}

// isStopWord reports whether the word is one of Lucene's
// EnglishAnalyzer.ENGLISH_STOP_WORDS_SET.
func isStopWord(word []byte) bool {
	switch string(word) {
	case "a", "an", "and", "are", "as", "at", "be", "but", "by",
		"for", "if", "in", "into", "is", "it",
		"no", "not", "of", "on", "or", "such",
		"that", "the", "their", "then", "there", "these",
		"they", "this", "to", "was", "will", "with":
		return true
	}
	return false
}
