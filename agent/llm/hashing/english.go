package hashing

import (
	_ "embed" // of the list
	"strconv"
	"strings"
	"sync"
)

// english lists the 500 words that most English texts have, each with its weight,
//
//	ln(1/p) / ln 560
//
// where p is the share of texts that have the word, as rounded to three places:
// "the", in nine of ten, weighs 0.017, "released" 0.385. p is the larger of the
// shares among 14,215 paragraphs of Wikipedia and among 1,125 questions about
// them, since words that questions are made of are rare in paragraphs. A word
// that is not listed has the weight 1, as if one text in 560 had it, an eighth
// of what the last one listed has. TestList makes the list.
//
//go:embed english.txt
var english string

var weights = sync.OnceValue(func() map[string]float64 {
	list := make(map[string]float64)
	for line := range strings.Lines(english) {
		word, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		weight, err := strconv.ParseFloat(number, 64)
		if err != nil {
			panic("hashing: the list of words: " + err.Error())
		}
		list[word] = weight
	}
	return list
})

// rarity returns the weight of a word, in (0, 1].
func rarity(word string) float64 {
	if w, ok := weights()[word]; ok {
		return w
	}
	return 1
}
