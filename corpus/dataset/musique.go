package dataset

import (
	"strconv"
	"strings"
)

// A musiqueRecord is a record of MuSiQue, without what trawl does not use.
type musiqueRecord struct {
	ID         string   `json:"id"`
	Question   string   `json:"question"`
	Answer     string   `json:"answer"`
	Aliases    []string `json:"answer_aliases"`
	Answerable *bool    `json:"answerable"` // absent from the test split
	Paragraphs []struct {
		Title      string `json:"title"`
		Supporting bool   `json:"is_supporting"`
	} `json:"paragraphs"`
}

// musique reads MuSiQue: the release's lines, or a list of the same records.
// The answer and its aliases are accepted. In the "full" release each question
// stands twice under one id, once with its answer's paragraphs taken away
// (answerable is false). What rollouts search is a whole corpus, not these
// paragraphs, so the second is no question of its own and is left out; the
// release's own answer scores leave it out as well. The id says the number of
// hops ("3hop1__…").
func musique(raw []byte) (Example, error) {
	var r musiqueRecord
	if err := decode(raw, &r); err != nil {
		return Example{}, err
	}
	q, err := identified(r.ID, "id", r.Question, "question")
	if err != nil {
		return Example{}, err
	}
	if r.Answerable != nil && !*r.Answerable {
		return Example{}, errTwin
	}
	e := Example{Question: q, Golds: golds(append([]string{r.Answer}, r.Aliases...)...), Source: "musique", Hops: leadingNumber(r.ID)}
	e.Type, _, _ = strings.Cut(r.ID, "__")
	var names []string
	for _, p := range r.Paragraphs {
		if p.Supporting {
			names = append(names, p.Title)
		}
	}
	e.Titles = titles(names)
	return e, nil
}

// leadingNumber returns the number that s begins with; 0 if it does not.
func leadingNumber(s string) int {
	digits := s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}
