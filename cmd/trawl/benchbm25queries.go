package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"unicode"

	"trawl/search"
)

// benchQueries is how many questions a benchmark asks.
const benchQueries = 500

// Words of questions that no passage answers for, and those between the others.
var (
	questionOpenings = [...]string{"who was the", "which", "what is the", "when did the", "where is the", "in which", "who", "how many", "what", "when was the", "which of the"}
	questionJoints   = [...]string{"of the", "in", "and", "by the", "of", "the", "with", "for the", "from"}
)

// queriesFromPassages makes n questions of 5 to 12 words, each about a passage of
// the sample: an opening, words of the passage, and words between them, one for
// three of those. That comes near the questions of that length which people asked
// of the paragraphs that [functionWords] is about: there, without stop words and
// those of openings, half of the words are in fewer than 0.6 % of the paragraphs,
// and a quarter in more than 3.5 %; of these, in 0.7 % and 2.8 %.
func queriesFromPassages(seed int64, sample []search.Document, n int) ([]string, error) {
	df := make(map[string]int)
	for _, doc := range sample {
		for word := range wordsOf(doc) {
			df[word]++
		}
	}
	r := rand.New(rand.NewPCG(uint64(seed), 3))
	var queries []string
	for range 20 * n {
		words := contentWords(sample[r.IntN(len(sample))], df, len(sample))
		if len(words) < 8 {
			continue // too few for a question
		}
		if queries = append(queries, question(r, words)); len(queries) == n {
			return queries, nil
		}
	}
	return nil, errors.New("the passages have too few words to make questions of; give questions with --queries")
}

// wordsOf returns the words of a passage with where each stands first.
func wordsOf(doc search.Document) map[string]int {
	words := make(map[string]int)
	notLetter := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for i, word := range strings.FieldsFunc(strings.ToLower(doc.Title+" "+doc.Text), notLetter) {
		if _, ok := words[word]; !ok {
			words[word] = i
		}
	}
	return words
}

// contentWords returns the words of a passage that fewer than one in three of n
// passages have, in their order.
func contentWords(doc search.Document, df map[string]int, n int) (words []string) {
	all := wordsOf(doc)
	for word := range all {
		if 3*df[word] < n {
			words = append(words, word)
		}
	}
	slices.SortFunc(words, func(a, b string) int { return all[a] - all[b] })
	return words
}

// question makes a question of 5 to 12 words, rather long than short.
func question(r *rand.Rand, words []string) string {
	length := 5 + max(r.IntN(8), r.IntN(8))
	out := strings.Fields(questionOpenings[r.IntN(len(questionOpenings))])
	chosen := r.Perm(len(words))[:min(max(5-len(out), (length-len(out))*3/4), len(words))]
	slices.Sort(chosen)
	for i, c := range chosen {
		out = append(out, words[c])
		rest := len(chosen) - i - 1
		joint := strings.Fields(questionJoints[r.IntN(len(questionJoints))])
		if rest > 0 && len(out)+len(joint)+rest <= length {
			out = append(out, joint...)
		}
	}
	return strings.Join(out, " ") + "?"
}

// readQueries reads the questions of a file, one a line: as text, or as a JSON
// object with a question. Of more than n it takes n that are spread evenly.
func readQueries(path string, n int) ([]string, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []string
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, len(raw)+1)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "{") || strings.HasPrefix(line, "[") {
			var object struct{ Question string }
			if json.Unmarshal([]byte(line), &object) != nil || object.Question == "" {
				return nil, fmt.Errorf(`%s:%d: want a question, or a JSON object with a "question"`, path, number)
			}
			line = object.Question
		}
		if line != "" {
			all = append(all, line)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s holds no questions", path)
	}
	count := min(n, len(all))
	queries := make([]string, count)
	for i := range queries {
		queries[i] = all[i*len(all)/count]
	}
	return queries, lines.Err()
}
