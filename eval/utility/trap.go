package utility

import (
	"math"
	"slices"

	"trawl/eval"
)

// A Trap is a document that misleads. A text asserts its false claim if one of its
// sentences has all words of the false value, or where none is given all that the
// false claim has and the true one has not, in both cases without the words of the
// question; but not if it has all words that are the true claim's alone: such a
// sentence weighs the two. An answer asserts the claim also by being the false
// answer. A trap with neither words nor a false answer cannot be seen.
type Trap struct {
	DocID       string   `json:"doc_id"`
	Kind        string   `json:"kind"`
	FalseClaim  string   `json:"false_claim"`
	TrueClaim   string   `json:"true_claim"`
	FalseValue  string   `json:"false_value"`   // the name or number that who believes it goes on with; may be empty
	FalseAnswer string   `json:"false_answer"`  // what who believes it answers; may be empty
	Triggers    []string `json:"trigger_terms"` // words of a query that find the document; for the record
	AtStep      int      `json:"at_step"`       // of the reference, where it lies; for the record
}

// A sign is how the false claim of a trap is known.
type sign struct{ wrong, true map[string]bool }

func (t Trap) sign(question string) sign {
	asked, known := contentSet(question), contentSet(t.TrueClaim)
	claimed := contentSet(t.FalseClaim)
	wrong := less(claimed, known)
	if t.FalseValue != "" {
		wrong = contentSet(t.FalseValue) // a name that both claims may have, if it is what they lead to
	}
	return sign{wrong: less(wrong, asked), true: less(less(known, claimed), asked)}
}

// unseeable reports whether nothing can tell that the trap is believed.
func (t Trap) unseeable(question string) bool {
	return t.FalseAnswer == "" && len(t.sign(question).wrong) == 0
}

// asserts reports whether a sentence of s asserts the false claim.
func (n sign) asserts(s string) bool {
	return len(n.wrong) > 0 && slices.ContainsFunc(Sentences(s), func(sentence string) bool {
		words := contentSet(sentence)
		return within(n.wrong, words) && (len(n.true) == 0 || !within(n.true, words))
	})
}

// An Entry is a trap that a rollout walked into, in steps from 1.
type Entry struct {
	DocID string  `json:"doc_id"`
	Kind  string  `json:"kind,omitempty"`
	At    int     `json:"at"`   // the first observation that holds its document
	Left  int     `json:"left"` // 0: never
	D     float64 `json:"d"`
}

// enter returns how r fared with a trap: whether it saw the document, and the entry
// if it walked into it.
func (r *run) enter(t Trap, question string, gains []float64, most float64) (seen bool, e *Entry) {
	at := slices.IndexFunc(r.actions, func(a action) bool { return slices.Contains(a.documents, t.DocID) })
	if at < 0 {
		return false, nil
	}
	n, last := t.sign(question), -1 // the last observation before something that asserts the claim
	for i := at + 1; i < len(r.said); i++ {
		if n.asserts(r.said[i]) {
			last = i
		}
	}
	if t.FalseAnswer != "" && eval.ExactMatch(r.t.Answer, []string{t.FalseAnswer}) {
		last = len(r.actions)
	}
	if last < 0 {
		return true, nil
	}
	e = &Entry{DocID: t.DocID, Kind: t.Kind, At: at + 1, D: float64(len(r.actions) - at)}
	for i := last; i < len(r.actions); i++ { // what is said at i was said before observation i
		if gains[i] > 0 {
			e.Left, e.D = i+1, float64(i-at)
			break
		}
	}
	e.D = min(e.D, most)
	return true, e
}

// Recovery returns
//
//	R_R = exp(−λ · mean of D)
//
// over the steps that leaving each trap took; 1 if none was entered.
func Recovery(steps []float64, lambda float64) float64 {
	if len(steps) == 0 {
		return 1
	}
	sum := 0.0
	for _, d := range steps {
		sum += d
	}
	return math.Exp(-lambda * sum / float64(len(steps)))
}

func less(a, b map[string]bool) map[string]bool {
	out := map[string]bool{}
	for w := range a {
		if !b[w] {
			out[w] = true
		}
	}
	return out
}

// within reports whether b has all words of a.
func within(a, b map[string]bool) bool {
	for w := range a {
		if !b[w] {
			return false
		}
	}
	return true
}
