package train

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"

	"trawl/internal/text"
)

// The split of SEL-code: a question is for validation if its place is at or above
// trainShare. The seed in the salt is part of the rule, not a setting.
const (
	splitSalt  = "gnn-selector-question-split|42|"
	foldSalt   = "gnn-selector-question-fold|"
	trainShare = 0.95
)

// Split reports whether a question is for validation rather than for training:
// one in twenty is, by a hash of its text, so that the same question falls on the
// same side in every data set. (SEL A.1)
func Split(question string) (validation bool) { return place(splitSalt, question) >= trainShare }

// place maps a question to [0, 1): the first eight bytes of the hash of salt and
// the question in normal form, as a fraction. A hash just below 2⁶⁴ rounds up to
// 1, which is on the same side of everything.
func place(salt, question string) float64 {
	hash := sha256.Sum256([]byte(salt + text.Normal(question)))
	return math.Ldexp(float64(binary.BigEndian.Uint64(hash[:8])), -64)
}

// Folds deals questions into k folds of nearly equal size: the distinct questions
// in the order of their hashes, in turn. It returns the fold of each question,
// from 0; equal questions, after normalisation, are in one fold, wherever they
// stand.
func Folds(questions []string, k int) []int {
	type dealt struct {
		place float64
		text  string
	}
	seen := make(map[string]bool, len(questions))
	var order []dealt
	for _, q := range questions {
		q = text.Normal(q)
		if !seen[q] {
			seen[q] = true
			order = append(order, dealt{place(foldSalt, q), q})
		}
	}
	slices.SortFunc(order, func(a, b dealt) int {
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.text, b.text))
	})
	fold := make(map[string]int, len(order))
	for i, d := range order {
		fold[d.text] = i % k
	}
	folds := make([]int, len(questions))
	for i, q := range questions {
		folds[i] = fold[text.Normal(q)]
	}
	return folds
}
