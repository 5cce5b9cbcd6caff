package dataset

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// bamboogle reads a row of Bamboogle: a question of two hops and one answer.
func bamboogle(r row) (Example, error) {
	q, err := question(r["id"], r["question"], "Question")
	return Example{Question: q, Golds: golds(r["answer"]), Source: "bamboogle", Hops: 2}, err
}

// nqOpen reads a line of NQ-open, which has no ids. The answer is a list; in
// some copies of other data sets in this form it is a string.
func nqOpen(raw []byte) (Example, error) {
	var r struct {
		ID       json.RawMessage `json:"id"`
		Question string          `json:"question"`
		Answer   json.RawMessage `json:"answer"`
	}
	if err := decode(raw, &r); err != nil {
		return Example{}, err
	}
	id, err := label("id", r.ID)
	if err != nil {
		return Example{}, err
	}
	q, err := question(id, r.Question, "question")
	if err != nil {
		return Example{}, err
	}
	answers, err := texts("answer", r.Answer)
	return Example{Question: q, Golds: golds(answers...), Source: "nq", Hops: 1}, err
}

// popQA reads a row of PopQA. The answers are a JSON list within a field; prop
// is the relation asked for.
func popQA(r row) (Example, error) {
	q, err := identified(r["id"], "id", r["question"], "question")
	if err != nil {
		return Example{}, err
	}
	e := Example{Question: q, Source: "popqa", Type: r["prop"], Hops: 1}
	if answers := r["possible_answers"]; answers != "" {
		var list []string
		if err := json.Unmarshal([]byte(answers), &list); err != nil {
			return Example{}, fmt.Errorf("key %q: %.40q is not a JSON list of strings", "possible_answers", answers)
		}
		e.Golds = golds(list...)
	}
	return e, nil
}

// A triviaAnswer is an answer of TriviaQA. The keys of the release are in camel
// case and those of its Hugging Face variant in snake case; where they differ
// in more than case, both have a field.
type triviaAnswer struct {
	Value        string   `json:"Value"`
	Aliases      []string `json:"Aliases"`
	Normal       string   `json:"NormalizedValue"`
	Normals      []string `json:"NormalizedAliases"`
	SnakeNormal  string   `json:"normalized_value"`
	SnakeNormals []string `json:"normalized_aliases"`
}

// triviaQA reads a question of TriviaQA's unfiltered release. The value, its
// aliases and their normalised forms are accepted: the release's normalisation
// puts a space for punctuation, so the normalised forms add some. Test splits
// have no answer, or "<unk>".
func triviaQA(raw []byte) (Example, error) {
	var r struct {
		ID       string       `json:"QuestionId"`
		SnakeID  string       `json:"question_id"`
		Question string       `json:"Question"`
		Answer   triviaAnswer `json:"Answer"`
	}
	if err := decode(raw, &r); err != nil {
		return Example{}, err
	}
	q, err := identified(cmp.Or(r.ID, r.SnakeID), "QuestionId", r.Question, "Question")
	if err != nil {
		return Example{}, err
	}
	e := Example{Question: q, Source: "triviaqa", Hops: 1}
	if a := r.Answer; a.Value != "<unk>" {
		all := append([]string{a.Value}, a.Aliases...)
		all = append(all, a.Normal, a.SnakeNormal)
		all = append(all, a.Normals...)
		e.Golds = golds(append(all, a.SnakeNormals...)...)
	}
	return e, nil
}
